// Package sparse provides kernels that combine a sparse row, given as slices of indices and values,
// with a dense vector, and Matrix, a matrix in compressed sparse row (CSR) form. They use AVX2,
// AVX-512, NEON or plain Go.
//
//	score := sparse.Dot(idx, val, w)                        // the sum of val[k]*w[idx[k]]
//	sparse.Axpy(a, idx, val, w)                             // w[idx[k]] += a*val[k]
//	m, err := sparse.New(cols, starts, indices, values)     // rows to train on
//
// Every function gives the same bits on every machine, but for the signs and payloads of NaNs. The
// arithmetic contract is at https://github.com/pegasimd/pegasimd/blob/main/docs/kernels.md. A
// sparse sum has 8 lanes and a dense one 64, so the results for the same row in both forms agree
// within rounding, not to the bit.
package sparse

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// Dot returns the sum of val[k]*w[idx[k]]. It panics if idx and val differ in length or an index is
// outside w. A Matrix checks its indices only once: prefer its methods for rows that are used
// repeatedly.
//
// For up to 65,536 nonzeros the result is, to the bit, that of
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
// Longer rows are summed in blocks of 65,536 nonzeros. The sums of the blocks are added in order.
func Dot(idx []int32, val, w []float32) float32 {
	if len(idx) >= manyIndices {
		return dotLong(idx, val, w)
	}
	// This loop is checkIndices, inlined by hand.
	for k := range idx {
		if uint(idx[k]) >= uint(len(w)) {
			return dotLong(idx, val, w) // panics
		}
	}
	return asm.DotSparse(idx, val, w)
}

// Axpy adds a times the sparse row to w:
//
//	for k, j := range idx {
//		w[j] += float32(a * val[k])
//	}
//
// It panics, before it changes w, if idx and val differ in length or an index is outside w. Indices
// may repeat. If val overlaps w, the values of w are undefined.
func Axpy(a float32, idx []int32, val, w []float32) {
	if len(idx) >= manyIndices {
		axpyLong(a, idx, val, w)
		return
	}
	checkIndices(idx, len(w))
	asm.AxpySparse(a, idx, val, w)
}

const manyIndices = 32

// dotLong is not inlined: two calls in Dot would make Dot save its arguments on the stack.
//
//go:noinline
func dotLong(idx []int32, val, w []float32) float32 {
	checkManyIndices(idx, len(w))
	return asm.DotSparse(idx, val, w)
}

// axpyLong is not inlined for the same reason as dotLong.
//
//go:noinline
func axpyLong(a float32, idx []int32, val, w []float32) {
	checkManyIndices(idx, len(w))
	asm.AxpySparse(a, idx, val, w)
}

// checkIndices does not compare the lengths of idx and val; package asm does.
func checkIndices(idx []int32, n int) {
	for k, j := range idx {
		if uint(j) >= uint(n) {
			panic(outOfRange(k, j, n))
		}
	}
}

// checkManyIndices checks two indices in one uint64. An index x, as a uint32, is in range if
// neither x nor x+2^31-n has its highest bit set. If the lower index carries into the upper one,
// the highest bit of the lower index is set already.
func checkManyIndices(idx []int32, n int) {
	const both, highBits = 1<<32 | 1, 1<<63 | 1<<31
	add := uint64(1<<31-min(int64(n), 1<<31)) * both
	var bad0, bad1 uint64 // two, to shorten chains of ORs
	rest := idx
	for len(rest) >= 8 {
		p := (*[8]int32)(rest)
		x0 := uint64(uint32(p[0])) | uint64(uint32(p[1]))<<32
		x1 := uint64(uint32(p[2])) | uint64(uint32(p[3]))<<32
		x2 := uint64(uint32(p[4])) | uint64(uint32(p[5]))<<32
		x3 := uint64(uint32(p[6])) | uint64(uint32(p[7]))<<32
		bad0 |= x0 | (x0 + add) | x1 | (x1 + add)
		bad1 |= x2 | (x2 + add) | x3 | (x3 + add)
		rest = rest[8:]
	}
	if (bad0|bad1)&highBits != 0 {
		rest = idx
	}
	for k, j := range rest {
		if uint(j) >= uint(n) {
			panic(outOfRange(len(idx)-len(rest)+k, j, n))
		}
	}
}

//go:noinline
func outOfRange(k int, j int32, n int) any {
	return misuse.Of("idx[%d] = %d, outside of %s", k, j, plural.Count(n, "feature"))
}

// DotK is Dot for k = len(dst) weight vectors at once, interleaved so that w[j*k:][:k] are the
// weights of feature j. The result is that of
//
//	for c := range dst {
//		dst[c] = Dot(idx, val, vector c) // with weights w[j*k+c]
//	}
//
// It panics if k is not a multiple of 8 (pad with vectors of zeros), idx and val differ in length,
// or an index is outside [0, len(w)/k). If dst overlaps val or w, its values are undefined.
func DotK(dst []float32, idx []int32, val, w []float32) {
	if k := len(dst); k > 0 {
		checkManyIndices(idx, len(w)/k)
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
		checkManyIndices(idx, len(w)/k)
	}
	asm.AxpySparseK(a, idx, val, w)
}
