package engine

import (
	"cmp"
	"slices"
	"strings"

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
		m.Result.PerClass = result.Unknown(n)
	}
	m.Result.Unmeasure()
	return m
}

// Now returns where the session is, not yet measured.
func (s *Session) Now() *Point {
	m := newPoint(&s.Settings, len(s.Rows.Classes), s.Rows.X.Cols(),
		s.Bias != settings.BiasNone || s.Prior != nil && s.Prior.Bias != nil)
	r := s.Runs[0]
	m.Result.R2, m.Result.T0 = r.R2, r.Learners[0].T0
	s.beforeRuns(m)
	for _, r := range s.Runs {
		m.Result.Weight += r.sum
		r.write(m)
	}
	m.Result.Solver = s.solver()
	if s.pairs() {
		m.Result.Weight /= float64(len(s.Rows.Classes) - 1) // a row is in a pair with each other class
	}
	s.centre(m)
	return m
}

// solver names the solver that the problems began with, and those that have taken over; nothing
// without a finish.
func (s *Session) solver() string {
	if !s.Finishes() {
		return ""
	}
	names := []string{"steps"}
	if s.plan.descends {
		names[0] = "dual"
	}
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			if p := l.phase(); p != stepping && !slices.Contains(names, phaseNames[p]) {
				names = append(names, phaseNames[p])
			}
		}
	}
	return strings.Join(names, ", ")
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
	for _, i := range p.All() {
		z := float64(p.X.Dot(i, m.Weights[0])) + m.Bias[0]
		sum += float64(p.Share(i) * (float64(p.Target[i]) - z))
		weight += p.Share(i)
	}
	if mean := sum / weight; floats.IsFinite(mean) {
		m.Bias[0] += mean
	}
}

// beforeRuns gives m the vectors of Start, or of Prior, if there is one: a pair of classes without
// rows, which has no run, keeps its vector.
func (s *Session) beforeRuns(m *Point) {
	from := cmp.Or(s.Start, s.Prior)
	if from == nil || !s.pairs() {
		return
	}
	m.take(from)
	for k := range m.Result.PerClass {
		m.Result.PerClass[k].Lambda = from.Result.PerClass[k].Lambda
		if s.Start == nil {
			m.Result.PerClass[k].Steps = 0
		}
	}
}

// take gives p the vectors of a model, and their steps.
func (p *Point) take(from *Point) {
	for k, w := range from.Weights {
		copy(p.Weights[k], w)
		if p.Bias != nil {
			p.Bias[k] = from.bias(k)
		}
		if p.Result.PerClass != nil {
			p.Result.PerClass[k].Steps = from.Result.PerClass[k].Steps
		}
	}
}
