package asm

import "math"

// Limits of the safe range of a float32 sum of squares: if the sum is in this range, no term has
// overflowed, and terms that have underflowed are too small to matter. In float64, no float32's
// square overflows or underflows.
const (
	minSquares = 0x12800000 // bits of 2^-90
	maxSquares = 0x7f7fffff // bits of the greatest finite float32
)

// inSafeRange compares bits: those from +0 to +Inf are in the order of the numbers, and those of
// negative numbers and NaN are greater, so that one unsigned comparison suffices.
func inSafeRange(squares float32) bool {
	return math.Float32bits(squares)-minSquares <= maxSquares-minSquares
}

// Norm returns the square root, rounded to float32, of SumSquares(x) or, if inSafeRange is false
// for that sum, of Dot64(x, x).
func Norm(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return normActive(x)
}

func normSlow(x []float32) float32 { return float32(Length(x)) }

// Length returns the float64 that Norm rounds to float32.
func Length(x []float32) float64 {
	if s := SumSquares(x); inSafeRange(s) {
		return math.Sqrt(float64(s))
	}
	return math.Sqrt(Dot64(x, x))
}

// Distance returns the square root of SquaredDistance(x, y) if inSafeRange is true for that sum.
// Otherwise it rounds the differences x - y to float32, and returns the square root of the sum of
// their squares in float64, added in blocks of 512.
func Distance(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return distanceActive(x, y)
}

func distanceSlow(x, y []float32) float32 {
	if s := SquaredDistance(x, y); inSafeRange(s) {
		return float32(math.Sqrt(float64(s)))
	}
	var difference [512]float32
	squares := 0.0
	for start := 0; start < len(x); start += len(difference) {
		end := min(start+len(difference), len(x))
		d := difference[:end-start]
		subActive(d, x[start:end], y[start:end])
		squares += dot64Active(d, d)
	}
	return float32(math.Sqrt(squares))
}

// Cosine returns xy / sqrt(xx*yy), clamped to [-1, 1] and computed in float64 from the float32 sums
// of DotNorms(x, y). If inSafeRange is false for xx or yy, or xy is infinite or NaN, it returns
// Cosine64(x, y) as a float32.
func Cosine(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return cosineActive(x, y)
}

func cosineSlow(x, y []float32) float32 {
	xy, xx, yy := DotNorms(x, y)
	return CosineOf(x, y, xy, xx, yy)
}

// CosineOf returns Cosine(x, y), given the three sums of DotNorms(x, y).
func CosineOf(x, y []float32, xy, xx, yy float32) float32 {
	if c, ok := cosineOf(xy, xx, yy); ok {
		return c
	}
	return float32(Cosine64(x, y))
}

// cosineOf returns false if a sum may have overflowed or underflowed, or is NaN.
func cosineOf(xy, xx, yy float32) (c float32, ok bool) {
	if !inSafeRange(xx) || !inSafeRange(yy) || xy-xy != 0 {
		return 0, false
	}
	return float32(max(-1, min(float64(xy)/math.Sqrt(float64(xx)*float64(yy)), 1))), true
}
