package engine

import (
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// stopState is the state of the stopping criteria Tol and Patience between checks.
type stopState struct {
	nextCheck int     // epoch after which the next check is due
	best      *Point  // best point by Quality so far; nil before the first check
	quality   float64 // the value of Quality for best
	sinceBest int     // number of checks since best was found
}

// shouldStop reports whether the session ends after the current epoch. It checks the criteria Tol
// and Patience only after some of the epochs.
func (s *Session) shouldStop() bool {
	if decided, stop := s.decidedByNewton(); decided {
		return stop
	}
	stop := &s.stop
	if s.Tol == 0 && s.Patience == 0 || s.round < stop.nextCheck {
		return false
	}
	if s.Patience == 0 && s.estimateExceedsTol() {
		return false
	}
	s.abandonable = true
	defer func() { s.abandonable = false }()
	m := s.Now()
	reached := false
	if s.Tol > 0 {
		reached = s.reachedTol(m)
		if s.undecided = s.mayAbandon(); s.undecided {
			return false
		}
	}
	if stop.nextCheck = s.round + 1; s.Patience > 0 || s.Runs[0].Learners[0].Dual == nil {
		stop.nextCheck = s.round + max(1, s.round/4) // less often without an estimate of the gap
	}
	if reached {
		s.proven = m
		return true
	}
	if s.Tol > 0 && s.MayUseNewton() {
		s.retryNewton(m) // continues problems on which Newton's method has ended
	}
	return s.Patience > 0 && s.recordQuality(m) >= s.Patience
}

// estimateExceedsTol reports whether the gap is still above Tol according to estimates that need no
// pass over the rows. It returns false if some problem has no estimate, because it does not use
// dual coordinate descent.
func (s *Session) estimateExceedsTol() bool {
	var gap, atZero float64
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			if l.Dual == nil {
				return false
			}
			gap += l.Dual.GapEstimate()
			atZero += l.Of.AtZero()
		}
	}
	return gap > float64(s.Tol*atZero) || gap > float64(s.Tol*s.dualEstimate())
}

// dualEstimate returns the estimated dual objective, summed over the problems.
func (s *Session) dualEstimate() (sum float64) {
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			sum += l.Dual.DualEstimate()
		}
	}
	return sum
}

// reachedTol reports whether the gap of m is at most Tol. The objective of Precision Exact decides.
// It is computed only if the Quick objective leaves that possible.
func (s *Session) reachedTol(m *Point) bool {
	res := &m.Result
	if s.Runs[0].Learners[0].Dual != nil { // the estimated gap is at most Tol
		s.Measure(m, Exact)
		return res.Gap <= s.Tol
	}
	maxError := s.Measure(m, Quick)
	// The exact objective has a smaller error than the quick objective.
	minGap := proof.Gap(res.Objective-3*maxError, res.DualObjective+maxError)
	if minGap > s.Tol*(1+0x1p-30) {
		return false
	}
	s.parallel(func(_ int, r *Run) { r.refine(Exact) })
	s.sumMeasurements(res)
	return res.Gap <= s.Tol
}

// recordQuality evaluates m on validation data and keeps m if it is the best point so far. It
// returns the number of checks since the check of the best point.
func (s *Session) recordQuality(m *Point) (sinceBest int) {
	if q := s.Quality(m.Fold(s.Scale)); s.stop.best == nil || q > s.stop.quality {
		s.stop.best, s.stop.quality, s.stop.sinceBest = m, q, 0
	} else {
		s.stop.sinceBest++
	}
	return s.stop.sinceBest
}

// replayNewton repeats the iterations of Newton's method that a resumed run had done before the
// checkpoint. It returns false if the context was done before the end.
func (s *Session) replayNewton() bool {
	s.parallel(func(_ int, r *Run) {
		parallel.For(r.threads, len(r.Learners), func(_, k int) {
			if n := r.Learners[k].Newton; n != nil {
				n.Ready()
			}
		})
	})
	return !s.newtonInterrupted()
}

// newtonInterrupted reports whether an iteration of Newton's method was interrupted.
func (s *Session) newtonInterrupted() bool {
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			if l.Newton != nil && l.Newton.Interrupted() {
				return true
			}
		}
	}
	return false
}

// decidedByNewton reports whether Newton's method alone decides when the session ends, and if so,
// whether the session ends now. Without Tol, the session ends when the method is done with all
// problems. With Tol, it then ends if the gap is at most Tol or no problem can improve; otherwise
// the problems whose gap is above Tol continue. If some problem uses another solver, decided is
// false, except with FinishNewton while the method is still at work on a problem or has yet to
// begin.
func (s *Session) decidedByNewton() (decided, stop bool) {
	if !s.MayUseNewton() {
		return false, false
	}
	working, others := false, false
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			// With FinishNewton, nothing is checked before the method begins.
			before := l.phase() == stepping && s.Finish == settings.FinishNewton
			working = working || l.newtonActive() || before
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
	s.abandonable = true
	s.Measure(m, Exact)
	s.undecided, s.abandonable = s.mayAbandon(), false
	if s.undecided {
		return true, false
	}
	if m.Result.Gap <= s.Tol {
		s.proven = m
		return true, true
	}
	return true, !s.retryNewton(m)
}

// retryNewton makes Newton's method continue on problems on which it has ended but whose gap, as
// measured in m, is above Tol. Problems on which the method can't improve switch to dual coordinate
// descent if the settings allow that. retryNewton reports whether any problem continues.
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
