package dense

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrix"
)

// Stride is matrix.Stride.
func Stride(cols int) int { return matrix.Stride(cols) }

// FromPadded is matrix.DenseOf.
func FromPadded(rows, cols int, values []float32) (*Matrix, error) {
	m, err := matrix.DenseOf(rows, cols, values, nil)
	return (*Matrix)(m), err
}

// OnWillNeed sets what is told which rows will soon be read.
func (m *Matrix) OnWillNeed(f func(first, end int)) { (*matrix.Dense)(m).OnWillNeed(f) }

// WillNeed tells it.
func (m *Matrix) WillNeed(first, end int) {
	if f := (*matrix.Dense)(m).WillNeed(); f != nil {
		f(first, end)
	}
}

// Reads reports whether there is one.
func (m *Matrix) Reads() bool { return (*matrix.Dense)(m).WillNeed() != nil }

// Prefetch asks for row i to be brought into the caches.
func (m *Matrix) Prefetch(i int) { asm.Prefetch(m.Row(i)) }
