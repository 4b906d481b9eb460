package asm

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// HammingRows sets dst[i] to the number of bits in which x and rows[i*stride:][:len(x)] differ.
func HammingRows(dst []int64, rows []uint64, stride int, x []uint64) {
	checkOperands(dst, rows, stride, x)
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

func HammingBytes(x, y []byte) (total int64) {
	misuse.CheckEqual("len(x)", len(x), "len(y)", len(y))
	if race {
		raceReads(x, y)
	}
	whole := len(x) &^ 7
	if active == Generic {
		for i := 0; i < whole; i += 8 {
			total += differing(x[i:], y[i:])
		}
	} else { // the assembly reads words at any address
		total = hammingBlocks(wordsOf(x[:whole]), wordsOf(y[:whole]))
	}
	if whole < len(x) {
		var lastX, lastY [8]byte
		copy(lastX[:], x[whole:])
		copy(lastY[:], y[whole:])
		total += differing(lastX[:], lastY[:])
	}
	return total
}

func differing(x, y []byte) int64 {
	return int64(bits.OnesCount64(binary.LittleEndian.Uint64(x) ^ binary.LittleEndian.Uint64(y)))
}

// wordsOf returns b, which has a multiple of eight bytes, as words in the same memory. Go code must
// not read the words unless they are aligned.
func wordsOf(b []byte) []uint64 {
	n := len(b) / 8
	b = b[:n:n]
	return *(*[]uint64)(unsafe.Pointer(&b))
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
