package engine

import (
	"cmp"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file chooses the solver that a run begins with, and when another takes over at the end of an
// epoch.

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

const (
	tooMany = 8  // times the passes of a run: a descent that takes more would be no use
	slow    = 20 // passes of the descent, beyond which its last iterate is not good in between
)

// A plan is what the problems of a session begin with. It goes by the settings and the data alone.
type plan struct {
	newton   bool // FinishAuto begins with Newton's method, after an epoch of steps
	descends bool // the problems begin with the dual descent
	means    bool // the descent's result is the mean of its last pass
}

// planned chooses what the problems begin with, all with the same: by the rows of a problem in the
// mean, and the mean of all rows' squared norms.
func (s *Session) planned() (p plan) {
	if !s.Finishes() {
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
	way := work.To(cmp.Or(s.Tol, 0.01), lambda)
	p.newton = way.Newton
	p.descends = s.Finish == settings.FinishDual || auto && !p.newton && work.Descent &&
		way.Passes <= float64(tooMany*length)
	p.means = s.Average == settings.LastHalf && (s.Kind().Traits().Kinks || way.Passes > slow)
	return p
}

// newtonPays reports whether it is time for Newton's method to take over a problem of a run with
// FinishAuto: after the first epoch where it is to begin, or when the descent has cost as much.
func (r *Run) newtonPays(l *Learner) bool {
	if !r.s.auto.newton || l.begins >= newtonBegins {
		return false
	}
	if l.phase() == descending {
		c := choose.CostOf(r.s.Kind(), float64(r.Count()), float64(r.s.auto.columns),
			r.s.auto.density)
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
