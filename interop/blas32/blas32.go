// Package blas32 implements gonum's float32 BLAS with the kernels of package dense:
//
//	import (
//		"gonum.org/v1/gonum/blas/blas32"
//		fast "github.com/pegasimd/pegasimd/interop/blas32"
//	)
//
//	func init() { blas32.Use(fast.Implementation{}) }
//
// From then on gonum's Dot, DDot, SDDot, Nrm2, Asum, Axpy, Scal, Gemv, Ger and Gemm use these
// kernels. gonum's own implementation computes all other functions. It also handles calls with
// empty or invalid arguments, where it may panic, calls of Axpy and Scal with alpha 0, and calls
// with increments other than 1, except calls of Ger.
//
// Results of the kernels have the bits of package dense's, for any number of threads. They differ
// from gonum's by rounding, and may differ for infinite elements or NaN, or if a partial sum
// overflows: gonum's Gemm may skip products with a 0 in A, where Sgemm gives NaN if the element of
// B is infinite.
package blas32

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/pegasimd/pegasimd/dense"
)

// Implementation is a [blas.Float32]. Any number of goroutines may use it.
type Implementation struct {
	gonum.Implementation // for other methods and arguments

	Threads int // number of goroutines of a large Sgemm; 0 for GOMAXPROCS
}

var _ blas.Float32 = Implementation{}

func contiguous(n int, x []float32, incX int, y []float32, incY int) bool {
	return n > 0 && incX == 1 && incY == 1 && n <= len(x) && n <= len(y)
}

// Sdot returns the sum of x[i]*y[i].
func (b Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if contiguous(n, x, incX, y, incY) {
		return dense.Dot(x[:n], y[:n])
	}
	return b.Implementation.Sdot(n, x, incX, y, incY)
}

// Dsdot returns the sum of x[i]*y[i], computed in float64.
func (b Implementation) Dsdot(n int, x []float32, incX int, y []float32, incY int) float64 {
	if contiguous(n, x, incX, y, incY) {
		return dense.Dot64(x[:n], y[:n])
	}
	return b.Implementation.Dsdot(n, x, incX, y, incY)
}

// Sdsdot returns alpha plus Dsdot, rounded to float32. As in gonum, the result is 0 if n is 0.
func (b Implementation) Sdsdot(n int, alpha float32, x []float32, incX int, y []float32,
	incY int) float32 {
	if contiguous(n, x, incX, y, incY) {
		return float32(float64(alpha) + dense.Dot64(x[:n], y[:n]))
	}
	return b.Implementation.Sdsdot(n, alpha, x, incX, y, incY)
}

// Snrm2 returns the Euclidean norm of x.
func (b Implementation) Snrm2(n int, x []float32, incX int) float32 {
	if n > 0 && incX == 1 && n <= len(x) {
		return dense.Norm(x[:n])
	}
	return b.Implementation.Snrm2(n, x, incX)
}

// Sasum returns the sum of |x[i]|.
func (b Implementation) Sasum(n int, x []float32, incX int) float32 {
	if n > 0 && incX == 1 && n <= len(x) {
		return dense.SumAbs(x[:n])
	}
	return b.Implementation.Sasum(n, x, incX)
}

// Saxpy adds alpha*x to y.
func (b Implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if alpha != 0 && contiguous(n, x, incX, y, incY) {
		dense.Axpy(alpha, x[:n], y[:n])
		return
	}
	b.Implementation.Saxpy(n, alpha, x, incX, y, incY)
}

// Sscal multiplies x by alpha. If alpha is 0, x is set to 0, even where it is infinite or NaN.
func (b Implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	if alpha != 0 && n > 0 && incX == 1 && n <= len(x) {
		dense.Scale(alpha, x[:n])
		return
	}
	b.Implementation.Sscal(n, alpha, x, incX)
}

func isMatrix(a []float32, rows, cols, lda int) bool {
	return rows > 0 && cols > 0 && lda >= cols && len(a) >= lda*(rows-1)+cols
}

// Sgemv sets y to alpha*A*x + beta*y if tA is blas.NoTrans, and to alpha*A'*x + beta*y if tA is
// blas.Trans or blas.ConjTrans.
func (b Implementation) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int,
	x []float32, incX int, beta float32, y []float32, incY int) {
	ok := incX == 1 && incY == 1 && isMatrix(a, m, n, lda)
	switch {
	case ok && tA == blas.NoTrans && len(x) >= n && len(y) >= m:
		dense.Gemv(alpha, a, lda, x[:n], beta, y[:m])
	case ok && (tA == blas.Trans || tA == blas.ConjTrans) && len(x) >= m && len(y) >= n:
		dense.GemvT(alpha, a, lda, x[:m], beta, y[:n])
	default:
		b.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Sger adds alpha*x*y' to A.
func (b Implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int,
	a []float32, lda int) {
	if !isMatrix(a, m, n, lda) || !reaches(x, m, incX) || !reaches(y, n, incY) {
		b.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	dense.Ger(alpha, gather(x, m, incX), gather(y, n, incY), a, lda)
}

func reaches(x []float32, n, inc int) bool {
	return inc > 0 && len(x) > (n-1)*inc || inc < 0 && len(x) > (1-n)*inc
}

// gather returns n elements of x, every |inc|-th from x[0] on, in reverse order if inc is negative.
// If inc is 1, the result aliases x.
func gather(x []float32, n, inc int) []float32 {
	if inc == 1 {
		return x[:n]
	}
	all := make([]float32, n)
	at := 0
	if inc < 0 {
		at = (1 - n) * inc
	}
	for i := range all {
		all[i] = x[at]
		at += inc
	}
	return all
}

// Sgemm sets C to alpha*A*B + beta*C, where A and B may be transposed.
func (b Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32,
	lda int, bb []float32, ldb int, beta float32, c []float32, ldc int) {
	fa, okA := toFactor(tA, a, m, k, lda)
	fb, okB := toFactor(tB, bb, k, n, ldb)
	if !okA || !okB || !isMatrix(c, m, n, ldc) {
		b.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
		return
	}
	dense.Gemm(m, n, k, alpha, fa, fb, beta, c, ldc, b.Threads)
}

// rows and cols are the factor's dimensions after the transposition.
func toFactor(t blas.Transpose, a []float32, rows, cols, lda int) (f dense.Factor, ok bool) {
	f = dense.Factor{Data: a, Stride: lda, Transposed: t != blas.NoTrans}
	if f.Transposed {
		rows, cols = cols, rows
	}
	known := t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
	return f, known && isMatrix(a, rows, cols, lda)
}
