package pegasos

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/labels"
)

// verifyInRounds verifies a model in so many shards.
func (t *trial) verifyInRounds(tb testing.TB, m *Model, s *Statistics, shards int) (
	*Verification, error,
) {
	tb.Helper()
	r, err := NewVerification(m, s, shards, 0)
	if err != nil {
		return nil, err
	}
	return r.Verified(endOfRounds(tb, r, inShards(tb, r, t.x, t.y, shards)))
}

// Models that rounds have made are never contradicted, and most of them are confirmed; what claims
// more than is true is contradicted.
func TestRoundsVerify(t *testing.T) {
	found, tampered := map[Verdict]int{}, 0
	for seed := range uint64(150) {
		trial, method, shards := newRoundTrial(seed + 9e6)
		if _, _, err := labels.Classify(trial.y, nil, nil, rowError); err != nil {
			continue
		}
		s := statisticsOf(t, trial.x, trial.y)
		r, err := NewRounds(trial.tr.Config, method, s, shards)
		if err != nil {
			continue
		}
		m := runRounds(t, r, inShards(t, r, trial.x, trial.y, shards))
		v, err := trial.verifyInRounds(t, m, s, 1+shards%3)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if v.Verdict == Contradicted || !(v.Bound <= v.Objective) ||
			v.Verdict == Confirmed && v.Bound < m.Result.DualObjective {
			t.Errorf("seed %d, %s: %+v\n%+v", seed, method, v, m.Config)
		}
		found[v.Verdict]++
		for what, change := range map[string]func(m *Model, c *ClassResult){
			"objective": func(m *Model, c *ClassResult) { c.Objective *= 0.999 },
			"bound":     func(m *Model, c *ClassResult) { c.DualObjective = 1.01 * c.Objective },
			"weights": func(m *Model, _ *ClassResult) {
				for j := range m.Weights[0] {
					m.Weights[0][j] = -2 * m.Weights[0][j]
				}
			},
		} {
			lie := *m
			lie.Weights = slices.Clone(m.Weights)
			for k := range lie.Weights {
				lie.Weights[k] = slices.Clone(m.Weights[k])
			}
			c := &lie.Result
			c.PerClass = slices.Clone(c.PerClass)
			change(&lie, &c.PerClass[0])
			c.Objective, c.DualObjective = 0, 0
			for _, of := range c.PerClass {
				c.Objective += of.Objective / float64(len(c.PerClass))
				c.DualObjective += of.DualObjective / float64(len(c.PerClass))
			}
			if what == "bound" && c.DualObjective <= c.Objective {
				continue // of a mean, which is another bound
			}
			v, err := trial.verifyInRounds(t, &lie, s, shards)
			if what == "weights" && err == nil &&
				math.Abs(v.Objective-m.Result.Objective) <= float32Error*v.Objective {
				continue // of a column that hardly matters
			}
			if err == nil && v.Verdict != Contradicted {
				t.Errorf("seed %d, another %s: %+v, trained %+v", seed, what, v, m.Result)
			}
			tampered++
		}
	}
	t.Logf("%v, and %d lies", found, tampered)
	if found[Confirmed] < 2*found[NotConfirmed] || tampered < 200 {
		t.Error("too few are confirmed, or lies")
	}
}
