package dense

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Norm returns the Euclidean length of x, the root of SumSquares where that neither overflows nor
// loses tiny elements, and else of Dot64: it is +Inf only where the length itself is more than a
// float32 holds, or an element is infinite.
func Norm(x []float32) float32 { return asm.Norm(x) }

// Distance returns the Euclidean distance of x and y: the length of what Sub gives, as Norm has it.
// It panics if the lengths differ.
func Distance(x, y []float32) float32 { return asm.Distance(x, y) }

// Cosine returns the cosine of the angle between x and y, from DotNorms in one pass over both. It
// is between -1 and 1, exactly 1 where x and y are equal, and right also where the sums of squares
// are more or less than a float32 holds. It is 0 where one of the vectors is all zeros or empty,
// and NaN where an element is NaN or infinite. It panics if the lengths differ.
func Cosine(x, y []float32) float32 { return asm.Cosine(x, y) }

// Cosine64 returns the cosine of the angle between x and y from DotNorms64: in float64; in
// everything else it is like Cosine.
func Cosine64(x, y []float32) float64 { return asm.Cosine64(x, y) }

// Normalize sets dst to x divided by its length, so that it has length 1, and returns that length,
// as Norm has it. Elements are within two units in the last place of x[i] over that length. A
// vector of zeros stays one. If an element is infinite, it becomes NaN and the finite ones 0. It
// panics if the lengths differ. dst may be x.
func Normalize(dst, x []float32) float32 {
	length := asm.Length(x)
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
