package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Rows of a bad block of a lazy matrix are empty.
type csr struct {
	defaults
	matrices.CSR // a copy of *matrix, so that Dot and Axpy follow no pointer
	matrix       *matrices.CSR
}

func ofSparse(x *sparse.Matrix) *csr {
	m := (*matrices.CSR)(x)
	return &csr{CSR: m.Unguarded(), matrix: m}
}

func (m *csr) PrefetchDistance() int       { return sparsePrefetchDistance }
func (m *csr) Err() error                  { return m.matrix.Guard().Err() }
func (m *csr) Interleaved() *sparse.Matrix { return (*sparse.Matrix)(m.matrix) }
func (m *csr) WillNeed() matrices.WillNeed { return m.matrix.Guard().WillNeed() }

func (m *csr) Size() int {
	if m.matrix.Guard() != nil {
		return 0
	}
	return 8 * m.NNZ()
}

func (m *csr) Clone() Rows {
	if m.Guard() != nil && m.matrix.Guard().Verified() {
		return ofSparse((*sparse.Matrix)(m.matrix))
	}
	return m
}

func (m *csr) Row(i int) (index []int32, values []float32) { return m.CheckedRow(i) }

func (m *csr) Dot(i int, w []float32) float32 {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.Cols())
	if m.InBadBlock(i) {
		return 0
	}
	index, values := m.CSR.Row(i)
	return asm.DotSparse(index, values, w)
}

func (m *csr) Axpy(i int, a float32, w []float32) {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.Cols())
	if m.InBadBlock(i) {
		return
	}
	index, values := m.CSR.Row(i)
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
	if m.matrix.Guard() != nil {
		return nil, false
	}
	starts, indices, values := m.Arrays()
	return newConstantCSR(m.Cols(), starts, indices, values)
}

func (m *csr) CompactThreshold() (size int, visits float64) {
	return MinConstantSize, minConstantVisits
}

func (m *csr) DotMany(dst []float32, rows []uint32, w []float32) {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.Cols())
	for k, i := range rows {
		if dst[k] = 0; !m.InBadBlock(int(i)) {
			index, values := m.CSR.Row(int(i))
			dst[k] = asm.DotSparse(index, values, w)
		}
	}
}

func (m *csr) AxpyMany(a []float32, rows []uint32, w []float32) { axpyMany(m, a, rows, w) }

func (m *csr) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(m, dst, i, vectors, first)
}

func (m *csr) DotError(i int) float64 {
	index, _ := m.CSR.Row(i)
	return sparseError(len(index))
}

func (m *csr) Dot64(i int, w []float64) float64 { return dot64(m, i, w) }

func (m *csr) AddTo(u []float64, s Sum) {
	for k := range s.Len() {
		if i, a := s.Term(k); a != 0 && !m.InBadBlock(i) {
			index, values := m.CSR.Row(i)
			addRow(u, a, index, values)
		}
	}
}

func (m *csr) Examples() Examples { return (*sparse.Matrix)(m.matrix) }

func (m *csr) Dense() *dense.Matrix { return nil }
