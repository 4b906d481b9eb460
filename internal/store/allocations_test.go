//go:build !race

package store

import "testing"

// With the race detector, which the kernels tell what they read, even local arrays are allocated.
func TestNoAllocations(t *testing.T) {
	m := mustSame(t, random(t, 1, 30, 200, 200, unit))
	w := make([]float32, 200)
	if got := testing.AllocsPerRun(10, func() {
		for i := range m.Rows() {
			m.Fetch(i)
			m.Axpy(i, m.Dot(i, w)+m.SumSquares(i), w)
		}
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
