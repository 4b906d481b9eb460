package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// csr is rows in compressed sparse row form.
type csr struct {
	defaults
	cols    int
	starts  []int64
	indices []int32
	values  []float32
	matrix  *matrices.CSR
	lazy    bool // whether blocks of rows are checked on first read; rows of a bad block are empty
}

func ofSparse(x *sparse.Matrix) Rows {
	m := (*matrices.CSR)(x)
	c := &csr{cols: m.Cols(), matrix: m, lazy: !m.Verified()}
	c.starts, c.indices, c.values = m.Arrays()
	if c.indices == nil {
		c.indices = []int32{} // a nil index from Row would mean a dense row
	}
	return c
}

// wrongLength returns the panic value for a w of the wrong length. It is not inlined, to keep its
// code out of the callers.
//
//go:noinline
func wrongLength(w []float32, cols int) any {
	return misuse.Lengths("len(w)", len(w), "Cols", cols)
}

// sparsePrefetchDistance is the number of rows by which the prefetch of a sparse row precedes its
// use.
const sparsePrefetchDistance = 6

func (m *csr) Rows() int                { return len(m.starts) - 1 }
func (m *csr) Cols() int                { return m.cols }
func (m *csr) NNZ() int                 { return len(m.values) }
func (m *csr) PrefetchDistance() int    { return sparsePrefetchDistance }
func (m *csr) Err() error               { return m.matrix.Err() }
func (m *csr) Interleaved() Interleaved { return (*sparse.Matrix)(m.matrix) }

func (m *csr) WillNeed() matrices.WillNeed { return m.matrix.WillNeed() }

// Size returns the bytes of indices and values, or 0 for a lazy matrix, which is mapped from a
// file.
func (m *csr) Size() int {
	if m.matrix.Lazy() {
		return 0
	}
	return 8 * len(m.values)
}

// Clone returns m. But once all blocks of a lazy matrix have been found good, as after the first
// pass of the trainer, it returns the same rows without the checks.
func (m *csr) Clone() Rows {
	if m.lazy && m.matrix.Verified() {
		return ofSparse((*sparse.Matrix)(m.matrix))
	}
	return m
}

// row returns row i, which must not be in a block that failed its checks.
func (m *csr) row(i int) (index []int32, values []float32) {
	start, end := m.starts[i], m.starts[i+1]
	return m.indices[start:end:end], m.values[start:end:end]
}

// inBadBlock reports whether row i belongs to a block that failed its checks.
func (m *csr) inBadBlock(i int) bool { return m.lazy && m.matrix.InBadBlock(i) }

func (m *csr) Row(i int) (index []int32, values []float32) {
	if m.inBadBlock(i) {
		return []int32{}, nil
	}
	return m.row(i)
}

func (m *csr) Dot(i int, w []float32) float32 {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
	if m.inBadBlock(i) {
		return 0
	}
	index, values := m.row(i)
	return asm.DotSparse(index, values, w)
}

func (m *csr) Axpy(i int, a float32, w []float32) {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
	if m.inBadBlock(i) {
		return
	}
	index, values := m.row(i)
	asm.AxpySparse(a, index, values, w)
}

func (m *csr) SumSquares(i int) float32 {
	_, values := m.Row(i)
	return asm.SumSquares(values)
}

func (m *csr) Prefetch(i int) {
	index, values := m.Row(i)
	asm.Prefetch(index)
	asm.Prefetch(values)
}

func (m *csr) Take(rows []uint32) Rows {
	return ofSparse((*sparse.Matrix)(m.matrix).Take(rows))
}

func (m *csr) Compact(int) (Rows, bool) {
	if m.matrix.Lazy() {
		return nil, false
	}
	if s, ok := newConstantCSR(m); ok {
		return s, true
	}
	return nil, false
}

func (m *csr) CompactThreshold() (size int, visits float64) {
	return MinConstantSize, minConstantVisits
}

func (m *csr) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(m, dst, rows, w) }
func (m *csr) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(m, a, rows, w) }

func (m *csr) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(m, dst, i, vectors, first)
}

func (m *csr) DotError(i int) float64 { return sparseError(int(m.starts[i+1] - m.starts[i])) }

func (m *csr) Dot64(i int, w []float64) float64 { return dot64Sparse(m, i, w) }

func (m *csr) AddTo(u []float64, s Sum) { addSparse(m, u, s) }

// addSparse implements AddTo for sparse rows.
func addSparse(m Reader, u []float64, s Sum) {
	for i, a := range s.Coefficients() {
		index, values := m.Row(i)
		for n, j := range index {
			u[j] += float64(a * float64(values[n]))
		}
	}
}

// Examples returns the rows as a *sparse.Matrix.
func (m *csr) Examples() Examples { return (*sparse.Matrix)(m.matrix) }

// Dense returns nil, because the rows are sparse.
func (m *csr) Dense() *dense.Matrix { return nil }
