// Package sparse provides kernels that combine a sparse row, given as slices of indices and values,
// with a dense vector, and Matrix, a matrix in compressed sparse row (CSR) form. They use AVX2,
// AVX-512, NEON or plain Go.
//
//	score := sparse.Dot(idx, val, w)                        // the sum of val[k]*w[idx[k]]
//	sparse.Axpy(a, idx, val, w)                             // w[idx[k]] += a*val[k]
//	m, err := sparse.New(cols, starts, indices, values)     // rows to train on
//
// Every function gives the same bits on every machine. The arithmetic contract is at
// https://github.com/pegasimd/pegasimd/blob/main/docs/kernels.md. A sparse sum has 8 lanes and a
// dense one 64, so the results for the same row in both forms agree within rounding, not to the
// bit.
package sparse

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/misuse"
)

// Dot returns the sum of val[k]*w[idx[k]]. It panics if idx and val differ in length or an index is
// outside w. A Matrix checks its indices only once, when it is built: prefer its methods for rows
// that are used repeatedly.
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
// in blocks of 65,536 nonzeros, whose sums are added from left to right.
func Dot(idx []int32, val, w []float32) float32 {
	checkIndices(idx, len(w))
	return asm.DotSparse(idx, val, w)
}

// Axpy adds a times the sparse row to w:
//
//	for k, j := range idx {
//		w[j] += float32(a * val[k])
//	}
//
// It panics if idx and val differ in length or an index is outside w, and then leaves w unchanged.
// Indices may repeat. If val overlaps w, the values of w are undefined.
func Axpy(a float32, idx []int32, val, w []float32) {
	checkIndices(idx, len(w))
	asm.AxpySparse(a, idx, val, w)
}

// checkIndices panics unless all indices are in [0, n). Package asm checks that idx and val have
// equal length.
func checkIndices(idx []int32, n int) {
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
//		dst[c] = Dot(idx, val, vector c) // with weights w[j*k+c]
//	}
//
// It gives the bits of that loop in one pass over the row. It panics if k is not a multiple of 8
// (pad with vectors of zeros), idx and val differ in length, or an index is outside [0, len(w)/k).
// If dst overlaps val or w, its values are undefined.
func DotK(dst []float32, idx []int32, val, w []float32) {
	if k := len(dst); k > 0 {
		checkIndices(idx, len(w)/k)
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
// It panics in the same cases as DotK. If w overlaps a or val, its values are undefined.
func AxpyK(a []float32, idx []int32, val, w []float32) {
	if k := len(a); k > 0 {
		checkIndices(idx, len(w)/k)
	}
	asm.AxpySparseK(a, idx, val, w)
}
