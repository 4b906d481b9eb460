package kernelsvm

import "math"

// A rounding bounds the error of rounding in a kernel value. The certificate is about the exact
// kernel of the rows (their float32 values taken as they are, gamma and coef0 in float64) and the
// float32 coefficients of the model. Kernel values are computed in float32, so that a score is not
// the exact one, but within a distance that is known before any value is computed. With u = 2^-24,
// xx and zz the rows' squared norms, c the number of roundings that a term of a float32 dot product
// passes, every value is within
//
//	product*sqrt(k(x,x)k(z,z)) + slope*(xx+zz) + constant
//
// of the exact one:
//
//   - The dot product of dense rows is off by c*u*|x||z| at most. That of sparse rows is a sum of
//     exact products in float64: c is some nonzeros*2^-29. That of zeros and ones is exact.
//   - RBF from dot products: the squared distance is off by c*u*(xx + zz + 2|x||z|), at most
//     2c*u*(xx+zz), and times gamma so is the exponent. e^-t is nowhere steeper than -1 for t >= 0.
//   - RBF from distances found directly: the errors of each difference, its square and the sum are
//     relative to the result, so that the exponent t is off by (c+3)*u*t, and its power by that
//     times e^-t, which is (c+3)*u/e at most.
//   - The exponent is rounded to float32, which is u*t*e^-t <= u/e, and dense.Exp is within 1.1
//     units in the last place, 2.2u of the value. All of k(x,x) is 1.
//   - Linear and polynomial: (gamma xz + coef0)^degree passes the error of xz on degree times, and
//     gamma |x||z| + coef0 is at most the root of the same of xx and of zz. Then it is rounded.
//   - Of zeros and ones there are so few values that the error of each is known.
//   - Coefficients that are rounded are off by u, which |w|^2 feels twice. Those of the finish are
//     exact.
//   - Underflow is in constant: 2^-149 a term.
//
// The roundings of float64 in all this are 2^-29 of it, and 1 % more covers them. A score is a sum
// in float64 of such values times alphas; see errors for its own roundings. The caller's functions
// have the values that they return: the certificate is about these.
type errorBound struct{ product, slope, constant float64 }

// unit is the unit roundoff of float32: the most, relative to the result, that one operation loses.
// unit64 is that of float64.
const (
	unit   = 0x1p-24
	unit64 = 0x1p-53
	more   = 1.01
)

// dotError returns a bound on the error of a dense inner product, relative to the product of the
// two norms: the number of roundings that a term passes, of the product, of the sum in its lane,
// of the folding of the 64 lanes, and of the blocks.
func (s *rowStore) dotError() float64 {
	block := min(s.cols, 65536)
	return unit * more * float64(1+(block+63)/64+6+s.cols/65536)
}

// rounding returns the rounding of the values that tile computes, for a kernel whose diagonal is at
// most largest.
func (s *rowStore) errorBound32(largest float64) errorBound {
	k := &s.kernel
	dot, terms := 0.0, 0.0 // the relative error of a dot product, and the terms that may underflow
	if s.words == nil {
		terms = float64(s.maxStored)
		if dot = float64(terms * 2 * unit64); s.dense != nil {
			dot = s.dotError()
		}
	}
	r := k.errorBound(dot, unit, float64(terms*0x1p-149), s.direct, largest)
	if s.words != nil && k.kind == RBF {
		r.product = 0
		for n, v := range s.values64 {
			r.product = max(r.product, more*math.Abs(v-float64(s.values[n])))
		}
	}
	return r
}

// wideRounding returns that of the values that wideTile computes.
func (s *rowStore) errorBound64(largest float64) errorBound {
	dot := 0.0
	if s.words == nil || s.kernel.kind == Linear {
		dot = float64(float64(s.maxStored+1) * 2 * unit64)
	}
	r := s.kernel.errorBound(dot, unit64, 0, s.direct, largest)
	r.product += 6 * unit64 // exponents, powers and alphas are rounded more often
	return r
}

// rounding returns what stands between exact values of the kernel and those made of inner products
// with the given relative error and, beside it, an absolute one, with the given unit roundoff.
func (k *function) errorBound(dot, unit, under float64, direct bool, largest float64) errorBound {
	var r errorBound
	switch {
	case k.kind == Function:
	case k.kind != RBF:
		degree := float64(max(1, k.degree))
		r.product += more * (float64(degree*dot*more) + float64((degree+2)*unit))
		steep := degree * max(1, k.gamma) * max(1, largest)
		r.constant = float64(steep*under) + 0x1p-149
	default:
		r.product += more * 3 * unit
		r.constant = float64(float64(4*k.gamma)*under) + 0x1p-126
		if direct {
			r.product += float64(0.38 * (dot + 4*unit))
		} else {
			r.slope = float64(float64(2*k.gamma) * dot)
		}
	}
	return r
}

// A weighing is the sums over rows z, of weights a, that the error of a sum of a*k(x,z) takes.
type weightSums struct{ a, norm, square float64 } // sum of a, a*sqrt(k(z,z)), a*zz

func (w *weightSums) add(a, norm, square float64) {
	w.a += a
	w.norm += float64(a * norm)
	w.square += float64(a * square)
}

// error returns a bound on the error of the sum of a*k(x,z) over the rows that were weighed.
func (r *errorBound) sumError(w *weightSums, norm, square float64) float64 {
	return float64(float64(r.product*norm)*w.norm) + float64(r.constant*w.a) +
		float64(r.slope*(float64(square*w.a)+w.square))
}
