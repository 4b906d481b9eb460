package dataset

import (
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// sparseRow returns row i, not a copy: it must not be written to.
func sparseRow(m *sparse.Matrix, i int) (idx []int32, val []float32) {
	return (*matrices.CSR)(m).Admitted(i)
}

// A rowBuilder makes a sparse matrix row by row.
type rowBuilder struct {
	starts  []int64
	indices []int32
	values  []float32
}

// newRowBuilder returns a builder with space for so many rows and nonzeros; it grows beyond.
func newRowBuilder(rows, nnz int) *rowBuilder {
	return &rowBuilder{
		starts:  make([]int64, 1, rows+1),
		indices: make([]int32, 0, nnz),
		values:  make([]float32, 0, nnz),
	}
}

// add adds a row that has the given values in the given columns.
func (b *rowBuilder) add(columns []int32, values []float32) {
	b.indices = append(b.indices, columns...)
	b.values = append(b.values, values...)
	b.endRow()
}

// addDense adds a row that has a value in each column, of which it stores the nonzeros.
func (b *rowBuilder) addDense(row []float32) {
	indices, values := b.indices, b.values // in registers
	for j, v := range row {
		if v != 0 {
			indices = append(indices, int32(j))
			values = append(values, v)
		}
	}
	b.indices, b.values = indices, values
	b.endRow()
}

func (b *rowBuilder) endRow() { b.starts = append(b.starts, int64(len(b.values))) }

// matrix returns the rows so far as a matrix of cols columns.
func (b *rowBuilder) matrix(cols int) (*sparse.Matrix, error) {
	return sparse.NewShared(cols, b.starts, b.indices, b.values)
}

// fill gives the set rows of cols columns in the given layout, of which nnz numbers are nonzero.
// toDense writes row i to dst, which is zeros; toSparse adds row i to b.
func (s *Set) fill(
	rows, cols, nnz int, layout Layout,
	toDense func(dst []float32, i int), toSparse func(b *rowBuilder, i int),
) error {
	layout, err := layout.choose(nnz, rows, cols)
	if err != nil {
		return err
	}
	if layout == LayoutDense {
		s.Dense = dense.New(rows, cols)
		for i := range rows {
			toDense(s.Dense.Row(i), i)
		}
		return nil
	}
	b := newRowBuilder(rows, nnz)
	for i := range rows {
		toSparse(b, i)
	}
	s.Sparse, err = b.matrix(cols)
	return err
}

// withCols returns a set of so many features, in memory: further ones are left out and counted,
// missing ones are 0.
func (s *Set) withCols(cols int) (*Set, error) {
	t := *s
	t.Dense, t.Sparse, t.mapped = nil, nil, nil
	if s.Dense != nil {
		t.Dense = dense.New(s.Rows(), cols)
		for i := range s.Rows() {
			row := s.Dense.Row(i)
			n := copy(t.Dense.Row(i), row)
			t.Ignored += int64(countNonzeros(row[n:]))
		}
		return &t, nil
	}
	b := newRowBuilder(s.Rows(), 0)
	for i := range s.Rows() {
		idx, val := sparseRow(s.Sparse, i)
		n, _ := slices.BinarySearch(idx, int32(cols))
		t.Ignored += int64(countNonzeros(val[n:]))
		b.add(idx[:n], val[:n])
	}
	var err error
	t.Sparse, err = b.matrix(cols)
	return &t, err
}

func countNonzeros(x []float32) (n int) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}
