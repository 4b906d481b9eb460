package engine

import (
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file sees to it that no run ends with a model whose objective is above that of w = 0 (the
// prior, where there is one) or of the model that it started from. A few steps on rows of very
// unequal lengths can, and so can many where float32 has no room for them. With OffsetNone, whose
// steps are the paper's, the result is the paper's too; with Patience it is the best on other data.

// replace replaces the vectors of m, which the run has measured, whose objective is above that of
// w = 0 or of the start, by the best of these two and the last iterate. It returns how many
// learners' they were.
func (r *Run) replace(m *Point) (replaced int) {
	better := make([]bool, len(r.Learners))
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
		w, _ := r.vectorsOf(m, k)
		for _, c := range []iterate.Weights{start, l.Zero(), l.LastIterate()} {
			if c.W == nil {
				continue
			}
			if f := l.Of.At(c.W, c.B); f < now {
				now, better[k] = f, true
				for i := range w {
					copy(w[i], c.W[i])
					if m.Bias != nil {
						m.Bias[r.first+k+i] = c.B[i]
					}
				}
			}
		}
	})
	for _, b := range better {
		if b {
			replaced++
		}
	}
	return replaced
}

// settle measures m, and replaces what is worse than what the run had when it began.
func (s *Session) settle(m *Point) {
	how := AsNeeded
	if s.Tol > 0 {
		how = Exact
	}
	if s.proven != nil {
		m.Result, m.Folded = s.proven.Result, s.proven.Folded
	} else {
		s.Measure(m, how)
	}
	if s.Quality != nil || s.Offset == settings.OffsetNone {
		return
	}
	replaced := make([]int, len(s.Runs))
	s.parallel(func(i int, r *Run) { replaced[i] = r.replace(m) })
	for _, n := range replaced {
		m.Result.Replaced += n
	}
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
