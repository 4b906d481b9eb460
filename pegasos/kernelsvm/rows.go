package kernelsvm

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/store"
)

// Inner products of rows are, to the bit,
//
//   - of a dense matrix: dense.Dot;
//   - of a sparse one: the sum over the columns that both rows have, in ascending order, one after
//     the other, in float64, in which a product of two float32 is exact.
//
// Both are symmetric, as dot products of a sparse row with a dense vector are not. Rows of zeros
// and ones have the same integers in any order, so that they are counted 64 columns at a time.
//
// The distance that RBF wants is found from inner products. Where dense rows are so far from the
// origin that float32 would lose it, it is dense.SquaredDistance: see mostLost.

// tileRows is the number of rows whose kernel values are found together: a few kB for each row that
// they are found of.
const tileRows = 1024

// A rowStore is a list of rows, in an order that may be another than the data's, in the form that
// kernel values are found fastest with: words for rows of zeros and ones, or else dense, or else an
// index of the columns of sparse rows.
type rowStore struct {
	kernel    function
	cols      int
	at        []int32 // the number of each row in the matrix
	squares   []float64
	squares64 []float64 // squares in float64, but for rows of zeros and ones
	tiles     []span    // what is found together
	matrix    store.Matrix

	width int      // words a row
	words []uint64 // bit j of a row is column j
	// values has the kernel's values for rows of zeros and ones: of squared distances for RBF, of
	// inner products else. wideValues has them in float64, and numbers has 0, 1, 2 and so on.
	values, counts []float32
	values64       []float64

	dense  *dense.Matrix
	direct bool          // distances are found directly, not from inner products
	index  []columnIndex // of each tile

	maxStored, meanStored float64 // the most values of a row, and the mean
}

type span struct{ start, end int }

func (s span) has(i int) bool { return i >= s.start && i < s.end }

// columns has the nonzeros of a tile's rows by column: those of column column[k] are at starts[k]
// to starts[k+1]-1.
type columnIndex struct {
	column []int32
	starts []int32
	rows   []int32 // from the tile's start
	values []float32
}

// A probe is a row whose kernel values with others are to be found.
type probe struct {
	square float64
	words  []uint64
	values []float32
	index  []int32 // nil if dense
}

// newStore makes a store of the rows at of m. Rows of different groups, whose sizes are in groups,
// are never in the same tile. If general is true, probes may have other values than zeros and ones.
func newStore(k function, m store.Matrix, at []int32, groups []int, general bool) *rowStore {
	s := &rowStore{kernel: k, cols: m.Cols(), at: at, matrix: m, squares: make([]float64, len(at))}
	start := 0
	for _, n := range groups {
		for end := start + n; start < end; {
			next := min(start+tileRows, end)
			s.tiles = append(s.tiles, span{start, next})
			start = next
		}
	}
	if general || k.kind == Function || !s.pack() {
		s.loadGeneral()
	}
	return s
}

// fill makes the form for rows of any values.
func (s *rowStore) loadGeneral() {
	s.dense, s.squares64 = s.matrix.Dense(), make([]float64, len(s.at))
	most := 0.0
	for p, i := range s.at {
		_, values := s.matrix.Row(int(i))
		s.squares64[p] = s.squaredNorm64(values)
		if s.squares[p] = s.squares64[p]; s.dense != nil {
			s.squares[p] = float64(s.dense.SumSquares(int(i)))
		}
		most, s.maxStored = max(most, s.squares[p]), max(s.maxStored, float64(len(values)))
		s.meanStored += float64(len(values)) / float64(len(s.at))
	}
	if s.dense == nil && s.kernel.kind != Function {
		s.buildIndex()
	}
	s.direct = s.kernel.kind == RBF && s.dense != nil &&
		float64(2*float64(s.kernel.gamma*most))*float64(s.dotError()) > maxExponentError
}

// mostLost is the error of an exponent of RBF from which on distances are found directly, which
// takes longer: differences of rows are small beside the rows then. At most 2^-12 of a kernel value
// are lost to the rounding of inner products. That of most data is 100 times smaller: gamma times
// the squared norms is some 1, and less than 2^-19 is lost then.
const maxExponentError = 0x1p-12

// wideSquare is the inner product of a row with itself in float64.
func (s *rowStore) squaredNorm64(values []float32) (sum float64) {
	if s.dense != nil {
		return dense.Dot64(values, values)
	}
	for _, v := range values {
		sum += float64(float64(v) * float64(v))
	}
	return sum
}

const (
	maxDenseBits  = 1 << 20 // columns: their number is exact in float32
	maxSparseBits = 512     // columns: with more it is faster to look at the nonzeros
)

