package engine

import (
	"cmp"

	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file is how runs go on after their first epoch: when a dual ascent or Newton's method takes
// over, what happens at the end of each epoch, and when Newton's method is done with all problems.

const (
	// autoGap is the share of P that P - D has to be below before FinishAuto begins the dual; see
	// docs/benchmarks.md.
	autoGap = 0.7
	// soonEpochs is how many epochs of the dual Newton's method may cost to begin at once,
	// poorEpochs the same where the bound says that the dual will be slow, and aloneEpochs where
	// there is no dual, so that steps alone would have to find the proof.
	soonEpochs  = 40
	poorEpochs  = 150
	aloneEpochs = 400
	// newtonBegins is how often a problem may begin with Newton's method.
	newtonBegins = 2
)

// An autoFinish is what FinishAuto goes by.
type autoFinish struct {
	density store.Density
	columns int  // that are not empty
	newton  bool // Newton's method may be taken: there are few columns, and memory for it
}

// setAuto finds what FinishAuto goes by.
func (s *Session) setAuto() {
	if s.Finish != settings.FinishAuto || s.Rows.X.Cols() > newton.MostColumns || !s.CanNewton() {
		return
	}
	s.auto = autoFinish{store.DensityOf(s.Rows.X, choose.Counted(s.Rows.Weight)),
		cmp.Or(s.Columns, s.Rows.X.Cols()), true}
	s.auto.newton = s.checkMemory() == nil
}

// MayNewton reports whether problems of the session may have Newton's method.
func (s *Session) MayNewton() bool {
	return s.Finish == settings.FinishNewton || s.Finish == settings.FinishAuto && s.auto.newton ||
		s.looks
}

// mayAscend reports whether the run's problems may have a dual ascent.
func (r *Run) mayAscend() bool { return r.s.CanAscend() && r.s.Prior == nil }

// cost is that of one of the run's problems.
func (r *Run) cost() choose.Cost {
	return choose.CostOf(r.s.Kind(), float64(r.Count()), float64(r.s.auto.columns),
		r.s.auto.density)
}

// newtonSoon reports whether Newton's method is so cheap that FinishAuto begins with it.
func (r *Run) newtonSoon() bool {
	if r.s.Finish != settings.FinishAuto || !r.s.auto.newton {
		return false
	}
	soon := float64(soonEpochs)
	if !r.mayAscend() {
		soon = aloneEpochs
	}
	c := r.cost()
	return c.Newton <= float64(soon*c.Epoch)
}

// newtonPays reports whether it is time for Newton's method to take over a problem of a run with
// FinishAuto: at once where it is cheap, or after half of what it costs.
func (r *Run) newtonPays(l *Learner) bool {
	if !r.s.auto.newton || l.begins >= newtonBegins {
		return false
	}
	spent := float64(r.Epoch)
	if l.phase() == ascending {
		spent = float64(l.Ascent.Save().Pass)
	} else if l.begins == 0 && r.newtonSoon() {
		return true
	}
	c := r.cost()
	return float64(spent*c.Epoch) >= c.Newton/2
}

// goOn is called at the end of each epoch of the run, when its steps are taken.
func (r *Run) goOn() {
	var others []*Learner
	var working []*newton.Method
	for _, l := range r.Learners {
		switch {
		case l.Newton == nil:
			others = append(others, l)
		case l.works() && l.Err == nil:
			working = append(working, l.Newton.Method)
		}
	}
	threads := r.threads * max(1, r.inner)
	parallel.For(threads, len(others), func(_, i int) { r.finishEpoch(others[i]) })
	newton.Iterate(working, threads)
}

// finishEpoch begins a learner's finish if it is due.
func (r *Run) finishEpoch(l *Learner) {
	switch {
	case l.Err != nil || l.T >= l.Total || !r.s.Finishes():
	case r.s.Finish == settings.FinishNewton && l.phase() != ascending,
		r.s.Finish == settings.FinishAuto && r.newtonPays(l):
		r.startNewton(l)
	case r.s.Finish != settings.FinishNewton && l.phase() == stepping && r.mayAscend():
		within := 0.0
		if r.s.Finish == settings.FinishAuto {
			// The answer takes about as long as an epoch: it is asked for after 1, 2, 4, 8 and so on.
			if r.Epoch&(r.Epoch-1) != 0 {
				return
			}
			within = autoGap
		}
		c := r.cost()
		if !l.StartAscent(r.R2, within) && r.s.auto.newton && c.Newton <= poorEpochs*c.Epoch {
			r.startNewton(l)
		}
	}
}

func (r *Run) startNewton(l *Learner) { l.startNewton(&r.s.Newtons, r.s.Tol, l.T) }

// readyNewtons repeats what Newton's method had done when the run was paused. It reports whether it
// came to the end of that.
func (s *Session) readyNewtons() bool {
	s.parallel(func(_ int, r *Run) {
		parallel.For(r.threads, len(r.Learners), func(_, k int) {
			if n := r.Learners[k].Newton; n != nil {
				n.Ready()
			}
		})
	})
	return !s.cut()
}

// cut reports whether an iteration was left half way.
func (s *Session) cut() bool {
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			if l.Newton != nil && l.Newton.Cut() {
				return true
			}
		}
	}
	return false
}

// endsByItself reports whether the run has an end of its own before the last epoch: where Newton's
// method is done with all problems. It is enough then without Tol, and else if the gap is small
// enough. What is not goes on. Where some problems have other ways, at is false.
func (s *Session) endsByItself() (at, enough bool) {
	if !s.MayNewton() {
		return false, false
	}
	working, others := false, false
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			// With FinishNewton there is nothing to be tested before it begins.
			before := l.phase() == stepping && s.Finish == settings.FinishNewton
			working = working || l.works() || before
			others = others || l.phase() != iterating
		}
	}
	switch {
	case working && (s.Finish == settings.FinishNewton || !others):
		return true, false
	case others:
		return false, false
	case s.Tol == 0:
		return true, true
	}
	m := s.Now()
	s.until = s.Newtons.Until
	s.Measure(m, Exact)
	s.undecided, s.until = s.over(), nil
	if s.undecided {
		return true, false
	}
	if m.Result.Gap <= s.Tol {
		s.proven = m
		return true, true
	}
	return true, !s.retry(m)
}

// retry makes the problems go on whose gap is too large, as they were measured in m. It reports
// whether there are any that can.
func (s *Session) retry(m *Point) (some bool) {
	for _, r := range s.Runs {
		for k, l := range r.Learners {
			if l.Newton == nil || l.works() {
				continue
			}
			c := m.Result.PerClass[r.first+k]
			if c.Objective-c.DualObjective <= float64(s.Tol*c.DualObjective) {
				continue
			}
			l.Newton.Retry()
			if l.Newton.Stuck() && r.mayAscend() {
				l.endNewton()
			}
			some = some || l.Newton == nil || l.works()
		}
	}
	return some
}
