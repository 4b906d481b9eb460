package sparse

import "github.com/pegasimd/pegasimd/internal/asm"

// A Matrix is in compressed sparse row (CSR) form: the nonzeros of row i are those from starts[i] to starts[i+1]. It is
// checked when it is built, or with Lazy when its rows are first met, and can't be changed, which is what lets the kernels
// trust its indices.
type Matrix struct {
	cols    int
	starts  []int64
	indices []int32
	values  []float32
	guard   *guard // of a lazy matrix

	willNeed func(first, end int)
}

// New returns the matrix whose row i has the columns indices[starts[i]:starts[i+1]] and the values beside them. starts
// begins with 0, never falls, and ends with the number of nonzeros; within a row the columns are strictly ascending and
// lie in [0, cols). The error names the row that breaks a rule. New keeps the slices: the caller must not change them.
func New(cols int, starts []int64, indices []int32, values []float32) (*Matrix, error) {
	if err := checkArrays(cols, starts, indices, values); err != nil {
		return nil, err
	}
	m := &Matrix{cols: cols, starts: starts, indices: indices, values: values}
	for i := range len(starts) - 1 {
		if err := m.checkStart(i); err != nil {
			return nil, err
		}
		if err := m.checkColumns(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return len(m.starts) - 1 }

// Cols returns the number of columns.
func (m *Matrix) Cols() int { return m.cols }

// NNZ returns the number of stored values.
func (m *Matrix) NNZ() int { return len(m.values) }

// Row returns the columns and values of row i. They alias the matrix and must not be changed.
func (m *Matrix) Row(i int) (idx []int32, val []float32) {
	if m.barred(i) {
		return nil, nil
	}
	return m.row(i)
}

// Arrays returns what New was given, all rows one behind the other. The slices alias the matrix and must not be changed.
// Those of a lazy matrix are not proven to be right.
func (m *Matrix) Arrays() (starts []int64, indices []int32, values []float32) {
	return m.starts, m.indices, m.values
}

// barred tells whether row i belongs to a bad block of a lazy matrix.
func (m *Matrix) barred(i int) bool { return m.guard != nil && !m.guard.admits(m, i) }

// row returns row i, which must not be barred. It is small enough to be inlined.
func (m *Matrix) row(i int) (idx []int32, val []float32) {
	start, end := m.starts[i], m.starts[i+1]
	return m.indices[start:end:end], m.values[start:end:end]
}

// Dot returns the dot product of row i and w, which has Cols elements.
func (m *Matrix) Dot(i int, w []float32) float32 {
	if len(w) != m.cols {
		panic("sparse: len(w) != Cols")
	}
	if m.barred(i) {
		return 0
	}
	idx, val := m.row(i)
	return asm.DotSparse(idx, val, w)
}

// Axpy adds a times row i to w, which has Cols elements.
func (m *Matrix) Axpy(i int, a float32, w []float32) {
	if len(w) != m.cols {
		panic("sparse: len(w) != Cols")
	}
	if m.barred(i) {
		return
	}
	idx, val := m.row(i)
	asm.AxpySparse(a, idx, val, w)
}

// SumSquares returns the squared Euclidean norm of row i.
func (m *Matrix) SumSquares(i int) float32 {
	if m.barred(i) {
		return 0
	}
	_, val := m.row(i)
	return asm.SumSquares(val)
}

// DotK sets dst[c] to the dot product of row i and the c-th of len(dst) interleaved weight vectors; see the function DotK.
// w has Cols*len(dst) elements.
func (m *Matrix) DotK(i int, dst, w []float32) {
	m.checkK(len(dst), w)
	idx, val := m.Row(i)
	asm.DotSparseK(dst, idx, val, w)
}

// AxpyK adds a[c] times row i to the c-th of len(a) interleaved weight vectors; see the function AxpyK. w has Cols*len(a)
// elements.
func (m *Matrix) AxpyK(i int, a, w []float32) {
	m.checkK(len(a), w)
	idx, val := m.Row(i)
	asm.AxpySparseK(a, idx, val, w)
}

func (m *Matrix) checkK(k int, w []float32) {
	if m.cols > 0 && k > len(w)/m.cols || len(w) != m.cols*k {
		panic("sparse: len(w) != Cols*k")
	}
}

// Take returns a matrix of the given rows, in the given order, with memory of its own.
func (m *Matrix) Take(rows []uint32) *Matrix {
	starts := make([]int64, len(rows)+1)
	for k, i := range rows {
		idx, _ := m.Row(int(i))
		starts[k+1] = starts[k] + int64(len(idx))
	}
	nnz := starts[len(rows)]
	t := &Matrix{cols: m.cols, starts: starts, indices: make([]int32, nnz), values: make([]float32, nnz)}
	const ahead = 8 // rows, so that their memory is on its way when they are copied
	for k, i := range rows {
		if k+ahead < len(rows) {
			m.Prefetch(int(rows[k+ahead]))
		}
		idx, val := m.Row(int(i))
		copy(t.indices[starts[k]:], idx)
		copy(t.values[starts[k]:], val)
	}
	return t
}

// Lazy reports whether rows are checked as they are met: see the function Lazy.
func (m *Matrix) Lazy() bool { return m.guard != nil }

// Prefetch asks for row i to be brought into the caches, for a Dot or Axpy soon to come.
func (m *Matrix) Prefetch(i int) {
	idx, val := m.Row(i)
	asm.Prefetch(idx)
	asm.Prefetch(val)
}
