package dense

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Norm returns the Euclidean norm of x: the square root of SumSquares(x) or, if that sum overflows
// or loses tiny elements, of Dot64(x, x). It is +Inf only if the norm exceeds the float32 range or
// an element is infinite.
func Norm(x []float32) float32 { return asm.Norm(x) }

// Distance returns the Euclidean distance of x and y. The differences x - y are rounded to float32.
// It panics if the lengths differ.
func Distance(x, y []float32) float32 { return asm.Distance(x, y) }

// Cosine returns the cosine of the angle between x and y, computed from DotNorms or, if these sums
// overflow or underflow, from DotNorms64. It is NaN if an element is NaN or infinite, otherwise 0
// if a vector is all zeros or the vectors are empty, and otherwise between -1 and 1, exactly 1 if x
// and y are equal. It panics if the lengths differ.
func Cosine(x, y []float32) float32 { return asm.Cosine(x, y) }

// Cosine64 is [Cosine] in float64, computed from DotNorms64. It panics if the lengths differ.
func Cosine64(x, y []float32) float64 { return asm.Cosine64(x, y) }

// Normalize sets dst to x divided by its Euclidean norm, and returns Norm(x). A vector of zeros is
// copied unchanged. If an element is infinite and none is NaN, infinite elements become NaN and
// finite ones 0. It panics if the lengths differ.
func Normalize(dst, x []float32) float32 {
	length := asm.Length(x)
	factor := 1.0 // power of two for which 1/(length*factor) is a normal float32
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
