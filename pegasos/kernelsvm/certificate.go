package kernelsvm

import (
	"context"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The certificate is that of package certificate, with the sum of alpha*y*phi(x) as its vector u.
// From the scores follow |u|^2, the sum of alpha*y*score, and the losses, so the objective and the
// bound need no further kernel values. The scores come from rounded kernel values, and the bound is
// lowered by the effect that this may have: see errorBound. The Sigmoid kernel has no bound, since
// it is not an inner product, nor have IID steps, in which a row may be visited more often than
// once per epoch.

func (cfg Config) certified() bool { return cfg.Order != pegasos.IID && cfg.Kernel != Sigmoid }

// tally holds sums over the rows of a problem, from which its objective and bounds are computed.
// The margins are those of the weight vector w. The sums alphas, square and squareError are not yet
// divided by the scale of alphas and scores.
type tally struct {
	alphas float64 // sum of alpha
	square float64 // sum of alpha*y*score, |w|^2 times the squared scale
	loss   float64 // sum of the hinge losses
	// bounds on the rounding errors of square and of loss
	squareError, lossError float64
	// upper bound on the sum of the rows' duality gaps; valid if all alphas are in [0, 1] and the
	// model is made of them
	gap float64
}

// tally computes the tally of a problem from alphas and scores, which are scale times those of w,
// and the error bounds of the scores.
func (p *problem) tally(alpha, score []float64, scale float64, off *scoreErrors) (t tally) {
	for i, a := range alpha {
		pos, sign := p.row(i)
		z := float64(sign * score[i])
		e := off.of(p.set.norms[pos], p.set.store.squares[pos], z)
		t.alphas += a
		t.square += float64(a * z)
		t.squareError += float64(math.Abs(a) * e)
		margin := z / scale
		e /= scale
		t.loss += max(0, 1-margin)
		if margin-e < 1 {
			t.lossError += e
		}
		t.gap += rowGap(a, margin, e)
	}
	return t
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

// of returns an error bound for the score of a row x, where norm is sqrt(k(x,x)) and square the
// squared norm of x.
func (o *scoreErrors) of(norm, square, score float64) float64 {
	return o.bound.sumError(&o.weights, norm, square) +
		o.bound64.sumError(&o.weights64, norm, square) +
		float64(o.sum*norm) + float64(o.terms*math.Abs(score))
}

// scoreErrors returns the error bounds of the solver's scores. A float64 score to which m updates
// were added is off by at most m roundings of its largest intermediate value. That value is at most
// the largest kernel value times the sum of the alphas. The sum is the number of violations or, in
// dual coordinate ascent, at most the number of rows.
func (s *solver) scoreErrors() *scoreErrors {
	set := s.set
	o := &scoreErrors{bound: set.bound32, bound64: set.bound64,
		terms: 2 * unit64 * float64(s.rows+2)}
	for i, a := range s.alpha {
		pos, _ := s.row(i)
		norm, square := set.norms[pos], set.store.squares[pos]
		if s.alpha64 != nil {
			o.weights64.add(s.alpha64[i], norm, square)
			a = math.Abs(a - s.alpha64[i])
		}
		o.weights.add(a, norm, square)
	}
	weight, updates := float64(s.rows), float64(s.updates-s.recomputedAt+8)
	if !s.dual {
		weight = max(weight, float64(s.updates))
	}
	o.sum = float64(2*unit64*updates*weight*set.maxNorm) +
		float64(2*unit64*o.weights64.norm*float64(s.rows))
	return o
}

// errorsOf returns the error bounds of scores that are computed anew from the alphas. values is the
// error bound of the kernel values. Later sums over the rows have a relative error of about term
// times the number of rows.
func (p *problem) errorsOf(alpha []float64, values errorBound, term float64) *scoreErrors {
	o := &scoreErrors{bound: values, terms: term * float64(p.rows+2)}
	for i, a := range alpha {
		if a != 0 {
			pos, _ := p.row(i)
			o.weights.add(math.Abs(a), p.set.norms[pos], p.set.store.squares[pos])
		}
	}
	o.sum = float64(2 * unit64 * float64(8+floats.CountNonzeros(alpha)) * o.weights.norm)
	return o
}

// penalty returns lambda/2 |w|^2. square is the sum of alpha*y*score. There each alpha is scale
// times the coefficient of its row in w, up to sign, and each score is scale times the score of w.
func (p *problem) penalty(square, scale float64) float64 {
	return max(0, float64(p.lambda/2*square/scale/scale))
}

// measure returns the objective of a problem, and a bound on its rounding error.
func (p *problem) measure(t *tally, scale float64) (objective, off float64) {
	n := float64(p.rows)
	objective = p.penalty(t.square, scale) + t.loss/n
	off = p.penalty(t.squareError, scale) + t.lossError/n
	return objective, off + float64(4*unit64*n*objective)
}

// measuredGap returns an upper bound on P - D, where D is the dual objective of the alphas and P
// the objective of their weight vector.
func (p *problem) measuredGap(t *tally, objective float64) float64 {
	n := float64(p.rows)
	return t.gap/n + float64(4*unit64*n*(t.gap/n+objective))
}

// raiseLower raises the lower bound on the optimum if the alphas, scaled to dual variables and
// multiplied by the best common factor in [0, 1], prove a higher one. t.alphas/alphaScale is the
// mean dual variable. t.square/squareScale is the penalty of the weight vector of the dual
// variables, with an error of at most t.squareError/squareScale.
func (f *solution) raiseLower(t *tally, rows int, alphaScale, squareScale float64) {
	mean, half := t.alphas/alphaScale, max(0, t.square/squareScale)
	sum := float64(4*unit64*float64(rows)) * (mean + half)
	lower, _ := certificate.Parabola(mean, half+t.squareError/squareScale+sum)
	f.lower = max(f.lower, lower-sum)
}

// raiseLowerDual is raiseLower for alphas of p that are dual variables in [0, 1].
func (f *solution) raiseLowerDual(t *tally, p *problem) {
	n := float64(p.rows)
	f.raiseLower(t, p.rows, n, 2*p.dualScale()*n)
}

// setBound sets the reported lower bound. It is at most the proven bound, and so low that the
// difference from the reported objective is large enough for the exact objective, too, which may be
// higher by objectiveError.
func (f *solution) setBound(cfg Config) {
	if f.bound = math.NaN(); cfg.certified() {
		own := f.objective - f.gap // bound by the model's own alphas, which verification can recompute
		if !(proof.Gap(f.objective, own) <= cfg.Tol) {
			own = max(own, f.lower-f.objectiveError)
		}
		f.bound = max(0, min(f.lower, own))
	}
	if cfg.Kernel == Function && f.bound > f.objective {
		f.bound = math.NaN() // the caller's kernel is not an inner product
	}
}

// measureSteps sets the objective of the last iterate of Pegasos after an epoch, and raises the
// lower bound where the alphas prove a better one.
func (s *solver) measureSteps() {
	t := s.tally(s.alpha, s.score, s.scale(), s.scoreErrors())
	if s.cfg.certified() {
		e := float64(s.epochs) * float64(s.rows)
		s.raiseLower(&t, s.rows, e, e*e*(2*s.lambda))
	}
	s.objective, s.objectiveError = s.measure(&t, s.scale())
	s.setBound(s.cfg)
}

// measureDual sets the objective and the bound of the alphas of dual coordinate ascent.
func (s *solver) measureDual() {
	t := s.tally(s.alpha, s.score, s.dualScale(), s.scoreErrors())
	s.raiseLowerDual(&t, s.problem)
	s.objective, s.objectiveError = s.measure(&t, s.dualScale())
	s.gap = s.measuredGap(&t, s.objective)
	s.setBound(s.cfg)
}

// scores64 computes, in float64, the scores of all rows of the problem that a model with the
// coefficients coef, rounded to float32, predicts. If ctx is done early, the scores are incomplete.
func (s *solver) scores64(ctx context.Context, coef []float64) []float64 {
	set := s.set
	m := &Model{Classes: []float32{-1, 1}, Config: set.cfg, Func: set.function.f,
		counts: make([]int, 2), coef: [][][]float32{{nil}, {nil}}}
	rows, support := make([]int32, s.size), [2][]int32{}
	for i, a := range coef {
		pos, sign := s.row(i)
		rows[i] = set.store.at[pos]
		if a := float32(a); a != 0 {
			c := int(sign+1) / 2
			support[c] = append(support[c], rows[i])
			m.counts[c]++
			m.coef[c][0] = append(m.coef[c][0], a)
		}
	}
	m.rows = store.TakeMatrix(set.store.matrix, append(support[0], support[1]...))
	if m.prepare(); m.linear == nil {
		m.store.direct, m.general.direct = set.store.direct, set.store.direct
	}
	scores := make([]float64, s.size)
	m.scoreAll(ctx, set.store.matrix.Examples(), rows, s.threads, func(start int, some []float64) {
		copy(scores[start:], some)
	})
	return scores
}

const (
	maxVerifyCost = 1 << 27 // limit for optional recomputations, in multiplications; about 0.1 s
	// relative error bound up to which an objective is good enough without float64
	maxErrorShare = 1e-6
)

// worthFloat64 reports whether the objective has to be measured by measureModel: if it may be above
// 1, or if rounding errors may have changed it noticeably and the measurement is cheap.
func (s *solver) worthFloat64(coef []float64) bool {
	if s.objective+s.objectiveError > 1 {
		return true
	}
	width := 20 + s.set.store.meanStored // an exponential takes about as long as 20 multiplications
	switch {
	case s.cfg.Kernel == Linear:
		width = 0
	case s.set.store.words != nil:
		width = float64(s.set.store.width)
	}
	cost := float64(s.set.problems) * float64(s.rows*floats.CountNonzeros(coef)) * width
	return s.cfg.Kernel != Function && cost <= maxVerifyCost &&
		s.objectiveError > float64(maxErrorShare*s.objective)
}

// measureModel rounds the coefficients to float32 and sets the objective from float64 scores. If
// the objective is above 1, which is that of w = 0, it multiplies the coefficients by the factor in
// [0, 1] that minimizes the objective; if no rounded multiple is better than w = 0, they become 0.
func (s *solver) measureModel(coef []float64) {
	scale, alpha := s.dualScale(), make([]float64, len(coef))
	for round := 0; ; round++ {
		for i, a := range coef {
			_, sign := s.row(i)
			coef[i] = float64(float32(a))
			alpha[i] = float64(float64(sign*coef[i]) * scale)
		}
		score := s.scores64(context.Background(), coef)
		for i := range score {
			score[i] *= scale
		}
		t := s.tally(alpha, score, scale, s.errorsOf(alpha, s.set.bound64, 2*unit64))
		s.objective, s.objectiveError = s.measure(&t, scale)
		if s.objective <= 1 {
			break
		}
		factor := 0.0
		if round < maxRecomputations {
			factor = s.bestFactor(s.penalty(t.square, scale), score)
		}
		for i := range coef {
			coef[i] *= factor
		}
		if s.gap = math.Inf(1); factor == 0 {
			s.objective, s.objectiveError = 1, 0
			break
		}
	}
	s.setBound(s.cfg)
}

// bestFactor returns the number in [0, 1] by which a model has to be multiplied for the least
// objective, or 0 if no multiple is better than w = 0. penalty is the model's penalty, and score
// has dualScale times its scores. bestFactor finds the zero of the derivative by bisection: the
// derivative increases with the factor.
func (p *problem) bestFactor(penalty float64, score []float64) float64 {
	n, margins := float64(p.rows), make([]float64, len(score))
	for i, z := range score {
		_, sign := p.row(i)
		margins[i] = float64(sign*z) / p.dualScale()
	}
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
	if objective := float64(low*low*penalty) + loss/n; !(objective < 1) {
		return 0
	}
	return low
}
