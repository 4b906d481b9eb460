package engine

import (
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// A few steps on rows of very unequal norms can lead to results that are worse than w = 0 (or the
// prior) or than the start. This file replaces them, except with OffsetNone, whose steps are
// exactly the paper's, and if Job.Quality selects the result.

// If a learner's part of m is worse than w = 0 (or the prior) or than the start, replace sets it to
// the best of these, the last iterate and the present weights.
func (r *Run) replace(m *Point, replaced *atomic.Int64) {
	r.parallel(func(k int) {
		if r.s.mayAbandon() {
			return
		}
		l, now := r.Learners[k], r.Measured[k].Objective
		// with a tolerance for rounding
		zero := l.Of.AtZero() * (1 + 4*l.SumError)
		start := l.StartWeights
		if !(now > zero) && !(start.W != nil && now > l.Of.At(start.W, start.B)) {
			return
		}
		better := int64(0)
		w, _ := r.vectorsOf(m, k)
		for _, c := range []iterate.Weights{start, l.Zero(), l.LastIterate()} {
			if c.W == nil {
				continue
			}
			if f := l.Of.At(c.W, c.B); f < now {
				now, better = f, 1
				for i := range w {
					copy(w[i], c.W[i])
					if m.Bias != nil {
						m.Bias[r.first+k+i] = c.B[i]
					}
				}
			}
		}
		replaced.Add(better)
	})
}

func (s *Session) measureAndReplace(m *Point) {
	how := AsNeeded
	if s.Tol > 0 {
		how = Exact
	}
	if m != s.proven {
		s.Measure(m, how)
	}
	if s.Quality != nil || s.Offset == settings.OffsetNone {
		return
	}
	var replaced atomic.Int64
	s.parallel(func(_ int, r *Run) { r.replace(m, &replaced) })
	m.Result.Replaced += int(replaced.Load())
	if m.Result.Replaced > 0 {
		s.Measure(m, how)
	}
}

// Point returns the current point after measureAndReplace. It does not change the session: the end
// of Train may use the measurements of s.proven.
func (s *Session) Point() *Point {
	m, measured, of := s.Now(), make([][]proof.Measurement, len(s.Runs)), s.measured
	for i, r := range s.Runs {
		measured[i] = r.Measured
	}
	s.measureAndReplace(m)
	for i, r := range s.Runs {
		r.Measured = measured[i]
	}
	s.measured = of
	return m
}
