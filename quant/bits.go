package quant

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// Signs sets bit i%64 of dst[i/64] if x[i] is greater than 0; bit 0 is the least significant. All
// other bits are cleared, also for NaN. It panics unless dst has (len(x)+63)/64 words.
//
// Vectors whose elements are distributed about 0 tend to have a small angle between them if they
// differ in few of these bits: see [TopHamming].
func Signs(dst []uint64, x []float32) {
	misuse.CheckEqual("len(dst)", len(dst), "words of len(x) bits", (len(x)+63)/64)
	clear(dst)
	for i, v := range x {
		if v > 0 {
			dst[i/64] |= 1 << (i % 64)
		}
	}
}

// Hamming returns the number of bits in which x and y differ. It panics if the lengths differ.
func Hamming(x, y []uint64) int64 {
	misuse.CheckEqual("len(x)", len(x), "len(y)", len(y))
	var sum [1]int64
	asm.HammingRows(sum[:], x, 0, y)
	return sum[0]
}

// HammingBytes is Hamming for vectors of bits in bytes, of any length and alignment.
func HammingBytes(x, y []byte) int64 { return asm.HammingBytes(x, y) }

// TopHamming finds the rows that differ from x in the fewest bits, like [dense.Top]. Scores are
// Hamming distances. Row i begins at rows[i*stride] and has len(x) words.
//
// The hits may be candidates that a second step ranks by their floats with [dense.TopAt]. See the
// example.
func TopHamming(dst []Hit, rows []uint64, stride int, x []uint64) []Hit {
	return topHamming(dst, rows, stride, x)
}

// TopHammingBytes is TopHamming for rows of bytes, of any length and alignment. stride is in bytes.
func TopHammingBytes(dst []Hit, rows []byte, stride int, x []byte) []Hit {
	return topHamming(dst, rows, stride, x)
}

func topHamming[T element](dst []Hit, rows []T, stride int, x []T) []Hit {
	count := nearest.Count(len(rows), stride, len(x))
	hits := rank(dst[:0:min(len(dst), count)], byHamming, rows, stride, x, 0, count)
	return finish(hits, byHamming, 0)
}
