package pegasos

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// The factor is that of the formula, after an eighth of an epoch with t0 = R^2/lambda, by the
// shuffled rows.
func TestPilot(t *testing.T) {
	data := random(111, 800, 9, 2, 1)
	for _, lambda := range []float64{1e-4, 1e-2, 1, 30} {
		cfg := Config{Lambda: lambda, Steps: 100, Average: LastIterate}
		// as many steps as the pilot, but of other rows
		first := mustTrain(t, data.dense, data.y, cfg)
		r := mustRun(t, data.dense, data.y, Config{Lambda: lambda, Offset: OffsetPilot})
		p := r.problems[0]
		c := p.t0 * lambda / r.r2
		g := math.Sqrt(float64(first.Result.Violations) / 100 * r.r2)
		want := math.Max(1, math.Min(16, g*math.Sqrt(800)/(2*norm(first.Weights[0])*r.r2)))
		if c < 1 || c > 16 || math.Abs(c/want-1) > 0.5 {
			t.Errorf("lambda %v: t0 is %v times R^2/lambda, want about %v", lambda, c, want)
		}
		if _, at := r.order.Save(); p.t != 0 || norm(p.v) != 0 || p.violations != 0 || at != 0 {
			t.Errorf("lambda %v: the pilot has left something: %+v", lambda, p.learnerState)
		}
	}
	// Rows of zeros, one row, and a start, whose steps are small already.
	if m := mustTrain(t, matrix(t, 20, 1, make([]float32, 20)...), append(make([]float32, 19), 1),
		Config{Offset: OffsetPilot}); m.Result.T0 != 0 {
		t.Errorf("rows of zeros: t0 is %v", m.Result.T0)
	}
	mustTrain(t, matrix(t, 2, 1, 1, 2), []float32{0, 1}, Config{Offset: OffsetPilot})
	old := mustTrain(t, data.dense, data.y, Config{})
	m, err := (&Trainer{Config: Config{Offset: OffsetPilot}, Start: old}).plain(t.Context(),
		data.dense, data.y)
	if err != nil || m.Result.T0 != old.Result.T0 {
		t.Errorf("with a start: %v, t0 is %v, want %v", err, m.Result.T0, old.Result.T0)
	}
	for _, cfg := range []Config{{Loss: Log}, {Loss: SquaredHinge}, {Multiclass: CrammerSinger}} {
		cfg.Offset = OffsetPilot
		if cfg.Validate() == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}

func TestGoldenPilot(t *testing.T) {
	data := random(112, 600, 20, 3, 0.4)
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, "ef547a6f92bf8a730ce213d73524aba6a59675e5298e4e576f8296403bca71b2"},
		{Config{Order: IID, Multiclass: OneVsOne, Bias: BiasAugmented},
			"87a9ffcfcdb4f6460b36ad44b02d1a41ee64389bc2788b52c8696d455e4054b0"},
	} {
		c.cfg.Lambda, c.cfg.Offset, c.cfg.Epochs = 1e-3, OffsetPilot, 4
		for _, isa := range paths() {
			everyLayout(func() {
				defer asm.Use(asm.Use(isa))
				if m := mustTrain(t, data.sparse, data.y, c.cfg); m.Hash() != c.want {
					t.Errorf("%+v on %s: %s, want %s", c.cfg, isa, m.Hash(), c.want)
				}
			})
		}
	}
}
