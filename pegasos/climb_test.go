package pegasos_test

import (
	"context"
	"github.com/pegasimd/pegasimd/pegasos"
	"testing"
)

// Passes of ascent from the margins of a model that is far from the optimum prove nearly the
// optimum, of every loss that has one, and with weights: the bound of a long run, which owes
// nothing to them, is hardly better, and its objective is never below.
func TestClimb(t *testing.T) {
	weights := make([]float32, 300)
	for i := range weights {
		weights[i] = float32(i%4) / 2
	}
	for _, c := range []struct {
		classes int
		cfg     pegasos.Config
	}{
		{2, pegasos.Config{Loss: pegasos.Hinge}}, {2, pegasos.Config{Loss: pegasos.SquaredHinge}}, {2,
			pegasos.Config{Loss: pegasos.Log}},
		{3, pegasos.Config{Loss: pegasos.Log, Multiclass: pegasos.OneVsOne}}, {4,
			pegasos.Config{Multiclass: pegasos.CrammerSinger}},
		{4, pegasos.Config{Loss: pegasos.Log, Multiclass: pegasos.Multinomial}},
	} {
		c.cfg.Lambda, c.cfg.Bias, c.cfg.Scale = 0.05, pegasos.BiasAugmented, pegasos.ScaleNone
		p := random(9, 300, 20, c.classes, 0.7)
		for _, some := range [][]float32{nil, weights} {
			tr := pegasos.Trainer{Config: c.cfg, Weights: some, Threads: 1}
			ctx := context.Background()
			tr.Config.Epochs = 2
			m, err := trainPlain(ctx, &tr, p.dense, p.y)
			if err != nil {
				t.Fatal(err)
			}
			tr.Config.Epochs = 400
			long, err := trainPlain(ctx, &tr, p.dense, p.y)
			if err != nil {
				t.Fatal(err)
			}
			var bounds []float64
			for _, passes := range []int{0, 30} {
				v, err := tr.Verify(ctx, m, p.sparse, p.y, pegasos.VerifyOptions{Passes: passes})
				if err != nil || v.Verdict == pegasos.Contradicted {
					t.Fatalf("%+v: %+v, %v", c.cfg, v, err)
				}
				bounds = append(bounds, v.Bound)
			}
			best := long.Result.Objective
			before, after := best-bounds[0], best-bounds[1]
			if after < 0 || after > 0.1*before || after > 2e-3*best {
				t.Errorf("%s, %s, weights %v: the optimum is below %v, the bound was %v, is %v",
					c.cfg.Loss, c.cfg.Multiclass, some != nil, best, bounds[0], bounds[1])
			}
			t.Logf("%-13s %-14s %.2e %.2e of %.4f", c.cfg.Loss, c.cfg.Multiclass, before,
				after, best)
		}
	}
}
