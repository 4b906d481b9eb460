package kernelsvm

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The certificate is that of certificate.go, whose u is here a sum of alpha*y*phi(x): as every
// row's score is known at the end of a pass, so are |u|^2, the sum of alpha*y*score, and the
// losses, and the objective and the bound take no kernel values. The scores are those of kernel
// values as they were computed, and the bound is lowered by what that may have done: see rounding.
// With a kernel that is no inner product there is no bound.

// certified reports whether the alphas give a bound.
func (r *run) certified() bool { return r.cfg.Order != pegasos.IID && r.cfg.Kernel != Sigmoid }

// averaged reports whether the model of this moment has the mean over iterates.
func (r *run) averaged(p *problem) bool { return !r.dual && p.samples > 0 }

// A tally is sums over the rows of a problem.
type tally struct {
	alphas float64
	square float64 // alpha*y times the score
	loss   float64
	// what the roundings of scores may have done to the last two
	squareOff, lossOff float64
	restOff            float64 // to margins so large that it makes no difference
	// Of alphas in [0, 1] that are the model's too: the most that the gap can be, see gapAt.
	gap float64
}

// sums adds up over the rows of problem k, scores being divided by scale; of the mean over iterates
// if mean is true.
func (r *run) sums(k int, mean bool, scale float64) (t tally) {
	p := r.problems[k]
	off := r.scoreErrors(k, mean)
	for c := range r.groups {
		g, s := &r.groups[c], r.slot(k, c)
		if s == nil {
			continue
		}
		for i, score := range s.score {
			a := s.alpha[i]
			if mean {
				score = float64(score*p.sum) - s.late[i]
				a = float64(a*p.sum) - s.lateAlpha[i]
			}
			z := float64(s.sign * score)
			t.add(a, z, off.at(r.roots[g.start+i], r.store.squares[g.start+i], z), scale)
		}
	}
	return t
}

// add adds a row: its alpha, y times its score, and how far the score may be off.
func (t *tally) add(a, z, e, scale float64) {
	t.alphas += a
	t.square += float64(a * z)
	t.squareOff += float64(math.Abs(a) * e)
	margin, e := z/scale, e/scale
	t.loss += max(0, 1-margin)
	if margin-e < 1 {
		t.lossOff += e
	} else {
		t.restOff += e
	}
	t.gap += gapAt(a, margin, e)
}

// gapAt returns the most that a row can add to the gap if its margin is within e of what it seems.
// The row's part of the objective is max(0, 1-m), of |w|^2 in both the objective and the bound a*m,
// and of the bound a: together (1-a)(1-m) for m < 1 and a(m-1) above. So the roundings of scores
// don't count where a is 1 and the row errs, or a is 0 and it does not.
func gapAt(a, margin, e float64) float64 {
	return max(float64((1-a)*((1-margin)+e)), float64(a*((margin-1)+e)))
}

// A scoreErrors bounds the errors of a problem's scores.
type scoreErrors struct {
	// the roundings of the values in scores since they were last found in float64, and of those
	fresh, wide     rounding
	freshOn, wideOn weighing
	sum             float64 // the roundings of the sum, relative to the root of k(x,x)
	terms           float64 // those of sums over the rows, relative to their terms
}

func (o *scoreErrors) at(root, square, score float64) float64 {
	return o.fresh.error(&o.freshOn, root, square) + o.wide.error(&o.wideOn, root, square) +
		float64(o.sum*root) + float64(o.terms*math.Abs(score))
}

// scoreErrors returns the errors of problem k's scores. A sum of m moves of alphas in float64 is
// off by m roundings of what it was on its way, which is never more than the largest kernel value
// times the alphas' sum: that of the violations, and no more than one for each row in the finish.
func (r *run) scoreErrors(k int, mean bool) *scoreErrors {
	p := r.problems[k]
	o := &scoreErrors{fresh: r.fresh, wide: r.wide, terms: 2 * unit64 * float64(p.rows+2)}
	for c := range r.groups {
		g, s := &r.groups[c], r.slot(k, c)
		if s == nil {
			continue
		}
		for i, a := range s.alpha {
			root, square := r.roots[g.start+i], r.store.squares[g.start+i]
			if mean {
				a = float64(a*p.sum) - s.lateAlpha[i]
			}
			if s.wide != nil {
				o.wideOn.add(math.Abs(s.wide[i]), root, square)
				a -= s.wide[i]
			}
			o.freshOn.add(math.Abs(a), root, square)
		}
	}
	weight, moves := float64(p.rows), float64(p.violations-p.settled+8)
	if !r.dual {
		weight = max(weight, float64(p.violations))
	}
	if !r.dual || p.rounded {
		o.fresh.product += 2 * more * unit // of the coefficients
		o.wide.product += 2 * more * unit
	}
	if mean {
		weight = float64(weight * p.sum)
	}
	o.sum = float64(2*unit64*moves*weight*r.root) + float64(2*unit64*o.wideOn.root*float64(p.rows))
	return o
}

