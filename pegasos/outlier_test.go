package pegasos_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func linearTargets(seed uint64, rows int) (*dense.Matrix, []float32) {
	g := rand.New(rand.NewPCG(seed, 21))
	x, y := dense.New(rows, 6), make([]float32, rows)
	for i := range y {
		z := 0.5 * g.NormFloat64()
		for j := range x.Row(i) {
			v := g.NormFloat64()
			x.Row(i)[j] = float32(float64(10*j+1)*v + 5)
			z += v * float64(j%3-1)
		}
		y[i] = float32(100 + 20*z)
	}
	return x, y
}

// An outlier among the training rows must neither spoil predictions nor make lambda tiny.
func TestOutlier(t *testing.T) {
	const slack = 0.02
	clean, truth := linearTargets(99, 2000)
	spoilt := map[string]func(row []float32, y *float32){
		"target":  func(_ []float32, y *float32) { *y += 21 * 33 },
		"feature": func(row []float32, _ *float32) { row[3] += 21 * 31 },
		"both":    func(row []float32, y *float32) { row[3] += 21 * 31; *y -= 21 * 33 },
	}
	r2 := func(m *pegasos.Model) float64 { return metrics.R2(truth, m.DecisionAll(clean), nil) }
	for _, loss := range []pegasos.Loss{pegasos.Squared, pegasos.EpsInsensitive} {
		for seed, rows := range []int{60, 150, 400, 1500} {
			x, y := linearTargets(uint64(seed), rows)
			tr := pegasos.Trainer{Config: pegasos.Config{Loss: loss}}
			want := train(t, x, y, tr).Lambda
			for name, spoil := range spoilt {
				x, y := linearTargets(uint64(seed), rows)
				spoil(x.Row(7), &y[7])
				m := train(t, x, y, tr)
				ridge := train(t, x, y, pegasos.Trainer{Config: pegasos.Config{
					Loss: pegasos.Squared, C: 1, Curves: pegasos.CurvesNone}})
				if have, least := r2(m), r2(ridge)-slack; have < least {
					t.Errorf("%s, %d rows, %s: R^2 %.3f, want at least %.3f", loss, rows, name, have, least)
				}
				if name == "target" && m.Lambda < want/100 {
					t.Errorf("%s, %d rows: lambda %v, without the outlier %v", loss, rows, m.Lambda, want)
				}
			}
		}
	}
}
