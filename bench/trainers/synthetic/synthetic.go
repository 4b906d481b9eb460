// Package synthetic makes a text set of the size of RCV1's task CCAT, which may not be passed on.
// The same seed gives the same bits on every machine: all is integer arithmetic but a square root
// and a division, which IEEE 754 defines.
//
// It is a stand-in: the speeds on it are those of text, its accuracies mean nothing.
package synthetic

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/sparse"
)

// The size of CCAT in the Pegasos paper, with a quarter of its rows.
const (
	Rows     = 200_000
	TestRows = 20_000
	Cols     = 47_236
)

// The least and the most columns there can be, and the most rows.
const (
	MinCols = 1 << 10
	MaxCols = 1 << 20
	MaxRows = 1 << 24
)

// Text returns the rows from first on of the set that the seed and the number of columns name, and
// their labels, -1 and +1. Row i is the same whatever else is asked for, so that a test set is a
// further range of rows.
//
//   - A row has 18 to 114 draws of columns. The column of rank r, counted from 0, comes up in
//     proportion to 1/(r+16), as Zipf has it, and ranks are spread over the columns at random. With
//     Cols there are 64 nonzeros a row in the mean.
//   - A value is (1 + log2 tf) * log2 of the column's rarity. tf, the number of times that the word
//     is there, is geometric; logarithms are linear between powers of two. Rows have unit norm.
//   - Half of the columns of ranks 32 to 4095 have a true weight, of either sign. A label is the
//     sign of what the row makes of them, plus noise.
func Text(seed uint64, first, rows, cols int) (*sparse.Matrix, []float32, error) {
	if first < 0 || rows < 0 || first > MaxRows-rows || cols < MinCols || cols > MaxCols {
		return nil, nil, fmt.Errorf("synthetic: rows from %d to %d, %d columns: want up to %d "+
			"rows, and %d to %d columns", first, first+rows, cols, MaxRows, MinCols, MaxCols)
	}
	l := newLanguage(seed, cols)
	starts := make([]int64, 1, rows+1)
	indices := make([]int32, 0, 65*rows)
	values := make([]float32, 0, 65*rows)
	labels := make([]float32, rows)
	for i := range rows {
		var words []word
		words, labels[i] = l.row(rand.NewPCG(seed, uint64(first+i)))
		var squares uint64
		for _, w := range words {
			squares += uint64(w.value) * uint64(w.value)
		}
		norm := math.Sqrt(float64(squares))
		for _, w := range words {
			indices = append(indices, w.column)
			values = append(values, float32(float64(w.value)/norm))
		}
		starts = append(starts, int64(len(indices)))
	}
	m, err := sparse.NewShared(cols, starts, indices, values)
	return m, labels, err
}

// A language is what all rows have in common. Columns are looked up by rank.
type language struct {
	upto   []uint64 // sum of the frequencies of this and all lower ranks
	column []int32
	rarity []uint32 // log2 of one over the relative frequency, in 256ths
	truth  []int32  // the true weight, -256 to 256
	words  []word   // of a row
	seen   []uint32 // the last row that had the column
	rows   uint32
}

type word struct {
	column int32
	value  uint32
	truth  int32
}

// scale is the frequency that a relative one of 1 would have.
const scale = 1 << 32

// stream is the second word of the seed that makes the language. Those of rows are their numbers.
const stream = 0x9e3779b97f4a7c15

func newLanguage(seed uint64, cols int) *language {
	pcg := rand.NewPCG(seed, stream)
	l := &language{
		upto: make([]uint64, cols), column: make([]int32, cols), rarity: make([]uint32, cols),
		truth: make([]int32, cols), seen: make([]uint32, cols),
	}
	frequency := func(r int) uint64 { return scale / uint64(r+16) }
	var sum uint64
	for r := range cols {
		sum += frequency(r)
		l.upto[r] = sum
		j := below(pcg, uint64(r)+1) // Fisher and Yates, inside out
		l.column[r] = l.column[j]
		l.column[j] = int32(r)
		if r >= 32 && r < 4096 && below(pcg, 2) == 0 {
			l.truth[r] = int32(below(pcg, 513)) - 256
		}
	}
	for r := range cols {
		l.rarity[r] = log2(sum) - log2(frequency(r))
	}
	return l
}

// row returns the words of a row, by column, and its label.
func (l *language) row(pcg *rand.PCG) ([]word, float32) {
	draws := uint64(18)
	for range 4 {
		draws += below(pcg, 25)
	}
	l.rows++
	l.words = l.words[:0]
	for range draws {
		at := below(pcg, l.upto[len(l.upto)-1])
		r, _ := slices.BinarySearch(l.upto, at+1) // the first whose sum is above at
		tf := 1 + uint64(bits.TrailingZeros64(pcg.Uint64()|1<<16))
		if l.seen[r] == l.rows {
			continue
		}
		l.seen[r] = l.rows
		l.words = append(l.words, word{l.column[r], (256 + log2(tf)) * l.rarity[r], l.truth[r]})
	}
	slices.SortFunc(l.words, func(a, b word) int { return int(a.column - b.column) })
	var score int64
	for _, w := range l.words {
		score += int64(w.value) * int64(w.truth)
	}
	// Twelve uniform draws are nearly normal.
	var noise int64
	for range 12 {
		noise += int64(below(pcg, 1<<noiseBits)) - 1<<(noiseBits-1)
	}
	if score+noise > 0 {
		return l.words, 1
	}
	return l.words, -1
}

// noiseBits make 5 % of the labels wrong.
const noiseBits = 27

// log2 returns the binary logarithm of v > 0 in 256ths, which is exact at powers of two and linear
// between them.
func log2(v uint64) uint32 {
	n := bits.Len64(v) - 1
	return uint32(n)<<8 + uint32(v<<(63-n)>>55&255)
}

// below returns a number from 0 to n-1, whose odds are off by n/2^64 of themselves at most.
func below(pcg *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(pcg.Uint64(), n)
	return hi
}
