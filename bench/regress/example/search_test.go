package search

import (
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/bench/regress/gate"
	"github.com/pegasimd/pegasimd/dense"
)

// operands are rows of unit length in turn along each axis, mixed with some noise, and a query
// along one of them.
func operands() (m *dense.Matrix, query, scores []float32) {
	const rows, cols, wanted = 64, 128, 17
	r := rand.New(rand.NewPCG(1, 2))
	m = dense.New(rows, cols)
	for i := range rows {
		row := m.Row(i)
		for j := range row {
			row[j] = 0.01 * r.Float32()
		}
		row[i] = 1
	}
	query = make([]float32, cols)
	query[wanted] = 1
	return m, query, make([]float32, rows)
}

func TestNearest(t *testing.T) {
	if got := Nearest(operands()); got != 17 {
		t.Errorf("row %d is nearest, want 17", got)
	}
}

var nearest int

func BenchmarkNearest(b *testing.B) {
	m, query, scores := operands()
	gate.Run(b, func() { nearest = Nearest(m, query, scores) })
}
