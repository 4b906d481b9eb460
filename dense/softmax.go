package dense

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Softmax sets dst[i] to e^x[i] over the sum of e^x[j] for all j. To the bit it is
//
//	sum := 0.0
//	for i := 0; i < len(x); i += 256 {
//		piece := dst[i:min(i+256, len(x))]
//		for j := range piece {
//			piece[j] = x[i+j] - Max(x)
//		}
//		Exp(piece, piece)
//		sum += float64(Sum(piece))
//	}
//	Scale(float32(1/sum), dst)
//
// with the Max of x before the call. No finite x overflows. For n elements, a result of at least
// 2^-126 has a relative error of at most (Max(x) - x[i] + ln n + 16) * 2^-24. All results are NaN
// if an element of x is NaN or +Inf, or all are -Inf. Softmax panics if the lengths differ.
func Softmax(dst, x []float32) {
	misuse.CheckEqual("len(dst)", len(dst), "len(x)", len(x))
	sum := expSum(dst, x, asm.Max(x), true)
	asm.Scale(float32(1/sum), dst)
}

// LogSumExp returns the natural logarithm of the sum of e^x[i]. It computes Max(x) + ln(sum) in
// float64, with the sum of [Softmax], and rounds it to float32. No finite x overflows. For n
// elements the error is at most (ln n + 12) * 2^-24, plus that of rounding the result.
//
// The result is -Inf if x is empty or all elements are -Inf, NaN if an element is NaN, and
// otherwise +Inf if an element is +Inf.
func LogSumExp(x []float32) float32 {
	shift := asm.Max(x)
	if math.IsInf(float64(shift), 0) {
		shift = 0 // Inf - Inf would be NaN
	}
	var piece [expPiece]float32
	sum := expSum(piece[:], x, shift, false)
	return float32(float64(shift) + floats.Log(sum))
}

const expPiece = 256

// expSum's dst has the length of x if store is set, and is otherwise a buffer of expPiece elements.
func expSum(dst, x []float32, shift float32, store bool) (sum float64) {
	var all [expPiece]float32
	shifts := all[:min(len(x), expPiece)]
	for i := range shifts[:min(len(x), 8)] {
		shifts[i] = shift
	}
	for i := 8; i < len(shifts); i *= 2 {
		copy(shifts[i:], shifts[:i])
	}
	for len(x) > 0 {
		n := min(len(x), expPiece)
		piece := dst[:n]
		asm.Sub(piece, x[:n], shifts[:n])
		asm.Exp(piece, piece)
		sum += float64(asm.Sum(piece))
		if x = x[n:]; store {
			dst = dst[n:]
		}
	}
	return sum
}