// pack makes the form for zeros and ones, if there is nothing else and it pays.
func (s *rowStore) pack() bool {
	limit := maxSparseBits
	if s.matrix.Dense() != nil {
		limit = maxDenseBits
	}
	if s.cols > limit {
		return false
	}
	width := (s.cols + 63) / 64
	for _, i := range s.at {
		if _, values := s.matrix.Row(int(i)); !store.AreBinary(values) {
			return false
		}
	}
	s.width, s.words = width, make([]uint64, width*len(s.at))
	for p, i := range s.at {
		index, row := s.matrix.Row(int(i))
		s.squares[p] = float64(packRow(s.words[p*width:][:width], index, row, s.cols))
		s.maxStored = max(s.maxStored, s.squares[p])
	}
	// Every value there can be, by the same function as everywhere.
	s.values, s.counts = make([]float32, s.cols+1), make([]float32, s.cols+1)
	counts := make([]float64, s.cols+1)
	for d := range counts {
		s.counts[d], counts[d] = float32(d), float64(d)
	}
	if s.kernel.kind == RBF {
		// The counts are the other rows' squared norms, the inner products being 0.
		kernelValues(&s.kernel, s.values, make([]float64, len(counts)), 0, counts)
	} else {
		kernelValues(&s.kernel, s.values, counts, 0, nil)
	}
	s.values64 = counts
	for n, d := range counts {
		counts[n] = s.kernel.value64(d)
	}
	return true
}

// packRow sets the bits of a row in the columns below cols, and counts them.
func packRow(words []uint64, index []int32, values []float32, cols int) (ones int) {
	for k, v := range values {
		if j := column(index, k); v == 1 && int(j) < cols {
			words[j/64] |= 1 << (j % 64)
			ones++
		}
	}
	return ones
}

// column returns that of value k of a row, whose columns are index, or all if that is nil.
func column(index []int32, k int) int32 {
	if index != nil {
		return index[k]
	}
	return int32(k)
}

// invert makes the index of every tile.
func (s *rowStore) buildIndex() {
	// the place of each column's next nonzero, +1; 0 for a column that the tile lacks
	next := make([]int32, s.cols)
	s.index = make([]columnIndex, len(s.tiles))
	for t, r := range s.tiles {
		var c columnIndex
		nonzeros := 0
		for p := r.start; p < r.end; p++ {
			index, _ := s.matrix.Row(int(s.at[p]))
			nonzeros += len(index)
			for _, j := range index {
				if next[j] == 0 {
					c.column = append(c.column, j)
				}
				next[j]++
			}
		}
		slices.Sort(c.column)
		c.starts = make([]int32, 1, len(c.column)+1)
		for k, j := range c.column {
			c.starts = append(c.starts, c.starts[k]+next[j])
			next[j] = c.starts[k]
		}
		c.rows, c.values = make([]int32, nonzeros), make([]float32, nonzeros)
		for p := r.start; p < r.end; p++ {
			index, values := s.matrix.Row(int(s.at[p]))
			for k, j := range index {
				c.rows[next[j]], c.values[next[j]] = int32(p-r.start), values[k]
				next[j]++
			}
		}
		for _, j := range c.column {
			next[j] = 0
		}
		s.index[t] = c
	}
}

// probe returns row p of the store as a probe.
func (s *rowStore) probe(p int) probe {
	q := probe{square: s.squares[p]}
	if s.words != nil {
		q.words = s.words[p*s.width:][:s.width]
	} else {
		q.index, q.values = s.matrix.Row(int(s.at[p]))
	}
	return q
}

// row returns row p as a Func sees it.
func (s *rowStore) row(p int) Row {
	index, values := s.matrix.Row(int(s.at[p]))
	return Row{index, values}
}

// tile sets dst[k][j] to the kernel of probe k and row start+j, for the rows of tile t.
func (s *rowStore) tile(dst [][]float32, probes []probe, t int) {
	r := s.tiles[t]
	n := r.end - r.start
	switch {
	case s.kernel.kind == Function:
		for k := range probes {
			z := Row{probes[k].index, probes[k].values}
			for j := range n {
				dst[k][j] = s.kernel.f(s.row(r.start+j), z)
			}
		}
	case s.words != nil:
		for k := range probes {
			s.popcountValues(dst[k][:n], s.values, &probes[k], r.start)
		}
	case s.dense != nil:
		// A few rows at a time stay in the first cache while all probes go over them.
		chunk := s.rowsPerChunk()
		for j := 0; j < n; j += chunk {
			end := min(j+chunk, n)
			rows := s.at[r.start+j : r.start+end]
			for k := range probes {
				s.dotsOrDistances(dst[k][j:end], rows, probes[k].values)
			}
		}
		for k := range probes {
			s.applyKernel(dst[k][:n], probes[k].square, s.squares[r.start:r.end])
		}
	default:
		var dots [tileRows]float64
		for k := range probes {
			s.index[t].dot(&dots, &probes[k])
			kernelValues(&s.kernel, dst[k][:n], dots[:n], probes[k].square, s.squares[r.start:r.end])
		}
	}
}

// few is how many dense rows stay in the first cache.
func (s *rowStore) rowsPerChunk() int { return max(4, 4096/max(s.cols, 1)&^3) }

