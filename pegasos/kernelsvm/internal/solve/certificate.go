package solve

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// The certificate is that of package certificate, with the sum of alpha*y*phi(x) as its vector u.
// From the scores follow |u|^2, the sum of alpha*y*score, and the losses, so the objective and the
// bound need no further kernel values. The scores come from rounded kernel values, and the bound is
// lowered by the effect that this may have: see kernel.ErrorBound.

// weights is a weight vector w with its scores: the coefficient of row i is Sign[i]*alpha[i]/scale,
// and its score score[i]/scale.
type weights struct {
	alpha, score []float64
	scale        float64
}

// tally is sums over the rows of a problem, from which the objective of a weight vector and bounds
// are computed. alphas, square and squareError are not yet divided by the scale of the weights.
type tally struct {
	alphas float64 // sum of alpha
	square float64 // sum of alpha*y*score, |w|^2 times the squared scale
	loss   float64 // sum of the hinge losses
	// bounds on the rounding errors of square and of loss
	squareError, lossError float64
	// upper bound on the sum of the rows' duality gaps; valid if all alphas are dual variables
	gap float64
}

// tally returns the tally of w. off bounds the errors of its scores.
func (p *Problem) tally(w weights, off *scoreErrors) (t tally) {
	for i, a := range w.alpha {
		z := float64(p.Sign[i] * w.score[i])
		e := off.of(p.Rows, p.Pos[i], z)
		t.alphas += a
		t.square += float64(a * z)
		t.squareError += float64(math.Abs(a) * e)
		margin := z / w.scale
		e /= w.scale
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
	// bound and bound64 bound the errors of float32 and float64 kernel values in scores, and
	// weights and weights64 are sums over the alphas that multiply these values.
	bound, bound64     kernel.ErrorBound
	weights, weights64 kernel.WeightSums
	sum                float64 // error of the summation of a score, relative to sqrt(k(x,x))
	terms              float64 // error of later sums over the rows, relative to each term
}

// of returns an error bound for the score of row pos of rows.
func (o *scoreErrors) of(rows *kernel.Rows, pos int32, score float64) float64 {
	return o.bound.SumError(&o.weights, rows, pos) + o.bound64.SumError(&o.weights64, rows, pos) +
		float64(o.sum*rows.Norms[pos]) + float64(o.terms*math.Abs(score))
}

// errorsOf returns the errors of scores that were summed from kernel values with the error bound
// values, apart from those of the summation. For alphas from alpha64, which may be nil, the kernel
// values were float64. Later sums over the rows have a relative error of term times the number of
// rows.
func (p *Problem) errorsOf(alpha, alpha64 []float64, values kernel.ErrorBound, term float64) *scoreErrors {
	o := &scoreErrors{bound: values, bound64: p.Rows.Error64, terms: term * float64(p.N+2)}
	for i, a := range alpha {
		if alpha64 != nil {
			o.weights64.Add(p.Rows, p.Pos[i], alpha64[i])
			a -= alpha64[i]
		}
		o.weights.Add(p.Rows, p.Pos[i], math.Abs(a))
	}
	return o
}

// freshErrors returns the errors of scores that were computed anew from the alphas.
func (p *Problem) freshErrors(alpha []float64, values kernel.ErrorBound, term float64) *scoreErrors {
	o := p.errorsOf(alpha, nil, values, term)
	o.sum = float64(2 * kernel.Unit64 * float64(8+floats.CountNonzeros(alpha)) * o.weights.Norm)
	return o
}

// updatedErrors returns the errors of the solver's scores, to which the updates were added one by
// one. A float64 score to which m updates were added is off by at most m roundings of its largest
// intermediate value. That value is at most the largest kernel value times the sum of the alphas,
// weight.
func (s *solver) updatedErrors(alpha []float64, values kernel.ErrorBound, weight float64) *scoreErrors {
	o := s.errorsOf(alpha, s.alpha64, values, 2*kernel.Unit64)
	updates := float64(s.Updates - s.recomputedAt + 8)
	o.sum = float64(2*kernel.Unit64*updates*weight*s.Rows.MaxNorm) +
		float64(2*kernel.Unit64*o.weights64.Norm*float64(s.N))
	return o
}

// penalty returns lambda/2 |w|^2 for the sum of alpha*y*score of weights with the given scale.
func (p *Problem) penalty(square, scale float64) float64 {
	return max(0, float64(p.Lambda/2*square/scale/scale))
}

// setObjective sets the objective of weights with the given scale, and the bound on its error.
func (f *Solution) setObjective(p *Problem, t *tally, scale float64) {
	n := float64(p.N)
	f.Objective = p.penalty(t.square, scale) + t.loss/n
	f.objectiveError = p.penalty(t.squareError, scale) + t.lossError/n +
		float64(4*kernel.Unit64*n*f.Objective)
}

// setGap sets the gap of a solution whose alphas are dual variables.
func (f *Solution) setGap(p *Problem, t *tally) {
	n := float64(p.N)
	f.gap = t.gap/n + float64(4*kernel.Unit64*n*(t.gap/n+f.Objective))
}

// raiseLower raises the lower bound on the optimum if the alphas, divided by epochs to dual
// variables and multiplied by the best common factor in [0, 1], prove a higher one.
func (f *Solution) raiseLower(p *Problem, t *tally, epochs float64) {
	n := float64(epochs * float64(p.N))
	scale := float64(n * n * (2 * p.Lambda))
	mean, half := t.alphas/n, max(0, t.square/scale)
	sum := float64(4*kernel.Unit64*float64(p.N)) * (mean + half)
	lower, _ := certificate.Parabola(mean, half+t.squareError/scale+sum)
	f.lower = max(f.lower, lower-sum)
}

// setBound sets the reported lower bound, if set says that there is one. It is at most the proven
// bound, and so low that the difference from the reported objective is large enough for the
// exact objective, too, which may be higher by objectiveError.
func (f *Solution) setBound(p *Problem, set Settings) {
	if f.Bound = math.NaN(); set.Bounded {
		own := f.Objective - f.gap // bound by the model's own alphas, which verification can recompute
		if !(proof.Gap(f.Objective, own) <= set.Tol) {
			own = max(own, f.lower-f.objectiveError)
		}
		f.Bound = max(0, min(f.lower, own))
	}
	if p.Rows.Func != nil && f.Bound > f.Objective {
		f.Bound = math.NaN() // the caller's kernel is not an inner product
	}
}

// measureSteps sets the objective of the last iterate of Pegasos after an epoch, and raises the
// lower bound where the alphas prove a better one.
func (s *solver) measureSteps() {
	w := weights{s.alpha, s.score, s.scale()}
	t := s.tally(w, s.updatedErrors(s.alpha, s.Rows.Error, float64(max(int64(s.N), s.Updates))))
	if s.Bounded {
		s.raiseLower(s.Problem, &t, float64(s.Epochs))
	}
	s.setObjective(s.Problem, &t, w.scale)
	s.setBound(s.Problem, s.Settings)
}

// measureMean sets the objective of w, the model of Pegasos with coefficients rounded to float32.
func (s *solver) measureMean(w weights) {
	weight := float64(max(int64(s.N), s.Updates))
	if s.samples > 0 {
		weight = float64(weight * s.invScaleSum)
	}
	t := s.tally(w, s.updatedErrors(w.alpha, s.Rows.Error.WithRoundedWeights(), weight))
	s.setObjective(s.Problem, &t, w.scale)
	s.setBound(s.Problem, s.Settings)
}

// measureDual sets the objective and the bound of the alphas of dual coordinate ascent.
func (s *solver) measureDual(w weights) {
	t := s.tally(w, s.updatedErrors(w.alpha, s.Rows.Error, float64(s.N)))
	s.raiseLower(s.Problem, &t, 1)
	s.setObjective(s.Problem, &t, w.scale)
	s.setGap(s.Problem, &t)
	s.setBound(s.Problem, s.Settings)
}

// coefficients returns the coefficients of w.
func (p *Problem) coefficients(w weights) []float64 {
	coef := make([]float64, len(w.alpha))
	for i, a := range w.alpha {
		coef[i] = float64(p.Sign[i]*a) / w.scale
	}
	return coef
}

func toFloat32(coef []float64) []float32 {
	all := make([]float32, len(coef))
	for i, a := range coef {
		all[i] = float32(a)
	}
	return all
}

// model returns the weights of the coefficients coef, which are float32 numbers, with float64
// scores: those that a model with these coefficients predicts. If ctx is done early, the scores are
// incomplete.
func (p *Problem) model(ctx context.Context, coef []float64, threads int) weights {
	w := weights{make([]float64, len(coef)), make([]float64, len(coef)), p.dualScale()}
	at := make([]uint32, len(coef))
	var support []int32
	var some []float32
	for i, a := range coef {
		at[i] = uint32(p.Rows.At[p.Pos[i]])
		w.alpha[i] = float64(float64(p.Sign[i]*a) * w.scale)
		if a != 0 {
			support, some = append(support, p.Pos[i]), append(some, float32(a))
		}
	}
	e := p.Rows.Expand(support, some)
	e.ScoreAll(ctx, store.Subset(p.Rows.Matrix, at), threads, func(start int, scores []float64) {
		for i, z := range scores {
			w.score[start+i] = float64(z * w.scale)
		}
	})
	return w
}

const (
	maxVerifyCost = 1 << 27 // limit for optional recomputations, in multiplications; about 0.1 s
	// relative error bound up to which an objective is good enough without float64
	maxErrorShare = 1e-6
	// maxRecomputations limits the float64 recomputations of a problem's scores.
	maxRecomputations = 4
)

// needsFloat64 reports whether the scores have to be recomputed in float64, because rounding errors
// of kernel values make up much of the gap or leave no lower bound. raw is the gap without rounding
// errors.
func (s *solver) needsFloat64(gap, raw float64) bool {
	return s.Rows.Func == nil && s.recomputations < maxRecomputations &&
		(s.recomputations == 0 || s.Updates > s.recomputedAt) &&
		(s.lower == 0 || gap-raw > s.Tol/4)
}

// recompute recomputes the scores of w, the solver's weights, in float64.
func (s *solver) recompute(ctx context.Context, w weights) {
	exact := s.model(ctx, s.coefficients(w), len(s.workers))
	if ctx.Err() != nil {
		return
	}
	copy(s.score, exact.score)
	s.alpha64, s.recomputedAt = slices.Clone(s.alpha), s.Updates
	s.recomputations++
}

// worthFloat64 reports whether the objective has to be measured by float64 scores: if it may be
// above 1, or if rounding errors may have changed it noticeably and the measurement is cheap.
func (s *solver) worthFloat64(coef []float64) bool {
	if s.Objective+s.objectiveError > 1 {
		return true
	}
	cost := float64(s.Problems) * float64(s.N*floats.CountNonzeros(coef)) * s.Rows.Cost()
	return s.Rows.Func == nil && cost <= maxVerifyCost &&
		s.objectiveError > float64(maxErrorShare*s.Objective)
}

// measureModel rounds the coefficients to float32 and sets the objective from float64 scores, where
// that is worth it. If the objective is above 1, which is that of w = 0, it multiplies the
// coefficients by the factor in [0, 1] that minimizes the objective; if no rounded multiple is
// better than w = 0, they become 0.
func (s *solver) measureModel(coef []float64) {
	if !s.worthFloat64(coef) {
		return
	}
	for round := 0; ; round++ {
		for i, a := range coef {
			coef[i] = float64(float32(a))
		}
		w := s.model(context.Background(), coef, len(s.workers))
		t := s.tally(w, s.freshErrors(w.alpha, s.Rows.Error64, 2*kernel.Unit64))
		if s.setObjective(s.Problem, &t, w.scale); s.Objective <= 1 {
			break
		}
		factor := 0.0
		if round < maxRecomputations {
			factor = s.bestFactor(s.penalty(t.square, w.scale), w)
		}
		for i := range coef {
			coef[i] *= factor
		}
		if s.gap = math.Inf(1); factor == 0 {
			s.Objective, s.objectiveError = 1, 0
			break
		}
	}
	s.setBound(s.Problem, s.Settings)
}

// bestFactor returns the number in [0, 1] by which w has to be multiplied for the least objective,
// or 0 if no multiple is better than w = 0. penalty is the penalty of w. bestFactor finds the zero of
// the derivative by bisection: the derivative increases with the factor.
func (p *Problem) bestFactor(penalty float64, w weights) float64 {
	n, margins := float64(p.N), make([]float64, len(w.score))
	for i, z := range w.score {
		margins[i] = float64(p.Sign[i]*z) / w.scale
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

// Remeasure returns the objective and a lower bound for the coefficients coef, and how far the
// objective may be from the one that training computed. Of set it uses Bounded and Tol. For the
// bound it clamps coefficients whose dual variables are outside [0, 1].
func (p *Problem) Remeasure(ctx context.Context, coef []float64, set Settings, threads int) (
	f Solution, off float64) {
	f = p.unsolved()
	measure := func(w weights, values kernel.ErrorBound) tally {
		t := p.tally(w, p.freshErrors(w.alpha, values, 4*kernel.Unit64))
		f.setObjective(p, &t, w.scale)
		return t
	}
	w := p.model(ctx, coef, threads)
	measure(w, p.Rows.Error.WithRoundedWeights())
	off = f.objectiveError
	t := measure(w, p.Rows.Error64)
	objective, objectiveError := f.Objective, f.objectiveError
	f.setGap(p, &t)
	if slices.Min(w.alpha) < 0 || slices.Max(w.alpha) > 1 {
		f.gap = math.Inf(1)
		for i, a := range w.alpha {
			coef[i] = float64(p.Sign[i]*roundAlpha(max(0, min(a, 1)), w.scale)) / w.scale
		}
		t = measure(p.model(ctx, coef, threads), p.Rows.Error64)
	}
	f.raiseLower(p, &t, 1)
	f.Objective, f.objectiveError = objective, objectiveError
	f.setBound(p, set)
	return f, 2*off + 1e-12 + f.objectiveError
}
