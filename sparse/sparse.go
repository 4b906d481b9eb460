// Package sparse has kernels for rows of a sparse matrix, as index and value slices, against a
// dense vector, in AVX2, AVX-512, NEON or plain Go, and a matrix in compressed sparse row (CSR)
// form.
//
//	score := sparse.Dot(idx, val, w)                        // the sum of val[k]*w[idx[k]]
//	sparse.Axpy(a, idx, val, w)                             // w[idx[k]] += a*val[k]
//	m, err := sparse.New(cols, starts, indices, values)     // rows to train on
//
// Every function gives the same bits on every machine. The arithmetic contract is at
// https://github.com/pegasimd/pegasimd/blob/main/docs/kernels.md. A sparse sum has 8 lanes where a
// dense one has 64, so that the same row stored both ways agrees within rounding, not to the bit.
package sparse

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/misuse"
)

// Dot returns the sum of val[k]*w[idx[k]]. It panics if idx and val differ in length or an index is
// outside w. A matrix checks its indices once, when it is built: prefer its methods for rows that
// are used more than once.
//
// Its meaning to the bit is
//
//	var lane [8]float32
//	for k, j := range idx {
//		lane[k%8] += float32(val[k] * w[j])
//	}
//	for n := 4; n > 0; n /= 2 {
//		for l := range n {
//			lane[l] += lane[n+l]
//		}
//	}
//	return lane[0]
//
// taken in blocks of 65,536 nonzeros whose sums are added from left to right.
func Dot(idx []int32, val, w []float32) float32 {
	inRange(idx, len(w))
	return asm.DotSparse(idx, val, w)
}

// Axpy adds a times the sparse row to w:
//
//	for k, j := range idx {
//		w[j] += float32(a * val[k])
//	}
//
// It panics if idx and val differ in length or an index is outside w, and then leaves w as it was.
// Indices may repeat. If val overlaps w, the values of w are undefined.
func Axpy(a float32, idx []int32, val, w []float32) {
	inRange(idx, len(w))
	asm.AxpySparse(a, idx, val, w)
}

// inRange panics unless every index is one of n elements; it does so before anything is written.
// Lengths are checked in package asm.
func inRange(idx []int32, n int) {
	for k, j := range idx {
		if uint(j) >= uint(n) { // a negative index is a large uint
			panic(outOfRange(k, j, n))
		}
	}
}

//go:noinline
func outOfRange(k int, j int32, n int) any {
	return misuse.Of("idx[%d] = %d, outside of %d features", k, j, n)
}

// DotK is Dot for k = len(dst) weight vectors at once, interleaved so that w[j*k:][:k] are the
// weights of feature j:
//
//	for c := range dst {
//		dst[c] = Dot(idx, val, the vector of all w[j*k+c])
//	}
//
// It gives the bits of that loop in one pass over the row. k must be a multiple of 8, so pad with
// vectors of zeros. It panics if it is not, if idx and val differ in length, or if an index is
// outside [0, len(w)/k). If dst overlaps val or w, its values are undefined.
func DotK(dst []float32, idx []int32, val, w []float32) {
	if k := len(dst); k > 0 {
		inRange(idx, len(w)/k)
	}
	asm.DotSparseK(dst, idx, val, w)
}

// AxpyK is Axpy for k = len(a) weight vectors at once, interleaved as for DotK:
//
//	for i, j := range idx {
//		for c := range a {
//			w[j*k+c] += float32(a[c] * val[i])
//		}
//	}
//
// It panics as DotK does. If w overlaps a or val, its values are undefined.
func AxpyK(a []float32, idx []int32, val, w []float32) {
	if k := len(a); k > 0 {
		inRange(idx, len(w)/k)
	}
	asm.AxpySparseK(a, idx, val, w)
}
