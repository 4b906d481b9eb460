package engine

import (
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// stopState is the state of the stopping criteria, Tol and Patience, between two checks of them.
type stopState struct {
	nextCheck int     // epoch after which the next check is due
	best      *Point  // best point by Quality so far; nil before the first check
	quality   float64 // value that Quality returned for best
	sinceBest int     // number of checks of Quality since best was found
}

// shouldStop reports whether the session ends after the current epoch. It checks Tol and Patience
// only after some of the epochs.
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

// estimateExceedsTol reports whether the gap is still above Tol by estimates of dual coordinate
// descent, which need no pass over the rows. It returns false if a problem uses another solver, and
// so has no estimate.
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

// dualEstimate returns the sum of the problems' estimated dual objectives. All problems must use
// dual coordinate descent.
func (s *Session) dualEstimate() (sum float64) {
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			sum += l.Dual.DualEstimate()
		}
	}
	return sum
}

// reachedTol reports whether the gap of m is at most Tol, with the objective of Precision Exact. If
// the first problem uses dual coordinate descent, it computes this objective at once; otherwise
// only if the cheaper objective of Precision Quick leaves a gap of at most Tol possible.
func (s *Session) reachedTol(m *Point) bool {
	res := &m.Result
	if s.Runs[0].Learners[0].Dual != nil { // shouldStop has usually checked an estimate of the gap
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

// recordQuality evaluates m on validation data, and keeps m if it is the best point so far. It
// returns the number of checks since the best point was found.
func (s *Session) recordQuality(m *Point) (sinceBest int) {
	if q := s.Quality(m.Fold(s.Scale)); s.stop.best == nil || q > s.stop.quality {
		s.stop.best, s.stop.quality, s.stop.sinceBest = m, q, 0
	} else {
		s.stop.sinceBest++
	}
	return s.stop.sinceBest
}

// replayNewton repeats the iterations of Newton's method that a resumed run had done before the
// checkpoint. It returns false if the context was done before all were repeated.
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

// newtonInterrupted reports whether the context was done during an iteration of Newton's method.
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

// decidedByNewton reports whether the state of Newton's method alone decides if the session ends
// after the current epoch (decided), and if so, whether it ends (stop). There are these cases:
//
// If some problem uses another solver, decided is false. The exception is FinishNewton: while
// Newton's method has iterations left on a problem, or has yet to begin on one, the session goes
// on.
//
// If all problems use Newton's method, and it has iterations left on one, the session goes on.
//
// If all problems use Newton's method, and it has no iterations left, Tol decides. Without Tol the
// session ends. With Tol it ends if the gap is at most Tol or no problem can improve; otherwise the
// problems whose gap is above Tol continue.
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
// measured in m, is above Tol. If Newton's method can't improve a problem, and the settings allow
// dual coordinate descent, the problem switches to that. retryNewton reports whether any problem
// continues.
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
