package engine

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// shouldStop reports whether the session ends after the current epoch. The session goes on while
// Newton's method has iterations left, unless Finish is FinishAuto and a problem uses another
// solver.
func (s *Session) shouldStop() bool {
	working, others := s.newtonState()
	switch {
	case working && (s.Finish == settings.FinishNewton || !others):
		return false
	case !others && s.Tol == 0:
		return true
	case !others:
	case s.Tol == 0 && s.Patience == 0, s.round < s.stop.nextCheck,
		s.Patience == 0 && s.estimateExceedsTol():
		return false
	}
	s.abandonable = true
	defer func() { s.abandonable = false }()
	m := s.Now()
	reached := false
	if s.Tol > 0 {
		reached = s.reachedTol(m, !others)
		if s.undecided = s.mayAbandon(); s.undecided {
			return false
		}
	}
	if others {
		s.stop.nextCheck = s.round + 1
		if s.Patience > 0 || s.Runs[0].Learners[0].Dual == nil {
			// Checks are rarer with Patience, and without dual descent's estimate of the gap.
			s.stop.nextCheck = s.round + max(1, s.round/4)
		}
	}
	if reached {
		s.proven = m
		return true
	}
	retried := s.Tol > 0 && s.MayUseNewton() && s.retryNewton(m)
	return !others && !retried || s.Patience > 0 && s.recordQuality(m) >= s.Patience
}

// working reports whether Newton's method has iterations left or, with FinishNewton, has yet to
// begin on a problem; others reports whether a problem uses another solver.
func (s *Session) newtonState() (working, others bool) {
	for _, l := range s.learners() {
		before := l.phase() == stepping && s.Finish == settings.FinishNewton
		working = working || l.newtonActive() || before
		others = others || l.phase() != iterating
	}
	return working, others
}

// estimateExceedsTol reports whether dual coordinate descent estimates a gap above Tol, without
// reading the rows; false if a problem uses another solver.
func (s *Session) estimateExceedsTol() bool {
	var gap, atZero, dual float64
	for _, l := range s.learners() {
		if l.Dual == nil {
			return false
		}
		gap += l.Dual.GapEstimate()
		atZero += l.Of.AtZero()
	}
	if gap > float64(s.Tol*atZero) {
		return true
	}
	for _, l := range s.learners() {
		dual += l.Dual.DualEstimate()
	}
	return gap > float64(s.Tol*dual)
}

// reachedTol reports whether the gap is at most Tol. With Pegasos steps, it does not compute the
// Exact objective if the Quick one shows that the gap is larger.
func (s *Session) reachedTol(m *Point, newton bool) bool {
	res := &m.Result
	if newton || s.Runs[0].Learners[0].Dual != nil {
		s.Measure(m, Exact)
		return res.Gap <= s.Tol
	}
	maxError := s.Measure(m, Quick)
	// the exact objective has a smaller error than the quick objective
	minGap := proof.Gap(res.Objective-3*maxError, res.DualObjective+maxError)
	if minGap > s.Tol*(1+0x1p-30) {
		return false
	}
	s.parallel(func(_ int, r *Run) { r.refine(Exact) })
	s.sumMeasurements(res)
	return res.Gap <= s.Tol
}

// recordQuality returns the number of checks since the best point was found.
func (s *Session) recordQuality(m *Point) (sinceBest int) {
	if q := s.Quality(m.Fold(s.Scale)); s.stop.best == nil || q > s.stop.quality {
		s.stop.best, s.stop.quality, s.stop.sinceBest = m, q, 0
	} else {
		s.stop.sinceBest++
	}
	return s.stop.sinceBest
}

// replayNewton repeats the iterations of Newton's method before the checkpoint. It returns false if
// the context is done first.
func (s *Session) replayNewton() bool {
	s.parallel(func(_ int, r *Run) {
		r.parallel(func(k int) {
			if n := r.Learners[k].Newton; n != nil {
				n.Ready()
			}
		})
	})
	return !s.newtonInterrupted()
}

func (s *Session) newtonInterrupted() bool {
	return slices.ContainsFunc(s.learners(), func(l *Learner) bool {
		return l.Newton != nil && l.Newton.Interrupted()
	})
}

// retryNewton makes Newton's method continue on problems on which it has ended with a gap above Tol
// in m. Problems that it can't improve switch to dual coordinate descent, if allowed. retryNewton
// reports whether any of these problems continues.
func (s *Session) retryNewton(m *Point) (continued bool) {
	for _, r := range s.Runs {
		for k, l := range r.Learners {
			if l.Newton == nil || l.newtonActive() {
				continue
			}
			c := m.Result.PerClass[r.first+k]
			if c.Objective-c.DualObjective <= float64(s.Tol*c.DualObjective) {
				continue
			}
			l.Newton.Retry()
			if l.Newton.Stuck() && r.s.CanDescend() {
				r.switchToDual(l)
			}
			continued = continued || l.Newton == nil || l.newtonActive()
		}
	}
	return continued
}
