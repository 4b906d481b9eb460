package floats

import "math"

// IsFinite reports whether v is neither an infinity nor NaN.
func IsFinite[F float32 | float64](v F) bool {
	return v-v == 0 // the difference is NaN for infinities and NaN
}

// FirstNotFinite returns the index of the first element of x that is not finite, or -1.
func FirstNotFinite[F float32 | float64](x []F) int {
	for i, v := range x {
		if !IsFinite(v) {
			return i
		}
	}
	return -1
}

// Inverse returns min(1/x, MaxFloat32), or 1 if x is 0: the factor that scales a column whose
// largest magnitude or standard deviation is x.
func Inverse(x float64) float32 {
	if x == 0 {
		return 1
	}
	return float32(min(1/x, math.MaxFloat32))
}

// At returns x[i], or missing if x is nil: a nil slice means that all elements are missing.
func At[F float32 | float64](x []F, i int, missing F) F {
	if x == nil {
		return missing
	}
	return x[i]
}

// CountNonzeros returns the number of elements of x that are not 0.
func CountNonzeros[F float32 | float64](x []F) (n int) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}

// Float64s returns the elements of v converted to float64.
func Float64s(v []float32) []float64 {
	wide := make([]float64, len(v))
	Widen(wide, v)
	return wide
}

// Widen stores the elements of v, converted to float64, in dst, which has the same length.
func Widen(dst []float64, v []float32) {
	dst = dst[:len(v)]
	for j, z := range v {
		dst[j] = float64(z)
	}
}
