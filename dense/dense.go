// Package dense has float32 vectors as plain []float32, with the fastest kernels there are for them on this machine,
// and a row-major matrix.
//
// Every function gives the same bits on every machine: see docs/kernels.md for the arithmetic contract.
package dense

import "github.com/pegasimd/pegasimd/internal/asm"

const mismatch = "dense: len(x) != len(y)"

// Dot returns the sum of x[i]*y[i]. It panics if the lengths differ; the dot product of empty vectors is 0.
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
	if len(x) != len(y) {
		panic(mismatch)
	}
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
// It panics if the lengths differ. x and y may be the same slice; if they overlap in another way, the values of y are
// undefined.
func Axpy(a float32, x, y []float32) {
	if len(x) != len(y) {
		panic(mismatch)
	}
	asm.Axpy(a, x, y)
}

// Scale multiplies each element of x by a. NaN and infinities propagate, also for a = 0.
func Scale(a float32, x []float32) { asm.Scale(a, x) }