// measureSteps finds the objective of problem k's iterate, or of their mean, and the best bound,
// after an epoch.
func (r *run) measureSteps(k int) {
	p := r.problems[k]
	n := float64(p.rows)
	t := r.sums(k, false, p.scale())
	if r.certified() {
		e := float64(r.epoch) * n
		over := e * e * (2 * p.lambda)
		p.raise(n, t.alphas/e, t.square/over, t.squareOff/over)
	}
	scale := p.scale()
	if r.averaged(p) {
		scale = float64(p.samples)
		t = r.sums(k, true, scale)
	}
	margins := func() []float64 { return r.margins(k, scale) }
	p.objective, p.off = r.objective(k, &t, scale, margins)
	p.gap = math.Inf(1)
	r.setBound(p)
}

// errorsOf returns the errors of scores that were found from coefficients of problem k and from
// values with the given roundings, each of whose terms is rounded by a multiple of unit64.
func (r *run) errorsOf(k int, coef classValues, values rounding, term float64) *scoreErrors {
	o := &scoreErrors{fresh: values, terms: term * float64(r.problems[k].rows+2)}
	moves := 8
	r.eachCoefficient(k, coef, func(c, i int, a *float64) {
		if *a != 0 {
			place := r.groups[c].start + i
			o.freshOn.add(math.Abs(*a), r.roots[place], r.store.squares[place])
			moves++
		}
	})
	o.sum = float64(2 * unit64 * float64(moves) * o.freshOn.root)
	return o
}

// measureModel finds the objective of problem k from float32 coefficients and their scores. Where
// it is above 1 the coefficients become those of a multiple, rounded again.
func (r *run) measureModel(k int, coef, scores classValues) {
	p := r.problems[k]
	o := r.errorsOf(k, coef, r.wide, 2*unit64)
	t, margins := r.tallyModel(k, coef, scores, o)
	if float64(p.lambda/2*t.square)+t.loss/float64(p.rows) > 1 {
		o.fresh.product += 2 * more * unit
		t, margins = r.tallyModel(k, coef, scores, o)
	}
	p.objective, p.off = r.objective(k, &t, 1, func() []float64 { return margins })
	if p.factor != 1 {
		p.gap = math.Inf(1)
		r.eachCoefficient(k, coef, func(_, _ int, a *float64) {
			*a = float64(float32(float64(*a * p.factor)))
		})
	}
	r.setBound(p)
}

// tallyModel adds up over the rows of problem k, and returns their margins.
func (r *run) tallyModel(k int, coef, scores classValues, o *scoreErrors) (t tally,
	margins []float64) {
	r.eachCoefficient(k, coef, func(c, i int, a *float64) {
		place, sign := r.groups[c].start+i, r.slot(k, c).sign
		z := float64(sign * scores[c][r.slotOf(k, c)][i])
		t.add(float64(sign**a), z, o.at(r.roots[place], r.store.squares[place], z), 1)
		margins = append(margins, z)
	})
	return t, margins
}

// eachCoefficient calls f for each row i of each class c of problem k.
func (r *run) eachCoefficient(k int, coef classValues, f func(c, i int, a *float64)) {
	for c := range r.groups {
		if at := r.slotOf(k, c); at >= 0 {
			for i := range coef[c][at] {
				f(c, i, &coef[c][at][i])
			}
		}
	}
}

// objective returns the objective of a problem, and how far from it the roundings may have put it.
// If it is above 1, that of w = 0, the model is given up for the best multiple of it.
func (r *run) objective(k int, t *tally, scale float64,
	margins func() []float64) (objective, off float64) {
	p := r.problems[k]
	n := float64(p.rows)
	penalty := max(0, float64(p.lambda/2*t.square/scale/scale))
	objective, p.factor = penalty+t.loss/n, 1
	off = float64(p.lambda/2*t.squareOff/scale/scale) + t.lossOff/n
	if objective > 1 {
		p.factor, objective = bestFactor(penalty, margins())
		off = float64(p.factor * (off + t.restOff/n))
	}
	return objective, off + float64(4*unit64*n*objective)
}

// margins returns those of the rows of problem k.
func (r *run) margins(k int, scale float64) []float64 {
	p := r.problems[k]
	margins, mean := make([]float64, 0, p.rows), r.averaged(p)
	for c := range r.groups {
		s := r.slot(k, c)
		if s == nil {
			continue
		}
		for i, score := range s.score {
			if mean {
				score = float64(score*p.sum) - s.late[i]
			}
			margins = append(margins, float64(s.sign*score)/scale)
		}
	}
	return margins
}

