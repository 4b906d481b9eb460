package pegasos_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// steep is rows of which one is a thousand times as long as the others, so that its steps throw the
// weights far off: what a few steps leave is worse than w = 0.
func steep(seed uint64) pair {
	p := random(seed, 30, 4, 3, 1)
	dense.Scale(1000, p.dense.Row(7))
	return pair{p.dense, toSparse(p.dense), p.y}
}

// No run ends with a model that is worse than w = 0, or than the prior.
func TestNoWorseThanZero(t *testing.T) {
	replaced := 0
	for _, l := range losses {
		for seed := range uint64(5) {
			data := steep(seed)
			if l.cfg.Loss.Regression() {
				data = data.numbers(seed)
			}
			for _, cfg := range []pegasos.Config{
				{}, {Average: pegasos.LastIterate}, {Bias: pegasos.BiasAugmented}, {Bias: pegasos.BiasUnregularised},
				{Order: pegasos.IID}, {Multiclass: pegasos.CrammerSinger}, {Multiclass: pegasos.Multinomial},
				{Multiclass: pegasos.OneVsOne}, {Batch: 3},
			} {
				cfg.Loss, cfg.Epsilon, cfg.Lambda = l.cfg.Loss, l.cfg.Epsilon, 1e-6
				if cfg.Validate() != nil {
					continue
				}
				for _, steps := range []int64{1, 3, 31, 100} {
					cfg.Steps = steps
					for _, prior := range []*pegasos.Model{nil, mustTrain(t, data.dense, data.y, cfg)} {
						tr := pegasos.Trainer{Config: cfg, Prior: prior}
						m, err := trainPlain(t.Context(), &tr, data.sparse, data.y)
						if err != nil {
							t.Fatal(err)
						}
						s, err := newSession(data.sparse, data.y, &tr)
						if err != nil {
							t.Fatal(err)
						}
						zero := 0.0
						for _, r := range s.Runs {
							for _, l := range r.Learners {
								zero += l.Of.AtZero() / float64(len(s.Runs)*len(r.Learners))
							}
						}
						if !(m.Result.Objective <= zero*(1+1e-12)) {
							t.Errorf("%+v, prior %v: objective %v, of w = 0 %v", cfg, prior != nil,
								m.Result.Objective, zero)
						}
						replaced += m.Result.Replaced
					}
				}
			}
		}
	}
	if replaced < 100 {
		t.Errorf("only %d were replaced", replaced)
	}
}

// A run from a good model does not end with a worse one. Paused and resumed it ends with the same.
func TestNoWorseThanStart(t *testing.T) {
	replaced := 0
	for seed := range uint64(4) {
		data := steep(seed)
		cfg := pegasos.Config{
			Lambda:  1e-3,
			Bias:    pegasos.BiasAugmented,
			Steps:   40,
			Average: pegasos.LastIterate,
		}
		good := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1e-3, Bias: pegasos.BiasAugmented,
			Finish: pegasos.FinishDual, Epochs: 2000})
		good.Result.Steps = 3 // so that the next are long
		for k := range good.Result.PerClass {
			good.Result.PerClass[k].Steps = 3
		}
		tr := pegasos.Trainer{Config: cfg, Start: good, KeepState: true}
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil {
			t.Fatal(err)
		}
		// Float32 scores of such rows are that rough, and only the start's gap asks for better ones.
		if m.Result.Objective > good.Result.Objective*(1+1e-5) {
			t.Errorf("objective %v, of the start %v", m.Result.Objective, good.Result.Objective)
		}
		replaced += m.Result.Replaced
		tr.Pause = 11
		half, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != pegasos.ErrPaused {
			t.Fatal(err)
		}
		again, err := trainPlain(
			t.Context(),
			&pegasos.Trainer{Config: cfg, Resume: half},
			data.dense,
			data.y,
		)
		if err != nil || again.Hash() != m.Hash() || again.Result.Replaced != m.Result.Replaced {
			t.Errorf("resumed: %v, %+v, want %+v", err, again.Result, m.Result)
		}
	}
	if replaced == 0 {
		t.Error("none was replaced")
	}
}

// The paper's steps leave what they leave.
func TestPaperIsNotReplaced(t *testing.T) {
	data := steep(1)
	cfg := pegasos.Paper()
	cfg.Epochs, cfg.Lambda, cfg.Steps = 0, 1e-6, 3
	m := mustTrain(t, data.dense, data.y, cfg)
	if r := m.Result; r.Replaced != 0 || !(r.Objective > 1e3) || math.IsInf(r.Objective, 1) {
		t.Errorf("%+v", r)
	}
}
