package kernelsvm

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// The inner product of two rows is, to the bit,
//
//   - for a dense matrix: dense.Dot;
//   - for a sparse matrix: the sum over the columns that both rows have, ascending, one product at
//     a time, in float64, in which a product of two float32 numbers is exact.
//
// Both are symmetric in the two rows, unlike dot products of a sparse row with a dense vector. For
// rows of zeros and ones any order of summation gives the same integer, so columns are counted 64
// at a time.
//
// RBF needs squared distances and derives them from inner products. Where dense rows are so far
// from the origin that float32 would lose the distance, dense.SquaredDistance computes it: see
// maxExponentError.

// tileRows is the maximum number of rows in a tile. The kernel values of another row with all rows
// of a tile are computed together; they take up to 4 kB.
const tileRows = 1024

// rowStore stores a list of rows, in an order of its own, in the form for which kernel values are
// computed fastest: bits for rows of zeros and ones with few enough columns, the dense matrix for
// other dense rows, and a column index of each tile for other sparse rows.
type rowStore struct {
	kernel    function
	cols      int
	at        []int32      // index in matrix of each row of the store
	squares   []float64    // squared norms; of dense rows, as rounded by dense.SumSquares
	squares64 []float64    // squared norms in float64; nil for bit rows
	tiles     []span       // row ranges whose kernel values are computed together
	matrix    store.Matrix // source of the rows

	width int      // 64-bit words per row of bits
	words []uint64 // rows as bits, bit j for column j; nil unless all values are 0 or 1
	// Tables for bit rows, indexed by the squared distance for RBF and by the inner product for
	// other kernels: kernel values in float32, the index itself, and kernel values in float64.
	values, counts []float32
	values64       []float64

	dense  *dense.Matrix // matrix if it is dense and the rows are not stored as bits, else nil
	direct bool          // squared distances are computed directly, not from inner products
	index  []columnIndex // column index of each tile of sparse rows

	maxStored  float64 // largest number of stored values (in bit rows, of ones) in a row
	meanStored float64 // mean number of stored values in a row; 0 for bit rows
}

// span is the range of indices start to end-1.
type span struct{ start, end int }

func (s span) has(i int) bool { return i >= s.start && i < s.end }

// columnIndex is an inverted index of a tile's sparse rows: the nonzeros of column column[k] are
// entries starts[k] to starts[k+1]-1 of rows and values.
type columnIndex struct {
	column []int32
	starts []int32
	rows   []int32 // row of each nonzero, counted from the tile's start
	values []float32
}

// probe is a query row, whose kernel values with the rows of a store are computed.
type probe struct {
	square float64  // squared norm; 0 for a row of bits from outside the store
	words  []uint64 // the row as bits; nil if the store has no bit rows
	values []float32
	index  []int32 // columns of values, ascending; nil if dense
}

// newStore returns a store of the rows of m whose indices are in at. groups holds the sizes of
// consecutive groups of these rows; no tile has rows of two groups. If general is true, rows are
// not stored as bits, so that probes may have any values.
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

// loadGeneral prepares the store for rows of any values: norms, the column index of sparse rows,
// and whether distances must be computed directly.
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

// maxExponentError limits the error of an RBF exponent that inner products may cause: beyond it
// distances are computed directly, which is slower but exact enough where the differences of rows
// are small compared with the rows. So rounding of inner products changes a kernel value by at most
// 2^-12. Most data are far below that: gamma times the squared norms is about 1, and the error is
// less than 2^-19.
const maxExponentError = 0x1p-12

// squaredNorm64 returns the inner product of a row with itself in float64.
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
	maxDenseBits  = 1 << 20 // limit for columns of dense bit rows: counts to it are exact in float32
	maxSparseBits = 512     // most columns for rows stored as bits; with more, indices are faster
)

