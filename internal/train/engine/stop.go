package engine

import (
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// A stopping is what the rules that end a session before its last step, Tol and Patience, know
// from the tests before.
type stopping struct {
	look    int     // the epoch after which to test next
	best    *Point  // the best on other data
	quality float64 // its
	worse   int     // tests since
}

// enough reports whether the session may end after this epoch. It does not test after each.
func (s *Session) enough() bool {
	if at, enough := s.endsByItself(); at {
		return enough
	}
	stop := &s.stop
	if s.Tol == 0 && s.Patience == 0 || s.round < stop.look {
		return false
	}
	if s.Patience == 0 && s.far() {
		return false
	}
	s.mayCut = true
	defer func() { s.mayCut = false }()
	m := s.Now()
	close := false
	if s.Tol > 0 {
		close = s.closeEnough(m)
		if s.undecided = s.over(); s.undecided {
			return false
		}
	}
	if stop.look = s.round + 1; s.Patience > 0 || s.Runs[0].Learners[0].Dual == nil {
		stop.look = s.round + max(1, s.round/4) // there is no estimate
	}
	if close {
		s.proven = m
		return true
	}
	if s.Tol > 0 && s.MayNewton() {
		s.retry(m) // of problems that are done by their own account
	}
	return s.Patience > 0 && s.validate(m) >= s.Patience
}

// far reports whether the gap is still above Tol by estimates that cost nothing: false where some
// problem has none.
func (s *Session) far() bool {
	var apart, most float64
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			if l.Dual == nil {
				return false
			}
			apart += l.Dual.Left()
			most += l.Of.AtZero()
		}
	}
	return apart > float64(s.Tol*most) || apart > float64(s.Tol*s.gain())
}

// gain returns the sum of the estimates of the problems' bounds.
func (s *Session) gain() (sum float64) {
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			sum += l.Dual.Gain()
		}
	}
	return sum
}

// closeEnough reports whether the gap of m is at most Tol. The answer is that of the exact
// objective, which is found only if it can be so.
func (s *Session) closeEnough(m *Point) bool {
	res := &m.Result
	if s.Runs[0].Learners[0].Dual != nil { // an estimate has said so
		s.Measure(m, Exact)
		return res.Gap <= s.Tol
	}
	mistake := s.Measure(m, Quick)
	// The exact objective is off by less than the quick one.
	least := proof.Gap(res.Objective-3*mistake, res.DualObjective+mistake)
	if least > s.Tol*(1+0x1p-30) {
		return false
	}
	s.parallel(func(_ int, r *Run) { r.refine(Exact) })
	s.total(res)
	return res.Gap <= s.Tol
}

// validate takes in the point of a test, and returns how many tests have passed since the best one.
func (s *Session) validate(m *Point) (worse int) {
	if q := s.Quality(m.Fold(s.Scale)); s.stop.best == nil || q > s.stop.quality {
		s.stop.best, s.stop.quality, s.stop.worse = m, q, 0
	} else {
		s.stop.worse++
	}
	return s.stop.worse
}

// readyNewtons repeats the iterations that Newton's method had done when the run was paused. It
// reports whether it came to the end of that.
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
// method is done with all problems. That is enough without Tol, and otherwise if the gap is small
// enough; problems whose gap is too large go on. If some problems have other ways, at is false.
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
	s.mayCut = true
	s.Measure(m, Exact)
	s.undecided, s.mayCut = s.over(), false
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
			if l.Newton.Stuck() && r.s.CanDescend() {
				r.endNewton(l)
			}
			some = some || l.Newton == nil || l.works()
		}
	}
	return some
}
