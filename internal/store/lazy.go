package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// lazy is sparse rows that are checked when they are first read, such as those of a mapped file.
// The rows of a bad block are empty, as sparse.Matrix has them.
type lazy struct{ csr }

func (m *lazy) checked() *sparse.Matrix { return (*sparse.Matrix)(m.matrix) }

func (m *lazy) Err() error      { return m.matrix.Err() }
func (m *lazy) Size() int       { return 0 } // they need not be in memory
func (m *lazy) ForWorker() Rows { return m }

func (m *lazy) Compact(int) (Rows, bool) { return nil, false }

func (m *lazy) Row(i int) (index []int32, values []float32) {
	if m.matrix.Barred(i) {
		return []int32{}, nil
	}
	return m.csr.Row(i)
}

func (m *lazy) Dot(i int, w []float32) float32     { return m.checked().Dot(i, w) }
func (m *lazy) Axpy(i int, a float32, w []float32) { m.checked().Axpy(i, a, w) }
func (m *lazy) SumSquares(i int) float32           { return m.checked().SumSquares(i) }

func (m *lazy) Fetch(i int) {
	index, values := m.Row(i)
	asm.Prefetch(index)
	asm.Prefetch(values)
}

func (m *lazy) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(m, dst, rows, w) }
func (m *lazy) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(m, a, rows, w) }

func (m *lazy) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(m, dst, i, vectors, first)
}

func (m *lazy) WideDot(i int, w []float64) float64 { return wideSparse(m, i, w) }
func (m *lazy) AddTo(u []float64, s Sum)           { addSparse(m, u, s) }

// lazyFloats is dense rows that are checked when they are first read. The rows of a bad block are
// zeros, as dense.Matrix has them.
type lazyFloats struct{ floats }

func (m *lazyFloats) Err() error { return m.Matrix.Err() }

// ForWorker returns rows without checks once all were found to be good, as they are after the
// trainer's first pass.
func (m *lazyFloats) ForWorker() Rows {
	if (*matrices.Dense)(m.Matrix).Sound() {
		return &m.floats
	}
	return m
}

func (m *lazyFloats) Compact(int) (Rows, bool) { return nil, false }

func (m *lazyFloats) Dot(i int, w []float32) float32     { return m.Matrix.Dot(i, w) }
func (m *lazyFloats) Axpy(i int, a float32, w []float32) { m.Matrix.Axpy(i, a, w) }
