package sparse

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// A Matrix is in compressed sparse row (CSR) form: the nonzeros of row i are those from starts[i] to starts[i+1]. It is
// checked when it is built and can't be changed, which is what lets the kernels trust its indices.
type Matrix struct {
	cols    int
	starts  []int64
	indices []int32
	values  []float32
}

// New returns the matrix whose row i has the columns indices[starts[i]:starts[i+1]] and the values beside them. starts
// begins with 0, never falls, and ends with the number of nonzeros; within a row the columns are strictly ascending and
// lie in [0, cols). The error names the row that breaks a rule. New keeps the slices: the caller must not change them.
func New(cols int, starts []int64, indices []int32, values []float32) (*Matrix, error) {
	if cols < 0 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: %d columns: want 0 to %d", cols, math.MaxInt32)
	}
	if len(indices) != len(values) {
		return nil, fmt.Errorf("sparse: %d indices and %d values", len(indices), len(values))
	}
	if len(starts) == 0 || starts[0] != 0 || starts[len(starts)-1] != int64(len(indices)) {
		return nil, fmt.Errorf("sparse: row starts must run from 0 to the %d nonzeros", len(indices))
	}
	for i, end := range starts[1:] {
		start := starts[i]
		if end < start || end > int64(len(indices)) {
			return nil, fmt.Errorf("sparse: row %d ends at %d, before it starts or past the end", i, end)
		}
		last := int32(-1)
		for _, j := range indices[start:end] {
			if j <= last || int(j) >= cols {
				return nil, fmt.Errorf("sparse: row %d: column %d after %d: want strictly ascending columns below %d", i, j, last, cols)
			}
			last = j
		}
	}
	return &Matrix{cols: cols, starts: starts, indices: indices, values: values}, nil
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return len(m.starts) - 1 }

// Cols returns the number of columns.
func (m *Matrix) Cols() int { return m.cols }

// NNZ returns the number of stored values.
func (m *Matrix) NNZ() int { return len(m.values) }

// Row returns the columns and values of row i. They alias the matrix and must not be changed.
func (m *Matrix) Row(i int) (idx []int32, val []float32) {
	start, end := m.starts[i], m.starts[i+1]
	return m.indices[start:end:end], m.values[start:end:end]
}

// Dot returns the dot product of row i and w, which has Cols elements.
func (m *Matrix) Dot(i int, w []float32) float32 {
	if len(w) != m.cols {
		panic("sparse: len(w) != Cols")
	}
	idx, val := m.Row(i)
	return asm.DotSparse(idx, val, w)
}

// Axpy adds a times row i to w, which has Cols elements.
func (m *Matrix) Axpy(i int, a float32, w []float32) {
	if len(w) != m.cols {
		panic("sparse: len(w) != Cols")
	}
	idx, val := m.Row(i)
	asm.AxpySparse(a, idx, val, w)
}

// SumSquares returns the squared Euclidean norm of row i.
func (m *Matrix) SumSquares(i int) float32 {
	_, val := m.Row(i)
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

// Prefetch asks for row i to be brought into the caches, for a Dot or Axpy soon to come.
func (m *Matrix) Prefetch(i int) {
	idx, val := m.Row(i)
	asm.Prefetch(idx)
	asm.Prefetch(val)
}
