package store

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// Rows of a bad block of a lazy matrix are zeros.
type denseRows struct {
	defaults
	*dense.Matrix
	copied matrices.Dense // a copy of *Matrix, so that Dot and Axpy follow no pointer
}

func newDenseRows(x *dense.Matrix) *denseRows {
	return &denseRows{Matrix: x, copied: (*matrices.Dense)(x).Unguarded()}
}

func (m *denseRows) guard() *matrices.Guard { return (*matrices.Dense)(m.Matrix).Guard() }

const maxReorderCols = 256

func (m *denseRows) Dot(i int, w []float32) float32     { return dense.Dot(m.copied.Row(i), w) }
func (m *denseRows) Axpy(i int, a float32, w []float32) { dense.Axpy(a, m.copied.Row(i), w) }

func (m *denseRows) Clone() Rows {
	if m.copied.Guard() != nil && m.guard().Verified() {
		return newDenseRows(m.Matrix)
	}
	return m
}

func (m *denseRows) Err() error                  { return m.Matrix.Err() }
func (m *denseRows) Size() int                   { return 4 * m.Rows() * m.Cols() }
func (m *denseRows) PrefetchDistance() int       { return 1 }
func (m *denseRows) Prefetch(i int)              { asm.Prefetch(m.copied.Row(i)) }
func (m *denseRows) FastBatches() bool           { return true }
func (m *denseRows) WillNeed() matrices.WillNeed { return m.guard().WillNeed() }
func (m *denseRows) Take(rows []uint32) Rows     { return newDenseRows(m.Matrix.Take(rows)) }

func (m *denseRows) ReorderGain() Gain {
	if m.Cols() > maxReorderCols {
		return NoGain
	}
	return LargeGain
}

func (m *denseRows) Compact(threads int) (Rows, bool) {
	if m.guard() != nil {
		return nil, false
	}
	return newPixelRows(m.Matrix, threads)
}

func (m *denseRows) CompactThreshold() (size int, visits float64) {
	return MinPixelSize, minPixelVisits
}

func (m *denseRows) DotMany(dst []float32, rows []uint32, w []float32) {
	if m.Rows() > math.MaxInt32 {
		dotMany(m, dst, rows, w)
		return
	}
	m.DotRowsAt(dst, asInt32(rows), w)
}

func (m *denseRows) AxpyMany(a []float32, rows []uint32, w []float32) {
	if m.Rows() > math.MaxInt32 {
		axpyMany(m, a, rows, w)
		return
	}
	m.AxpyRows(a, asInt32(rows), w)
}

// All rows must be below 2^31.
func asInt32(rows []uint32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
}

func (m *denseRows) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	vectors.DotRows(dst, first, m.Matrix.Row(i))
}

func (m *denseRows) DotError(int) float64             { return denseError(m.Cols()) }
func (m *denseRows) Dot64(i int, w []float64) float64 { return dot64(m, i, w) }

func (m *denseRows) AddTo(u []float64, s Sum) {
	for k := range s.Len() {
		if i, a := s.Term(k); a != 0 {
			addRow(u, a, nil, m.copied.Row(i))
		}
	}
}

func (m *denseRows) Row(i int) (index []int32, values []float32) { return nil, m.copied.Row(i) }

func (m *denseRows) Examples() Examples { return m.Matrix }

func (m *denseRows) Dense() *dense.Matrix { return m.Matrix }
