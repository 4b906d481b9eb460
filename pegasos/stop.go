package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/metrics"
)

// A stopping ends a session before its last step: the rules are Config.Tol, Change and Patience.
type stopping struct {
	valid *Labelled
	look  int // the epoch after which to test next
	last  lookState
}

// lookState is what is known from the tests before.
type lookState struct {
	objective float64 // at the last test; NaN before the first
	best      *Model  // the best on the validation data
	quality   float64 // its
	worse     int     // tests since
}

func newStopping(tr *Trainer) (stopping, error) {
	s := stopping{last: lookState{objective: math.NaN()}}
	if tr.Config.Patience == 0 {
		return s, nil
	}
	v := tr.Valid
	if v == nil || store.Given(v.X) != nil || v.X.Rows() == 0 || len(v.Y) != v.X.Rows() {
		return s, badField("Patience", "have %d, which needs rows in Trainer.Valid, and a label "+
			"for each", tr.Config.Patience)
	}
	if tr.Config.Loss.Regression() {
		if i := floats.FirstNotFinite(v.Y); i >= 0 {
			return s, badField("Patience",
				"the label of row %d of Trainer.Valid is %v, want a finite number", i, v.Y[i])
		}
	}
	s.valid = v
	return s, nil
}

// enough reports whether the session may end after this epoch. It does not test after each.
func (s *session) enough() bool {
	if at, enough := s.endsByItself(); at {
		return enough
	}
	cfg, stop := s.cfg, &s.stop
	if cfg.Tol == 0 && cfg.Change == 0 && cfg.Patience == 0 || s.round < stop.look {
		return false
	}
	s.data.until = s.data.newtons.Until
	defer func() { s.data.until = nil }()
	m := s.model()
	if cfg.Tol > 0 || cfg.Change > 0 {
		mistake := s.measure(m, quick)
		close := cfg.Tol > 0 && s.closeEnough(m, mistake)
		if s.undecided = s.data.over(); s.undecided {
			return false
		}
		stop.look = s.round + max(1, s.round/4)
		now, last := m.Result.Objective, stop.last.objective
		if close {
			return true
		}
		if cfg.Tol > 0 && s.mayNewton() {
			s.retry(m) // of problems that are done by their own account
		}
		stop.last.objective = now
		if cfg.Change > 0 && last-now <= float64(cfg.Change*now) {
			return true
		}
	}
	stop.look = s.round + max(1, s.round/4)
	return cfg.Patience > 0 && stop.validate(m, s.data.scaling) >= cfg.Patience
}

// closeEnough reports whether the gap of m, which was measured quickly with that mistake, is at
// most Tol. The answer is that of the exact objective, which is found only if it can be so.
func (s *session) closeEnough(m *Model, mistake float64) bool {
	res := &m.Result
	// The exact objective is off by less than the quick one.
	least := proof.Gap(res.Objective-3*mistake, res.DualObjective+mistake)
	if least > s.cfg.Tol*(1+0x1p-30) {
		return false
	}
	s.parallel(func(_ int, r *run) { r.refine(m, exact) })
	s.total(res)
	return res.Gap <= s.cfg.Tol
}

// validate takes in the model of a test, and returns how many tests have passed since the best one.
func (s *stopping) validate(m *Model, scaling *Scaling) (worse int) {
	if q := scaling.Fold(m).quality(s.valid); s.last.best == nil || q > s.last.quality {
		s.last.best, s.last.quality, s.last.worse = m, q, 0
	} else {
		s.last.worse++
	}
	return s.last.worse
}

// result returns the model of the session that ends with m.
func (s *stopping) result(m *Model, scaling *Scaling) *Model {
	if s.valid == nil {
		return m
	}
	s.validate(m, scaling)
	return s.last.best
}

// quality returns the share of rows that m predicts right, or minus the mean squared error.
func (m *Model) quality(d *Labelled) float64 {
	if m.Classes == nil {
		rmse := metrics.RMSE(d.Y, m.DecisionAll(d.X))
		return -float64(rmse * rmse)
	}
	return metrics.Accuracy(d.Y, m.PredictAll(d.X))
}