// pack stores the rows as bits and reports whether it did: it does so if all values are 0 or 1 and
// the columns are few enough for bits to be faster.
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
	// Tables of all possible kernel values, computed by the same function as others.
	s.values, s.counts = make([]float32, s.cols+1), make([]float32, s.cols+1)
	counts := make([]float64, s.cols+1)
	for d := range counts {
		s.counts[d], counts[d] = float32(d), float64(d)
	}
	if s.kernel.kind == RBF {
		// With inner products of 0 the squared norms of the others, counts, are the distances.
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

// packRow sets the bit of every column below cols in which the row has a 1, and returns the number
// of these columns.
func packRow(words []uint64, index []int32, values []float32, cols int) (ones int) {
	for k, v := range values {
		if j := column(index, k); v == 1 && int(j) < cols {
			words[j/64] |= 1 << (j % 64)
			ones++
		}
	}
	return ones
}

// column returns the column of value k of a row whose columns are index, or k if index is nil.
func column(index []int32, k int) int32 {
	if index != nil {
		return index[k]
	}
	return int32(k)
}

// buildIndex builds the column index of every tile.
func (s *rowStore) buildIndex() {
	// While nonzeros are counted, their number by column; then the position of each column's next
	// nonzero.
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

// row returns row p of the store as the argument of a Func.
func (s *rowStore) row(p int) Row {
	index, values := s.matrix.Row(int(s.at[p]))
	return Row{index, values}
}

// tile sets dst[k][j] to the float32 kernel value of the query row probes[k] and row j of tile t.
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
			s.popcountValues(dst[k][:n], s.values, &probes[k], s.words[r.start*s.width:])
		}
	case s.dense != nil:
		// Each chunk of rows stays in the L1 cache while all probes are multiplied with it.
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

// tile64 sets dst[k][j] to the float64 kernel value of the query row probes[k] and row j of tile t.
func (s *rowStore) tile64(dst [][tileRows]float64, probes []probe, t int) {
	r := s.tiles[t]
	n := r.end - r.start
	chunk := n
	if s.dense != nil {
		chunk = s.rowsPerChunk()
	}
	for j := 0; j < n; j += chunk {
		for k := range probes {
			s.row64(dst[k][j:min(j+chunk, n)], &probes[k], t, r.start+j)
		}
	}
}

// row64 sets dst[j] to the float64 kernel value of the query row q and row start+j of the store.
// These rows belong to tile t. If they are sparse, dst must be for all rows of the tile.
func (s *rowStore) row64(dst []float64, q *probe, t, start int) {
	switch {
	case s.kernel.kind == Function:
		for j := range dst {
			dst[j] = float64(s.kernel.f(s.row(start+j), Row{q.index, q.values}))
		}
		return
	case s.words != nil:
		var counts [tileRows]float32
		s.popcountValues(counts[:len(dst)], s.counts, q, s.words[start*s.width:])
		for j := range dst {
			dst[j] = s.values64[int32(counts[j])]
		}
		return
	case s.dense == nil:
		s.index[t].dot((*[tileRows]float64)(dst[:tileRows]), q)
	case s.direct:
		for j := range dst {
			dst[j] = floats.SquaredDistance(s.dense.Row(int(s.at[start+j])), q.values)
		}
	default:
		for j := range dst {
			dst[j] = dense.Dot64(s.dense.Row(int(s.at[start+j])), q.values)
		}
	}
	for j, v := range dst {
		if s.kernel.kind == RBF && !s.direct {
			if v = (q.square + s.squares64[start+j]) - float64(2*v); v < 0 {
				v = 0
			}
		}
		dst[j] = s.kernel.value64(v)
	}
}

// blockValues sets dst[j] to the kernel value of the rows k and j of the block.
func (s *rowStore) blockValues(dst []float32, k int, b *rowBlock) {
	q := &b.probes[k]
	switch {
	case s.kernel.kind == Function:
		z := Row{q.index, q.values}
		for j := range dst {
			dst[j] = s.kernel.f(Row{b.probes[j].index, b.probes[j].values}, z)
		}
	case s.words != nil:
		for j := range dst {
			s.popcountValues(dst[j:j+1], s.values, q, b.probes[j].words)
		}
	case s.dense != nil:
		s.dotsOrDistances(dst, b.at, q.values)
		s.applyKernel(dst, q.square, b.squares)
	default:
		if b.dense == nil {
			b.dense = make([]float32, s.cols)
		}
		for k, j := range q.index {
			b.dense[j] = q.values[k]
		}
		var dots [blockRows]float64
		for j := range dst {
			// Columns that q lacks add zeros, which do not change the sum.
			p := &b.probes[j]
			for k, c := range p.index {
				dots[j] += float64(float64(p.values[k]) * float64(b.dense[c]))
			}
		}
		for _, j := range q.index {
			b.dense[j] = 0
		}
		kernelValues(&s.kernel, dst, dots[:len(dst)], q.square, b.squares)
	}
}

// rowsPerChunk returns the number of dense rows that fit into about 16 kB of the L1 cache, at least
// 4.
func (s *rowStore) rowsPerChunk() int { return max(4, 4096/max(s.cols, 1)&^3) }

// dotsOrDistances sets dst to the inner products of dense rows with x or, if distances are computed
// directly, to their squared distances from x.
func (s *rowStore) dotsOrDistances(dst []float32, rows []int32, x []float32) {
	if !s.direct {
		s.dense.DotRowsAt(dst, rows, x)
		return
	}
	for j, i := range rows {
		dst[j] = dense.SquaredDistance(s.dense.Row(int(i)), x)
	}
}

// applyKernel replaces the results of dotsOrDistances in dst by kernel values. square is the
// squared norm of the query row; squares holds the squared norms of the store's rows.
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

// dot sets dst[j] to the inner product of the probe, a sparse row, and row j of the tile.
func (c *columnIndex) dot(dst *[tileRows]float64, q *probe) {
	clear(dst[:])
	at := 0
	for k, j := range q.index {
		// Galloping search: both column lists ascend, and a tile may have far more columns than a
		// row.
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
			for i, row := range rows { // row%tileRows is row, but saves the bounds check
				dst[uint32(row)%tileRows] += float64(v * float64(values[i]))
			}
		}
	}
}

