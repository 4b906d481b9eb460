package quant

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/nearest"
)

// Signs sets a bit for each element of x that is greater than 0: for x[i] bit i%64 of dst[i/64],
// bit 0 being the least significant one. Other bits are 0, those of -0 and NaN among them. It
// panics unless dst has a word for each 64 elements of x, the last of which may be fewer.
//
// The fewer bits differ, the smaller is the angle between vectors whose elements are distributed
// about 0, as those of most embeddings are: see [TopHamming].
func Signs(dst []uint64, x []float32) {
	if want := (len(x) + 63) / 64; len(dst) != want {
		panic(misuse.Lengths("len(dst)", len(dst), "words of len(x) bits", want))
	}
	clear(dst)
	for i, v := range x {
		if v > 0 {
			dst[i/64] |= 1 << (i % 64)
		}
	}
}

// Hamming returns the number of bits in which x and y differ. It panics if the lengths differ.
func Hamming(x, y []uint64) int64 {
	if len(x) != len(y) {
		panic(misuse.Lengths("len(x)", len(x), "len(y)", len(y)))
	}
	var sum [1]int64
	asm.HammingRows(sum[:], x, 0, y)
	return sum[0]
}

// TopHamming finds the rows that differ from x in the fewest bits, which are their scores, as
// [dense.Top] finds the nearest: of equal scores the lower row comes first. Row i begins at
// rows[i*stride] and has as many words as x.
//
// Bits are for the first step of a search: it finds candidates, several times as many as are
// wanted, which [dense.TopAt] ranks by their floats. An example shows it.
func TopHamming(dst []Hit, rows []uint64, stride int, x []uint64) []Hit {
	count := nearest.Count(len(rows), stride, len(x))
	hits := rank(dst[:0:min(len(dst), count)], byHamming, rows, stride, x, 0, count)
	return finish(hits, byHamming)
}
