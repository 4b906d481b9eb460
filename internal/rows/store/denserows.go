package store

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// denseRows is dense float32 rows.
type denseRows struct {
	defaults
	*dense.Matrix

	// Copies of fields of the matrix, so that Dot and Axpy need not follow a pointer to it. The
	// other methods call the matrix, which checks the rows of a lazy matrix when they are first
	// read.
	values       []float32
	cols, stride int
	lazy         bool // whether rows are checked on first read: then Dot and Axpy call Matrix
}

func newDenseRows(x *dense.Matrix) *denseRows {
	m := &denseRows{Matrix: x, cols: x.Cols(), lazy: !(*matrices.Dense)(x).Verified()}
	m.values, m.stride = (*matrices.Dense)(x).Padded()
	return m
}

// row returns row i like Matrix.Row, but without the check of a lazy matrix.
func (m *denseRows) row(i int) []float32 { return m.values[i*m.stride:][:m.cols:m.cols] }

// maxReorderCols is the largest number of columns for which training is faster on a copy of the
// rows in the order in which it visits them.
const maxReorderCols = 256

func (m *denseRows) Dot(i int, w []float32) float32 {
	if m.lazy { // the matrix returns zeros for rows of a bad block
		return m.Matrix.Dot(i, w)
	}
	return dense.Dot(m.row(i), w)
}

func (m *denseRows) Axpy(i int, a float32, w []float32) {
	if m.lazy {
		m.Matrix.Axpy(i, a, w)
		return
	}
	dense.Axpy(a, m.row(i), w)
}

// Clone returns m. But once all blocks of a lazy matrix have been found good, as after the first
// pass of the trainer, it returns the same rows without the checks.
func (m *denseRows) Clone() Rows {
	if m.lazy && (*matrices.Dense)(m.Matrix).Verified() {
		return newDenseRows(m.Matrix)
	}
	return m
}

func (m *denseRows) Err() error                  { return m.Matrix.Err() }
func (m *denseRows) Size() int                   { return 4 * m.Rows() * m.Cols() }
func (m *denseRows) PrefetchDistance() int       { return 1 }
func (m *denseRows) Prefetch(i int)              { asm.Prefetch(m.row(i)) }
func (m *denseRows) FastBatches() bool           { return true }
func (m *denseRows) WillNeed() matrices.WillNeed { return (*matrices.Dense)(m.Matrix).WillNeed() }
func (m *denseRows) Take(rows []uint32) Rows     { return newDenseRows(m.Matrix.Take(rows)) }

func (m *denseRows) ReorderGain() Gain {
	if m.Cols() > maxReorderCols {
		return NoGain
	}
	return LargeGain
}

func (m *denseRows) Compact(threads int) (Rows, bool) {
	if (*matrices.Dense)(m.Matrix).Lazy() {
		return nil, false
	}
	b, ok := newPackedPixels(m.Matrix, threads)
	if !ok {
		return nil, false
	}
	return newPixelRows(b), true
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

// asInt32 returns rows as int32 in the same memory. All must be below 2^31.
func asInt32(rows []uint32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
}

// asUint32 returns rows as uint32 in the same memory. None may be negative.
func asUint32(rows []int32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
}

func (m *denseRows) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	vectors.DotRows(dst, first, m.Matrix.Row(i))
}

func (m *denseRows) DotError(int) float64 { return denseError(m.cols) }

func (m *denseRows) Dot64(i int, w []float64) float64 { return dot64Dense(m.Matrix.Row(i), w) }

func (m *denseRows) AddTo(u []float64, s Sum) {
	for i, a := range s.Coefficients() {
		addDense(u, a, m.Matrix.Row(i))
	}
}

// addDense adds a*row to u.
func addDense(u []float64, a float64, row []float32) {
	asm.Axpy64(a, row, u[:len(row)])
}

// Row returns nil, because the row is dense, and the values of row i.
func (m *denseRows) Row(i int) (index []int32, values []float32) { return nil, m.Matrix.Row(i) }

// Examples returns the rows as a *dense.Matrix.
func (m *denseRows) Examples() Examples { return m.Matrix }

// Dense returns the matrix of the rows.
func (m *denseRows) Dense() *dense.Matrix { return m.Matrix }
