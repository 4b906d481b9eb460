package sparse

import (
	"iter"
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/misuse"
)

// A Matrix is in compressed sparse row (CSR) form. It is checked when it is built and can't be
// changed, which is what lets the kernels trust its indices. One whose rows are read from a mapped
// file is checked when they are first read: see Err. One of [NewShared] can be changed by whoever
// has its slices, and must not be.
type Matrix matrices.CSR // a conversion gives this module's other packages what is inside

// New returns the matrix whose row i has the columns indices[starts[i]:starts[i+1]] and the values
// beside them. starts begins with 0, never falls, and ends with the number of nonzeros; within a
// row the columns are strictly ascending and in [0, cols). The error names the row that breaks a
// rule. New copies the slices: what becomes of them later does not matter. See [NewShared] for
// those of which there is no memory for two.
func New(cols int, starts []int64, indices []int32, values []float32) (*Matrix, error) {
	return NewShared(cols, slices.Clone(starts), slices.Clone(indices), slices.Clone(values))
}

// NewShared is New without the copy: the matrix keeps the slices. The caller must never write to
// them again. Nothing can hold it to that, and the kernels trust the indices: one that is changed
// makes them read, and Axpy write, anywhere in memory.
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

// Err is nil but for a matrix whose rows come from a mapped file (see package dataset). Those are
// checked in blocks, each when one of its rows is first read. The rows of a bad block are empty,
// and Err returns what is wrong with the first such block found so far: ask it when all rows were
// read.
func (m *Matrix) Err() error { return (*matrices.CSR)(m).Err() }

// Row returns a copy of the columns and values of row i. Use [Matrix.Nonzeros] to look at many
// rows: it makes none.
func (m *Matrix) Row(i int) (idx []int32, val []float32) {
	idx, val = m.admitted(i)
	return slices.Clone(idx), slices.Clone(val)
}

// Nonzeros yields the columns and values of row i.
func (m *Matrix) Nonzeros(i int) iter.Seq2[int, float32] {
	return func(yield func(int, float32) bool) {
		idx, val := m.admitted(i)
		for k, j := range idx {
			if !yield(int(j), val[k]) {
				return
			}
		}
	}
}

// admitted returns row i, or an empty one of a bad block. It is the matrix's own memory, which
// nobody but the matrix may see: who writes to it writes to what the kernels trust.
func (m *Matrix) admitted(i int) (idx []int32, val []float32) {
	return (*matrices.CSR)(m).Admitted(i)
}

// barred tells whether row i belongs to a bad block.
func (m *Matrix) barred(i int) bool { return (*matrices.CSR)(m).Barred(i) }

// row returns row i, which must not be barred. It is small enough to be inlined.
func (m *Matrix) row(i int) (idx []int32, val []float32) { return (*matrices.CSR)(m).Row(i) }

// Dot returns the dot product of row i and w, which has Cols elements.
func (m *Matrix) Dot(i int, w []float32) float32 {
	if !m.fits(i, 1, w) {
		panic(m.wrong(i, 1, w))
	}
	if m.barred(i) {
		return 0
	}
	idx, val := m.row(i)
	return asm.DotSparse(idx, val, w)
}

// Axpy adds a times row i to w, which has Cols elements.
func (m *Matrix) Axpy(i int, a float32, w []float32) {
	if !m.fits(i, 1, w) {
		panic(m.wrong(i, 1, w))
	}
	if m.barred(i) {
		return
	}
	idx, val := m.row(i)
	asm.AxpySparse(a, idx, val, w)
}

// SumSquares returns the squared Euclidean norm of row i.
func (m *Matrix) SumSquares(i int) float32 {
	if uint(i) >= uint(m.Rows()) {
		panic(m.wrong(i, 1, nil))
	}
	if m.barred(i) {
		return 0
	}
	_, val := m.row(i)
	return asm.SumSquares(val)
}

// DotK sets dst[c] to the dot product of row i and the c-th of len(dst) interleaved weight vectors;
// see the function DotK. w has Cols*len(dst) elements.
func (m *Matrix) DotK(i int, dst, w []float32) {
	if !m.fits(i, len(dst), w) {
		panic(m.wrong(i, len(dst), w))
	}
	idx, val := m.admitted(i)
	asm.DotSparseK(dst, idx, val, w)
}

// AxpyK adds a[c] times row i to the c-th of len(a) interleaved weight vectors; see the function
// AxpyK. w has Cols*len(a) elements.
func (m *Matrix) AxpyK(i int, a, w []float32) {
	if !m.fits(i, len(a), w) {
		panic(m.wrong(i, len(a), w))
	}
	idx, val := m.admitted(i)
	asm.AxpySparseK(a, idx, val, w)
}

// fits reports whether there is a row i, and w is k vectors. It is small enough to be inlined.
func (m *Matrix) fits(i, k int, w []float32) bool {
	cols := m.Cols()
	return uint(i) < uint(m.Rows()) && (k == 1 || cols == 0 || k <= len(w)/cols) && len(w) == cols*k
}

// wrong returns what to panic with where fits is false. It is not inlined, to keep its code out of
// the others'.
//
//go:noinline
func (m *Matrix) wrong(i, k int, w []float32) any {
	switch {
	case uint(i) >= uint(m.Rows()):
		return misuse.Of("row %d of %d", i, m.Rows())
	case k == 1:
		return misuse.Lengths("len(w)", len(w), "Cols", m.Cols())
	}
	return misuse.Of("len(w) = %d, Cols = %d times %d vectors", len(w), m.Cols(), k)
}

// Take returns a matrix of the given rows, in the given order, with memory of its own.
func (m *Matrix) Take(rows []uint32) *Matrix {
	starts := make([]int64, len(rows)+1)
	for k, i := range rows {
		idx, _ := m.admitted(int(i))
		starts[k+1] = starts[k] + int64(len(idx))
	}
	nnz := starts[len(rows)]
	indices, values := make([]int32, nnz), make([]float32, nnz)
	const ahead = 8 // rows: by the time one is copied it is in the caches
	for k, i := range rows {
		if k+ahead < len(rows) {
			idx, val := m.admitted(int(rows[k+ahead]))
			asm.Prefetch(idx)
			asm.Prefetch(val)
		}
		idx, val := m.admitted(int(i))
		copy(indices[starts[k]:], idx)
		copy(values[starts[k]:], val)
	}
	return (*Matrix)(matrices.Trusted(m.Cols(), starts, indices, values))
}