// popcountValues sets dst[j] to the kernel value of the query row q and the bit row whose words
// start at words[j*width], looked up in the table values. For RBF the index into the table is the
// squared distance, the number of columns in which the rows differ; otherwise it is the inner
// product, the number of columns in which both rows have a 1.
func (s *rowStore) popcountValues(dst, values []float32, q *probe, words []uint64) {
	distance := s.kernel.kind == RBF
	switch {
	case s.width == 1 && distance:
		x0 := q.words[0]
		for j, w := range words[:len(dst)] {
			dst[j] = values[bits.OnesCount64(x0^w)]
		}
	case s.width == 2 && distance:
		popcountValues2(dst, values, words[:2*len(dst)], q.words[0], q.words[1])
	default:
		for j := range dst {
			n := 0
			for k, w := range words[j*s.width:][:len(q.words)] {
				if distance {
					n += bits.OnesCount64(q.words[k] ^ w)
				} else {
					n += bits.OnesCount64(q.words[k] & w)
				}
			}
			dst[j] = values[n]
		}
	}
}

// popcountValues2 is popcountValues of RBF for rows of two words. As a separate function its loop
// needs no register spills.
//
//go:noinline
func popcountValues2(dst, values []float32, w []uint64, x0, x1 uint64) {
	for j := range dst {
		two := (*[2]uint64)(w)
		dst[j] = values[bits.OnesCount64(x0^two[0])+bits.OnesCount64(x1^two[1])]
		w = w[2:]
	}
}

// addPopcountValues2 adds to the scores of two query rows, for RBF and bit rows of two words, the
// sum over j of coef[j] times the float64 kernel value of the query row and row start+j. Looking up
// and adding in one loop takes half the time of tile64 and addValues, but keeps no kernel values
// for other problems.
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

// diagonal sets dst[p] to the kernel of row p with itself, for each row of the store. It stops at a
// row whose value is not finite or whose squared norm exceeds half of the largest float32, and
// returns that row; it returns -1 if there is none.
func (s *rowStore) diagonal(dst []float32) (bad int) {
	for p, square := range s.squares {
		if s.kernel.kind == Function {
			dst[p] = s.kernel.f(s.row(p), s.row(p))
		} else {
			// Computed without the table of bit rows, which has the same value.
			kernelValues(&s.kernel, dst[p:p+1], []float64{square}, square, s.squares[p:p+1])
		}
		if !floats.IsFinite(dst[p]) || !(square <= math.MaxFloat32/2) {
			return p
		}
	}
	return -1
}
