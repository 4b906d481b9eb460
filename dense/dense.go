// Package dense has kernels for float32 vectors as plain []float32, in AVX2, AVX-512, NEON or plain
// Go, and a row-major matrix.
//
// Every function gives the same bits on every machine. The arithmetic contract is at
// https://github.com/pegasimd/pegasimd/blob/main/docs/kernels.md.
//
// Slices of different lengths, and rows outside their slice, are a panic that says the lengths.
package dense

import "github.com/pegasimd/pegasimd/internal/asm"

// Dot returns the sum of x[i]*y[i]. It panics if the lengths differ; the dot product of empty
// vectors is 0.
//
// Its meaning to the bit is
//
//	var lane [64]float32
//	for i, v := range x {
//		lane[i%64] += float32(v * y[i])
//	}
//	for n := 32; n > 0; n /= 2 {
//		for l := range n {
//			lane[l] += lane[n+l]
//		}
//	}
//	return lane[0]
//
// taken in blocks of 65,536 elements whose sums are added from left to right.
func Dot(x, y []float32) float32 {
	return asm.Dot(x, y)
}

// SumSquares returns the sum of x[i]*x[i]: the bits of Dot(x, x).
func SumSquares(x []float32) float32 { return asm.SumSquares(x) }

// Axpy adds a*x to y:
//
//	for i, v := range x {
//		y[i] += float32(a * v)
//	}
//
// It panics if the lengths differ. x and y may be the same slice; if they overlap in another way,
// the values of y are undefined.
func Axpy(a float32, x, y []float32) {
	asm.Axpy(a, x, y)
}

// Scale multiplies each element of x by a. NaN and infinities propagate, also for a = 0.
func Scale(a float32, x []float32) { asm.Scale(a, x) }

// Axpby sets y to a*x + b*y in one pass:
//
//	for i, v := range x {
//		y[i] = float32(a*v) + float32(b*y[i])
//	}
//
// It panics if the lengths differ. x and y may be the same slice; if they overlap in another way,
// the values of y are undefined.
func Axpby(a float32, x []float32, b float32, y []float32) {
	asm.Axpby(a, x, b, y)
}

// SquaredDistance returns the sum of (x[i]-y[i])^2, with the lanes and blocks of Dot. It panics if
// the lengths differ.
func SquaredDistance(x, y []float32) float32 {
	return asm.SquaredDistance(x, y)
}

// DotNorms returns Dot(x, y), SumSquares(x) and SumSquares(y), to the bit, in one pass over both
// vectors: what the cosine of the angle between them is made of, xy / sqrt(xx yy). It panics if the
// lengths differ.
func DotNorms(x, y []float32) (xy, xx, yy float32) {
	return asm.DotNorms(x, y)
}

// Exp sets dst[i] to e^x[i], to within 1.1 units in the last place: +Inf where that overflows, 0
// where it underflows, NaN for NaN. It panics if the lengths differ. dst and x may be the same
// slice; if they overlap in another way, the values of dst are undefined.
func Exp(dst, x []float32) {
	asm.Exp(dst, x)
}

// DotRows multiplies many rows by one vector: row i begins at rows[i*stride] and has as many
// elements as x.
//
//	for i := range dst {
//		dst[i] = Dot(rows[i*stride:][:len(x)], x)
//	}
//
// It gives the bits of that loop and is faster, most of all for short rows. It panics if rows ends
// before the last row does or stride is negative. If dst overlaps rows or x, its values are
// undefined.
func DotRows(dst, rows []float32, stride int, x []float32) {
	asm.DotRows(dst, rows, stride, x)
}

// DotRowsAt is DotRows for rows picked by index, in any order and more than once if need be:
//
//	for i, j := range idx {
//		dst[i] = Dot(rows[j*stride:][:len(x)], x)
//	}
//
// It panics if dst and idx differ in length, stride is negative, or a row is not wholly within
// rows.
func DotRowsAt(dst, rows []float32, stride int, idx []int32, x []float32) {
	asm.DotRowsAt(dst, rows, stride, idx, x)
}

// AxpyRows adds a multiple of each row picked by index to y:
//
//	for i, j := range idx {
//		Axpy(a[i], rows[j*stride:][:len(y)], y)
//	}
//
// It gives the bits of that loop and is faster. It panics if a and idx differ in length, stride is
// negative, or a row is not wholly within rows. If y overlaps a or rows, its values are undefined.
func AxpyRows(a, rows []float32, stride int, idx []int32, y []float32) {
	asm.AxpyRows(a, rows, stride, idx, y)
}
