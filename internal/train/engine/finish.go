package engine

import (
	"cmp"

	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file is which solver a run begins with, and when another takes over at the end of an epoch.

// newtonBegins is how often a problem may begin with Newton's method.
const newtonBegins = 2

// An autoFinish is what FinishAuto goes by.
type autoFinish struct {
	density store.Density
	columns int  // that are not empty
	newton  bool // Newton's method may be taken: there are few columns, and memory for it
}

// MayNewton reports whether problems of the session may have Newton's method.
func (s *Session) MayNewton() bool {
	return s.Finish == settings.FinishNewton || s.Finish == settings.FinishAuto && s.auto.newton ||
		s.looks
}

// cost is that of one of the run's problems.
func (r *Run) cost() choose.Cost {
	return choose.CostOf(r.s.Kind(), float64(r.Count()), float64(r.s.auto.columns),
		r.s.auto.density)
}

const (
	tooMany = 8  // times the passes that a run has: so many of the descent would be no use
	slow    = 20 // passes of the descent, from which on its last iterate is not good in between
)

// plan chooses what the run's problems begin with.
func (r *Run) plan() error {
	if !r.s.Finishes() {
		return nil
	}
	total, err := r.s.Length(r.Count())
	if err != nil {
		return err
	}
	norm, c := r.R2/float64(r.Lambda*float64(r.Count())), r.cost()
	passes := choose.Passes(r.s.Kind(), norm, cmp.Or(r.s.Tol, 0.01))
	switch r.s.Finish {
	case settings.FinishDual:
		r.descends = true
	case settings.FinishAuto:
		r.newtonSoon = r.s.auto.newton && c.Newton <= float64(passes*c.Pass)
		r.descends = !r.newtonSoon && r.s.CanDescend() &&
			float64(passes*float64(r.Count())) <= float64(tooMany*float64(total))
	}
	r.means = r.s.Average == settings.LastHalf && (r.s.Kind().Traits().Kinks || passes > slow)
	return nil
}

// newtonPays reports whether it is time for Newton's method to take over a problem of a run with
// FinishAuto: after the first epoch where it is to begin, or when the descent has cost as much.
func (r *Run) newtonPays(l *Learner) bool {
	if !r.s.auto.newton || l.begins >= newtonBegins {
		return false
	}
	if l.phase() == descending {
		c := r.cost()
		return float64(float64(l.Dual.Save().Pass)*c.Pass) >= c.Newton
	}
	return l.begins == 0
}

// goOn is called at the end of each epoch of the run, when its steps are taken.
func (r *Run) goOn() {
	var others []*Learner
	var working []*newton.Method
	for _, l := range r.Learners {
		switch {
		case l.Newton == nil:
			others = append(others, l)
		case l.works() && l.Err == nil:
			working = append(working, l.Newton.Method)
		}
	}
	threads := r.threads * r.inner
	parallel.For(threads, len(others), func(_, i int) { r.finishEpoch(others[i]) })
	newton.Iterate(working, threads)
}

// finishEpoch begins a learner's finish if it is due.
func (r *Run) finishEpoch(l *Learner) {
	switch {
	case l.Err != nil || l.T >= l.Total || !r.s.Finishes():
	case r.s.Finish == settings.FinishNewton && l.phase() != descending,
		r.s.Finish == settings.FinishAuto && r.newtonPays(l):
		r.startNewton(l, l.T)
	}
}

// startNewton makes Newton's method take over a learner after step t, from the steps or from the
// descent. It uses the weights of that moment.
func (r *Run) startNewton(l *Learner, t int64) {
	n := &newtonPart{start: t, dual: l.Dual != nil}
	pool := &r.s.Newtons
	n.Method = newton.New(pool, r.s.Tol, func() *newton.Problem { return l.ForNewton(pool, t) })
	l.begins++
	l.Newton, l.Dual, l.Recent = n, nil, nil
}
