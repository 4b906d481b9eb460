package kernel

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Measure sets Diagonal, Norms, MaxNorm, Error and Error64, and returns -1. But it stops at the
// first row x whose k(x,x) is not finite, or whose squared norm is NaN or exceeds half of the
// largest float32, and returns the position of x.
func (r *Rows) Measure() (bad int) {
	r.Diagonal, r.Norms = make([]float32, len(r.At)), make([]float64, len(r.At))
	for p, square := range r.squares {
		d := r.Diagonal[p : p+1]
		if r.Func != nil {
			d[0] = r.Func(r.row(p), r.row(p))
		} else {
			// For bit rows the table has the same value.
			apply(&r.Function, d, []float64{square}, false, square, r.squares[p:p+1])
		}
		if !floats.IsFinite(d[0]) || !(square <= math.MaxFloat32/2) {
			return p
		}
		r.Norms[p] = math.Sqrt(max(0, float64(d[0])))
		r.MaxNorm = max(r.MaxNorm, r.Norms[p])
	}
	largest := float64(r.MaxNorm * r.MaxNorm)
	r.Error, r.Error64 = r.errorBound32(largest), r.errorBound64(largest)
	return -1
}

func (r *Rows) errorBound32(largest float64) ErrorBound {
	dot, terms := 0.0, 0.0 // relative error of a dot product; number of terms that may underflow
	if r.words == nil {
		terms = r.maxStored
		if dot = float64(terms * 2 * Unit64); r.dense != nil {
			dot = r.dotError()
		}
	}
	b := r.errorBound(dot, unit, float64(terms*0x1p-149), largest)
	if r.words != nil && r.Kind == RBF {
		b.product = 0
		for n, v := range r.table64 {
			b.product = max(b.product, more*math.Abs(v-float64(r.table32[n])))
		}
	}
	return b
}

func (r *Rows) errorBound64(largest float64) ErrorBound {
	dot := 0.0
	if r.words == nil || r.Kind == Linear {
		dot = float64((r.maxStored + 1) * 2 * Unit64)
	}
	b := r.errorBound(dot, Unit64, 0, largest)
	b.product += 6 * Unit64 // further roundings
	return b
}

// errorBound returns the error bound of kernel values. unit is the unit roundoff of the arithmetic,
// dot and under are the relative and the absolute error of inner products, and largest bounds
// k(x,x). With direct set, RBF computes distances instead of inner products.
func (r *Rows) errorBound(dot, unit, under, largest float64) (b ErrorBound) {
	switch {
	case r.Func != nil:
	case r.Kind != RBF:
		degree := float64(max(1, r.Degree))
		b.product += more * (float64(degree*dot*more) + float64((degree+2)*unit))
		steep := degree * max(1, r.Gamma) * max(1, largest)
		b.constant = float64(steep*under) + 0x1p-149
	default:
		b.product += more * 3 * unit
		b.constant = float64(float64(4*r.Gamma)*under) + 0x1p-126
		if r.direct && r.words == nil {
			b.product += float64(0.38 * (dot + 4*unit))
		} else {
			b.slope = float64(float64(2*r.Gamma) * dot)
		}
	}
	return b
}

// WeightSums has, for rows z with weights a, the sums of a, a*sqrt(k(z,z)) and a*|z|^2.
type WeightSums struct{ a, Norm, square float64 }

// a must not be negative.
func (w *WeightSums) Add(r *Rows, p int32, a float64) {
	w.a += a
	w.Norm += float64(a * r.Norms[p])
	w.square += float64(a * r.squares[p])
}

// SumError bounds the error of the sum of a*k(x,z) over the rows z of w, where x is row p of r.
func (b *ErrorBound) SumError(w *WeightSums, r *Rows, p int32) float64 {
	return float64(float64(b.product*r.Norms[p])*w.Norm) + float64(b.constant*w.a) +
		float64(b.slope*(float64(r.squares[p]*w.a)+w.square))
}
