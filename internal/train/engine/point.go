package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// newPoint returns a point that is not measured and whose weights are 0. If biases is true, it has
// biases, all 0.
func newPoint(s *settings.Settings, classes, cols int, biases bool) *Point {
	n, err := s.Vectors(classes)
	if err != nil {
		panic(err) // can't happen: the number of classes was checked before
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

// Now returns the current point without measuring it.
func (s *Session) Now() *Point {
	m := newPoint(&s.Settings, len(s.Rows.Classes), s.Rows.X.Cols(),
		s.Bias != settings.BiasNone || s.Prior != nil && s.Prior.Bias != nil)
	r := s.Runs[0]
	m.Result.R2, m.Result.T0 = r.R2, r.Learners[0].T0
	s.copyInitial(m)
	for _, r := range s.Runs {
		m.Result.Weight += r.weightSum
		r.write(m)
	}
	m.Result.Solver = s.solverNames()
	if s.pairs() {
		m.Result.Weight /= float64(len(s.Rows.Classes) - 1) // each row belongs to this many pairs
	}
	s.center(m)
	return m
}

// solverNames returns the name of the solver that the problems began with, followed by the names of
// the other solvers that problems use now, separated by commas. It returns "" if Finish names no
// solver.
func (s *Session) solverNames() string {
	if !s.HasSolver() {
		return ""
	}
	names := []string{"steps"}
	if s.plan.startsWithDual {
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

// Lambda returns the regularization parameter of the first run.
func (s *Session) Lambda() float64 { return s.Runs[0].Lambda }

// center shifts the bias of a model of scaled regression targets so that the weighted mean residual
// is 0. With the epsilon-insensitive loss, a mean residual of 0 does not minimize the objective:
// center then leaves the bias unchanged if Tol is set and Finish names a solver.
func (s *Session) center(m *Point) {
	if s.Scale == nil || s.Scale.Spread == 0 || s.Bias == settings.BiasNone ||
		s.Tol > 0 && s.HasSolver() && !s.Kind().Traits().MeanResidual {
		return
	}
	p := s.Runs[0].Learners[0]
	var sum, weight float64
	for _, i := range p.All() {
		z := float64(p.X.Dot(i, m.Weights[0])) + m.Bias[0]
		sum += float64(p.RowWeight(i) * (float64(p.Target[i]) - z))
		weight += p.RowWeight(i)
	}
	if mean := sum / weight; floats.IsFinite(mean) {
		m.Bias[0] += mean
	}
}

// copyInitial copies the weight vectors of Start, or of Prior if there is no Start, into m. It does
// nothing unless there is a run for each pair of classes. A pair without rows has no run; its
// weight vector in m stays the copy.
func (s *Session) copyInitial(m *Point) {
	from := cmp.Or(s.Start, s.Prior)
	if from == nil || !s.pairs() {
		return
	}
	m.copyFrom(from)
	for k := range m.Result.PerClass {
		m.Result.PerClass[k].Lambda = from.Result.PerClass[k].Lambda
		if s.Start == nil {
			m.Result.PerClass[k].Steps = 0
		}
	}
}

// copyFrom copies the weight vectors of source to p, and also its biases and step counts if p has
// any.
func (p *Point) copyFrom(source *Point) {
	for k, w := range source.Weights {
		copy(p.Weights[k], w)
		if p.Bias != nil {
			p.Bias[k] = source.bias(k)
		}
		if p.Result.PerClass != nil {
			p.Result.PerClass[k].Steps = source.Result.PerClass[k].Steps
		}
	}
}
