package engine

import (
	"cmp"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// maxNewtonStarts limits FinishAuto's starts of Newton's method on a problem.
const maxNewtonStarts = 2

const (
	// If FinishAuto does not plan Newton's method, it chooses dual coordinate descent, if allowed,
	// for a run of at least minDescentPasses passes, or of at least 1/maxDescentRatio of the
	// descent's estimated passes.
	maxDescentRatio  = 8
	minDescentPasses = 100
	// If Average is LastHalf, dual coordinate descent returns an average over its last pass for
	// losses with kinks, and for other losses if it is estimated to need more than slowDescentPasses
	// passes.
	slowDescentPasses = 20
)

// choosePlan estimates the solvers' costs for a problem with the mean number of rows per problem
// and the mean squared norm of all rows.
func (s *Session) choosePlan() {
	if !s.HasSolver() {
		return
	}
	p := &s.plan
	if s.autoMayUseNewton() {
		p.mayNewton, p.density = true, store.DensityOf(s.Rows.X, s.Rows.Counted())
		p.columns = cmp.Or(s.Columns, s.Rows.X.Cols())
	}
	norm, rows := s.Rows.MeanNorm()
	total := s.Rows.Total()
	if s.pairs() {
		rows *= 2 / float64(len(s.Rows.Classes))
		total *= 2 / float64(len(s.Rows.Classes))
	}
	lambda, _ := options.LambdaFor(s.Settings.Lambda, s.C, total)
	length := cmp.Or(float64(s.Steps)/rows, float64(s.Epochs))
	auto := s.Finish == settings.FinishAuto
	work := choose.Work{Loss: s.Kind(), Problems: 1, Rows: rows, Columns: float64(p.columns),
		R2: norm + float64(s.BiasScale*s.BiasScale), Density: p.density, Newton: p.mayNewton,
		Descent: s.CanDescend()}
	estimate := work.To(cmp.Or(s.Tol, choose.ProofTol), lambda)
	p.newton = estimate.Newton
	p.startsWithDual = s.Finish == settings.FinishDual || auto && !p.newton && work.Descent &&
		(length >= minDescentPasses || estimate.Passes <= float64(maxDescentRatio*length))
	if s.Resume != nil && s.Resume.State != nil && auto && !p.newton && work.Descent {
		p.startsWithDual = s.startedWithDual(p.startsWithDual)
	}
	p.averages = s.Average == settings.LastHalf &&
		(s.Kind().Traits().Kinks || estimate.Passes > slowDescentPasses)
}

// startedWithDual reports whether the run to resume started with dual coordinate descent, which
// FinishAuto chooses by the run's length: a longer run goes on as the run began. The result is
// ifUnknown if the state does not show it.
func (s *Session) startedWithDual(ifUnknown bool) bool {
	for _, l := range s.Resume.State.Learners {
		switch first := l.NewtonStarts < 2; { // Newton's method may have handed over to the descent
		case l.Dual != nil && l.NewtonStarts == 0, first && l.Newton != nil && l.Newton.Dual:
			return true
		case l.Dual == nil && (l.Newton == nil || !l.Newton.Dual):
			return false
		}
	}
	return ifUnknown
}

// newtonPays reports whether FinishAuto should switch to Newton's method: from Pegasos steps after
// the first epoch, from dual coordinate descent when the estimated cost of its passes so far
// reaches that of Newton's method.
func (r *Run) newtonPays(l *Learner) bool {
	if !r.s.plan.mayNewton || l.newtonStarts >= maxNewtonStarts {
		return false
	}
	if l.phase() == descending {
		c := choose.CostOf(r.s.Kind(), float64(r.Count()), float64(r.s.plan.columns),
			r.s.plan.density)
		return float64(float64(l.Dual.Save().Pass)*c.Pass) >= c.Newton
	}
	return l.newtonStarts == 0
}

// advanceSolvers must be called at the end of each epoch. Newton's method begins to iterate an
// epoch after the switch.
func (r *Run) advanceSolvers() {
	var others []*Learner
	var working []*newton.Method
	for _, l := range r.Learners {
		switch {
		case l.Newton == nil:
			others = append(others, l)
		case l.newtonActive() && l.Err == nil:
			working = append(working, l.Newton)
		}
	}
	threads := r.threads * r.innerThreads
	parallel.For(threads, len(others), func(_, i int) { r.startNewtonIfDue(others[i]) })
	newton.Iterate(working, threads)
}

func (r *Run) startNewtonIfDue(l *Learner) {
	switch {
	case l.Err != nil || l.T >= l.Total || !r.s.HasSolver():
	case r.s.Finish == settings.FinishNewton && l.phase() != descending,
		r.s.Finish == settings.FinishAuto && r.newtonPays(l):
		r.startNewton(l, l.T)
	}
}

// Newton's method starts from the weights after step t.
func (r *Run) startNewton(l *Learner, t int64) {
	pool := &r.s.Newtons
	l.Newton = newton.New(pool, r.s.Tol, func() *newton.Problem { return l.ForNewton(pool, t) })
	l.newtonStart, l.afterDual = t, l.Dual != nil
	l.newtonStarts++
	l.Dual, l.Windows = nil, nil
}

func (r *Run) startDual(l *Learner) {
	var a []float32
	if l.StartWeights.W != nil {
		w, b := l.NewWeights()
		l.Weights(w, b)
		l.AddPrior(w)
		wide := make([][]float64, len(w))
		for k, v := range w {
			wide[k] = floats.Float64s(v)
			b[k] += l.PriorBias[k]
		}
		a, _ = certificate.FromScores(l.Of, wide, b, r.R2, 0)
	}
	r.startDualFrom(l, a)
}

func (r *Run) startDualFrom(l *Learner, a []float32) {
	l.Dual = r.newDual(l, a, r.s.plan.averages)
	l.Dual.RecomputeWeights()
}

func (r *Run) newDual(l *Learner, a []float32, mean bool) dual.Solver {
	if a == nil {
		a = make([]float32, l.X.Rows()*len(l.Vectors))
	}
	if j := l.Joint; j != nil {
		return dual.NewJoint(l.State, &j.Of, j.M, a, mean)
	}
	return dual.New(l.State, &l.Binary.Of, a, r.R2, mean)
}

func (r *Run) switchToDual(l *Learner) {
	a := l.dualVariables()
	l.Newton = nil
	r.startDualFrom(l, a)
}
