package store

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrices"
)

// floats is dense rows.
type floats struct {
	plain
	*dense.Matrix

	// These are the fields of the matrix that Dot and Axpy need, without a pointer to follow. The
	// other methods ask the matrix, which checks rows that have to be checked.
	values       []float32
	cols, stride int
	lazy         bool // The matrix checks rows when they are first read: see Dot.
}

func newFloats(x *dense.Matrix) *floats {
	m := &floats{Matrix: x, cols: x.Cols(), lazy: !(*matrices.Dense)(x).Sound()}
	m.values, m.stride = (*matrices.Dense)(x).Padded()
	return m
}

// row returns row i, as Matrix.Row does, unchecked.
func (m *floats) row(i int) []float32 { return m.values[i*m.stride:][:m.cols:m.cols] }

// longCols is the number of columns beyond which a copy in another order gains nothing.
const longCols = 256

func (m *floats) Dot(i int, w []float32) float32 {
	if m.lazy { // The matrix gives zeros for the rows of a bad block.
		return m.Matrix.Dot(i, w)
	}
	return dense.Dot(m.row(i), w)
}

func (m *floats) Axpy(i int, a float32, w []float32) {
	if m.lazy {
		m.Matrix.Axpy(i, a, w)
		return
	}
	dense.Axpy(a, m.row(i), w)
}

// ForWorker returns rows without checks once all were found to be good, as they are after the
// trainer's first pass.
func (m *floats) ForWorker() Rows {
	if m.lazy && (*matrices.Dense)(m.Matrix).Sound() {
		return newFloats(m.Matrix)
	}
	return m
}

func (m *floats) Err() error                  { return m.Matrix.Err() }
func (m *floats) Size() int                   { return 4 * m.Rows() * m.Cols() }
func (m *floats) Ahead() int                  { return 1 }
func (m *floats) Fetch(i int)                 { asm.Prefetch(m.row(i)) }
func (m *floats) Contiguous() bool            { return true }
func (m *floats) WillNeed() matrices.WillNeed { return (*matrices.Dense)(m.Matrix).WillNeed() }
func (m *floats) Take(rows []uint32) Rows     { return newFloats(m.Matrix.Take(rows)) }

func (m *floats) TakeGain() Gain {
	if m.Cols() > longCols {
		return GainsNothing
	}
	return Gains
}

func (m *floats) Compact(threads int) (Rows, bool) {
	if (*matrices.Dense)(m.Matrix).Lazy() {
		return nil, false
	}
	b, ok := newPacked(m.Matrix, threads)
	if !ok {
		return nil, false
	}
	return newBytes(b), true
}

func (m *floats) CompactPays() (size int, visits float64) { return BytesFrom, bytesVisits }

func (m *floats) DotMany(dst []float32, rows []uint32, w []float32) {
	if m.Rows() > math.MaxInt32 {
		dotMany(m, dst, rows, w)
		return
	}
	m.DotRowsAt(dst, signed(rows), w)
}

func (m *floats) AxpyMany(a []float32, rows []uint32, w []float32) {
	if m.Rows() > math.MaxInt32 {
		axpyMany(m, a, rows, w)
		return
	}
	m.AxpyRows(a, signed(rows), w)
}

// signed returns the same numbers, which are less than 2^31.
func signed(rows []uint32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
}

// unsigned is the reverse, of numbers that are not negative.
func unsigned(rows []int32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
}

func (m *floats) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	vectors.DotRows(dst, first, m.Matrix.Row(i))
}

func (m *floats) DotError(int) float64 { return denseError(m.cols) }

func (m *floats) WideDot(i int, w []float64) float64 { return wideDense(m.Matrix.Row(i), w) }

func (m *floats) AddTo(u []float64, s Sum) {
	for i, a := range s.all() {
		addDense(u, a, m.Matrix.Row(i))
	}
}

// addDense adds a times row to u.
func addDense(u []float64, a float64, row []float32) {
	asm.Axpy64(a, row, u[:len(row)])
}

// Row returns nil and the values of row i: see Matrix.
func (m *floats) Row(i int) (index []int32, values []float32) { return nil, m.Matrix.Row(i) }

// Examples returns the rows as package dense has them.
func (m *floats) Examples() Examples { return m.Matrix }

// Dense is the same: see Matrix.
func (m *floats) Dense() *dense.Matrix { return m.Matrix }
