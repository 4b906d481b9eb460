package sparse

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrix"
)

// Lazy is matrix.Lazy.
func Lazy(cols int, starts []int64, indices []int32, values []float32, shift uint, verify func(first, end int) error) (*Matrix, error) {
	m, err := matrix.Lazy(cols, starts, indices, values, matrix.Check{Shift: shift, Verify: verify})
	return (*Matrix)(m), err
}

// Check checks the block of row i, unless that has been done, and returns what is wrong with it.
func (m *Matrix) Check(i int) error { return (*matrix.CSR)(m).Check(i) }

// Arrays is that of matrix.CSR.
func (m *Matrix) Arrays() (starts []int64, indices []int32, values []float32) {
	return (*matrix.CSR)(m).Arrays()
}

// Lazy reports whether rows are checked when they are first read.
func (m *Matrix) Lazy() bool { return (*matrix.CSR)(m).Lazy() }

// OnWillNeed sets what is told which rows will soon be read.
func (m *Matrix) OnWillNeed(f func(first, end int)) { (*matrix.CSR)(m).OnWillNeed(f) }

// WillNeed tells it.
func (m *Matrix) WillNeed(first, end int) {
	if f := (*matrix.CSR)(m).WillNeed(); f != nil {
		f(first, end)
	}
}

// Reads reports whether there is one.
func (m *Matrix) Reads() bool { return (*matrix.CSR)(m).WillNeed() != nil }

// Prefetch asks for row i to be brought into the caches.
func (m *Matrix) Prefetch(i int) {
	index, values := m.Row(i)
	asm.Prefetch(index)
	asm.Prefetch(values)
}
