package matrices

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// CSR is a matrix in compressed sparse row form: the stored elements of row i have the positions
// starts[i] to starts[i+1]-1 in indices and values. Kernels trust the indices, which NewCSR checks.
// The indices of a lazy matrix are checked later, in blocks of rows.
type CSR struct {
	cols    int
	starts  []int64
	indices []int32
	values  []float32
	guard   *Guard // nil unless the matrix is lazy
}

// NewCSR returns the matrix whose row i has the columns indices[starts[i]:starts[i+1]] and the
// values at the same positions. It keeps the slices. It returns an error unless
//
//   - cols is 0 to 2^31-1,
//   - indices and values have equal length,
//   - the starts begin with 0, never descend and end with that length, and
//   - the columns of each row are from 0 to cols-1 and strictly ascending.
func NewCSR(cols int, starts []int64, indices []int32, values []float32) (*CSR, error) {
	if err := checkArrays(cols, starts, indices, values); err != nil {
		return nil, err
	}
	m := Trusted(cols, starts, indices, values)
	for i := range len(starts) - 1 {
		if err := m.checkStart(i); err != nil {
			return nil, err
		}
		if err := m.checkColumns(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Trusted is NewCSR for arrays that are correct by construction: it makes no checks.
func Trusted(cols int, starts []int64, indices []int32, values []float32) *CSR {
	if indices == nil {
		indices = []int32{} // the columns of a row are never nil
	}
	return &CSR{cols: cols, starts: starts, indices: indices, values: values}
}

// Lazy is NewCSR for arrays that are too long to be read at once. It makes the checks that need no
// pass over the arrays; the others are made in blocks of rows. The rows of a bad block are empty:
// users of a lazy matrix must call Guard.Err after reading rows. The slices must not change,
// because checks are not repeated.
func Lazy(cols int, starts []int64, indices []int32, values []float32, c Check) (*CSR, error) {
	if err := checkArrays(cols, starts, indices, values); err != nil {
		return nil, err
	}
	m := Trusted(cols, starts, indices, values)
	var err error
	m.guard, err = newGuard(len(starts)-1, c, func(first, end int) error {
		return m.checkBlock(first, end, c.Verify)
	})
	if err != nil {
		return nil, fmt.Errorf("sparse: %w", err)
	}
	return m, nil
}

func (m *CSR) Guard() *Guard { return m.guard }

// CheckAll checks all blocks. If all are good, the matrix is no longer lazy.
func (m *CSR) CheckAll() error {
	if err := m.guard.checkAll(); err != nil {
		return err
	}
	m.guard = nil
	return nil
}

// Unguarded returns a copy of m that shares its arrays. It is not lazy if all blocks have been
// found good.
func (m *CSR) Unguarded() CSR {
	c := *m
	if m.guard.Verified() {
		c.guard = nil
	}
	return c
}

func (m *CSR) Rows() int { return len(m.starts) - 1 }

func (m *CSR) Cols() int { return m.cols }

func (m *CSR) NNZ() int { return len(m.values) }

// Arrays returns the arrays of all rows, perhaps unchecked. They must not be changed.
func (m *CSR) Arrays() (starts []int64, indices []int32, values []float32) {
	return m.starts, m.indices, m.values
}

// InBadBlock reports whether row i is in a block of a lazy matrix that fails its checks.
func (m *CSR) InBadBlock(i int) bool { return m.guard != nil && !m.guard.admits(i) }

// Row returns row i. The block of a lazy matrix must have been found good.
func (m *CSR) Row(i int) (index []int32, values []float32) {
	start, end := m.starts[i], m.starts[i+1]
	return m.indices[start:end:end], m.values[start:end:end]
}

// CheckedRow returns row i, or an empty row if its block fails its checks. index is never nil.
// CheckedRow panics if i is out of range.
func (m *CSR) CheckedRow(i int) (index []int32, values []float32) {
	if uint(i) >= uint(m.Rows()) {
		panic(misuse.Of("row %d of %d", i, m.Rows()))
	}
	if m.InBadBlock(i) {
		return []int32{}, nil
	}
	return m.Row(i)
}

func checkArrays(cols int, starts []int64, indices []int32, values []float32) error {
	if cols < 0 || cols > math.MaxInt32 {
		return fmt.Errorf("sparse: %d columns: want 0 to %d", cols, math.MaxInt32)
	}
	if len(indices) != len(values) {
		return fmt.Errorf("sparse: %d indices and %d values: want equal numbers", len(indices),
			len(values))
	}
	if len(starts) == 0 || starts[0] != 0 || starts[len(starts)-1] != int64(len(indices)) {
		return fmt.Errorf("sparse: row starts must begin with 0 and end with %d, the number of "+
			"column indices", len(indices))
	}
	return nil
}

func (m *CSR) checkStart(i int) error {
	start, end := m.starts[i], m.starts[i+1]
	if start < 0 { // row i-1, which ends there, may not have been checked
		return fmt.Errorf("sparse: row %d starts at %d, want 0 or more", i, start)
	}
	if end < start {
		return fmt.Errorf("sparse: row %d ends at %d, before it starts, at %d", i, end, start)
	}
	if n := len(m.indices); end > int64(n) {
		return fmt.Errorf("sparse: row %d ends at %d, past the last of the %d nonzeros", i, end, n)
	}
	return nil
}

func (m *CSR) checkColumns(i int) error {
	last := int32(-1)
	for _, j := range m.indices[m.starts[i]:m.starts[i+1]] {
		if j <= last || int(j) >= m.cols {
			after := ""
			if last >= 0 {
				after = fmt.Sprintf(" after %d", last)
			}
			return fmt.Errorf("sparse: row %d: column %d%s: want strictly ascending columns from 0 "+
				"and below %d", i, j, after, m.cols)
		}
		last = j
	}
	return nil
}

// verify may be nil.
func (m *CSR) checkBlock(first, end int, verify func(first, end int) error) error {
	for i := first; i < end; i++ {
		if err := m.checkStart(i); err != nil {
			return err
		}
	}
	if verify != nil {
		if err := verify(first, end); err != nil {
			return err
		}
	}
	for i := first; i < end; i++ {
		if err := m.checkColumns(i); err != nil {
			return err
		}
	}
	return nil
}
