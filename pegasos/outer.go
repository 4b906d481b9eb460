package pegasos

import (
	"cmp"
	"context"
	"math"
)

// outerRuns is the number of runs in a search for the bias: some to find an interval that has it,
// and the rest cut that by 0.38 each.
const outerRuns = 20

// A search is a golden section search for the bias b of one weight vector. The least objective for
// a given b is convex in b; what a run attains of it is nearly so, for all runs visit the rows in
// the same order. The slope, which could be had too, is no help: its sign is that of the run's
// error where the run is short.
type search struct {
	b, step     float64 // the next to try, and how far to go on where the objective still falls
	left, right float64 // between which the optimum is; infinite as long as that isn't known

	// The best so far.
	tried     bool
	objective float64
	bias      float64 // the b
	total     float64 // the model's: with the prior's
	w         []float32
	result    ClassResult
}

// move takes the objective that was attained with b into account, and chooses the next b.
func (s *search) move(c ClassResult, w []float32, total float64) {
	last := s.b
	if !s.tried || c.Objective < s.objective {
		if s.tried && last > s.bias {
			s.left = s.bias
		} else if s.tried {
			s.right = s.bias
		}
		s.objective, s.bias, s.total, s.w, s.result = c.Objective, last, total, w, c
	} else if last > s.bias {
		s.right = last
	} else {
		s.left = last
	}
	first := !s.tried
	s.tried = true
	const golden = 0.3819660112501051
	switch {
	case first:
		s.b = s.bias + s.step
	case math.IsInf(s.right, 1):
		s.step *= 2
		s.b = s.bias + s.step
	case math.IsInf(s.left, -1):
		s.b = s.bias - s.step
		s.step *= 2
	case s.right-s.bias > s.bias-s.left:
		s.b = s.bias + float64(golden*(s.right-s.bias))
	default:
		s.b = s.bias - float64(golden*(s.bias-s.left))
	}
}

// outer trains with a fixed bias again and again, and returns for each weight vector the best
// found.
func (tr *Trainer) outer(ctx context.Context, x Examples, y []float32) (*Model, error) {
	if tr.Start != nil {
		return nil, badField("Start", "it can't be used with Bias %q, which takes many runs",
			BiasOuter)
	}
	if tr.KeepState || tr.Resume != nil || tr.Pause != 0 {
		return nil, badField("Bias", "have %q, which takes many runs: they can't be paused "+
			"or resumed", BiasOuter)
	}
	inner := *tr
	inner.Progress, inner.Fingerprint = inTurn(outerRuns, tr.Progress), false
	var searches []search
	var best *Model
	for run := range outerRuns {
		s, err := newSession(x, y, &inner)
		if err != nil {
			return nil, err
		}
		inner.until = nil // from now on there is a model
		var problems []*problem
		var places []int // in the model
		for _, r := range s.runs {
			for k, p := range r.problems {
				problems, places = append(problems, p), append(places, r.first+k)
			}
		}
		for k, p := range problems {
			if len(searches) < len(problems) {
				searches = append(searches, p.newSearch())
			}
			p.setFixed(searches[k].b)
			p.recent = nil // it would be a bound for this bias only
		}
		m, stopped, err := s.finish(ctx)
		if err != nil {
			return nil, err
		}
		if stopped {
			best = cmp.Or(best, m)
			best.Result.unmeasure()
			return best, ctx.Err()
		}
		best = m
		best.Result.Objective, best.Result.Violations = 0, 0
		for k := range searches {
			s := &searches[k]
			at := places[k]
			// The bias is not always the fixed one: see centre.
			s.move(m.Result.PerClass[at], m.Weights[at], m.Bias[at])
			best.Weights[at], best.Bias[at], best.Result.PerClass[at] = s.w, s.total, s.result
			best.Result.Objective += s.objective
			best.Result.Violations += s.result.Violations
		}
		best.Result.Objective /= float64(len(searches))
		if tr.Fingerprint && run == outerRuns-1 {
			best.Data = s.data.fingerprint(s.threads)
		}
	}
	return best, nil
}

// unmeasure says that the objectives are not known.
func (r *Result) unmeasure() {
	r.Objective, r.DualObjective, r.Gap = math.NaN(), math.NaN(), math.NaN()
	for k := range r.PerClass {
		c := &r.PerClass[k]
		c.Objective, c.DualObjective = math.NaN(), math.NaN()
	}
}

// newSearch starts at 0, or at the mean of the numbers to predict, with steps of their spread.
func (p *problem) newSearch() search {
	start, step := 0.0, 1.0
	if p.target != nil {
		var n, sum, squares float64
		for j := range p.count() {
			i := p.row(j)
			n += p.share(i)
			sum += float64(p.share(i) * float64(p.target[i]))
		}
		start = sum / n
		for j := range p.count() {
			i := p.row(j)
			d := float64(p.target[i]) - start
			squares += float64(p.share(i) * float64(d*d))
		}
		if step = math.Sqrt(squares / n); step == 0 {
			step = 1
		}
	}
	return search{b: start, step: step, left: math.Inf(-1), right: math.Inf(1)}
}

// setFixed adds b to all scores.
func (p *problem) setFixed(b float64) {
	p.priorBias[0] += b
	if p.priorScores == nil {
		p.priorScores = make([]float64, p.x.Rows())
	}
	for i := range p.priorScores {
		p.priorScores[i] += b
	}
}
