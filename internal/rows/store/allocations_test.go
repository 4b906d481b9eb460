//go:build !race

package store

import "testing"

// With the race detector, local arrays that kernels read move to the heap.
func TestNoAllocations(t *testing.T) {
	m := mustConstantCSR(t, randomSparse(t, 1, 30, 200, 200, inverseRoot))
	w := make([]float32, 200)
	if got := testing.AllocsPerRun(10, func() {
		for i := range m.Rows() {
			m.Prefetch(i)
			m.Axpy(i, m.Dot(i, w)+m.SumSquares(i), w)
		}
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
