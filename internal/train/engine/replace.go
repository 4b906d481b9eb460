package engine

import (
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file sees to it that no run ends with a model whose objective is above that of w = 0 (the
// prior, where there is one) or of the model that it started from. A few steps on rows of very
// unequal lengths can, and so can many where float32 has no room for them. With OffsetNone, whose
// steps are the paper's, the result is the paper's too; with Patience it is the best on other data.

// replace replaces the vectors of m, which the run has measured, whose objective is above that of
// w = 0 or of the start, by the best of these two and the last iterate. It adds how many learners'
// they were.
func (r *Run) replace(m *Point, replaced *atomic.Int64) {
	r.parallel(func(k int) {
		if r.s.over() {
			return
		}
		l, now := r.Learners[k], r.Measured[k].Objective
		// Sums that should be the same are so but for their roundings.
		zero := l.Of.AtZero() * (1 + 4*l.Sums)
		start, from := l.Began, 0.0
		if start.W != nil {
			from = l.Of.At(start.W, start.B)
		}
		if !(now > zero) && !(start.W != nil && now > from) {
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

// settle measures m, and replaces what is worse than what the run had when it began.
func (s *Session) settle(m *Point) {
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

// Point returns where the session is, measured.
func (s *Session) Point() *Point {
	m := s.Now()
	s.settle(m)
	return m
}
