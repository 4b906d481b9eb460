package asm

import "github.com/pegasimd/pegasimd/internal/base/misuse"

// DotSparse computes
//
//	for k, j := range idx {
//		lane[k%8] += float32(val[k] * w[j])
//	}
//
// and folds the lanes as the package comment says. The caller checks that every index lies in [0,
// len(w)).
func DotSparse(idx []int32, val, w []float32) float32 {
	if race {
		raceReads(idx)
		raceReads(val)
		raceReadsAt(w, idx, 1)
	}
	return dotSparseActive(idx, val, w)
}

func dotSparseGeneric(idx []int32, val, w []float32) float32 {
	val = val[:len(idx)]
	var lane [sparseLanes]float32
	for k, j := range idx {
		lane[k%sparseLanes] += float32(val[k] * w[j])
	}
	return fold(lane[:])
}

// AxpySparse computes
//
//	for k, j := range idx {
//		w[j] += float32(a * val[k])
//	}
//
// The caller checks that every index lies in [0, len(w)). Indices may repeat.
func AxpySparse(a float32, idx []int32, val, w []float32) {
	if race {
		raceReads(idx)
		raceReads(val)
		raceWritesAt(w, idx, 1)
	}
	axpySparseActive(a, idx, val, w)
}

func axpySparseGeneric(a float32, idx []int32, val, w []float32) {
	val = val[:len(idx)]
	for k, j := range idx {
		w[j] += float32(a * val[k])
	}
}

//go:noinline
func notMultipleOf8(k int) any {
	return misuse.Of("%d interleaved vectors: want a multiple of 8", k)
}

// DotSparseK is DotSparse for k = len(dst) vectors at once, interleaved in w:
//
//	for c := range dst {
//		for i, j := range idx {
//			lane[i%8] += float32(val[i] * w[j*k+c])
//		}
//		dst[c] = the folded lanes
//	}
//
// It panics if k is not a multiple of 8. The caller checks that every index lies in [0, len(w)/k).
func DotSparseK(dst []float32, idx []int32, val, w []float32) {
	if len(dst)%8 != 0 {
		panic(notMultipleOf8(len(dst)))
	}
	misuse.CheckEqual("len(idx)", len(idx), "len(val)", len(val))
	if race {
		raceReads(idx)
		raceReads(val)
		raceReadsAt(w, idx, len(dst))
		raceWrites(dst)
	}
	k := len(dst)
	var sum [16]float32
	for c, width := 0, 0; c < k; c += width {
		width = 8
		if active == AVX512 && k-c >= 16 {
			width = 16
		}
		out := dst[c:][:width]
		if len(idx) == 0 {
			clear(out)
			continue
		}
		first := min(Block, len(idx))
		dotSparseKActive(out, idx[:first], val[:first], w[c:], k)
		for start := first; start < len(idx); start += Block {
			end := min(start+Block, len(idx))
			dotSparseKActive(sum[:width], idx[start:end], val[start:end], w[c:], k)
			for l := range out {
				out[l] += sum[l]
			}
		}
	}
}

func dotSparseKGeneric(dst []float32, idx []int32, val, w []float32, k int) {
	var lane [sparseLanes][8]float32
	for i, j := range idx {
		l, v, feature := &lane[i%sparseLanes], val[i], (*[8]float32)(w[int(j)*k:])
		for c := range l {
			l[c] += float32(v * feature[c])
		}
	}
	for n := sparseLanes / 2; n > 0; n /= 2 {
		for l := range n {
			for c := range lane[l] {
				lane[l][c] += lane[n+l][c]
			}
		}
	}
	copy(dst, lane[0][:])
}

// AxpySparseK is AxpySparse for k = len(a) vectors at once, interleaved in w:
//
//	for i, j := range idx {
//		for c := range a {
//			w[j*k+c] += float32(a[c] * val[i])
//		}
//	}
//
// It panics if k is not a multiple of 8. The caller checks that every index lies in [0, len(w)/k).
func AxpySparseK(a []float32, idx []int32, val, w []float32) {
	if len(a)%8 != 0 {
		panic(notMultipleOf8(len(a)))
	}
	misuse.CheckEqual("len(idx)", len(idx), "len(val)", len(val))
	if race {
		raceReads(idx)
		raceReads(a, val)
		raceWritesAt(w, idx, len(a))
	}
	for c := 0; c < len(a); c += 8 {
		for start := 0; start < len(idx); start += Block {
			end := min(start+Block, len(idx))
			axpySparseKActive(a[c:], idx[start:end], val[start:end], w[c:], len(a))
		}
	}
}

func axpySparseKGeneric(a []float32, idx []int32, val, w []float32, k int) {
	a = a[:8]
	for i, j := range idx {
		v, feature := val[i], (*[8]float32)(w[int(j)*k:])
		for c := range feature {
			feature[c] += float32(a[c] * v)
		}
	}
}