// bestFactor returns the factor, from 0 to 1, times which a model with the given penalty and
// margins has the least objective, and that objective. It looks for where the slope, which
// ascends, is 0.
func bestFactor(penalty float64, margins []float64) (factor, objective float64) {
	n := float64(len(margins))
	low, high := 0.0, 1.0
	for range 40 {
		f := (low + high) / 2
		gain := 0.0
		for _, m := range margins {
			if float64(f*m) < 1 {
				gain += m
			}
		}
		if float64(2*f*penalty) < gain/n {
			low = f
		} else {
			high = f
		}
	}
	loss := 0.0
	for _, m := range margins {
		loss += max(0, 1-float64(low*m))
	}
	if objective = float64(low*low*penalty) + loss/n; !(objective < 1) {
		return 0, 1
	}
	return low, objective
}

// measureDual finds the same after a pass of the finish, and keeps the best pass.
func (r *run) measureDual(k int) {
	p := r.problems[k]
	n := float64(p.rows)
	scale := p.dualScale()
	t := r.sums(k, false, scale)
	over := 2 * scale * n
	p.raise(n, t.alphas/n, t.square/over, t.squareOff/over)
	if p.rounded = float64(p.lambda/2*t.square/scale/scale)+t.loss/n > 1; p.rounded {
		t = r.sums(k, false, scale) // of a multiple of the alphas, which is rounded again
	}
	margins := func() []float64 { return r.margins(k, scale) }
	if objective, off := r.objective(k, &t, scale, margins); objective < p.objective {
		p.objective, p.off, p.gap = objective, off, math.Inf(1)
		if p.factor == 1 {
			p.gap = t.gap/n + float64(4*unit64*n*(t.gap/n+objective))
		}
		for c := range r.groups {
			if s := r.slot(k, c); s != nil {
				for i, a := range s.alpha {
					s.best[i] = storable(float64(a*p.factor), scale)
				}
			}
		}
	}
	r.setBound(p)
}

// raise raises the lower bound on the optimum, if it can, to the largest s*mean - s^2*half for s
// from 0 to 1, where half may be off. So s times the alphas are dual variables as well.
func (p *problem) raise(n, mean, half, off float64) {
	best := func(half float64) float64 {
		if mean >= 2*half {
			return mean - half
		}
		return mean * mean / (4 * half)
	}
	half = max(0, half)
	p.computed = max(p.computed, best(half))
	sum := float64(4*unit64*n) * (mean + half)
	p.lower = max(p.lower, best(half+off+sum)-sum)
}

// setBound sets the bound that is told: no more than the lower bound on the optimum, and so far
// below the objective that the exact one, which may be above it by off, is not further above the
// optimum.
func (r *run) setBound(p *problem) {
	if p.bound = math.NaN(); r.certified() {
		own := p.objective - p.gap // by the model's own alphas, which verification finds again
		if !(p.gapTo(own) <= r.cfg.Tol) {
			own = max(own, p.lower-p.off)
		}
		p.bound = max(0, min(p.lower, own))
	}
	if r.cfg.Kernel == Function && p.bound > p.objective {
		p.bound = math.NaN() // it is no inner product
	}
}

// gapTo returns the gap that the problem would have with the given bound.
func (p *problem) gapTo(bound float64) float64 { return proof.Gap(p.objective, bound) }

// result returns what is known at this moment.
func (r *run) result() Result {
	res := Result{Steps: r.t, Epochs: float64(r.t) / float64(r.rows), Passes: r.pass}
	var sum, bound float64
	for _, p := range r.problems {
		res.Violations += p.violations
		res.R2 += p.r2 / float64(len(r.problems))
		res.T0 += p.t0 / float64(len(r.problems))
		sum += p.objective
		bound += p.bound
		res.PerProblem = append(res.PerProblem, ProblemResult{p.objective, p.bound})
	}
	n := float64(len(r.problems))
	res.Objective, res.DualObjective = sum/n, bound/n
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
	return res
}

// weights writes the coefficients of a slot's rows to dst: what their kernel is multiplied by.
func (r *run) weights(s *classState, dst []float64) {
	p := r.problems[s.problem]
	if r.dual {
		scale := p.dualScale()
		for i, a := range s.best {
			dst[i] = float64(s.sign*a) / scale
		}
		return
	}
	scale := p.scale()
	if r.averaged(p) {
		scale = float64(p.samples)
	}
	for i, a := range s.alpha {
		if r.averaged(p) {
			a = float64(a*p.sum) - s.lateAlpha[i]
		}
		if dst[i] = 0; a != 0 {
			dst[i] = float64(s.sign*a*p.factor) / scale
		}
	}
}
