package pegasos_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// checkedEpochs returns the epochs, except the last, after which a run checks Tol and Patience.
func checkedEpochs(epochs int) (at []int) {
	for e := 1; e < epochs; e += max(1, e/4) {
		at = append(at, e)
	}
	return at
}

func TestPatience(t *testing.T) {
	early, late := 0, 0
	for n, cfg := range []pegasos.Config{
		{}, {Average: pegasos.LastIterate}, {Order: pegasos.IID,
			Average: pegasos.LastIterate}, {Batch: 4, Loss: pegasos.Log},
		{Multiclass: pegasos.OneVsOne, Average: pegasos.LastIterate},
		{Multiclass: pegasos.CrammerSinger, Average: pegasos.LastIterate},
		{Multiclass: pegasos.Multinomial, Bias: pegasos.BiasUnregularised},
		{Loss: pegasos.EpsInsensitive, Average: pegasos.LastIterate}, {Loss: pegasos.Squared,
			Average: pegasos.LastIterate},
		{Loss: pegasos.EpsInsensitive, Epsilon: 0.1, Bias: pegasos.BiasUnregularised},
	} {
		for _, patience := range []int{1, 2, 5} {
			// without batches or pairs: 40 epochs, 9.3 epochs and 0.7 epochs
			for _, end := range []int64{40 * 100, 9*100 + 30, 70} {
				// The first 100 rows of valid are the rows of data. One linear model labels all
				// rows, with noise.
				data, valid := random(uint64(n), 100, 6, 3, 1), random(uint64(n), 130, 6, 3, 1)
				if cfg.Loss.Regression() {
					data, valid = data.numbers(1), valid.numbers(2)
				}
				cfg := cfg
				cfg.Lambda, cfg.Steps, cfg.Patience = 1e-3, end, patience
				quality := func(m *pegasos.Model) (q float64) {
					for i := range valid.y {
						p := m.Predict(valid.dense, i)
						if !cfg.Loss.Regression() && p == valid.y[i] {
							q += 1 / 130.
						} else if cfg.Loss.Regression() {
							miss := m.Decision(valid.dense, i, nil)[0] - float64(valid.y[i])
							q -= math.Pow(miss, 2) / 130
						}
					}
					return q
				}
				var best *pegasos.Model
				var worse int
				plan, stop := checkedEpochs(1000), 0
				tr := pegasos.Trainer{Config: cfg, Valid: &pegasos.Labelled{X: valid.dense, Y: valid.y}}
				tr.Progress = func(p pegasos.Progress) {
					if p.Steps < p.TotalSteps && !slices.Contains(plan, p.Epoch) {
						return
					}
					if stop > 0 {
						t.Errorf("%+v: epoch %d follows, although the run should end with epoch %d", cfg,
							p.Epoch, stop)
					}
					if m := p.Model(); best == nil || quality(m) > quality(best)+1e-12 {
						best, worse = m, 0
					} else if worse++; worse == patience {
						stop = p.Epoch
					}
				}
				m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
				if err != nil {
					t.Fatal(err)
				}
				if m.Hash() != best.Hash() || m.Result.Epochs != best.Result.Epochs ||
					m.Result.Steps != best.Result.Steps ||
					m.Result.Objective != best.Result.Objective ||
					m.Result.Violations != best.Result.Violations {
					t.Errorf("%+v: the model of %v epochs is returned, the best has %v epochs", cfg,
						m.Result.Epochs, best.Result.Epochs)
				}
				if stop > 0 {
					early++
				}
				if best.Result.Steps == end {
					late++
				}
				for threads := 1; threads < 4; threads++ {
					again := tr
					again.Threads, again.Progress = threads, nil
					if m, err := trainPlain(t.Context(), &again, data.dense, data.y); err != nil ||
						m.Hash() != best.Hash() {
						t.Errorf("%+v, %d threads: %v, or another model", cfg, threads, err)
					}
				}
			}
		}
	}
	if early < 10 || late < 10 {
		t.Errorf("%d runs ended early, %d with the best model at the end", early, late)
	}
}

func TestValid(t *testing.T) {
	data := random(54, 60, 6, 3, 1)
	narrow := random(55, 20, 4, 3, 1)
	narrow.y[3] = 77
	narrow.y[4] = float32(math.NaN()) // every prediction of this row is wrong
	for _, x := range []pegasos.Examples{narrow.dense, dense.New(20, 9)} {
		tr := pegasos.Trainer{Config: pegasos.Config{Patience: 2},
			Valid: &pegasos.Labelled{X: x, Y: narrow.y}}
		if _, err := trainPlain(t.Context(), &tr, data.dense, data.y); err != nil {
			t.Error(err)
		}
	}
	for _, v := range []*pegasos.Labelled{nil, {}, {X: dense.New(0, 6)},
		{X: data.dense, Y: data.y[1:]}, {X: data.dense, Y: data.y, Weights: data.y[1:]}} {
		var e *pegasos.ConfigError
		tr := pegasos.Trainer{Config: pegasos.Config{Patience: 2}, Valid: v}
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if m != nil || !errors.As(err, &e) || e.Field != "Patience" {
			t.Errorf("%v: %v", v, err)
		}
	}
	var e *pegasos.ConfigError
	numbers := pegasos.Trainer{Config: pegasos.Config{Patience: 2, Loss: pegasos.EpsInsensitive},
		Valid: &pegasos.Labelled{X: narrow.dense, Y: narrow.y}}
	m, err := trainPlain(t.Context(), &numbers, data.dense, data.y)
	if m != nil || !errors.As(err, &e) || e.Field != "Patience" {
		t.Errorf("a NaN target: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	tr := pegasos.Trainer{Config: pegasos.Config{Patience: 3},
		Valid: &pegasos.Labelled{X: data.dense, Y: data.y}}
	tr.Progress = func(p pegasos.Progress) {
		if p.Epoch == 2 {
			cancel()
		}
	}
	if m, err := trainPlain(ctx, &tr, data.dense, data.y); !errors.Is(err, context.Canceled) ||
		m.Result.Epochs != 2 || !math.IsNaN(m.Result.Objective) {
		t.Errorf("canceled: %v, %+v", err, m)
	}
	cfg := pegasos.Config{Lambda: 0.05, Epochs: 1000, Tol: 0.2, Patience: 100}
	tr = pegasos.Trainer{Config: cfg, Valid: &pegasos.Labelled{X: data.dense, Y: data.y}}
	m, err = trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil || m.Result.Epochs >= 1000 {
		t.Errorf("%v, %+v", err, m.Result)
	}
}
