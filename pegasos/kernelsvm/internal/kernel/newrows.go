package kernel

import "github.com/pegasimd/pegasimd/internal/rows/store"

// NewRows returns rows at of m. groups has the sizes of their groups; no tile has rows of two
// groups.
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

// maxExponentError limits the error of an RBF exponent from rounding the inner product of two rows.
// Where the error could be larger, distances are computed directly, which is slower.
const maxExponentError = 0x1p-12

// dotError returns a bound on the error of a float32 inner product of dense rows, relative to the
// product of their norms. It counts the roundings of a term: in the product, in the sum of its
// lane, in folding the 64 lanes, and in adding the blocks of 65,536 columns.
func (r *Rows) dotError() float64 {
	block := min(r.cols, 65536)
	return unit * more * float64(1+(block+63)/64+6+r.cols/65536)
}

// Select sets dst to the rows of r at the given positions, in one group. It reuses memory of dst.
func (r *Rows) Select(dst *Rows, positions []int32) {
	old := *dst
	*dst = *r
	dst.At, dst.squares = gather(old.At, r.At, positions), gather(old.squares, r.squares, positions)
	dst.squares64 = gather(old.squares64, r.squares64, positions)
	dst.Tiles, dst.words, dst.next = old.Tiles[:0], old.words[:0], old.next
	dst.Diagonal, dst.Norms = nil, nil
	dst.divide([]int{len(positions)})
	if r.words != nil {
		if dst.words == nil {
			dst.words = []uint64{} // stays empty, but not nil, without columns
		}
		for _, p := range positions {
			dst.words = append(dst.words, r.words[int(p)*r.width:][:r.width]...)
		}
	}
	if dst.index = nil; r.index != nil {
		dst.buildIndex()
	}
}

func (r *Rows) buildIndex() {
	if r.dense != nil {
		return
	}
	if r.next == nil {
		r.next = make([]int32, r.cols)
	}
	r.index = nil
	for _, tile := range r.Tiles {
		r.index = append(r.index, newColumnIndex(tile.Len(),
			func(i int) Row { return r.row(tile.Start + i) }, r.next))
	}
}
