package pegasos

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/parallel"
)

// This file is how Newton's method is a part of a run: when it takes over, what happens at the end
// of each epoch, and when all of its problems are done.

// width returns the first width of the zone, and the least there may be. It is chosen such that a
// part of the rows is in the zone, and at least some for each variable.
func (n *newton) width() (h, least float64) {
	if !n.p.cost.Kind.Traits().Kinks {
		return 1, 1
	}
	const sample = 2048
	rows := len(n.rows)
	step := max(1, rows/sample)
	var away []float64
	for j := 0; j < rows; j += step {
		away = append(away, n.p.cost.FromKink(n.m[j]))
	}
	slices.Sort(away)
	most := away[len(away)-1]
	inside := max(0.15*float64(rows), float64(min(3*len(n.v), rows-1)))
	h = 2 * away[min(len(away)-1, int(inside/float64(step)))]
	h = max(h, 1e-4*min(most, 1))
	if !(h > 0) || math.IsInf(h, 0) {
		h = 1
	}
	return h, 0x1p-40 * h
}

// iterating reports whether Newton's method is at work on a problem of the run.
func (p *problem) iterating() bool { return p.newton != nil && p.newton.state == newtonWorks }

// newtonPerVector is what Newton's method keeps of a problem, in floats for each feature.
const newtonPerVector = 8

// newtonMemory estimates the bytes of the buffers for so many problems at a time: the sums and
// their factor, packed rows, and 36 bytes a row.
func (s *session) newtonMemory(at float64) float64 {
	if !s.mayNewton() {
		return 0
	}
	d := float64(s.data.x.Cols() + 1)
	rounded := d + 32                 // up to whole tiles
	packed := 4 * gramBlock * rounded // of which the sums have two or more
	panels := 3*packed + min(4<<20, 14*packed)
	return at * (float64(12*rounded*rounded) + panels + float64(36*len(s.data.y)))
}

// togetherMemory estimates what so many problems have together: directions, and where the rows are
// bytes copies of them and the sums.
func (s *session) togetherMemory(vectors float64) float64 {
	if !s.mayNewton() {
		return 0
	}
	rows, cols := float64(len(s.data.y)), float64(s.data.x.Cols()+1)
	directions := min(vectors, float64(newtonTogether)) * (4*rows + 16*cols)
	if _, flat := s.cfg.cost().Flat(); !flat || s.data.weight != nil || s.cfg.ClassWeight != "" {
		return directions
	}
	copies := min(float64(s.data.x.Size()), rows*cols)
	return directions + copies +
		min(float64(pixelsKept), vectors*float64(newtonPixelBytes(int(cols))))
}

// readyNewtons repeats what Newton's method had done when the run was paused. It reports whether it
// came to the end of that.
func (s *session) readyNewtons() bool {
	s.parallel(func(_ int, r *run) {
		parallel.For(r.threads, len(r.problems), func(_, k int) {
			if n := r.problems[k].newton; n != nil {
				n.ready()
			}
		})
	})
	return !s.cut()
}

// cut reports whether an iteration was left half way.
func (s *session) cut() bool {
	for _, r := range s.runs {
		for _, p := range r.problems {
			if p.newton != nil && p.newton.cut.Load() {
				return true
			}
		}
	}
	return false
}

// goOn is called at the end of each epoch of the run, when its steps are taken.
func (r *run) goOn() {
	var at []int
	var working []*newton
	for k, p := range r.problems {
		switch {
		case p.newton == nil:
			at = append(at, k)
		case p.iterating() && p.err == nil:
			working = append(working, p.newton)
		}
	}
	all := r.threads * max(1, r.inner)
	parallel.For(all, len(at), func(_, i int) { r.finishEpoch(r.problems[at[i]]) })
	r.iterate(working, all)
}

// finishEpoch begins a problem's finish if it is due.
func (r *run) finishEpoch(p *problem) {
	if p.err != nil {
		return
	}
	switch {
	case p.t >= p.total:
	case r.cfg.Finish == FinishNewton:
		if p.ascent == nil {
			p.startNewton(r.cfg, p.t, &r.data.newtons)
		}
	case r.cfg.Finish == FinishAuto && r.newtonPays(p):
		p.startNewton(r.cfg, p.t, &r.data.newtons)
	case p.ascent == nil && r.cfg.canAscend() && p.prior == nil:
		poor := p.startAscent(r.cfg, r.epoch, r.r2)
		if c := r.predicted(); poor && r.data.auto.newton && c.newton <= poorEpochs*c.epoch {
			p.startNewton(r.cfg, p.t, &r.data.newtons)
		}
	}
}

// endNewton takes the problem over to the dual, which begins with what Newton's method has found.
func (p *problem) endNewton() {
	n := p.newton
	a := &ascent{w: vectors(1, len(p.v)), b: make([]float64, 1), alpha: n.shares()}
	n.result(a.w[0], &a.b[0])
	for _, i := range n.rows {
		a.alpha[i] = float32(float64(a.alpha[i]) * p.share(int(i)))
	}
	p.newton = nil
	p.setAscent(a, p.t)
	p.sumUp()
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
	s.data.until = s.data.newtons.until
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
			p.newton.retry()
			if p.newton.state == newtonStuck && r.cfg.canAscend() && p.prior == nil {
				p.endNewton()
			}
			some = some || p.newton == nil || p.newton.state == newtonWorks
		}
	}
	return some
}
