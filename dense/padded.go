package dense

import (
	"fmt"
	"math"
	"unsafe"
)

// Stride returns the length that rows of so many columns have in a matrix: cols rounded up to a multiple of 16 floats,
// which are 64 bytes. It panics if cols is negative or the result would overflow.
func Stride(cols int) int {
	if cols < 0 || cols > math.MaxInt-alignment {
		panic("dense: cols out of range")
	}
	return (cols + alignment - 1) / alignment * alignment
}

// FromPadded returns the matrix whose rows are in values one after the other, Stride(cols) elements each, the first
// at an address that is a multiple of 64. It keeps the slice, which may be memory that can only be read, such as a
// mapped file: then Row must not be written to. What stands in the padding has no influence on anything.
func FromPadded(rows, cols int, values []float32) (*Matrix, error) {
	if rows < 0 || cols < 0 || cols > math.MaxInt-alignment {
		return nil, fmt.Errorf("dense: %d rows of %d", rows, cols)
	}
	stride := Stride(cols)
	if stride > 0 && rows != len(values)/stride || rows*stride != len(values) {
		return nil, fmt.Errorf("dense: %d values are not %d rows of %d, each padded to %d", len(values), rows, cols, stride)
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(values)))%(4*alignment) != 0 && len(values) > 0 {
		return nil, fmt.Errorf("dense: the first row does not begin at a multiple of %d bytes", 4*alignment)
	}
	return &Matrix{rows: rows, cols: cols, stride: stride, values: values}, nil
}

// OnWillNeed sets what WillNeed does, for a matrix whose rows are read from a file when they are met.
func (m *Matrix) OnWillNeed(f func(first, end int)) { m.willNeed = f }

// WillNeed tells that the rows from first to end-1 will soon be met, so that they can be read from the disk by then. It
// does nothing if they are in memory anyway.
func (m *Matrix) WillNeed(first, end int) {
	if m.willNeed != nil {
		m.willNeed(first, end)
	}
}

// Reads reports whether rows may have to be read from a file when they are met: see WillNeed.
func (m *Matrix) Reads() bool { return m.willNeed != nil }
