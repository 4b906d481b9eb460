package asm

import "math"

// Sums of squares between these, as bits, are as exact as others are: none of their terms
// overflows, and what underflows is too small to matter. Beyond them sums are taken in float64,
// where the square of no float32 overflows or underflows.
const (
	leastSquares = 0x12800000 // 2^-90
	mostSquares  = 0x7f7fffff // the greatest float32
)

// exact compares bits, which are in the order of the numbers from +0 to +Inf, those of NaN beyond
// them: one comparison in place of two.
func exact(squares float32) bool {
	return math.Float32bits(squares)-leastSquares <= mostSquares-leastSquares
}

// Norm is the root of SumSquares(x) where that is exact, and else of Dot64(x, x).
func Norm(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return normActive(x)
}

func normRare(x []float32) float32 { return float32(Length(x)) }

// Length is Norm before it is rounded.
func Length(x []float32) float64 {
	if s := SumSquares(x); exact(s) {
		return math.Sqrt(float64(s))
	}
	return math.Sqrt(Dot64(x, x))
}

// Distance is the root of SquaredDistance(x, y) where that is exact, and else of Dot64(d, d), d
// being x - y. It panics if the lengths differ.
func Distance(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return distanceActive(x, y)
}

func distanceRare(x, y []float32) float32 {
	if s := SquaredDistance(x, y); exact(s) {
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

// Cosine is xy / root(xx*yy) of the sums of DotNorms(x, y), in float64, where those of squares are
// exact, and else of Dot64's; it is no more than 1 and no less than -1, and 0 where a vector is
// zeros. It panics if the lengths differ.
func Cosine(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return cosineActive(x, y)
}

func cosineRare(x, y []float32) float32 {
	xy, xx, yy := DotNorms(x, y)
	return CosineOf(x, y, xy, xx, yy)
}

// CosineOf is Cosine(x, y), given what DotNorms(x, y) returns.
func CosineOf(x, y []float32, xy, xx, yy float32) float32 {
	if c, ok := cosineOf(xy, xx, yy); ok {
		return c
	}
	return float32(Cosine64(x, y))
}

// cosineOf returns the cosine if the sums are exact enough for it.
func cosineOf(xy, xx, yy float32) (c float32, ok bool) {
	if !exact(xx) || !exact(yy) || xy-xy != 0 {
		return 0, false
	}
	return float32(max(-1, min(float64(xy)/math.Sqrt(float64(xx)*float64(yy)), 1))), true
}
