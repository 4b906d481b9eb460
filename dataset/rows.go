package dataset

import (
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// row returns the columns and values of row i's nonzeros, or nil columns and all values of a dense
// row. They are not a copy: they must not be written to.
func (s *Set) row(i int) (columns []int32, values []float32) {
	if s.Dense != nil {
		return nil, s.Dense.Row(i)
	}
	return (*matrices.CSR)(s.Sparse).CheckedRow(i)
}

// A rowBuilder makes a matrix row by row.
type rowBuilder struct {
	dense *dense.Matrix // nil for a sparse one
	rows  int           // of dense so far

	cols    int // of a sparse one, here and below
	starts  []int64
	indices []int32
	values  []float32
}

// newRowBuilder returns a builder with space for nnz nonzeros.
func newRowBuilder(rows, cols, nnz int, layout Layout) *rowBuilder {
	if layout == LayoutDense {
		return &rowBuilder{dense: dense.New(rows, cols)}
	}
	return &rowBuilder{
		cols:    cols,
		starts:  make([]int64, 1, rows+1),
		indices: make([]int32, 0, nnz),
		values:  make([]float32, 0, nnz),
	}
}

// add adds a row that has the given values in the given columns. If columns is nil it has a value
// in each column from the first on, of which a sparse matrix gets the nonzeros.
func (b *rowBuilder) add(columns []int32, values []float32) {
	if b.dense != nil {
		row := b.dense.Row(b.rows)
		if columns == nil {
			copy(row, values)
		}
		for k, j := range columns {
			row[j] = values[k]
		}
		b.rows++
		return
	}
	if columns != nil {
		b.indices = append(b.indices, columns...)
		b.values = append(b.values, values...)
	} else {
		indices, nonzeros := b.indices, b.values // in registers
		for j, v := range values {
			if v != 0 {
				indices = append(indices, int32(j))
				nonzeros = append(nonzeros, v)
			}
		}
		b.indices, b.values = indices, nonzeros
	}
	b.starts = append(b.starts, int64(len(b.values)))
}

// into gives the set the rows.
func (b *rowBuilder) into(s *Set) (err error) {
	s.Dense, s.Sparse, s.mapped = b.dense, nil, nil
	if b.dense == nil {
		s.Sparse, err = sparse.NewShared(b.cols, b.starts, b.indices, b.values)
	}
	return err
}

// fill gives the set rows of cols columns in the given layout, of which nnz numbers are nonzero.
// row returns all values of row i.
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

// copied returns the set with copies of n of its rows, of which at returns the numbers, in the
// given layout. They have cols columns: further ones are left out and counted, missing ones are
// zeros.
func (s *Set) copied(n int, at func(k int) int, cols int, layout Layout) (*Set, error) {
	nnz := 0
	for k := 0; k < n && layout == LayoutSparse; k++ {
		_, values := s.row(at(k))
		nnz += countNonzeros(values)
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
		t.Ignored += int64(countNonzeros(values[end:]))
		b.add(columns, values[:end])
	}
	return &t, b.into(&t)
}

// withCols returns a set of cols features, in memory: further ones are left out and counted,
// missing ones are 0.
func (s *Set) withCols(cols int) (*Set, error) {
	return s.copied(s.Rows(), func(i int) int { return i }, cols, s.Layout())
}

func countNonzeros(x []float32) (n int) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}
