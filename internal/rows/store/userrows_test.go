package store

import (
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

// inconsistent returns varying numbers of columns and varying values.
type inconsistent struct {
	*dense.Matrix
	calls int
}

func (f *inconsistent) Cols() int {
	f.calls++
	return max(1, f.Matrix.Cols()-f.calls+1)
}

func (f *inconsistent) Axpy(i int, a float32, w []float32) {
	f.calls++
	w[(i+f.calls)%len(w)] += a
	w[len(w)-1] += a
}

// The kernels trust the column indices of a copy.
func TestCopyOfInconsistentRows(t *testing.T) {
	for _, cols := range []int{2, 100} { // dense, and sparse
		x := newUserRows(&inconsistent{Matrix: dense.New(20, cols)})
		m := x.Take([]uint32{0, 5, 3, 19}).(Matrix)
		if m.Rows() != 4 {
			t.Fatalf("%d rows", m.Rows())
		}
		for i := range m.Rows() {
			index, values := m.Row(i)
			if index != nil && len(index) != len(values) {
				t.Errorf("row %d has %d columns and %d values", i, len(index), len(values))
			}
			for _, j := range index {
				if int(j) >= m.Cols() {
					t.Errorf("row %d of %d columns has column %d", i, m.Cols(), j)
				}
			}
		}
	}
}
