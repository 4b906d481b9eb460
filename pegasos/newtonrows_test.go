package pegasos_test

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/pegasos"
)

// toPixels changes the values of x to whole numbers from 0 to 255, divided by n.
func toPixels(x *dense.Matrix, n float32) {
	for i := range x.Rows() {
		for j, v := range x.Row(i) {
			x.Row(i)[j] = float32(math.Round(min(255, math.Abs(100*float64(v))))) / n
		}
	}
}

// If a run has copies of its rows in another order, Newton's method reads the data's own rows, in
// their order.
func TestNewtonRows(t *testing.T) {
	data := random(83, 3000, 30, 5, 0.8)
	before := rows.MinCopySize
	rows.MinCopySize = 1
	defer func() { rows.MinCopySize = before }()
	cfg := pegasos.Config{Lambda: 1e-3, Epochs: 9, Multiclass: pegasos.OneVsRest}
	r, err := newRun(data.dense, data.y, &pegasos.Trainer{Config: cfg.Plain(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := r.problems[0]
	if p.SetRows == nil {
		t.Fatal("the run has copies of its rows")
	}
	n := p.learner.ForNewton(&r.session.Newtons, 0)
	have, want := make([]float32, 30), make([]float32, 30)
	for j, i := range n.At {
		clear(have)
		clear(want)
		n.X.Axpy(int(i), 1, have)
		p.X.Axpy(int(n.Rows[j]), 1, want)
		side, _ := p.Of.Label(n.Rows[j])
		if !slices.Equal(have, want) || float32(n.Side[j]) != side {
			t.Fatalf("row %d is another", j)
		}
		if int(i) != j {
			t.Fatalf("row %d of the data comes after %d others", i, j)
		}
	}
}
