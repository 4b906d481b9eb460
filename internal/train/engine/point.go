package engine

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// newPoint returns a point of zeros, of which nothing is known.
func newPoint(s *settings.Settings, classes, cols int, biases bool) *Point {
	n, err := s.Vectors(classes)
	if err != nil {
		panic(err) // the rows' classes were counted
	}
	m := &Point{Weights: iterate.Zeros(n, cols)}
	if biases {
		m.Bias = make([]float64, n)
	}
	if !s.Joint() {
		m.Result.PerClass = unknown(n)
	}
	m.Result.Unmeasure()
	return m
}

// unknown are the results of n vectors of which nothing is known.
func unknown(n int) []result.Problem {
	return slices.Repeat([]result.Problem{result.Unknown()}, n)
}

// Now returns where the session is, not yet measured.
func (s *Session) Now() *Point {
	m := newPoint(&s.Settings, len(s.Rows.Classes), s.Rows.X.Cols(),
		s.Bias != settings.BiasNone || s.Prior != nil && s.Prior.Bias != nil)
	r := s.Runs[0]
	m.Result.R2, m.Result.T0 = r.R2, r.Learners[0].T0
	next := 0
	for _, r := range s.Runs {
		m.Result.Weight += r.sum
		for ; next < r.first; next++ {
			s.untrained(m, next)
		}
		r.write(m)
		next += r.vectors()
	}
	for ; next < len(m.Weights); next++ {
		s.untrained(m, next)
	}
	if s.pairs() {
		m.Result.Weight /= float64(len(s.Rows.Classes) - 1) // each row is in so many pairs
	}
	s.centre(m)
	return m
}

// Lambda returns the penalty of the first problem.
func (s *Session) Lambda() float64 { return s.Runs[0].Lambda }

// centre moves the constant of a model of scaled numbers such that the mean residual is 0. That is
// not where the objective of EpsInsensitive is least: with Tol and a finish it stays where it is.
func (s *Session) centre(m *Point) {
	if s.Scale == nil || s.Scale.Spread == 0 || s.Bias == settings.BiasNone ||
		s.Tol > 0 && s.Finishes() && s.Kind() == loss.EpsInsensitive {
		return
	}
	p := s.Runs[0].Learners[0]
	var sum, weight float64
	for j := range p.Count() {
		i := p.Row(j)
		z := float64(p.X.Dot(i, m.Weights[0])) + m.Bias[0]
		sum += float64(p.Share(i) * (float64(p.Target[i]) - z))
		weight += p.Share(i)
	}
	if mean := sum / weight; floats.IsFinite(mean) {
		m.Bias[0] += mean
	}
}

// untrained gives m the k-th vector, that of a pair without rows: it is the one of Start or Prior
// if there is one, else 0.
func (s *Session) untrained(m *Point, k int) {
	old := s.Start
	if old == nil {
		old = s.Prior
	}
	if old == nil {
		return
	}
	copy(m.Weights[k], old.Weights[k])
	if m.Bias != nil {
		m.Bias[k] = old.bias(k)
	}
	m.Result.PerClass[k].Lambda = old.Lambda[k]
	if s.Start != nil {
		m.Result.PerClass[k].Steps = old.Steps[k]
	}
}
