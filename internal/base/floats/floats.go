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

// Float64s returns the elements of v converted to float64.
func Float64s(v []float32) []float64 {
	wide := make([]float64, len(v))
	for j, z := range v {
		wide[j] = float64(z)
	}
	return wide
}
