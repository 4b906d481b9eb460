package sparse

import (
	"iter"
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// Matrix is a matrix in compressed sparse row (CSR) form. It is immutable, and its indices are
// checked when it is built, so the kernels can trust them. Rows from a mapped file are checked when
// they are first read: see Err.
type Matrix matrices.CSR // no exported fields; this module's packages convert to matrices.CSR

// New returns the matrix whose row i has the values values[starts[i]:starts[i+1]] in the columns
// indices[starts[i]:starts[i+1]]. starts begins with 0, never decreases, and ends with the number
// of nonzeros. Columns within a row are strictly ascending and in [0, cols). If a row violates a
// rule, the error names the row. New copies the slices; [NewShared] does not.
func New(cols int, starts []int64, indices []int32, values []float32) (*Matrix, error) {
	return NewShared(cols, slices.Clone(starts), slices.Clone(indices), slices.Clone(values))
}

// NewShared is New without the copies: the matrix keeps the slices, and the caller must never write
// to them again. This is not enforced. After a change, the kernels may read, and Axpy and AxpyK may
// write, outside of w.
func NewShared(cols int, starts []int64, indices []int32, values []float32) (*Matrix, error) {
	m, err := matrices.NewCSR(cols, starts, indices, values)
	return (*Matrix)(m), err
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return (*matrices.CSR)(m).Rows() }

// Cols returns the number of columns.
func (m *Matrix) Cols() int { return (*matrices.CSR)(m).Cols() }

// NNZ returns the number of stored values.
func (m *Matrix) NNZ() int { return (*matrices.CSR)(m).NNZ() }

// Err returns nil unless the rows come from a mapped file (see package dataset). Such rows are
// checked in blocks, each when one of its rows is first read. The rows of an invalid block are
// empty, and Err returns the error of the first of the invalid blocks found so far: call Err when
// all rows have been read.
func (m *Matrix) Err() error { return (*matrices.CSR)(m).Guard().Err() }

// Row returns copies of the columns and values of row i. [Matrix.Nonzeros] avoids the copies.
func (m *Matrix) Row(i int) (idx []int32, val []float32) {
	idx, val = m.checkedRow(i)
	return slices.Clone(idx), slices.Clone(val)
}

// Nonzeros yields the columns and values of row i.
func (m *Matrix) Nonzeros(i int) iter.Seq2[int, float32] {
	return func(yield func(int, float32) bool) {
		idx, val := m.checkedRow(i)
		for k, j := range idx {
			if !yield(int(j), val[k]) {
				return
			}
		}
	}
}

// checkedRow returns row i, or an empty row if it is in an invalid block. The slices alias the
// matrix. Users must not get them: the kernels trust the indices.
func (m *Matrix) checkedRow(i int) (idx []int32, val []float32) {
	return (*matrices.CSR)(m).CheckedRow(i)
}

func (m *Matrix) isInvalid(i int) bool { return (*matrices.CSR)(m).InBadBlock(i) }

// row returns row i, which must not be in an invalid block. It is small enough to be inlined.
func (m *Matrix) row(i int) (idx []int32, val []float32) { return (*matrices.CSR)(m).Row(i) }

// Dot returns the dot product of row i and w, which has Cols elements.
func (m *Matrix) Dot(i int, w []float32) float32 {
	if !m.fits(i, 1, w) {
		panic(m.misfit(i, 1, w))
	}
	if m.isInvalid(i) {
		return 0
	}
	idx, val := m.row(i)
	if len(idx) <= shortRow {
		return dotShort(idx, val, w)
	}
	return asm.DotSparse(idx, val, w)
}

// Axpy adds a times row i to w, which has Cols elements.
func (m *Matrix) Axpy(i int, a float32, w []float32) {
	if !m.fits(i, 1, w) {
		panic(m.misfit(i, 1, w))
	}
	if m.isInvalid(i) {
		return
	}
	idx, val := m.row(i)
	asm.AxpySparse(a, idx, val, w)
}

// SumSquares returns the squared Euclidean norm of row i: dense.SumSquares of the row's values.
func (m *Matrix) SumSquares(i int) float32 {
	if uint(i) >= uint(m.Rows()) {
		panic(m.misfit(i, 1, nil))
	}
	if m.isInvalid(i) {
		return 0
	}
	_, val := m.row(i)
	return asm.SumSquares(val)
}

// DotK sets dst[c] to the dot product of row i and the c-th of len(dst) weight vectors, interleaved
// as for the function DotK. w has Cols*len(dst) elements.
func (m *Matrix) DotK(i int, dst, w []float32) {
	if !m.fits(i, len(dst), w) {
		panic(m.misfit(i, len(dst), w))
	}
	idx, val := m.checkedRow(i)
	asm.DotSparseK(dst, idx, val, w)
}

// AxpyK adds a[c] times row i to the c-th of len(a) weight vectors, interleaved as for the function
// DotK. w has Cols*len(a) elements.
func (m *Matrix) AxpyK(i int, a, w []float32) {
	if !m.fits(i, len(a), w) {
		panic(m.misfit(i, len(a), w))
	}
	idx, val := m.checkedRow(i)
	asm.AxpySparseK(a, idx, val, w)
}

// fits reports whether row i exists and w has the length of k weight vectors. It is small enough to
// be inlined.
func (m *Matrix) fits(i, k int, w []float32) bool {
	cols := m.Cols()
	return uint(i) < uint(m.Rows()) && (k == 1 || cols == 0 || k <= len(w)/cols) && len(w) == cols*k
}

//go:noinline
func (m *Matrix) misfit(i, k int, w []float32) any {
	switch {
	case uint(i) >= uint(m.Rows()):
		return misuse.Of("row %d of %d", i, m.Rows())
	case k == 1:
		return misuse.Lengths("len(w)", len(w), "Cols", m.Cols())
	}
	return misuse.Of("len(w) = %d, want %d vectors of %d (Cols) elements", len(w), k, m.Cols())
}

// Take returns a new matrix with copies of the given rows, in the given order.
func (m *Matrix) Take(rows []uint32) *Matrix {
	starts := make([]int64, len(rows)+1)
	for k, i := range rows {
		idx, _ := m.checkedRow(int(i))
		starts[k+1] = starts[k] + int64(len(idx))
	}
	nnz := starts[len(rows)]
	indices, values := make([]int32, nnz), make([]float32, nnz)
	const prefetch = 8
	for k, i := range rows {
		if k+prefetch < len(rows) {
			idx, val := m.checkedRow(int(rows[k+prefetch]))
			asm.Prefetch(idx)
			asm.Prefetch(val)
		}
		idx, val := m.checkedRow(int(i))
		copy(indices[starts[k]:], idx)
		copy(values[starts[k]:], val)
	}
	return (*Matrix)(matrices.Trusted(m.Cols(), starts, indices, values))
}
