package kernelsvm

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The certificate is that of package certificate, whose u is here a sum of alpha*y*phi(x): as every
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
	squareError, lossError float64
	satisfiedError         float64 // to margins so large that it makes no difference
	// Of alphas in [0, 1] that are the model's too: the most that the gap can be, see gapAt.
	gap     float64
	margins []float64
}

// sums adds up over the rows of a problem, scores being divided by scale; of the mean over iterates
// if mean is true.
func (r *run) tallyAlphas(p *problem, mean bool, scale float64) (t tally) {
	off := r.scoreErrors(p, mean)
	for i := range p.score {
		pos, sign := p.row(i)
		a, score := p.alphaScore(i, mean)
		z := float64(sign * score)
		t.add(a, z, off.of(r, pos, z), scale)
	}
	return t
}

// at returns the alpha and the score of row i, in the iterate or in their mean.
func (p *problem) alphaScore(i int, mean bool) (a, score float64) {
	if mean {
		return float64(p.alpha[i]*p.invScaleSum) - p.alphaLag[i],
			float64(p.score[i]*p.invScaleSum) - p.scoreLag[i]
	}
	return p.alpha[i], p.score[i]
}

// add adds a row: its alpha, y times its score, and how far the score may be off.
func (t *tally) add(a, z, e, scale float64) {
	t.alphas += a
	t.square += float64(a * z)
	t.squareError += float64(math.Abs(a) * e)
	margin, e := z/scale, e/scale
	t.loss += max(0, 1-margin)
	if margin-e < 1 {
		t.lossError += e
	} else {
		t.satisfiedError += e
	}
	t.gap += rowGap(a, margin, e)
	t.margins = append(t.margins, margin)
}

// gapAt returns the most that a row can add to the gap if its margin is within e of what it seems.
// The row's part of the objective is max(0, 1-m), of |w|^2 in both the objective and the bound a*m,
// and of the bound a: together (1-a)(1-m) for m < 1 and a(m-1) above. So the roundings of scores
// don't count where a is 1 and the row errs, or a is 0 and it does not.
func rowGap(a, margin, e float64) float64 {
	return max(float64((1-a)*((1-margin)+e)), float64(a*((margin-1)+e)))
}

// A scoreErrors bounds the errors of a problem's scores.
type scoreErrors struct {
	// the roundings of the values in scores since they were last found in float64, and of those
	bound, bound64     errorBound
	weights, weights64 weightSums
	sum                float64 // the roundings of the sum, relative to the root of k(x,x)
	terms              float64 // those of sums over the rows, relative to their terms
}

// at returns that of a row.
func (o *scoreErrors) of(r *run, pos int, score float64) float64 {
	norm, square := r.norms[pos], r.store.squares[pos]
	return o.bound.sumError(&o.weights, norm, square) + o.bound64.sumError(&o.weights64, norm, square) +
		float64(o.sum*norm) + float64(o.terms*math.Abs(score))
}

// scoreErrors returns the errors of a problem's scores. A sum of m moves of alphas in float64 is
// off by m roundings of what it was on its way, which is never more than the largest kernel value
// times the alphas' sum: that of the violations, and no more than one for each row in the finish.
func (r *run) scoreErrors(p *problem, mean bool) *scoreErrors {
	o := &scoreErrors{bound: r.bound32, bound64: r.bound64, terms: 2 * unit64 * float64(p.rows+2)}
	for i := range p.alpha {
		a, _ := p.alphaScore(i, mean)
		pos, _ := p.row(i)
		norm, square := r.norms[pos], r.store.squares[pos]
		if p.alpha64 != nil {
			o.weights64.add(math.Abs(p.alpha64[i]), norm, square)
			a -= p.alpha64[i]
		}
		o.weights.add(math.Abs(a), norm, square)
	}
	weight, moves := float64(p.rows), float64(p.violations-p.recomputedAt+8)
	if !r.dual {
		weight = max(weight, float64(p.violations))
	}
	if !r.dual || p.rounded {
		o.bound.product += 2 * more * unit // of the coefficients
		o.bound64.product += 2 * more * unit
	}
	if mean {
		weight = float64(weight * p.invScaleSum)
	}
	o.sum = float64(2*unit64*moves*weight*r.maxNorm) +
		float64(2*unit64*o.weights64.norm*float64(p.rows))
	return o
}

// scaleOf returns what the scores and alphas of the model have to be divided by.
func (r *run) scaleOf(p *problem) float64 {
	switch {
	case r.dual:
		return p.dualScale()
	case r.averaged(p):
		return float64(p.samples)
	}
	return p.scale()
}

// measureSteps finds the objective of a problem's iterate, or of their mean, and the best bound,
// after an epoch.
func (r *run) measureSteps(p *problem) {
	t := r.tallyAlphas(p, false, p.scale())
	if r.certified() {
		e := float64(r.epoch) * float64(p.rows)
		p.raiseLower(&t, e, e*e*(2*p.lambda))
	}
	if r.averaged(p) {
		t = r.tallyAlphas(p, true, r.scaleOf(p))
	}
	p.objective, p.objectiveError = p.measureBest(&t, r.scaleOf(p))
	p.gap = math.Inf(1)
	r.setBound(p)
}

// errorsOf returns the errors of scores that were found from coefficients of a problem and from
// values with the given roundings, each of whose terms is rounded by a multiple of unit64.
func (r *run) errorsOf(p *problem, coef []float64, values errorBound, term float64) *scoreErrors {
	o := &scoreErrors{bound: values, terms: term * float64(p.rows+2)}
	for i, a := range coef {
		if a != 0 {
			pos, _ := p.row(i)
			o.weights.add(math.Abs(a), r.norms[pos], r.store.squares[pos])
		}
	}
	o.sum = float64(2 * unit64 * float64(8+countNonzeros(coef)) * o.weights.norm)
	return o
}

