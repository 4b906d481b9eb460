package matrices

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/sys/hugepage"
)

// alignment is 64 bytes, the width of an AVX-512 register, in float32s.
const alignment = 16

// Dense stores its rows one after the other, each padded to a multiple of 64 bytes (NewNarrow may
// pad less). The first row begins at an address that is a multiple of 64.
type Dense struct {
	rows, cols, stride int
	trusted            uint      // rows below this index need no check
	values             []float32 // all rows and their padding: rows*stride elements
	guard              *Guard    // nil unless the matrix is lazy
	zeros              []float32 // returned for rows of bad blocks; nil unless the matrix is lazy
}

// NewDense panics if rows or cols is negative or the matrix exceeds the address space.
func NewDense(rows, cols int) *Dense {
	if rows < 0 || cols < 0 {
		panic(misuse.Of("%d rows of %d columns: want 0 or more of each", rows, cols))
	}
	if cols > math.MaxInt-alignment {
		panic(tooLarge(rows, cols))
	}
	stride := Stride(cols)
	if stride > 0 && rows > (math.MaxInt/4-alignment)/stride {
		panic(tooLarge(rows, cols))
	}
	return newDense(rows, cols, stride)
}

func newDense(rows, cols, stride int) *Dense {
	return &Dense{
		rows: rows, cols: cols, stride: stride, trusted: uint(rows), values: aligned(rows * stride),
	}
}

// NewNarrow is NewDense, but pads rows of 1 to 8 columns to 1, 2, 4 or 8 elements.
func NewNarrow(rows, cols int) *Dense {
	if rows < 0 || cols <= 0 || cols > alignment/2 || rows > math.MaxInt/4/alignment-1 {
		return NewDense(rows, cols)
	}
	stride := 1
	for stride < cols {
		stride *= 2
	}
	return newDense(rows, cols, stride)
}

// Truncate removes all but the given number of first rows. Their memory stays allocated.
func (m *Dense) Truncate(rows int) {
	m.rows, m.trusted, m.values = rows, min(m.trusted, uint(rows)), m.values[:rows*m.stride]
}

func tooLarge(rows, cols int) any {
	return misuse.Of("%d rows of %d columns are too many for this machine", rows, cols)
}

func aligned(n int) []float32 {
	s := hugepage.Advise(make([]float32, n+alignment-1))
	skip := 0
	if n > 0 {
		// Go's heap objects do not move, so the alignment lasts.
		skip = int(-uintptr(unsafe.Pointer(unsafe.SliceData(s)))%(4*alignment)) / 4
	}
	return s[skip : skip+n : skip+n]
}

// Vectors returns n zero vectors with cols elements: rows of a matrix or, for fewer than 16
// columns, slices of one array without padding.
func Vectors(n, cols int) [][]float32 {
	all := make([][]float32, n)
	if cols >= alignment {
		m := NewDense(n, cols)
		for k := range all {
			all[k] = m.Row(k)
		}
		return all
	}
	values := aligned(n * cols)
	for k := range all {
		all[k] = values[k*cols:][:cols:cols]
	}
	return all
}

// VectorsSize returns the size in bytes of the elements of Vectors(n, cols), with padding.
func VectorsSize(n, cols int) int {
	if cols >= alignment {
		cols = Stride(cols)
	}
	return 4 * n * cols
}

// Stride returns the length of a padded row: cols rounded up to a multiple of 16 floats (64 bytes).
// It panics if cols is negative or too large.
func Stride(cols int) int {
	if cols < 0 || cols > math.MaxInt-alignment {
		panic(misuse.Of("%d columns: negative or too many", cols))
	}
	return (cols + alignment - 1) / alignment * alignment
}

func denseOf(rows, cols int, values []float32) (*Dense, error) {
	if rows < 0 || cols < 0 || cols > math.MaxInt-alignment {
		return nil, fmt.Errorf("dense: %d rows of %d columns: negative or too many", rows, cols)
	}
	stride := Stride(cols)
	if stride > 0 && rows != len(values)/stride || rows*stride != len(values) {
		return nil, fmt.Errorf("dense: %d values are not %d rows of %d columns, each padded to %d",
			len(values), rows, cols, stride)
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(values)))
	if first%(4*alignment) != 0 && len(values) > 0 {
		return nil, fmt.Errorf("dense: the first row does not begin at a multiple of %d bytes",
			4*alignment)
	}
	return &Dense{rows: rows, cols: cols, stride: stride, trusted: uint(rows), values: values}, nil
}

// LazyDense returns the matrix whose rows are in values one after the other, Stride(cols) elements
// each, the first at an address that is a multiple of 64. It keeps the slice. If values is
// read-only memory, such as a mapped file, the slices that Row returns must not be written to. The
// rows are checked in blocks, as by Lazy; those of a bad block are zeros.
func LazyDense(rows, cols int, values []float32, c Check) (*Dense, error) {
	m, err := denseOf(rows, cols, values)
	if err != nil {
		return nil, err
	}
	m.trusted, m.zeros = 0, aligned(cols)
	verify := c.Verify
	if verify == nil {
		verify = func(int, int) error { return nil }
	}
	if m.guard, err = newGuard(rows, c, verify); err != nil {
		return nil, fmt.Errorf("dense: %w", err)
	}
	return m, nil
}

func (m *Dense) Guard() *Guard { return m.guard }

// CheckAll is CSR.CheckAll for dense matrices.
func (m *Dense) CheckAll() error {
	if err := m.guard.checkAll(); err != nil {
		return err
	}
	m.guard, m.trusted = nil, uint(m.rows)
	return nil
}

// Unguarded is CSR.Unguarded for dense matrices.
func (m *Dense) Unguarded() Dense {
	c := *m
	if m.guard.Verified() {
		c.guard, c.trusted = nil, uint(m.rows)
	}
	return c
}

func (m *Dense) Rows() int { return m.rows }

func (m *Dense) Cols() int { return m.cols }

// Row returns row i, a slice of Cols elements that aliases the matrix, or zeros if its block fails
// its checks.
func (m *Dense) Row(i int) []float32 {
	if uint(i) >= m.trusted { // row i must be checked, or is out of range
		return m.checkedRow(i)
	}
	return m.values[i*m.stride:][:m.cols:m.cols]
}

func (m *Dense) checkedRow(i int) []float32 {
	if uint(i) >= uint(m.rows) {
		panic(misuse.Of("row %d of %d", i, m.rows))
	}
	if !m.guard.admits(i) {
		return m.zeros
	}
	return m.values[i*m.stride:][:m.cols:m.cols]
}

// Padded returns the values of all rows, perhaps unchecked, with padding, and the distance between
// row starts.
func (m *Dense) Padded() (values []float32, stride int) { return m.values, m.stride }
