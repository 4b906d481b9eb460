package kernel

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Rows is a list of rows, stored as bits, as the dense matrix, or as a column index of each tile.
// For a Func the rows are read from Matrix.
type Rows struct {
	Function
	Matrix store.Matrix
	At     []int32 // index in Matrix of each row
	Tiles  []Tile

	MaxSquare float64 // largest squared norm of a row; 0 without rows

	// Set by Measure: k(x,x), the norms |phi(x)| = sqrt(k(x,x)), the largest norm, and error bounds
	// of float32 and float64 kernel values.
	Diagonal       []float32
	Norms          []float64
	MaxNorm        float64
	Error, Error64 ErrorBound

	cols       int
	squares    []float64 // of dense rows, as rounded by dense.SumSquares
	squares64  []float64
	maxStored  float64 // largest number of stored values in a row; in bit rows, of ones
	meanStored float64

	width   int
	words   []uint64  // rows as bits, bit j for column j; nil if not stored as bits
	table32 []float32 // kernel value by the count that lookUp computes
	table64 []float64

	dense  *dense.Matrix // Matrix if it is dense, else nil
	direct bool
	index  []columnIndex // by tile
	next   []int32       // scratch memory of buildIndex, by column; zeros between calls
}

// Tile is a range of rows of one group.
type Tile struct{ Start, End, Group int }

func (t Tile) Len() int { return t.End - t.Start }

// Probe is a query row.
type Probe struct {
	Row
	square float64  // squared norm: as in Rows.squares, or float64 for queries; unused with words
	words  []uint64 // nil if the query row or Rows is not stored as bits
}

func (r *Rows) divide(groups []int) {
	start := 0
	for g, n := range groups {
		for end := start + n; start < end; {
			next := min(start+TileRows, end)
			r.Tiles = append(r.Tiles, Tile{start, next, g})
			start = next
		}
	}
}

func (r *Rows) squaredNorm64(values []float32) (sum float64) {
	if r.dense != nil {
		return dense.Dot64(values, values)
	}
	for _, v := range values {
		sum += float64(float64(v) * float64(v))
	}
	return sum
}

func gather[T any](dst, all []T, positions []int32) []T {
	dst = dst[:0]
	for _, p := range positions {
		dst = append(dst, all[p])
	}
	return dst
}

func UpTo(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

func (r *Rows) row(p int) Row { return RowOf(r.Matrix, int(r.At[p])) }

func (r *Rows) Probe(p int) Probe {
	q := Probe{Row: r.row(p), square: r.squares[p]}
	if r.words != nil {
		q.words = r.words[p*r.width:][:r.width]
	}
	return q
}

// Cost estimates the time of a kernel value in a score, in multiplications.
func (r *Rows) Cost() float64 {
	switch {
	case r.Kind == Linear:
		return 0
	case r.words != nil:
		return float64(r.width)
	}
	return 20 + r.meanStored // an exponential counts as 20 multiplications
}

func (r *Rows) AreBits(words int) bool { return r.words != nil && r.width <= words }
