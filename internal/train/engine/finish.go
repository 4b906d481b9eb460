package engine

import (
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file is how runs go on after their first epoch: when a dual ascent or Newton's method takes
// over, and what happens at the end of each epoch.

const (
	// autoGap is the share of P that P - D has to be below before FinishAuto begins the dual; see
	// docs/benchmarks.md.
	autoGap = 0.7
	// soonEpochs is how many epochs of the dual Newton's method may cost to begin at once,
	// poorEpochs the same where the bound says that the dual will be slow, and aloneEpochs where
	// there is no dual, so that steps alone would have to find the proof.
	soonEpochs  = 40
	poorEpochs  = 150
	aloneEpochs = 400
	// newtonBegins is how often a problem may begin with Newton's method.
	newtonBegins = 2
)

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

// mayAscend reports whether the run's problems may have a dual ascent.
func (r *Run) mayAscend() bool { return r.s.CanAscend() && r.s.Prior == nil }

// cost is that of one of the run's problems.
func (r *Run) cost() choose.Cost {
	return choose.CostOf(r.s.Kind(), float64(r.Count()), float64(r.s.auto.columns),
		r.s.auto.density)
}

// newtonSoon reports whether Newton's method is so cheap that FinishAuto begins with it.
func (r *Run) newtonSoon() bool {
	if r.s.Finish != settings.FinishAuto || !r.s.auto.newton {
		return false
	}
	soon := float64(soonEpochs)
	if !r.mayAscend() {
		soon = aloneEpochs
	}
	c := r.cost()
	return c.Newton <= float64(soon*c.Epoch)
}

// newtonPays reports whether it is time for Newton's method to take over a problem of a run with
// FinishAuto: at once where it is cheap, or after half of what it costs.
func (r *Run) newtonPays(l *Learner) bool {
	if !r.s.auto.newton || l.begins >= newtonBegins {
		return false
	}
	spent := float64(r.Epoch)
	if l.phase() == ascending {
		spent = float64(l.Ascent.Save().Pass)
	} else if l.begins == 0 && r.newtonSoon() {
		return true
	}
	c := r.cost()
	return float64(spent*c.Epoch) >= c.Newton/2
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
	case r.s.Finish == settings.FinishNewton && l.phase() != ascending,
		r.s.Finish == settings.FinishAuto && r.newtonPays(l):
		r.startNewton(l, l.T)
	case r.s.Finish != settings.FinishNewton && l.phase() == stepping && r.mayAscend():
		within := 0.0
		if r.s.Finish == settings.FinishAuto {
			// The answer takes about as long as an epoch: it is asked for after 1, 2, 4, 8 and so on.
			if r.Epoch&(r.Epoch-1) != 0 {
				return
			}
			within = autoGap
		}
		c := r.cost()
		if !l.StartAscent(r.R2, within) && r.s.auto.newton && c.Newton <= poorEpochs*c.Epoch {
			r.startNewton(l, l.T)
		}
	}
}

// startNewton makes Newton's method take over a learner after step t, from the steps or from an
// ascent. It uses the weights of that moment.
func (r *Run) startNewton(l *Learner, t int64) {
	n := &newtonPart{start: t}
	if l.Ascent != nil {
		n.dual = l.Ascent.Save().Start
	}
	pool := &r.s.Newtons
	n.Method = newton.New(pool, r.s.Tol, func() *newton.Problem { return l.ForNewton(pool, t) })
	l.begins++
	l.Newton, l.Ascent, l.Recent = n, nil, nil
}
