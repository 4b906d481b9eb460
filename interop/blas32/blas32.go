// Package blas32 gives gonum's float32 BLAS the kernels of package dense:
//
//	import (
//		"gonum.org/v1/gonum/blas/blas32"
//		fast "github.com/pegasimd/pegasimd/interop/blas32"
//	)
//
//	func init() { blas32.Use(fast.Implementation{}) }
//
// From then on blas32's functions use them: Dot, DDot, SDDot, Nrm2, Asum, Axpy, Scal, Gemv, Ger and
// Gemm. All others are gonum's own, as is everything that is unusual: bad arguments, so that panics
// are gonum's, and increments other than 1, but for those of Ger.
//
// Results are the same bits on every machine and for any number of threads. They differ from
// gonum's by rounding, and in one case more: gonum's Gemm leaves out products whose factor in A is
// 0, where ours give NaN if the other one is infinite or NaN.
package blas32

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/pegasimd/pegasimd/dense"
)

// Implementation is a [blas.Float32]. Like gonum's own its methods may be called by any number of
// goroutines at once. Sgemm divides large products among GOMAXPROCS goroutines, or Threads, if that
// is not 0.
type Implementation struct {
	gonum.Implementation // for all else

	Threads int
}

var _ blas.Float32 = Implementation{}

// unit tells whether x and y are n elements behind each other, at least one.
func unit(n int, x []float32, incX int, y []float32, incY int) bool {
	return n > 0 && incX == 1 && incY == 1 && n <= len(x) && n <= len(y)
}

// Sdot returns the sum of x[i]*y[i].
func (b Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if unit(n, x, incX, y, incY) {
		return dense.Dot(x[:n], y[:n])
	}
	return b.Implementation.Sdot(n, x, incX, y, incY)
}

// Dsdot is Sdot with sums in float64.
func (b Implementation) Dsdot(n int, x []float32, incX int, y []float32, incY int) float64 {
	if unit(n, x, incX, y, incY) {
		return dense.Dot64(x[:n], y[:n])
	}
	return b.Implementation.Dsdot(n, x, incX, y, incY)
}

// Sdsdot is alpha plus Dsdot, rounded to float32; as in gonum it is 0 where n is 0, without alpha.
func (b Implementation) Sdsdot(n int, alpha float32, x []float32, incX int, y []float32,
	incY int) float32 {
	if unit(n, x, incX, y, incY) {
		return float32(float64(alpha) + dense.Dot64(x[:n], y[:n]))
	}
	return b.Implementation.Sdsdot(n, alpha, x, incX, y, incY)
}

// Snrm2 returns the Euclidean length of x.
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
	if alpha != 0 && unit(n, x, incX, y, incY) {
		dense.Axpy(alpha, x[:n], y[:n])
		return
	}
	b.Implementation.Saxpy(n, alpha, x, incX, y, incY)
}

// Sscal multiplies x by alpha. Where alpha is 0 x becomes 0, whatever it was.
func (b Implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	if alpha != 0 && n > 0 && incX == 1 && n <= len(x) {
		dense.Scale(alpha, x[:n])
		return
	}
	b.Implementation.Sscal(n, alpha, x, incX)
}

// holds tells whether a is a matrix of rows rows and cols columns, at least one of each.
func holds(a []float32, rows, cols, lda int) bool {
	return rows > 0 && cols > 0 && lda >= cols && len(a) >= lda*(rows-1)+cols
}

// Sgemv sets y to alpha*A*x + beta*y, or alpha*A'*x + beta*y.
func (b Implementation) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int,
	x []float32, incX int, beta float32, y []float32, incY int) {
	ok := incX == 1 && incY == 1 && holds(a, m, n, lda)
	switch {
	case ok && tA == blas.NoTrans && len(x) >= n && len(y) >= m:
		dense.Gemv(alpha, a, lda, x[:n], beta, y[:m])
	case ok && (tA == blas.Trans || tA == blas.ConjTrans) && len(x) >= m && len(y) >= n:
		dense.GemvT(alpha, a, lda, x[:m], beta, y[:n])
	default:
		b.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Sger adds alpha*x*y' to A, for increments of any size and sign.
func (b Implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int,
	a []float32, lda int) {
	if !holds(a, m, n, lda) || !reaches(x, m, incX) || !reaches(y, n, incY) {
		b.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	dense.Ger(alpha, gathered(x, m, incX), gathered(y, n, incY), a, lda)
}

// reaches tells whether x has n elements so far apart.
func reaches(x []float32, n, inc int) bool {
	return inc > 0 && len(x) > (n-1)*inc || inc < 0 && len(x) > (1-n)*inc
}

// gathered returns the n elements of x that are so far apart: of those with a negative increment
// the last one comes first.
func gathered(x []float32, n, inc int) []float32 {
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
	fa, okA := factor(tA, a, m, k, lda)
	fb, okB := factor(tB, bb, k, n, ldb)
	if !okA || !okB || !holds(c, m, n, ldc) {
		b.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
		return
	}
	dense.Gemm(m, n, k, alpha, fa, fb, beta, c, ldc, b.Threads)
}

// factor is a as package dense has it, and whether it holds that many rows and columns.
func factor(t blas.Transpose, a []float32, rows, cols, lda int) (dense.Factor, bool) {
	f := dense.Factor{Data: a, Stride: lda, Transposed: t != blas.NoTrans}
	if f.Transposed {
		rows, cols = cols, rows
	}
	known := t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
	return f, known && holds(a, rows, cols, lda)
}
