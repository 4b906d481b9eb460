package floats

import "math"

func IsFinite[F float32 | float64](v F) bool {
	return v-v == 0 // infinities and NaN give NaN
}

// FirstNotFinite returns the index of the first element of x that is not finite, or -1.
func FirstNotFinite[F float32 | float64](x []F) int {
	start := 0
	for ; start+8 <= len(x); start += 8 {
		v := x[start:][:8]
		zero := (v[0] - v[0]) + (v[1] - v[1]) + (v[2] - v[2]) + (v[3] - v[3])
		zero += (v[4] - v[4]) + (v[5] - v[5]) + (v[6] - v[6]) + (v[7] - v[7])
		if zero != 0 { // NaN
			break
		}
	}
	for i, v := range x[start:] {
		if !IsFinite(v) {
			return start + i
		}
	}
	return -1
}

// Inverse returns min(1/x, MaxFloat32), or 1 if x is 0.
func Inverse(x float64) float32 {
	if x == 0 {
		return 1
	}
	return float32(min(1/x, math.MaxFloat32))
}

// At returns x[i], or missing if x is nil.
func At[F float32 | float64](x []F, i int, missing F) F {
	if x == nil {
		return missing
	}
	return x[i]
}

// CountNonzeros returns the number of elements of x that are not 0; NaN counts.
func CountNonzeros[F float32 | float64](x []F) (n int) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}

func Float64s(v []float32) []float64 {
	wide := make([]float64, len(v))
	Widen(wide, v)
	return wide
}

// Widen converts v to float64s in dst, which must not be shorter than v.
func Widen(dst []float64, v []float32) {
	dst = dst[:len(v)]
	for j, z := range v {
		dst[j] = float64(z)
	}
}