// measureModel finds the objective of a problem from float32 coefficients and their scores. Where
// it is above 1 the coefficients become those of a multiple, rounded again.
func (r *run) measureModel(p *problem, coef, scores []float64) {
	o := r.errorsOf(p, coef, r.bound64, 2*unit64)
	t := r.tallyCoefficients(p, coef, scores, o, 1)
	if p.penalty(t.square, 1)+t.loss/float64(p.rows) > 1 {
		o.bound.product += 2 * more * unit
		t = r.tallyCoefficients(p, coef, scores, o, 1)
	}
	p.objective, p.objectiveError = p.measureBest(&t, 1)
	if p.factor != 1 {
		p.gap = math.Inf(1)
		for i, a := range coef {
			coef[i] = float64(float32(float64(a * p.factor)))
		}
	}
	r.setBound(p)
}

// tally adds up over the rows of a problem, from coefficients and scores with the given errors that
// are multiplied by scale.
func (r *run) tallyCoefficients(p *problem, coef, scores []float64, o *scoreErrors,
	scale float64) (t tally) {
	for i, a := range coef {
		pos, sign := p.row(i)
		z := float64(sign * scores[i])
		e := float64(o.of(r, pos, z) * scale)
		t.add(float64(float64(sign*a)*scale), float64(z*scale), e, scale)
	}
	return t
}

// penalty returns that of a sum of alpha*y times the score.
func (p *problem) penalty(square, scale float64) float64 {
	return float64(p.lambda / 2 * square / scale / scale)
}

// measure returns the objective of a problem, and how far from it the roundings of scores may have
// put it.
func (p *problem) measure(t *tally, scale float64) (objective, off float64) {
	n := float64(p.rows)
	objective = max(0, p.penalty(t.square, scale)) + t.loss/n
	return objective, p.penalty(t.squareError, scale) + t.lossError/n
}

// choose returns the same with all roundings. If the objective is above 1, that of w = 0, the model
// is given up for the best multiple of it.
func (p *problem) measureBest(t *tally, scale float64) (objective, off float64) {
	n := float64(p.rows)
	objective, off = p.measure(t, scale)
	if p.factor = 1; objective > 1 {
		p.factor, objective = bestFactor(max(0, p.penalty(t.square, scale)), t.margins)
		off = float64(p.factor * (off + t.satisfiedError/n))
	}
	return objective, off + float64(4*unit64*n*objective)
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
func (r *run) measureDual(p *problem) {
	scale := p.dualScale()
	t := r.tallyAlphas(p, false, scale)
	p.raiseLowerDual(&t)
	if p.rounded = p.penalty(t.square, scale)+t.loss/float64(p.rows) > 1; p.rounded {
		t = r.tallyAlphas(p, false, scale) // of a multiple of the alphas, which is rounded again
	}
	if objective, off := p.measureBest(&t, scale); objective < p.objective {
		p.objective, p.objectiveError, p.gap = objective, off, math.Inf(1)
		if p.factor == 1 {
			p.gap = p.measuredGap(&t)
		}
		for i, a := range p.alpha {
			p.best[i] = roundAlpha(float64(a*p.factor), scale)
		}
	}
	r.setBound(p)
}

// ownGap returns the most that the gap can be by the alphas, which are the model's.
func (p *problem) measuredGap(t *tally) float64 {
	n := float64(p.rows)
	return t.gap/n + float64(4*unit64*n*(t.gap/n+p.objective))
}

// raise raises the lower bound on the optimum, if it can, with the mean alpha, t.alphas/all, and
// the penalty of the alphas' w, t.square/over, which may be off by t.squareOff/over. The alphas are
// multiplied by the best factor from 0 to 1.
func (p *problem) raiseLower(t *tally, all, over float64) {
	mean, half, off := t.alphas/all, max(0, t.square/over), t.squareError/over
	computed, _ := proof.Parabola(mean, half)
	p.rawLower = max(p.rawLower, computed)
	sum := float64(4*unit64*float64(p.rows)) * (mean + half)
	lower, _ := proof.Parabola(mean, half+off+sum)
	p.lower = max(p.lower, lower-sum)
}

// raiseDual is raise by dual variables.
func (p *problem) raiseLowerDual(t *tally) {
	n := float64(p.rows)
	p.raiseLower(t, n, 2*p.dualScale()*n)
}

// setBound sets the bound that is told: no more than the lower bound on the optimum, and so far
// below the objective that the exact one, which may be above it by off, is not further above the
// optimum.
func (r *run) setBound(p *problem) {
	if p.bound = math.NaN(); r.certified() {
		own := p.objective - p.gap // by the model's own alphas, which verification finds again
		if !(p.gapWith(own) <= r.cfg.Tol) {
			own = max(own, p.lower-p.objectiveError)
		}
		p.bound = max(0, min(p.lower, own))
	}
	if r.cfg.Kernel == Function && p.bound > p.objective {
		p.bound = math.NaN() // it is no inner product
	}
}

// gapTo returns the gap that the problem would have with the given bound.
func (p *problem) gapWith(bound float64) float64 { return proof.Gap(p.objective, bound) }

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

// weights returns the coefficients of a problem's rows, by which their kernel is multiplied.
func (r *run) coefficients(p *problem) []float64 {
	all := make([]float64, len(p.alpha))
	for i := range all {
		_, sign := p.row(i)
		if r.dual {
			all[i] = float64(sign*p.best[i]) / p.dualScale()
		} else if a, _ := p.alphaScore(i, r.averaged(p)); a != 0 {
			all[i] = float64(sign*a*p.factor) / r.scaleOf(p)
		}
	}
	return all
}
