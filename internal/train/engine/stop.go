package engine

import "github.com/pegasimd/pegasimd/internal/proof"

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
	s.until = s.Newtons.Until
	defer func() { s.until = nil }()
	m := s.Now()
	close := false
	if s.Tol > 0 {
		close = s.closeEnough(m, s.Measure(m, Quick))
		if s.undecided = s.over(); s.undecided {
			return false
		}
	}
	stop.look = s.round + max(1, s.round/4)
	if close {
		return true
	}
	if s.Tol > 0 && s.MayNewton() {
		s.retry(m) // of problems that are done by their own account
	}
	return s.Patience > 0 && s.validate(m) >= s.Patience
}

// closeEnough reports whether the gap of m, which was measured quickly with that mistake, is at
// most Tol. The answer is that of the exact objective, which is found only if it can be so.
func (s *Session) closeEnough(m *Point, mistake float64) bool {
	res := &m.Result
	// The exact objective is off by less than the quick one.
	least := proof.Gap(res.Objective-3*mistake, res.DualObjective+mistake)
	if least > s.Tol*(1+0x1p-30) {
		return false
	}
	s.parallel(func(_ int, r *Run) { r.refine(m, Exact) })
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
