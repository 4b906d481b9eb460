package quant

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Step returns the greatest |x[i]| divided by 127, ignoring NaN, or 0 if x has no number other than
// 0. With this step [Quantize] clamps no value of x.
//
// The quotient is rounded to the nearest float32, with two exceptions: it is rounded up if a
// subnormal step would otherwise clamp a value, and down if 127 steps would overflow.
func Step(x []float32) float32 {
	var most float32
	for _, v := range x {
		if a := float32(math.Abs(float64(v))); a > most {
			most = a
		}
	}
	step := most / 127
	switch inf := float32(math.Inf(1)); {
	case math.RoundToEven(float64(most/step)) > 127:
		return math.Nextafter32(step, inf)
	case most < inf && step*127 == inf:
		return math.Nextafter32(step, 0)
	}
	return step
}

// Quantize sets dst[i] to the float32 quotient x[i]/step, rounded to the nearest integer, ties to
// even, and clamped to [-127, 127]. NaN becomes 0, as does an infinity with an infinite step. If
// step is 0, all elements become 0. It panics if the lengths differ.
//
// x[i] is about step*dst[i], and the dot product of two vectors is about [Dot] of the bytes times
// both steps. Use one step for all vectors of a collection, so that the bytes rank like the
// vectors.
func Quantize(dst []int8, x []float32, step float32) {
	quantize(dst, x, 0, step, -127, 127)
}

// QuantizeUint8 sets dst[i] to (x[i]-offset)/step, rounded like [Quantize], and clamped to [0,
// 255], so that x[i] is about offset + step*dst[i]. If the float32 quotient is infinite, the
// difference and the quotient are computed in float64.
func QuantizeUint8(dst []uint8, x []float32, offset, step float32) {
	quantize(dst, x, offset, step, 0, 255)
}

func quantize[T Byte](dst []T, x []float32, offset, step, least, most float32) {
	misuse.CheckEqual("len(dst)", len(dst), "len(x)", len(x))
	for i, v := range x {
		q := (v - offset) / step
		switch {
		case q != q || step == 0:
			q = 0
		case q < least || q > most:
			q = clamp(v, offset, step, least, most)
		}
		dst[i] = T(int32(math.RoundToEven(float64(q))))
	}
}

// clamp rounds (v-offset)/step to an integer in [low, high], ties to even. The float32 quotient is
// outside [low, high], but if it is infinite, the float64 quotient may be inside.
func clamp(v, offset, step, low, high float32) float32 {
	q := float64((v - offset) / step)
	if math.IsInf(q, 0) {
		q = (float64(v) - float64(offset)) / float64(step)
	}
	return float32(math.RoundToEven(max(float64(low), min(q, float64(high)))))
}

// Dequantize sets dst[i] to offset + step*src[i], computed in float32 or, if that overflows, in
// float64 and rounded. For bytes from [Quantize], offset is 0. It panics if the lengths differ.
func Dequantize[T Byte](dst []float32, src []T, offset, step float32) {
	misuse.CheckEqual("len(dst)", len(dst), "len(src)", len(src))
	for i, q := range src {
		dst[i] = offset + float32(step*float32(q))
	}
	if math.Abs(float64(offset))+math.Abs(256*float64(step)) <= math.MaxFloat32 {
		return
	}
	for i, q := range src {
		if v := dst[i]; v-v != 0 {
			dst[i] = float32(float64(offset) + float64(float64(step)*float64(q)))
		}
	}
}
