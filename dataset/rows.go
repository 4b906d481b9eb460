package dataset

import (
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/sys/hugepage"
	"github.com/pegasimd/pegasimd/sparse"
)

type rowBuilder struct {
	first int           // value that stands for column 0 in add's columns
	dense *dense.Matrix // nil if the matrix is sparse
	rows  int           // rows added, if the matrix is dense

	// The fields below are for a sparse matrix.
	cols    int
	starts  []int64
	indices []int32
	values  []float32
}

func newRowBuilder(rows, cols, nnz int, layout Layout) *rowBuilder {
	if layout == LayoutDense {
		return &rowBuilder{dense: dense.New(rows, cols)}
	}
	return &rowBuilder{
		cols:    cols,
		starts:  make([]int64, 1, rows+1),
		indices: hugepage.Advise(make([]int32, 0, nnz)),
		values:  hugepage.Advise(make([]float32, 0, nnz)),
	}
}

// add adds a row. columns holds the columns of values, where b.first stands for column 0. If
// columns is nil, values has all values from column 0 on; a sparse matrix stores the nonzeros. A
// sparse matrix stores b.first+j for column j until settle subtracts first.
func (b *rowBuilder) add(columns []int32, values []float32) {
	if b.dense != nil {
		row := b.dense.Row(b.rows)
		if columns == nil {
			copy(row, values)
		}
		for k, j := range columns {
			row[int(j)-b.first] = values[k]
		}
		b.rows++
		return
	}
	if columns != nil {
		b.indices = append(b.indices, columns...)
		b.values = append(b.values, values...)
	} else {
		indices, nonzeros := b.indices, b.values
		for j, v := range values {
			if v != 0 {
				indices = append(indices, int32(j+b.first))
				nonzeros = append(nonzeros, v)
			}
		}
		b.indices, b.values = indices, nonzeros
	}
	b.starts = append(b.starts, int64(len(b.values)))
}

// settle subtracts first from the columns of a sparse matrix and drops the values of columns from
// cols on.
func (b *rowBuilder) settle(first, cols int) (dropped int) {
	b.cols = cols
	n, from := 0, int64(0)
	for i, end := range b.starts[1:] {
		for k := from; k < end; k++ {
			if j := int(b.indices[k]) - first; j < cols {
				b.indices[n], b.values[n] = int32(j), b.values[k]
				n++
			}
		}
		b.starts[i+1], from = int64(n), end
	}
	dropped = len(b.values) - n
	b.indices, b.values = b.indices[:n], b.values[:n]
	return dropped
}

func (b *rowBuilder) into(s *Set) (err error) {
	s.Dense, s.Sparse, s.mapped = b.dense, nil, nil
	if b.dense == nil {
		s.Sparse, err = sparse.NewShared(b.cols, b.starts, b.indices, b.values)
	}
	return err
}

// fill gives s a matrix with nnz nonzeros, whose row i has the cols values of row(i).
func (s *Set) fill(rows, cols, nnz int, layout Layout, row func(i int) []float32) error {
	layout, err := layout.choose(nnz, rows, cols)
	if err != nil {
		return err
	}
	b := newRowBuilder(rows, cols, nnz, layout)
	for i := range rows {
		b.add(nil, row(i))
	}
	return b.into(s)
}

// copied returns a set whose row k, of n, is a copy of row at(k) of s, and whose other fields are
// those of s. layout is dense or sparse. Nonzeros in columns from cols on are left out and added to
// Ignored; missing columns are zero.
func (s *Set) copied(n int, at func(k int) int, cols int, layout Layout) (*Set, error) {
	nnz := 0
	for k := 0; k < n && layout == LayoutSparse; k++ {
		_, values := s.row(at(k))
		nnz += floats.CountNonzeros(values)
	}
	t := *s
	b := newRowBuilder(n, cols, nnz, layout)
	for k := range n {
		columns, values := s.row(at(k))
		end := min(cols, len(values))
		if columns != nil {
			end, _ = slices.BinarySearch(columns, int32(cols))
			columns = columns[:end]
		}
		t.Ignored += int64(floats.CountNonzeros(values[end:]))
		b.add(columns, values[:end])
	}
	return &t, b.into(&t)
}

func (s *Set) withCols(cols int) (*Set, error) {
	return s.copied(s.Rows(), func(i int) int { return i }, cols, s.Layout())
}

// WithLayout returns the set in the given layout: s itself if s has this layout already, otherwise
// a set with its own matrix that shares Y and Names with s. The conversion to a sparse matrix drops
// zeros, so -0 becomes 0.
func (s *Set) WithLayout(layout Layout) (*Set, error) {
	if err := s.checkRows(); err != nil {
		return nil, err
	}
	if s.Dense != nil && layout == LayoutDense {
		return s, nil // whatever its size
	}
	layout, err := layout.choose(s.NNZ(), s.Rows(), s.Cols())
	if err != nil {
		return nil, err
	}
	if layout == s.Layout() {
		return s, nil
	}
	return s.copied(s.Rows(), func(i int) int { return i }, s.Cols(), layout)
}

// Subset returns a set of copies of the given rows, in the given order; a row may occur more than
// once. Subset panics if a row number is out of range.
func (s *Set) Subset(rows []int) *Set {
	n := s.Rows()
	for _, i := range rows {
		if uint(i) >= uint(n) {
			panic(misuse.Of("row %d of %d", i, n))
		}
	}
	t, err := s.copied(len(rows), func(k int) int { return rows[k] }, s.Cols(), s.Layout())
	if err != nil {
		panic(err) // rows of a valid matrix are valid
	}
	t.Ignored, t.Lacking, t.Others, t.Bytes = 0, 0, nil, 0
	t.Y = make([]float32, len(rows))
	for k, i := range rows {
		t.Y[k] = s.Y[i]
	}
	return t
}
