package engine_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// steep returns random rows, one of them so long that a few steps can lead to a point worse than
// w = 0.
func steep(seed uint64) sample.Pair {
	p := sample.Random(seed, 30, 4, 3, 1)
	dense.Scale(1000, p.Dense.Row(7))
	return sample.Pair{Dense: p.Dense, Sparse: sample.ToSparse(p.Dense), Y: p.Y}
}

func zeroObjective(s *engine.Session) (mean float64) {
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			mean += l.Of.AtZero() / float64(len(s.Runs)*len(r.Learners))
		}
	}
	return mean
}

func TestNoWorseThanZero(t *testing.T) {
	replaced := 0
	for _, loss := range []string{"", "squared-hinge", "log", "eps-insensitive", "squared"} {
		for seed := range uint64(2) {
			data := steep(seed)
			if loss == "eps-insensitive" || loss == "squared" {
				data = targets(data)
			}
			for _, s := range []settings.Settings{
				{}, {Average: settings.LastIterate}, {Bias: settings.BiasAugmented},
				{Bias: settings.BiasUnregularised}, {Order: order.IID},
				{Multiclass: settings.CrammerSinger}, {Multiclass: settings.Multinomial},
				{Multiclass: settings.OneVsOne}, {Batch: 3},
			} {
				s.Loss, s.Lambda = loss, 1e-6
				if s.Validate() != nil {
					continue
				}
				for _, s.Steps = range []int64{1, 3, 31, 100} {
					prior := train(t, newJob(t, data.Dense, data.Y, s))
					for _, prior := range []*engine.Point{nil, prior} {
						job := newJob(t, data.Sparse, data.Y, s)
						job.Prior = prior
						session := newSession(t, job)
						m, _, err := session.Train(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						if zero := zeroObjective(session); !(m.Result.Objective <= zero*(1+1e-12)) {
							t.Errorf("%+v, prior %v: objective %v, of w = 0 %v", s, prior != nil,
								m.Result.Objective, zero)
						}
						replaced += m.Result.Replaced
					}
				}
			}
		}
	}
	if replaced < 100 {
		t.Errorf("%d results were replaced, want 100 or more", replaced)
	}
}

func TestNoWorseThanStart(t *testing.T) {
	replaced := 0
	for seed := range uint64(4) {
		data := steep(seed)
		s := settings.Settings{Lambda: 1e-3, Bias: settings.BiasAugmented, Epochs: 500,
			Finish: settings.FinishDual}
		good := train(t, newJob(t, data.Dense, data.Y, s))
		for k := range good.Result.PerClass {
			good.Result.PerClass[k].Steps = 3 // so that the next steps are long
		}
		s.Finish, s.Epochs, s.Steps, s.Average = "", 0, 40, settings.LastIterate
		job := newJob(t, data.Dense, data.Y, s)
		job.Start = good
		m := train(t, job)
		// float32 dot products of these rows have large errors
		if m.Result.Objective > good.Result.Objective*(1+3e-5) {
			t.Errorf("objective %v, of the start %v", m.Result.Objective, good.Result.Objective)
		}
		replaced += m.Result.Replaced
		if resumed(t, job, 11) != digest(m) {
			t.Error("a resumed run ends at another point")
		}
	}
	if replaced == 0 {
		t.Error("no result was replaced")
	}
}

// Without an offset, steps are exactly the paper's.
func TestPaperIsNotReplaced(t *testing.T) {
	data := steep(1)
	m := train(t, newJob(t, data.Dense, data.Y, settings.Settings{Lambda: 1e-6, Steps: 3,
		Offset: settings.OffsetNone, Average: settings.LastIterate, Order: order.IID}))
	if r := m.Result; r.Replaced != 0 || !(r.Objective > 1e3) || math.IsInf(r.Objective, 1) {
		t.Errorf("want an objective above 1e3 that is not replaced: %+v", r)
	}
}
