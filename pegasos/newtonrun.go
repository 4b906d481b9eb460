package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

// This file is how Newton's method is a part of a run: when it takes over, what happens at the end
// of each epoch, and when all of its problems are done.

// A newtonPart is the part of a problem's run in which Newton's method takes the place of the
// steps.
type newtonPart struct {
	*newton.Method
	start int64 // the step after which it began
	dual  int64 // the step after which the ascent had begun that came before; 0 for none
}

// startNewton makes Newton's method take over after step t, from the steps or from an ascent. It
// uses the weights of that moment.
func (p *problem) startNewton(cfg Config, t int64, pool *newton.Pool) {
	n := &newtonPart{start: t}
	if p.ascent != nil {
		n.dual = p.ascent.From
	}
	n.Method = newton.New(pool, cfg.Tol, func() *newton.Problem { return p.forNewton(pool, t) })
	p.newtons++
	p.newton, p.ascent, p.Recent = n, nil, nil
}

// forNewton returns the problem as Newton's method takes it, with the weights of step t. Copies of
// the data's rows are in another order: where they are of most rows, those of the data are read
// instead. The results are the same bits.
func (p *problem) forNewton(pool *newton.Pool, t int64) *newton.Problem {
	p.WidenPrior()
	rows := p.Ranked()
	n := &newton.Problem{Loss: p.Of.Cost, Lambda: p.Lambda, Cols: len(p.V), Beta: p.BiasScale,
		Free: p.Free, Rows: rows, X: p.X, At: rows, Name: p.Name, Weight: p.Weight,
		AtZero: p.Of.AtZero}
	if p.Free {
		n.Beta = 1
	}
	if p.Names != nil && 2*len(rows) > pool.X.Rows() {
		n.X, n.At = pool.X.ForWorker(), make([]uint32, len(rows))
		for j, i := range rows {
			n.At[j] = uint32(p.Name(i))
		}
	}
	n.Side = make([]int8, len(rows))
	for j, i := range rows {
		side, _ := p.Of.Label(i)
		n.Side[j] = int8(side)
	}
	if p.Target != nil || p.Prior != nil {
		n.Target = func(i uint32) float64 { return p.Of.WideTarget(int(i)) }
	}
	n.Start = func() ([]float32, float64) {
		s := p.State
		s.T = t
		w, b := iterate.Zeros(1, len(p.V)), make([]float64, 1)
		s.Weights(w, b)
		return w[0], b[0]
	}
	return n
}

// newtonShares returns the dual variables that Newton's method has found.
func (p *problem) newtonShares() []float32 {
	a := make([]float32, p.X.Rows())
	p.newton.Shares(a)
	return a
}

// iterating reports whether Newton's method is at work on a problem of the run.
func (p *problem) iterating() bool { return p.newton != nil && p.newton.Works() }

// newtonMemory estimates the bytes of the buffers for so many problems at a time.
func (s *session) newtonMemory(at float64) float64 {
	if !s.mayNewton() {
		return 0
	}
	return newton.Memory(at, len(s.data.Y), s.data.X.Cols())
}

// togetherMemory estimates what so many problems have together.
func (s *session) togetherMemory(vectors float64) float64 {
	if !s.mayNewton() {
		return 0
	}
	_, flat := s.cfg.cost().Flat()
	flat = flat && s.data.Weight == nil && s.cfg.ClassWeight == ""
	return newton.SharedMemory(vectors, len(s.data.Y), s.data.X.Cols(), s.data.X.Size(), flat)
}

// readyNewtons repeats what Newton's method had done when the run was paused. It reports whether it
// came to the end of that.
func (s *session) readyNewtons() bool {
	s.parallel(func(_ int, r *run) {
		parallel.For(r.threads, len(r.problems), func(_, k int) {
			if n := r.problems[k].newton; n != nil {
				n.Ready()
			}
		})
	})
	return !s.cut()
}

// cut reports whether an iteration was left half way.
func (s *session) cut() bool {
	for _, r := range s.runs {
		for _, p := range r.problems {
			if p.newton != nil && p.newton.Cut() {
				return true
			}
		}
	}
	return false
}

