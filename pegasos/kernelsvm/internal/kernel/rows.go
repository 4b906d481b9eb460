package kernel

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// The inner product of dense rows is dense.Dot, to the bit. The inner product of sparse rows is the
// sum over the columns that both rows have, ascending, one product at a time, in float64, in which
// a product of two float32 numbers is exact. Unlike dot products of a sparse row with a dense
// vector, these sums are symmetric in the two rows.
//
// RBF needs squared distances and derives them from inner products. Where dense rows are so far
// from the origin that float32 would lose the distance, dense.SquaredDistance computes the
// distance: see maxExponentError.

// TileRows is the maximum number of rows in a tile. The kernel values of another row with all rows
// of a tile are computed together; they take up to 4 kB.
const TileRows = 1024

// Rows is a list of rows in the form for which kernel values are computed fastest: bits for rows of
// zeros and ones with few enough columns, the dense matrix for other dense rows, and a column index
// of each tile for other sparse rows.
type Rows struct {
	Function
	Matrix store.Matrix // source of the rows
	At     []int32      // index in Matrix of each row
	Tiles  []Tile

	MaxSquare float64 // largest squared norm of a row; 0 without rows

	// Set by Measure: k(x,x) of each row, the norms |phi(x)| = sqrt(k(x,x)), the largest norm, and
	// bounds on the errors of kernel values in float32 and in float64.
	Diagonal       []float32
	Norms          []float64
	MaxNorm        float64
	Error, Error64 ErrorBound

	cols       int
	squares    []float64 // squared norms; of dense rows, as rounded by dense.SumSquares
	squares64  []float64 // squared norms in float64
	maxStored  float64   // largest number of stored values (in bit rows, of ones) in a row
	meanStored float64   // mean number of stored values in a row

	width   int      // 64-bit words per row of bits
	words   []uint64 // rows as bits, bit j for column j; nil unless all values are 0 or 1
	table32 []float32
	table64 []float64

	dense  *dense.Matrix // Matrix if it is dense, else nil
	direct bool          // squared distances are computed directly, not from inner products
	index  []columnIndex // column index of each tile of sparse rows
	next   []int32       // for buildIndex; all zeros between its calls
}

// Tile is a range of rows, all of one group, whose kernel values are computed together.
type Tile struct{ Start, End, Group int }

// Len returns the number of rows of the tile.
func (t Tile) Len() int { return t.End - t.Start }

// Probe is a query row, whose kernel values with the rows of a tile are computed.
type Probe struct {
	Row
	square float64  // squared norm: of Rows' own rows as in squares, of others in float64
	words  []uint64 // the row as bits; nil if it, or the rows, are not stored as bits
}

// NewRows returns the rows of m whose indices are in at. groups has the sizes of consecutive groups
// of these rows; no tile has rows of two groups.
func NewRows(f Function, m store.Matrix, at []int32, groups []int) *Rows {
	r := &Rows{Function: f, Matrix: m, At: at, cols: m.Cols(), dense: m.Dense(),
		squares: make([]float64, len(at)), squares64: make([]float64, len(at))}
	r.divide(groups)
	for p, i := range at {
		values := r.row(p).Value
		r.squares64[p] = r.squaredNorm64(values)
		if r.squares[p] = r.squares64[p]; r.dense != nil {
			r.squares[p] = float64(r.dense.SumSquares(int(i)))
		}
		r.MaxSquare, r.maxStored = max(r.MaxSquare, r.squares[p]), max(r.maxStored, float64(len(values)))
		r.meanStored += float64(len(values)) / float64(len(at))
	}
	r.direct = f.Kind == RBF && r.dense != nil &&
		float64(2*float64(f.Gamma*r.MaxSquare))*r.dotError() > maxExponentError
	if f.Func == nil && !r.pack() {
		r.buildIndex()
	}
	return r
}

// divide divides the rows into tiles.
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

// maxExponentError limits the error of an RBF exponent that inner products may cause: beyond it
// distances are computed directly, which is slower but exact enough where the differences of rows
// are small compared with the rows. So rounding of inner products changes a kernel value by at most
// 2^-12. Most data are far below that: gamma times the squared norms is about 1, and the error is
// less than 2^-19.
const maxExponentError = 0x1p-12

// squaredNorm64 returns the inner product of a row with itself in float64.
func (r *Rows) squaredNorm64(values []float32) (sum float64) {
	if r.dense != nil {
		return dense.Dot64(values, values)
	}
	for _, v := range values {
		sum += float64(float64(v) * float64(v))
	}
	return sum
}

// Select sets dst to the rows at the given positions, in one group. It reuses memory of dst.
func (r *Rows) Select(dst *Rows, positions []int32) {
	old := *dst
	*dst = *r
	dst.At, dst.squares = gather(old.At, r.At, positions), gather(old.squares, r.squares, positions)
	dst.squares64 = gather(old.squares64, r.squares64, positions)
	dst.Tiles, dst.words, dst.next = old.Tiles[:0], old.words[:0], old.next
	dst.Diagonal, dst.Norms = nil, nil
	dst.divide([]int{len(positions)})
	if r.words != nil {
		for _, p := range positions {
			dst.words = append(dst.words, r.words[int(p)*r.width:][:r.width]...)
		}
	}
	if dst.index = nil; r.index != nil {
		dst.buildIndex()
	}
}

