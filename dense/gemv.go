package dense

import "github.com/pegasimd/pegasimd/internal/asm"

const rowsAtOnce = 256

// Gemv multiplies a matrix of len(y) rows and len(x) columns by x: y = alpha*A*x + beta*y. To the
// bit it is
//
//	for i := range y {
//		y[i] = float32(alpha*Dot(a[i*lda:][:len(x)], x)) + float32(beta*y[i])
//	}
//
// except that y is not read if beta is 0, and a is not read if alpha is 0: products by these zeros
// are left out. It panics if a is too short for len(y) rows or lda is less than len(x). y must not
// overlap a or x.
func Gemv(alpha float32, a []float32, lda int, x []float32, beta float32, y []float32) {
	asm.CheckMatrix("a", a, "lda", lda, len(y), len(x))
	if alpha == 0 {
		scale(beta, y)
		return
	}
	if beta == 0 {
		asm.DotRows(y, a, lda, x)
		asm.Scale(alpha, y)
		return
	}
	var dots [rowsAtOnce]float32
	for i := 0; i < len(y); i += rowsAtOnce {
		some := dots[:min(rowsAtOnce, len(y)-i)]
		asm.DotRows(some, a[i*lda:], lda, x)
		asm.Axpby(alpha, some, beta, y[i:][:len(some)])
	}
}

// GemvT multiplies the transpose of a matrix of len(x) rows and len(y) columns by x: y = alpha*A'*x
// + beta*y. To the bit it is
//
//	Scale(beta, y)
//	for i, v := range x {
//		Axpy(alpha*v, a[i*lda:][:len(y)], y)
//	}
//
// except that y is not read if beta is 0, and a is not read if alpha is 0. It panics if a is too
// short for len(x) rows or lda is less than len(y). y must not overlap a or x.
func GemvT(alpha float32, a []float32, lda int, x []float32, beta float32, y []float32) {
	asm.CheckMatrix("a", a, "lda", lda, len(x), len(y))
	scale(beta, y)
	if alpha == 0 {
		return
	}
	asm.GemvT(alpha, a, lda, x, y)
}

// Ger adds the product of a column and a row to a matrix of len(x) rows and len(y) columns: A +=
// alpha*x*y'. To the bit it is
//
//	for i, v := range x {
//		Axpy(alpha*v, y, a[i*lda:][:len(y)])
//	}
//
// except that nothing happens if alpha is 0. It panics if a is too short for len(x) rows or lda is
// less than len(y). a must not overlap x or y.
func Ger(alpha float32, x, y, a []float32, lda int) {
	asm.Ger(alpha, x, y, a, lda)
}

// scale clears y if beta is 0, even infinite and NaN elements.
func scale(beta float32, y []float32) {
	switch beta {
	case 0:
		clear(y)
	case 1:
	default:
		asm.Scale(beta, y)
	}
}
