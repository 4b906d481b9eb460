package engine

import (
	"cmp"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file chooses the solver that a run begins with, and switches solvers at the end of an epoch.

// maxNewtonStarts is the largest number of times that FinishAuto starts Newton's method on a
// problem.
const maxNewtonStarts = 2

// autoInputs are the properties of the data from which FinishAuto chooses solvers. They are zero
// unless FinishAuto may use Newton's method.
type autoInputs struct {
	density store.Density
	columns int  // number of nonempty columns, or of all columns if that is unknown
	newton  bool // FinishAuto may use Newton's method: see autoMayUseNewton
}

// MayUseNewton reports whether the session may use Newton's method: to train, or to find a lower
// bound in Verify.
func (s *Session) MayUseNewton() bool {
	return s.Finish == settings.FinishNewton || s.Finish == settings.FinishAuto && s.auto.newton ||
		s.verifyByNewton
}

const (
	// maxDescentRatio is the largest ratio of the estimated passes of dual coordinate descent to the
	// passes of the run at which FinishAuto chooses dual coordinate descent.
	maxDescentRatio = 8
	// slowDescentPasses is the estimated number of passes above which the result of dual coordinate
	// descent is an average for smooth losses too, if Average is LastHalf. For losses with kinks it
	// then always is.
	slowDescentPasses = 20
)

// plan says which solver a session begins with, and related choices. It depends only on the
// settings, the data and, with FinishAuto, MaxMemory.
type plan struct {
	newton         bool // Finish is FinishAuto, and Newton's method has the least estimated cost
	startsWithDual bool // the problems begin with dual coordinate descent, without Pegasos steps
	averages       bool // dual coordinate descent returns the average over its last pass
}

// choosePlan chooses the solver that all problems begin with. It estimates the solvers' costs for
// an average problem: one with the mean number of rows per problem, and with rows whose mean
// squared norm is the mean over all rows.
func (s *Session) choosePlan() (p plan) {
	if !s.HasSolver() {
		return p
	}
	rows, norms := 0.0, 0.0
	for i, norm := range s.Rows.Norms {
		if w := s.Rows.Weight; w == nil || w[i] > 0 {
			rows++
			norms += float64(norm)
		}
	}
	r2 := norms/rows + float64(s.BiasScale*s.BiasScale)
	total := s.Rows.Total()
	if s.pairs() {
		rows *= 2 / float64(len(s.Rows.Classes))
		total *= 2 / float64(len(s.Rows.Classes))
	}
	lambda, _ := options.LambdaFor(s.Settings.Lambda, s.C, total)
	length := cmp.Or(float64(s.Steps)/rows, float64(s.Epochs))
	auto := s.Finish == settings.FinishAuto
	work := choose.Work{Loss: s.Kind(), Problems: 1, Rows: rows, Columns: float64(s.auto.columns),
		R2: r2, Density: s.auto.density, Newton: auto && s.auto.newton, Descent: s.CanDescend()}
	estimate := work.To(cmp.Or(s.Tol, 0.01), lambda)
	p.newton = estimate.Newton
	p.startsWithDual = s.Finish == settings.FinishDual || auto && !p.newton && work.Descent &&
		estimate.Passes <= float64(maxDescentRatio*length)
	p.averages = s.Average == settings.LastHalf &&
		(s.Kind().Traits().Kinks || estimate.Passes > slowDescentPasses)
	return p
}

// newtonPays reports whether FinishAuto should switch l from another solver to Newton's method. It
// returns false if FinishAuto may not use Newton's method, or has started it on l maxNewtonStarts
// times. Otherwise the solver of l decides. From Pegasos steps, l switches if Newton's method was
// never started on it. From dual coordinate descent, l switches once the descent has cost as much
// as Newton's method is estimated to cost.
func (r *Run) newtonPays(l *Learner) bool {
	if !r.s.auto.newton || l.newtonStarts >= maxNewtonStarts {
		return false
	}
	if l.phase() == descending {
		c := choose.CostOf(r.s.Kind(), float64(r.Count()), float64(r.s.auto.columns),
			r.s.auto.density)
		return float64(float64(l.Dual.Save().Pass)*c.Pass) >= c.Newton
	}
	return l.newtonStarts == 0
}

// advanceSolvers must be called at the end of each epoch. It switches learners to Newton's method
// when that is due, and takes one iteration of Newton's method on learners that had switched
// before.
func (r *Run) advanceSolvers() {
	var others []*Learner
	var working []*newton.Method
	for _, l := range r.Learners {
		switch {
		case l.Newton == nil:
			others = append(others, l)
		case l.newtonActive() && l.Err == nil:
			working = append(working, l.Newton.Method)
		}
	}
	threads := r.threads * r.innerThreads
	parallel.For(threads, len(others), func(_, i int) { r.startNewtonIfDue(others[i]) })
	newton.Iterate(working, threads)
}

// startNewtonIfDue switches l to Newton's method: with FinishNewton from Pegasos steps, and with
// FinishAuto if newtonPays returns true. It does nothing after an error or at the end of the run.
func (r *Run) startNewtonIfDue(l *Learner) {
	switch {
	case l.Err != nil || l.T >= l.Total || !r.s.HasSolver():
	case r.s.Finish == settings.FinishNewton && l.phase() != descending,
		r.s.Finish == settings.FinishAuto && r.newtonPays(l):
		r.startNewton(l, l.T)
	}
}

// startNewton switches l to Newton's method after step t, from Pegasos steps or from dual
// coordinate descent. Newton's method starts from the weights after step t.
func (r *Run) startNewton(l *Learner, t int64) {
	n := &newtonPart{start: t, afterDual: l.Dual != nil}
	pool := &r.s.Newtons
	n.Method = newton.New(pool, r.s.Tol, func() *newton.Problem { return l.ForNewton(pool, t) })
	l.newtonStarts++
	l.Newton, l.Dual, l.Windows = n, nil, nil
}
