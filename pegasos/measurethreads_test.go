package pegasos_test

import (
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The objective and the bound of enough rows to be cut into blocks and parts are the same for any
// number of threads.
func TestMeasureThreads(t *testing.T) {
	const rows, cols = 9000, 5
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		for j := range cols {
			x.Row(i)[j] = float32((i*(j+3)+i/7)%23-11) / 8
		}
		y[i] = float32(i % 3)
		x.Row(i)[i%3]++
	}
	for _, cfg := range []pegasos.Config{
		{Epochs: 2},
		{Epochs: 2, Loss: pegasos.Log, Bias: pegasos.BiasUnregularised},
		{Epochs: 4, Finish: pegasos.FinishDual, Tol: 1e-9, ClassWeight: pegasos.Balanced},
		{Epochs: 2, Multiclass: pegasos.CrammerSinger},
		{Epochs: 2, Multiclass: pegasos.Multinomial, Loss: pegasos.Log},
		{Epochs: 2, Loss: pegasos.Squared, Scale: pegasos.ScaleStandard},
	} {
		cfg.Lambda = 1e-3
		var want pegasos.Result
		for _, threads := range []int{1, 2, 8} {
			m, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Threads: threads}, x, y)
			if err != nil {
				t.Fatal(err)
			}
			r := m.Result
			if threads == 1 {
				want = r
			}
			if r.Objective != want.Objective || r.DualObjective != want.DualObjective {
				t.Errorf("%+v, %d threads: P %v, D %v, want %v, %v", cfg, threads, r.Objective,
					r.DualObjective, want.Objective, want.DualObjective)
			}
		}
	}
}