// goOn is called at the end of each epoch of the run, when its steps are taken.
func (r *run) goOn() {
	var at []int
	var working []*newton.Method
	for k, p := range r.problems {
		switch {
		case p.newton == nil:
			at = append(at, k)
		case p.iterating() && p.Err == nil:
			working = append(working, p.newton.Method)
		}
	}
	all := r.threads * max(1, r.inner)
	parallel.For(all, len(at), func(_, i int) { r.finishEpoch(r.problems[at[i]]) })
	newton.Iterate(working, all)
}

// finishEpoch begins a problem's finish if it is due.
func (r *run) finishEpoch(p *problem) {
	if p.Err != nil {
		return
	}
	switch {
	case p.T >= p.Total:
	case r.cfg.Finish == FinishNewton:
		if p.ascent == nil {
			p.startNewton(r.cfg, p.T, &r.data.newtons)
		}
	case r.cfg.Finish == FinishAuto && r.newtonPays(p):
		p.startNewton(r.cfg, p.T, &r.data.newtons)
	case p.ascent == nil && r.cfg.canAscend() && p.Prior == nil:
		poor := p.startAscent(r.cfg, r.epoch, r.r2)
		if c := r.predicted(); poor && r.data.auto.newton && c.newton <= poorEpochs*c.epoch {
			p.startNewton(r.cfg, p.T, &r.data.newtons)
		}
	}
}

// endNewton takes the problem over to the dual, which begins with what Newton's method has found.
func (p *problem) endNewton() {
	alpha, w, b := p.newtonShares(), iterate.Zeros(1, len(p.V)), make([]float64, 1)
	b[0] = p.newton.Result(w[0])
	for j := range p.Count() {
		i := p.Row(j)
		alpha[i] = float32(float64(alpha[i]) * p.Share(i))
	}
	p.newton = nil
	p.ascent = dual.New(&p.State, &p.Of, alpha, p.T, w, b)
	p.ascent.SumUp()
}

// mayNewton reports whether problems of the session may have Newton's method.
func (s *session) mayNewton() bool {
	return s.cfg.Finish == FinishNewton || s.cfg.Finish == FinishAuto && s.data.auto.newton
}

// endsByItself reports whether the run has an end of its own before the last epoch: where Newton's
// method is done with all problems. It is enough then without Config.Tol, and else if the gap is
// small enough. What is not goes on. Where some problems have other ways, at is false.
func (s *session) endsByItself() (at, enough bool) {
	if !s.mayNewton() {
		return false, false
	}
	iterating, others := false, false
	for _, r := range s.runs {
		for _, p := range r.problems {
			// With FinishNewton there is nothing to be tested before it begins.
			before := p.newton == nil && p.ascent == nil
			iterating = iterating || p.iterating() || before && s.cfg.Finish == FinishNewton
			others = others || p.newton == nil
		}
	}
	switch {
	case iterating && (s.cfg.Finish == FinishNewton || !others):
		return true, false
	case others:
		return false, false
	case s.cfg.Tol == 0:
		return true, true
	}
	m := s.model()
	s.data.until = s.data.newtons.Until
	s.measure(m, exact)
	s.undecided, s.data.until = s.data.over(), nil
	if s.undecided {
		return true, false
	}
	if m.Result.Gap <= s.cfg.Tol {
		s.proven = m
		return true, true
	}
	return true, !s.retry(m)
}

// retry makes the problems go on whose gap is too large, as they were measured in m. It reports
// whether there are any that can.
func (s *session) retry(m *Model) (some bool) {
	for _, r := range s.runs {
		for k, p := range r.problems {
			if p.newton == nil || p.iterating() {
				continue
			}
			c := m.Result.PerClass[r.first+k]
			if c.Objective-c.DualObjective <= float64(s.cfg.Tol*c.DualObjective) {
				continue
			}
			p.newton.Retry()
			if p.newton.Stuck() && r.cfg.canAscend() && p.Prior == nil {
				p.endNewton()
			}
			some = some || p.newton == nil || p.newton.Works()
		}
	}
	return some
}
