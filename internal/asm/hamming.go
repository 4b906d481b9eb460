package asm

import "math/bits"

// HammingRows sets dst[i] to the number of bits in which row i and x differ:
//
//	for i := range dst {
//		dst[i] = 0
//		for j, v := range x {
//			dst[i] += OnesCount64(v ^ rows[i*stride+j])
//		}
//	}
//
// It panics if stride is negative or rows is too short for len(dst) rows of len(x) words.
func HammingRows(dst []int64, rows []uint64, stride int, x []uint64) {
	CheckRows(len(rows), stride, len(dst), len(x))
	if race {
		raceReads(x)
		raceReadRows(rows, stride, nil, len(dst), len(x))
		raceWrites(dst)
	}
	n := len(x)
	if n > Block {
		for i := range dst {
			dst[i] = hammingBlocks(rows[i*stride:][:n], x)
		}
		return
	}
	for i, step := 0, RowsAtOnce(n); i < len(dst); i += step {
		hammingRowsActive(dst[i:min(i+step, len(dst))], rows[i*stride:], stride, x)
	}
}

func hammingBlocks(x, y []uint64) (total int64) {
	var sum [1]int64
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		hammingRowsActive(sum[:], x[start:end], 0, y[start:end])
		total += sum[0]
	}
	return total
}

func hammingRowsGeneric(dst []int64, rows []uint64, stride int, x []uint64) {
	for i := range dst {
		sum := 0
		for j, v := range rows[i*stride:][:len(x)] {
			sum += bits.OnesCount64(v ^ x[j])
		}
		dst[i] = int64(sum)
	}
}
