package dense

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// A row starts at a multiple of this many floats, 64 bytes: a cache line, and the widest vector register.
const alignment = 16

// A Matrix holds its rows one after the other, each padded with zeros to a multiple of 64 bytes, the first at an
// address that is a multiple of 64. The padding changes no bit of a sum.
type Matrix struct {
	rows, cols, stride int
	values             []float32 // rows*stride
	willNeed           func(first, end int)
}

// New returns a matrix of zeros. It panics if rows or cols is negative or the matrix would exceed the address space.
func New(rows, cols int) *Matrix {
	if rows < 0 || cols < 0 {
		panic("dense: negative dimension")
	}
	if cols > math.MaxInt-alignment {
		panic("dense: matrix too large")
	}
	stride := (cols + alignment - 1) / alignment * alignment
	if stride > 0 && rows > (math.MaxInt/4-alignment)/stride {
		panic("dense: matrix too large")
	}
	return &Matrix{rows: rows, cols: cols, stride: stride, values: aligned(rows * stride)}
}

// aligned returns n zeros that start at a multiple of 64 bytes.
func aligned(n int) []float32 {
	s := make([]float32, n+alignment-1)
	skip := 0
	if n > 0 {
		// Go's heap objects do not move, so that what is aligned now stays aligned.
		skip = int(-uintptr(unsafe.Pointer(unsafe.SliceData(s)))%(4*alignment)) / 4
	}
	return s[skip : skip+n : skip+n]
}

// FromSlice copies rows*cols values, row by row, into a new matrix.
func FromSlice(rows, cols int, values []float32) (*Matrix, error) {
	if rows < 0 || cols < 0 || cols > 0 && rows != len(values)/cols || rows*cols != len(values) {
		return nil, fmt.Errorf("dense: %d values are not %d rows of %d", len(values), rows, cols)
	}
	m := New(rows, cols)
	for i := range rows {
		copy(m.Row(i), values[i*cols:])
	}
	return m, nil
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return m.rows }

// Cols returns the number of columns.
func (m *Matrix) Cols() int { return m.cols }

// Row returns row i, a slice of Cols elements that aliases the matrix.
func (m *Matrix) Row(i int) []float32 {
	if uint(i) >= uint(m.rows) {
		panic("dense: row out of range")
	}
	return m.values[i*m.stride:][:m.cols:m.cols]
}

// Dot returns the dot product of row i and w, which has Cols elements.
func (m *Matrix) Dot(i int, w []float32) float32 { return Dot(m.Row(i), w) }

// Axpy adds a times row i to w, which has Cols elements.
func (m *Matrix) Axpy(i int, a float32, w []float32) { Axpy(a, m.Row(i), w) }

// SumSquares returns the squared Euclidean norm of row i.
func (m *Matrix) SumSquares(i int) float32 { return asm.SumSquares(m.Row(i)) }

// DotRows sets dst[k] to the dot product of row first+k and w, which has Cols elements. It panics if the matrix ends
// before dst does.
func (m *Matrix) DotRows(dst []float32, first int, w []float32) {
	m.check(w)
	if first < 0 || first > m.rows || len(dst) > m.rows-first {
		panic("dense: row out of range")
	}
	asm.DotRows(dst, m.values[first*m.stride:], m.stride, w)
}

// DotRowsAt sets dst[k] to the dot product of row idx[k] and w, which has Cols elements.
func (m *Matrix) DotRowsAt(dst []float32, idx []int32, w []float32) {
	m.check(w)
	asm.DotRowsAt(dst, m.values, m.stride, idx, w)
}

// AxpyRows adds a[k] times row idx[k] to w, which has Cols elements, for each k in order.
func (m *Matrix) AxpyRows(a []float32, idx []int32, w []float32) {
	m.check(w)
	asm.AxpyRows(a, m.values, m.stride, idx, w)
}

func (m *Matrix) check(w []float32) {
	if len(w) != m.cols {
		panic("dense: len(w) != Cols")
	}
}

// Take returns a matrix of the given rows, in the given order, with memory of its own.
func (m *Matrix) Take(rows []uint32) *Matrix {
	t := New(len(rows), m.cols)
	for k, i := range rows {
		copy(t.Row(k), m.Row(int(i)))
	}
	return t
}

// Prefetch asks for row i to be brought into the caches, for a Dot or Axpy soon to come.
func (m *Matrix) Prefetch(i int) { asm.Prefetch(m.Row(i)) }
