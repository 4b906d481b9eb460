package kernelsvm

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The certificate is that of package certificate, with the sum of alpha*y*phi(x) as its vector u.
// All scores are known at the end of a pass, and from them |u|^2, the sum of alpha*y*score, and the
// losses, so the objective and the bound need no further kernel values. The scores come from
// rounded kernel values, and the bound is lowered by the effect that this may have: see errorBound.
// The Sigmoid kernel has no bound, since it is not an inner product.

// certified reports whether the alphas are dual variables that prove a lower bound. They are not
// after IID steps, where a row may be visited more often than once per epoch, or with the Sigmoid
// kernel.
func (r *run) certified() bool { return r.cfg.Order != pegasos.IID && r.cfg.Kernel != Sigmoid }

// averaged reports whether the model of p, if the run ended now, would be the mean of iterates.
func (r *run) averaged(p *problem) bool { return !r.dual && p.samples > 0 }

// tally holds sums over the rows of a problem, from which its objective and bounds are computed.
// The margins are those of the weight vector w. The sums alphas, square and squareError are not yet
// divided by the scale of alphas and scores.
type tally struct {
	alphas float64 // sum of alpha
	square float64 // sum of alpha*y*score, |w|^2 times the squared scale
	loss   float64 // sum of the hinge losses
	// bounds on the rounding errors of square and of loss
	squareError, lossError float64
	satisfiedError         float64 // sum of the error bounds of margins that are certainly at least 1
	// upper bound on the sum of the rows' duality gaps; valid if all alphas are in [0, 1] and the
	// model is made of them
	gap     float64
	margins []float64 // margin of each row
}

// tallyAlphas computes the tally of a problem's alphas and scores, which are scale times those of
// w. If mean is true, w is the mean of the iterates, otherwise the last iterate.
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

// alphaScore returns the alpha and the score of row i in the last iterate or, if mean is true, in
// the sum of the iterates to average.
func (p *problem) alphaScore(i int, mean bool) (a, score float64) {
	if mean {
		return float64(p.alpha[i]*p.invScaleSum) - p.alphaLag[i],
			float64(p.score[i]*p.invScaleSum) - p.scoreLag[i]
	}
	return p.alpha[i], p.score[i]
}

// add adds a row to the tally: a is its alpha, z its label times its score, and e an error bound of
// the score, all three multiplied by scale.
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

// rowGap returns an upper bound on a row's duality gap, its term in the number of rows times P - D.
// a is the row's alpha, in [0, 1], and margin its margin m, known up to an error e. The term is the
// loss max(0, 1-m), plus a*m for lambda |w|^2, half of which comes from P and half from D, minus a
// from D. That is (1-a)(1-m) for m < 1, and a(m-1) otherwise. So score errors do not count where a
// is 1 and the margin is below 1, or a is 0 and the margin is above 1.
func rowGap(a, margin, e float64) float64 {
	return max(float64((1-a)*((1-margin)+e)), float64(a*((margin-1)+e)))
}

// scoreErrors bounds the rounding errors of a problem's scores.
type scoreErrors struct {
	// bound64 bounds the errors of kernel values in scores that were recomputed in float64, bound
	// those of all other kernel values. weights64 and weights are the sums over the alphas that
	// multiply the kernel values of the one and of the other kind.
	bound, bound64     errorBound
	weights, weights64 weightSums
	sum                float64 // error of the summation of a score, relative to sqrt(k(x,x))
	terms              float64 // error of later sums over the rows, relative to each term
}

// of returns an error bound for the score of the row at store position pos.
func (o *scoreErrors) of(r *run, pos int, score float64) float64 {
	norm, square := r.norms[pos], r.store.squares[pos]
	return o.bound.sumError(&o.weights, norm, square) +
		o.bound64.sumError(&o.weights64, norm, square) +
		float64(o.sum*norm) + float64(o.terms*math.Abs(score))
}

// scoreErrors returns the error bounds of a problem's scores: of the mean of the iterates if mean
// is true, otherwise of the last iterate. A float64 score to which m updates were added is off by
// at most m roundings of its largest intermediate value. That value is at most the largest kernel
// value times the sum of the alphas. The sum is the number of violations or, in dual coordinate
// ascent, at most the number of rows.
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
		o.bound.product += 2 * more * unit // float32 rounding of the model's coefficients
		o.bound64.product += 2 * more * unit
	}
	if mean {
		weight = float64(weight * p.invScaleSum)
	}
	o.sum = float64(2*unit64*moves*weight*r.maxNorm) +
		float64(2*unit64*o.weights64.norm*float64(p.rows))
	return o
}

// scaleOf returns the scale of the current model. Its scores and alphas, divided by the scale, are
// scores and coefficients of w, up to sign.
func (r *run) scaleOf(p *problem) float64 {
	switch {
	case r.dual:
		return p.dualScale()
	case r.averaged(p):
		return float64(p.samples)
	}
	return p.scale()
}

// measureSteps computes the objective of a problem's last or mean iterate after an epoch, and
// raises the lower bound where the alphas prove a better one.
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

