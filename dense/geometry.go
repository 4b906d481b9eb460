package dense

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
)

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

// Norm returns the Euclidean length of x, the root of SumSquares where that neither overflows nor
// loses tiny elements, and else of Dot64: it is +Inf only where the length itself is more than a
// float32 holds, or an element is infinite.
func Norm(x []float32) float32 { return float32(norm(x)) }

func norm(x []float32) float64 {
	if s := asm.SumSquares(x); exact(s) {
		return math.Sqrt(float64(s))
	}
	return math.Sqrt(asm.Dot64(x, x))
}

// Distance returns the Euclidean distance of x and y: the length of what Sub gives, as Norm has it.
// It panics if the lengths differ.
func Distance(x, y []float32) float32 {
	s := asm.SquaredDistance(x, y)
	if exact(s) {
		return float32(math.Sqrt(float64(s)))
	}
	var difference [512]float32
	squares := 0.0
	for start := 0; start < len(x); start += len(difference) {
		end := min(start+len(difference), len(x))
		d := difference[:end-start]
		asm.Sub(d, x[start:end], y[start:end])
		squares += asm.Dot64(d, d)
	}
	return float32(math.Sqrt(squares))
}

// Cosine returns the cosine of the angle between x and y, from DotNorms in one pass over both. It
// is between -1 and 1, exactly 1 where x and y are equal, and right also where the sums of squares
// are more or less than a float32 holds. It is 0 where one of the vectors is all zeros or empty,
// and NaN where an element is NaN or infinite. It panics if the lengths differ.
func Cosine(x, y []float32) float32 {
	dot, squaresX, squaresY := asm.DotNorms(x, y)
	return cosine(x, y, dot, squaresX, squaresY)
}

// cosine is Cosine of vectors whose sums are known.
func cosine(x, y []float32, dot, squaresX, squaresY float32) float32 {
	if !exact(squaresX) || !exact(squaresY) {
		return cosine64(x, y)
	}
	c := float64(dot) / math.Sqrt(float64(squaresX)*float64(squaresY))
	if !(c >= -1 && c <= 1) {
		if dot-dot != 0 {
			return cosine64(x, y)
		}
		return float32(max(-1, min(c, 1)))
	}
	return float32(c)
}

// cosine64 is Cosine with sums in float64, for vectors whose other sums are not exact.
func cosine64(x, y []float32) float32 {
	xy, xx, yy := asm.Dot64(x, y), asm.Dot64(x, x), asm.Dot64(y, y)
	if xy == 0 && (xx == 0 || yy == 0) {
		return 0
	}
	return float32(max(-1, min(xy/math.Sqrt(float64(xx*yy)), 1)))
}

// Normalize sets dst to x divided by its length, so that it has length 1, and returns that length,
// as Norm has it. Elements are within two units in the last place of x[i] over that length. A
// vector of zeros stays one. If an element is infinite, it becomes NaN and the finite ones 0. It
// panics if the lengths differ. dst may be x.
func Normalize(dst, x []float32) float32 {
	length := norm(x)
	factor := 1.0 // a power of two, which brings lengths to where 1/length is an ordinary float32
	switch {
	case length == 0:
		asm.ScaleTo(dst, 1, x)
		return 0
	case length < 0x1p-100:
		factor = 0x1p64
	case length > 0x1p100 && length <= math.MaxFloat64:
		factor = 0x1p-64
	}
	if factor == 1 {
		asm.ScaleTo(dst, float32(1/length), x)
	} else {
		asm.ScaleTo(dst, float32(factor), x)
		asm.Scale(float32(1/float64(length*factor)), dst)
	}
	return float32(length)
}