// products sets dst to the inner products of dense rows with x, or to their squared distances.
func (s *rowStore) dotsOrDistances(dst []float32, rows []int32, x []float32) {
	if !s.direct {
		s.dense.DotRowsAt(dst, rows, x)
		return
	}
	for j, i := range rows {
		dst[j] = dense.SquaredDistance(s.dense.Row(int(i)), x)
	}
}

// fromProducts turns what products has found into the kernel's values.
func (s *rowStore) applyKernel(dst []float32, square float64, squares []float64) {
	if !s.direct {
		kernelValues(&s.kernel, dst, dst, square, squares)
		return
	}
	for j, d := range dst {
		dst[j] = float32(-s.kernel.gamma * float64(d))
	}
	dense.Exp(dst, dst)
}

// dot sets dst[j] to the inner product of the probe and row j of the tile.
func (c *columnIndex) dot(dst *[tileRows]float64, q *probe) {
	clear(dst[:])
	at := 0
	for k, j := range q.index {
		// The columns ascend on both sides. Steps of doubling length, for a tile may have far more
		// of them than a row.
		step := 1
		for at+step < len(c.column) && c.column[at+step] <= j {
			at += step
			step *= 2
		}
		for ; step > 0; step /= 2 {
			if at+step < len(c.column) && c.column[at+step] <= j {
				at += step
			}
		}
		if at < len(c.column) && c.column[at] == j {
			v := float64(q.values[k])
			rows := c.rows[c.starts[at]:c.starts[at+1]]
			values := c.values[c.starts[at]:][:len(rows)]
			for i, row := range rows { // row%tileRows is row: the compiler can't know
				dst[uint32(row)%tileRows] += float64(v * float64(values[i]))
			}
		}
	}
}

// count finds the values of rows of zeros and ones, of those that there can be. The inner product
// is the number of columns in which both rows have a one, the squared distance that of columns in
// which only one of them has. A body for float64 too, by a type parameter, is a quarter slower.
func (s *rowStore) popcountValues(dst, values []float32, q *probe, start int) {
	end := start + len(dst)
	distance := s.kernel.kind == RBF
	switch {
	case s.width == 1 && distance:
		x0 := q.words[0]
		for j, w := range s.words[start:end] {
			dst[j] = values[bits.OnesCount64(x0^w)]
		}
	case s.width == 2 && distance:
		popcountValues2(dst, values, s.words[2*start:2*end], q.words[0], q.words[1])
	case distance:
		for j := range dst {
			d := 0
			for k, w := range s.words[(start+j)*s.width:][:len(q.words)] {
				d += bits.OnesCount64(q.words[k] ^ w)
			}
			dst[j] = values[d]
		}
	default:
		for j := range dst {
			g := 0
			for k, w := range s.words[(start+j)*s.width:][:len(q.words)] {
				g += bits.OnesCount64(q.words[k] & w)
			}
			dst[j] = values[g]
		}
	}
}

// countTwo is count for rows of two words each. In a function of its own nothing of the loop is
// spilled from the registers.
//
//go:noinline
func popcountValues2(dst, values []float32, w []uint64, x0, x1 uint64) {
	for j := range dst {
		two := (*[2]uint64)(w)
		dst[j] = values[bits.OnesCount64(x0^two[0])+bits.OnesCount64(x1^two[1])]
		w = w[2:]
	}
}

// addCounted is addValues for two probes and values of RBF that need not be kept for another
// problem, of rows of two words: counting and adding up at once takes half the time.
func (s *rowStore) addPopcountValues2(scores *[2]float64, coef []float32, probes []probe,
	start int) {
	x, z, words := (*[2]uint64)(probes[0].words), (*[2]uint64)(probes[1].words), s.words[2*start:]
	x0, x1, z0, z1 := x[0], x[1], z[0], z[1]
	a, b := scores[0], scores[1]
	for j, c := range coef {
		w, v := (*[2]uint64)(words[2*j:]), float64(c)
		a += float64(v * s.values64[bits.OnesCount64(x0^w[0])+bits.OnesCount64(x1^w[1])])
		b += float64(v * s.values64[bits.OnesCount64(z0^w[0])+bits.OnesCount64(z1^w[1])])
	}
	scores[0], scores[1] = a, b
}

// diagonal sets dst[p] to the kernel of row p with itself, for each row. It returns the first row
// for which that is no number, or -1.
func (s *rowStore) diagonal(dst []float32) (bad int) {
	for p, square := range s.squares {
		if s.kernel.kind == Function {
			dst[p] = s.kernel.f(s.row(p), s.row(p))
		} else {
			// Without the table, which has the same values.
			kernelValues(&s.kernel, dst[p:p+1], []float64{square}, square, s.squares[p:p+1])
		}
		if !floats.IsFinite(dst[p]) || !(square <= math.MaxFloat32/2) {
			return p
		}
	}
	return -1
}
