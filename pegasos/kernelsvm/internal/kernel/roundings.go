package kernel

import "math"

// ErrorBound bounds the rounding error of a kernel value. The certificate is about the exact kernel
// of the rows (their float32 values taken as exact, gamma and coef0 in float64) and the float32
// coefficients of the model. Kernel values are computed in float32, so a score differs from the
// exact one, but by no more than a distance that is known before any value is computed. With u =
// 2^-24, xx and zz the squared norms of the rows, and c the number of roundings that a term of a
// float32 dot product goes through, every value is within
//
//	product*sqrt(k(x,x)k(z,z)) + slope*(xx+zz) + constant
//
// of the exact one:
//
//   - The dot product of dense rows is off by at most c*u*|x||z|. For sparse rows it is a sum of
//     exact products in float64: c is about nonzeros*2^-29. For rows of zeros and ones it is exact.
//   - RBF from dot products: the squared distance is off by c*u*(xx + zz + 2|x||z|), at most
//     2c*u*(xx+zz), and the exponent by gamma times that. The slope of e^-t is at least -1 for
//     t >= 0.
//   - RBF from distances computed directly: the errors of each difference, its square and the sum
//     are relative to the result, so the exponent t is off by (c+3)*u*t, and the kernel value by
//     that times e^-t, which is at most (c+3)*u/e.
//   - Rounding the exponent to float32 costs u*t*e^-t <= u/e, and dense.Exp is within 1.1 units in
//     the last place, 2.2u of the value. For RBF k(x,x) is always 1.
//   - Linear and polynomial: (gamma xz + coef0)^degree multiplies the error of xz, relative to
//     |x||z|, by degree, and gamma |x||z| + coef0 is at most the geometric mean of gamma xx + coef0
//     and gamma zz + coef0. Then the result is rounded.
//   - RBF of zeros and ones has so few possible values that the error of each is computed.
//   - Rounded coefficients are off by u, which counts twice in |w|^2. The coefficients of dual
//     coordinate ascent are exact.
//   - constant covers underflow: 2^-149 a term.
//
// The float64 roundings in all of this are 2^-29 times as large and covered by 1 % more. A score is
// a sum in float64 of such values times alphas; package solve covers the roundings of that sum. For
// a Func of the caller the certificate is about the values that it returns.
type ErrorBound struct{ product, slope, constant float64 }

// unit and Unit64 are the unit roundoffs of float32 and float64, the largest relative error of one
// operation. The constant more is a safety factor for error bounds; it covers float64 roundings.
const (
	unit   = 0x1p-24
	Unit64 = 0x1p-53
	more   = 1.01
)

// dotError returns a bound on the error of a float32 inner product of dense rows, relative to the
// product of their norms. It counts the roundings that a term goes through: of the product, of the
// sum in its lane, of folding the 64 lanes, and of adding the blocks of 65,536 columns.
func (r *Rows) dotError() float64 {
	block := min(r.cols, 65536)
	return unit * more * float64(1+(block+63)/64+6+r.cols/65536)
}

// errorBound32 returns the error bound of the float32 kernel values. largest is an upper bound on
// k(x,x) for the rows x.
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

// errorBound64 returns the error bound of the float64 kernel values. largest is an upper bound on
// k(x,x) for the rows x.
func (r *Rows) errorBound64(largest float64) ErrorBound {
	dot := 0.0
	if r.words == nil || r.Kind == Linear {
		dot = float64((r.maxStored + 1) * 2 * Unit64)
	}
	b := r.errorBound(dot, Unit64, 0, largest)
	b.product += 6 * Unit64 // further roundings of exponents, powers and alphas
	return b
}

// errorBound returns the error bound of kernel values that are computed, in arithmetic with the
// unit roundoff unit, from inner products with the relative error dot and the absolute error under
// or, for RBF with direct set, from distances computed directly.
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

// WithRoundedWeights returns the error bound of products of kernel values and weights that were
// rounded to float32.
func (b ErrorBound) WithRoundedWeights() ErrorBound {
	b.product += 2 * more * unit
	return b
}

// WeightSums holds sums over rows z with weights a. From these sums ErrorBound.SumError computes a
// bound on the error of the sum of a*k(x,z).
type WeightSums struct{ a, Norm, square float64 } // sums of a, a*sqrt(k(z,z)) and a*zz

// Add adds row p of r with the weight a, which is not negative.
func (w *WeightSums) Add(r *Rows, p int32, a float64) {
	w.a += a
	w.Norm += float64(a * r.Norms[p])
	w.square += float64(a * r.squares[p])
}

// SumError returns a bound on the error of the sum of a*k(x,z) over the rows z of w, where x is row
// p of r.
func (b *ErrorBound) SumError(w *WeightSums, r *Rows, p int32) float64 {
	return float64(float64(b.product*r.Norms[p])*w.Norm) + float64(b.constant*w.a) +
		float64(b.slope*(float64(r.squares[p]*w.a)+w.square))
}