// errorsOf returns the error bounds of scores that are computed anew from the coefficients coef.
// values is the error bound of the kernel values. Later sums over the rows have a relative error of
// about term times the number of rows.
func (r *run) errorsOf(p *problem, coef []float64, values errorBound, term float64) *scoreErrors {
	o := &scoreErrors{bound: values, terms: term * float64(p.rows+2)}
	for i, a := range coef {
		if a != 0 {
			pos, _ := p.row(i)
			o.weights.add(math.Abs(a), r.norms[pos], r.store.squares[pos])
		}
	}
	o.sum = float64(2 * unit64 * float64(8+floats.CountNonzeros(coef)) * o.weights.norm)
	return o
}

// measureModel computes the objective of a problem from its float32 coefficients and their scores.
// If the objective is above 1, it multiplies the coefficients by the factor in [0, 1] that
// minimizes the objective, and rounds them to float32.
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

// tallyCoefficients computes the tally of a problem from coefficients, scores and the error bounds
// o of the scores. It multiplies all three by scale first.
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

// penalty returns lambda/2 |w|^2. square is the sum of alpha*y*score. There each alpha is scale
// times the coefficient of its row in w, up to sign, and each score is scale times the score of w.
func (p *problem) penalty(square, scale float64) float64 {
	return float64(p.lambda / 2 * square / scale / scale)
}

// measure returns the objective of a problem, and a bound on the error of that objective due to
// errors of the scores.
func (p *problem) measure(t *tally, scale float64) (objective, off float64) {
	n := float64(p.rows)
	objective = max(0, p.penalty(t.square, scale)) + t.loss/n
	return objective, p.penalty(t.squareError, scale) + t.lossError/n
}

// measureBest returns the objective of a problem and a bound on its error that includes all
// rounding errors. An objective above 1 is worse than that of w = 0. In this case measureBest sets
// p.factor to the factor in [0, 1] that minimizes the objective of factor*w, and returns that
// minimum; otherwise it sets p.factor to 1.
func (p *problem) measureBest(t *tally, scale float64) (objective, off float64) {
	n := float64(p.rows)
	objective, off = p.measure(t, scale)
	if p.factor = 1; objective > 1 {
		p.factor, objective = bestFactor(max(0, p.penalty(t.square, scale)), t.margins)
		off = float64(p.factor * (off + t.satisfiedError/n))
	}
	return objective, off + float64(4*unit64*n*objective)
}

// bestFactor returns the number in [0, 1] by which a model with the given penalty and margins has
// to be multiplied for the least objective, and that objective. It finds the zero of the derivative
// by bisection: the derivative increases with the factor.
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

// measureDual computes the objective and raises the lower bound after a pass of dual coordinate
// ascent. If the pass is the best so far, it stores the alphas, times p.factor, in p.best.
func (r *run) measureDual(p *problem) {
	scale := p.dualScale()
	t := r.tallyAlphas(p, false, scale)
	p.raiseLowerDual(&t)
	if p.rounded = p.penalty(t.square, scale)+t.loss/float64(p.rows) > 1; p.rounded {
		t = r.tallyAlphas(p, false, scale) // now with errors from rounding a multiple of the alphas
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

// measuredGap returns an upper bound on P - D, where D is the dual objective of the alphas. P must
// be the objective of the weight vector of these alphas.
func (p *problem) measuredGap(t *tally) float64 {
	n := float64(p.rows)
	return t.gap/n + float64(4*unit64*n*(t.gap/n+p.objective))
}

// raiseLower raises the lower bound on the optimum if the alphas, scaled to dual variables and
// multiplied by the best common factor in [0, 1], prove a higher one. t.alphas/alphaScale is the
// mean dual variable. t.square/squareScale is the penalty of the weight vector of the dual
// variables, with an error of at most t.squareError/squareScale.
func (p *problem) raiseLower(t *tally, alphaScale, squareScale float64) {
	mean, half := t.alphas/alphaScale, max(0, t.square/squareScale)
	off := t.squareError / squareScale
	computed, _ := certificate.Parabola(mean, half)
	p.rawLower = max(p.rawLower, computed)
	sum := float64(4*unit64*float64(p.rows)) * (mean + half)
	lower, _ := certificate.Parabola(mean, half+off+sum)
	p.lower = max(p.lower, lower-sum)
}

// raiseLowerDual is raiseLower for alphas that are dual variables in [0, 1].
func (p *problem) raiseLowerDual(t *tally) {
	n := float64(p.rows)
	p.raiseLower(t, n, 2*p.dualScale()*n)
}

// setBound sets the reported lower bound of a problem. It is at most the proven bound, and so low
// that the difference from the reported objective is large enough for the exact objective, too,
// which may be higher by objectiveError.
func (r *run) setBound(p *problem) {
	if p.bound = math.NaN(); r.certified() {
		own := p.objective - p.gap // bound by the model's own alphas, which verification can recompute
		if !(p.gapWith(own) <= r.cfg.Tol) {
			own = max(own, p.lower-p.objectiveError)
		}
		p.bound = max(0, min(p.lower, own))
	}
	if r.cfg.Kernel == Function && p.bound > p.objective {
		p.bound = math.NaN() // the caller's kernel is not an inner product
	}
}

// gapWith returns the relative gap that the problem would have with the given bound.
func (p *problem) gapWith(bound float64) float64 { return proof.Gap(p.objective, bound) }

// result returns the Result of the run so far.
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

// coefficients returns the coefficient of each row of a problem in the model so far.
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
