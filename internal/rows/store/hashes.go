package store

import (
	"hash/fnv"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/murmur"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

const hashBlock = 1024

// keyTable is the largest number of columns for which Hashes tabulates the keys for sparse rows.
const keyTable = 1 << 16

// Hashes returns a hash of the nonzero values and their columns for each row. Rows of equal numbers
// have equal hashes in every row format, but -0 differs from 0 unless the rows are user-defined.
// Two rows that differ in a single value have different hashes. Once stop returns true, the hashes
// are unusable.
//
// The hash is multilinear (Lemire and Kaser, The Computer Journal 57, 2014): the sum over all
// values of the value's bits times the odd key of its column, modulo 2^64.
func Hashes(x Examples, threads int, stop func() bool) []uint64 {
	hashes := make([]uint64, x.Rows())
	rows := Of(x)
	var keys []uint64 // of all columns; nil for sparse rows with too many columns
	if Kind(x) != "sparse" || x.Cols() <= keyTable {
		keys = make([]uint64, x.Cols())
		for j := range keys {
			keys[j] = columnKey(int32(j))
		}
	}
	readers := make([]Rows, max(1, threads))
	parallel.For(len(readers), (len(hashes)+hashBlock-1)/hashBlock, func(worker, b int) {
		if stop() {
			return
		}
		if readers[worker] == nil {
			readers[worker] = rows.Clone()
		}
		first := b * hashBlock
		for k := range hashes[first:min(first+hashBlock, len(hashes))] {
			index, values := readers[worker].Row(first + k)
			hashes[first+k] = hash(index, values, keys)
		}
	})
	return hashes
}

func hash(index []int32, values []float32, keys []uint64) (sum uint64) {
	switch v := bits(values); {
	case index == nil:
		keys = keys[:len(v)]
		for j, b := range v {
			sum += uint64(b) * keys[j]
		}
	case keys == nil:
		for k, j := range index {
			sum += uint64(v[k]) * columnKey(j)
		}
	default:
		for k, j := range index {
			sum += uint64(v[k]) * keys[j]
		}
	}
	return sum
}

// NumberHash returns the term of the number v in column j in the hash of a row of numbers and
// texts; 0 for both zeros.
func NumberHash(j int32, v float32) uint64 {
	if v == 0 {
		return 0
	}
	return uint64(math.Float32bits(v)) * columnKey(j)
}

// TextHash is NumberHash for a text.
func TextHash(j int32, text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return murmur.Mix64(h.Sum64()) * columnKey(j)
}

// columnKey returns number j+1 of SplitMix64 (Steele, Lea and Flood, 2014) with seed 0, made odd.
func columnKey(j int32) uint64 {
	z := uint64(j+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31 | 1
}