// gather returns the elements of all at the given positions, in memory of dst.
func gather[T any](dst, all []T, positions []int32) []T {
	dst = dst[:0]
	for _, p := range positions {
		dst = append(dst, all[p])
	}
	return dst
}

// UpTo returns the numbers from 0 to n-1.
func UpTo(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// row returns row p.
func (r *Rows) row(p int) Row { return RowOf(r.Matrix, int(r.At[p])) }

// Probe returns row p as a probe for these rows.
func (r *Rows) Probe(p int) Probe {
	q := Probe{Row: r.row(p), square: r.squares[p]}
	if r.words != nil {
		q.words = r.words[p*r.width:][:r.width]
	}
	return q
}

// Cost returns about how many multiplications a kernel value takes in a score.
func (r *Rows) Cost() float64 {
	switch {
	case r.Kind == Linear:
		return 0 // scores are products of weight vectors
	case r.words != nil:
		return float64(r.width)
	}
	return 20 + r.meanStored // an exponential takes about as long as 20 multiplications
}

// AreBits reports whether the rows are stored as bits of at most the given number of words.
func (r *Rows) AreBits(words int) bool { return r.words != nil && r.width <= words }

// Values sets dst[k][j] to the kernel value of the query row probes[k] and row j of tile t.
func Values[T float](r *Rows, dst [][]T, probes []Probe, t int) {
	tile := r.Tiles[t]
	n := tile.Len()
	squares, table := precise[T](r)
	squares = squares[tile.Start:tile.End]
	switch {
	case r.Func != nil:
		for k := range probes {
			for j := range n {
				dst[k][j] = T(r.Func(r.row(tile.Start+j), probes[k].Row))
			}
		}
	case probes[0].words != nil:
		for k := range probes {
			lookUp(r, dst[k][:n], table, &probes[k], r.words[tile.Start*r.width:])
		}
	case r.dense != nil:
		// Each chunk of rows stays in the L1 cache, of about 16 kB, while all probes are multiplied
		// with it.
		chunk := max(4, 4096/max(r.cols, 1)&^3)
		for j := 0; j < n; j += chunk {
			end := min(j+chunk, n)
			for k := range probes {
				denseProducts(r, dst[k][j:end], r.At[tile.Start+j:tile.Start+end], probes[k].Value)
			}
		}
		for k := range probes {
			apply(&r.Function, dst[k], dst[k][:n], r.direct, probes[k].square, squares)
		}
	default:
		var products [TileRows]float64
		for k := range probes {
			r.index[t].products(&products, &probes[k].Row)
			apply(&r.Function, dst[k], products[:n], false, probes[k].square, squares)
		}
	}
}

// denseProducts sets dst to the inner products of dense rows with x or, if distances are computed
// directly, to their squared distances from x.
func denseProducts[T float](r *Rows, dst []T, rows []int32, x []float32) {
	switch dst := any(dst).(type) {
	case []float32:
		if !r.direct {
			r.dense.DotRowsAt(dst, rows, x)
			return
		}
		for j, i := range rows {
			dst[j] = dense.SquaredDistance(r.dense.Row(int(i)), x)
		}
	case []float64:
		for j, i := range rows {
			if z := r.dense.Row(int(i)); r.direct {
				dst[j] = floats.SquaredDistance(z, x)
			} else {
				dst[j] = dense.Dot64(z, x)
			}
		}
	}
}

// precise returns the squared norms, and the table of kernel values of bit rows, of a precision.
func precise[T float](r *Rows) (squares []float64, table []T) {
	if table, is := any(r.table32).([]T); is {
		return r.squares, table
	}
	return r.squares64, any(r.table64).([]T)
}

// Measure sets Diagonal and what follows it. It stops at a row whose value is not finite or whose
// squared norm exceeds half of the largest float32, and returns that row; it returns -1 if there is
// none.
func (r *Rows) Measure() (bad int) {
	r.Diagonal, r.Norms = make([]float32, len(r.At)), make([]float64, len(r.At))
	for p, square := range r.squares {
		d := r.Diagonal[p : p+1]
		if r.Func != nil {
			d[0] = r.Func(r.row(p), r.row(p))
		} else {
			// Computed without the table of bit rows, which has the same value.
			apply(&r.Function, d, []float64{square}, false, square, r.squares[p:p+1])
		}
		if !floats.IsFinite(d[0]) || !(square <= math.MaxFloat32/2) {
			return p
		}
		r.Norms[p] = math.Sqrt(max(0, float64(d[0])))
		r.MaxNorm = max(r.MaxNorm, r.Norms[p])
	}
	largest := float64(r.MaxNorm * r.MaxNorm)
	r.Error, r.Error64 = r.errorBound32(largest), r.errorBound64(largest)
	return -1
}
