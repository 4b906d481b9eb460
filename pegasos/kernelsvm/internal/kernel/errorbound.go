package kernel

// ErrorBound bounds the rounding error of a kernel value. The certificate is about the exact kernel
// of the rows (their float32 values taken as exact, gamma and coef0 in float64) and the float32
// coefficients of the model. With u = 2^-24, xx and zz the squared norms of the rows, and c the
// number of roundings that a term of a float32 dot product goes through, every value is within
//
//	product*sqrt(k(x,x)k(z,z)) + slope*(xx+zz) + constant
//
// of the exact kernel value:
//
//   - The dot product of dense rows is off by at most c*u*|x||z|. For sparse rows it is a sum of
//     exact products in float64. For bit rows it is exact.
//   - RBF from dot products: the squared distance is off by c*u*(xx + zz + 2|x||z|), at most
//     2c*u*(xx+zz), and the exponent by gamma times that. The slope of e^-t is at least -1 for
//     t >= 0.
//   - RBF from distances computed directly: the errors of each difference, its square and the sum
//     are relative to the result, so the exponent t is off by (c+3)*u*t, and the kernel value by
//     that times e^-t, which is at most (c+3)*u/e.
//   - Rounding the exponent to float32 costs u*t*e^-t <= u/e, and dense.Exp is within 1.1 units in
//     the last place, 2.2u of the value. For RBF k(x,x) is 1.
//   - Linear and polynomial: (gamma xz + coef0)^degree multiplies the error of xz, relative to
//     |x||z|, by degree, and gamma |x||z| + coef0 is at most the geometric mean of gamma xx + coef0
//     and gamma zz + coef0. Then the result is rounded.
//   - RBF of bit rows: the error of each value in the table is computed.
//   - Rounded coefficients are off by u, which counts twice in |w|^2.
//   - constant covers underflow.
//
// The factor more covers float64 roundings. A score is a sum in float64 of such values times
// alphas; package solve covers the roundings of that sum. For a Func of the caller the certificate
// is about the values that it returns.
type ErrorBound struct{ product, slope, constant float64 }

// unit and Unit64 are the unit roundoffs of float32 and float64. The constant more is a safety
// factor for error bounds.
const (
	unit   = 0x1p-24
	Unit64 = 0x1p-53
	more   = 1.01
)

// WithRoundedWeights returns the error bound of products of kernel values and weights that were
// rounded to float32.
func (b ErrorBound) WithRoundedWeights() ErrorBound {
	b.product += 2 * more * unit
	return b
}
