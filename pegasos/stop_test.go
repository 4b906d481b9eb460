package pegasos

import (
	"math"
	"testing"
)

// A run with Tol ends where the gap is small enough, with the model that it has there, and not before.
func TestTol(t *testing.T) {
	data := random(51, 200, 6, 3, 1)
	for _, cfg := range []Config{{}, {Batch: 8}, {Loss: Log, Order: Sequential}, {Loss: SquaredHinge, Average: LastIterate}, {ClassWeight: Balanced, Order: Blocks}} {
		cfg.Lambda, cfg.Epochs = 0.05, 1000
		for _, tol := range []float64{0.3, 0.03} {
			cfg := cfg
			cfg.Tol = tol
			var gaps []float64
			var last Progress
			tr := Trainer{Config: cfg, Progress: func(p Progress) {
				gaps = append(gaps, p.Measure().Gap)
				last = p
			}}
			m, err := tr.Train(t.Context(), data.dense, data.y)
			if err != nil {
				t.Fatal(err)
			}
			r := m.Result
			if !(r.Gap <= tol) || r.Epochs >= 1000 || r.Epochs != math.Trunc(r.Epochs) || int64(r.Steps) != last.Steps || float64(len(gaps)) != r.Epochs {
				t.Errorf("%+v: %+v", cfg, r)
			}
			look := 1
			for e := 1; e < len(gaps); e++ {
				if e < look {
					continue
				}
				if look += max(1, e/4); gaps[e-1] <= tol {
					t.Errorf("%+v: gap %v after epoch %d, and the run goes on", cfg, gaps[e-1], e)
				}
			}
			// Looks have no influence, and the end of the run is planned all the same.
			for threads := 1; threads < 4; threads++ {
				again, err := (&Trainer{Config: cfg, Threads: threads}).Train(t.Context(), data.dense, data.y)
				if err != nil || again.Hash() != m.Hash() || again.Result.Gap != r.Gap {
					t.Errorf("%+v: another model with %d threads: %v", cfg, threads, err)
				}
			}
		}
		if a, b := mustTrain(t, data.dense, data.y, Config{Tol: 1e-9, Epochs: 9}), mustTrain(t, data.dense, data.y, Config{Epochs: 9}); a.Hash() != b.Hash() {
			t.Error("a tolerance that is not met changes the model")
		}
	}
}
