package solve

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// Package certificate describes the certificate; here its vector u is the sum of alpha*y*phi(x).
// |u|^2 is the sum of alpha*y*score. The bound is lowered by the largest effect of the rounding
// errors: see kernel.ErrorBound.

// alphas, square and squareError are not divided by the scale of the weights.
type tally struct {
	alphas                 float64
	square                 float64 // sum of alpha*y*score
	loss                   float64
	squareError, lossError float64
	// upper bound on the sum of the rows' duality gaps, if all alphas are dual variables
	gap float64
}

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

// rowGap returns an upper bound on a row's duality gap, its term in N*(P-D). a is the row's alpha,
// in [0, 1], and margin its margin m, known up to an error e. The term is the loss max(0, 1-m),
// plus a*m from lambda |w|^2, minus a: (1-a)(1-m) for m < 1, and a(m-1) otherwise.
func rowGap(a, margin, e float64) float64 {
	return max(float64((1-a)*((1-margin)+e)), float64(a*((margin-1)+e)))
}

type scoreErrors struct {
	// error bounds of float32 and float64 kernel values, and sums over the alphas that multiply
	// these values
	bound, bound64     kernel.ErrorBound
	weights, weights64 kernel.WeightSums
	sum                float64 // error of the summation of a score, relative to sqrt(k(x,x))
	terms              float64 // error of later sums over the rows, relative to each term
}

func (o *scoreErrors) of(rows *kernel.Rows, pos int32, score float64) float64 {
	return o.bound.SumError(&o.weights, rows, pos) + o.bound64.SumError(&o.weights64, rows, pos) +
		float64(o.sum*rows.Norms[pos]) + float64(o.terms*math.Abs(score))
}

// errorsOf does not set sum. alpha64, which may be nil, is the part of each alpha whose kernel
// values were float64. term times about the number of rows is the relative error of later sums over
// the rows.
func (p *Problem) errorsOf(alpha, alpha64 []float64, values kernel.ErrorBound,
	term float64) *scoreErrors {
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

// freshErrors bounds the errors of scores that were computed from the alphas, not updated.
func (p *Problem) freshErrors(alpha []float64, values kernel.ErrorBound,
	term float64) *scoreErrors {
	o := p.errorsOf(alpha, nil, values, term)
	o.sum = float64(2 * kernel.Unit64 * float64(8+floats.CountNonzeros(alpha)) * o.weights.Norm)
	return o
}

// updatedErrors bounds the errors of scores to which updates were added one by one. An update
// rounds a product and a sum, neither above the largest kernel value times the sum of the alphas.
func (s *solver) updatedErrors(w weights, values kernel.ErrorBound) *scoreErrors {
	o := s.errorsOf(w.alpha, s.alpha64, values, 2*kernel.Unit64)
	weight, updates := float64(s.N), float64(s.Updates-s.recomputedAt+8)
	if !s.ascending {
		weight = float64(max(weight, float64(s.Updates)) * w.each)
	}
	o.sum = float64(2*kernel.Unit64*updates*weight*s.Rows.MaxNorm) +
		float64(2*kernel.Unit64*o.weights64.Norm*float64(s.N))
	return o
}

func (p *Problem) penalty(square, scale float64) float64 {
	return max(0, float64(p.Lambda/2*square/scale/scale))
}

// off bounds the errors of the scores of w. The alphas divided by epochs are dual variables unless
// epochs is 0.
func (s *solver) measure(w weights, off *scoreErrors, epochs int) {
	n, t := float64(s.N), s.tally(w, off)
	s.setObjective(&t, w.scale)
	s.gap = math.Inf(1)
	if s.ascending {
		s.gap = t.gap/n + float64(4*kernel.Unit64*n*(t.gap/n+s.Objective))
	}
	if s.Bounded && epochs > 0 {
		s.raiseLower(&t, epochs)
	}
	s.setBound()
}

func (s *solver) setObjective(t *tally, scale float64) {
	n := float64(s.N)
	s.Objective = s.penalty(t.square, scale) + t.loss/n
	s.objectiveError = s.penalty(t.squareError, scale) + t.lossError/n +
		float64(4*kernel.Unit64*n*s.Objective)
}

// raiseLower raises s.lower to the bound from the dual variables alpha/epochs, times the best
// factor in [0, 1].
func (s *solver) raiseLower(t *tally, epochs int) {
	n := float64(float64(epochs) * float64(s.N))
	scale := float64(n * n * (2 * s.Lambda))
	mean, half := t.alphas/n, max(0, t.square/scale)
	sum := float64(4*kernel.Unit64*float64(s.N)) * (mean + half)
	lower, _ := certificate.Parabola(mean, half+t.squareError/scale+sum)
	s.lower = max(s.lower, lower-sum)
}

// setBound sets Bound, or NaN if none can be proven. The exact objective may exceed Objective by
// objectiveError; Bound is so low that Objective - Bound also limits how far the exact objective is
// above the optimum, but at least 0.
func (s *solver) setBound() {
	if s.Bound = math.NaN(); s.Bounded {
		// own is the bound from the model's alphas. Verification can recompute it.
		own := s.Objective - s.gap
		if !(proof.Gap(s.Objective, own) <= s.Tol) {
			own = max(own, s.lower-s.objectiveError)
		}
		s.Bound = max(0, min(s.lower, own))
	}
	if s.Rows.Func != nil && s.Bound > s.Objective {
		s.Bound = math.NaN() // the caller's kernel is not an inner product
	}
}

const (
	maxVerifyCost = 1 << 27 // for optional recomputations, in multiplications
	// objectiveError/Objective up to which the objective is not measured again in float64
	maxErrorShare = 1e-6
	// most float64 recomputations of a problem's scores, and most attempts of measureModel to
	// reduce the objective to 1
	maxRecomputations = 4
)

// needsFloat64 reports whether rounding errors of kernel values make up much of the gap or leave no
// lower bound, and float64 scores may help.
func (s *solver) needsFloat64(gap, raw float64) bool {
	return s.Rows.Func == nil && s.recomputations < maxRecomputations &&
		(s.recomputations == 0 || s.Updates > s.recomputedAt) &&
		(s.lower == 0 || gap-raw > s.Tol/4)
}

func (s *solver) recompute(ctx context.Context, w weights) {
	exact := s.model(ctx, s.coefficients(w), len(s.workers))
	if ctx.Err() != nil {
		return
	}
	copy(s.score, exact.score)
	s.alpha64, s.recomputedAt = slices.Clone(s.alpha), s.Updates
	s.recomputations++
}

// worthFloat64 reports whether to measure the objective from float64 scores: if the objective may
// be above 1, or if its error may be large and the measurement is cheap and more exact.
func (s *solver) worthFloat64(coef []float64) bool {
	if s.Objective+s.objectiveError > 1 {
		return true
	}
	cost := float64(s.Problems) * float64(s.N*floats.CountNonzeros(coef)) * s.Rows.Cost()
	return s.Rows.Func == nil && cost <= maxVerifyCost &&
		s.objectiveError > float64(maxErrorShare*s.Objective)
}

// If worthFloat64 is true, measureModel rounds the coefficients to float32 and sets the objective
// from float64 scores. While the objective is above 1, the objective of w = 0, measureModel
// multiplies the coefficients by the factor that minimizes the objective, in the end by 0.
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
		if s.setObjective(&t, w.scale); s.Objective <= 1 {
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
	s.setBound()
}

// bestFactor returns about the f in [0, 1] for which f*w has the least objective, or 0 if no
// multiple is better than w = 0. The derivative increases with f, so bestFactor bisects for its
// zero.
func (p *Problem) bestFactor(penalty float64, w weights) float64 {
	loss := func(f float64) (sum, gain float64) {
		for i, z := range w.score {
			if m := float64(p.Sign[i]*z) / w.scale; float64(f*m) < 1 {
				sum += 1 - float64(f*m)
				gain += m
			}
		}
		return sum / float64(p.N), gain / float64(p.N)
	}
	low, high := 0.0, 1.0
	for range 40 {
		f := (low + high) / 2
		if _, gain := loss(f); float64(2*f*penalty) < gain {
			low = f
		} else {
			high = f
		}
	}
	if sum, _ := loss(low); !(float64(low*low*penalty)+sum < 1) {
		return 0
	}
	return low
}

// Remeasure returns the objective and a lower bound for the coefficients coef, and off, the largest
// plausible difference from training's objective. Of set it uses Bounded and Tol. If a dual
// variable is outside [0, 1], Remeasure clamps the coefficients in coef and computes the bound from
// them.
func (p *Problem) Remeasure(ctx context.Context, coef []float64, set Settings, threads int) (
	f Solution, off float64) {
	s := &solver{Problem: p, Settings: set, Solution: p.unsolved(), ascending: true}
	errors := func(w weights, values kernel.ErrorBound) *scoreErrors {
		return p.freshErrors(w.alpha, values, 4*kernel.Unit64)
	}
	w := p.model(ctx, coef, threads)
	s.measure(w, errors(w, p.Rows.Error.WithRoundedWeights()), 0)
	off = s.objectiveError
	feasible := slices.Min(w.alpha) >= 0 && slices.Max(w.alpha) <= 1
	epochs := 0
	if feasible {
		epochs = 1
	}
	s.measure(w, errors(w, p.Rows.Error64), epochs)
	if !feasible {
		for i, a := range w.alpha {
			coef[i] = float64(p.Sign[i]*roundAlpha(max(0, min(a, 1)), w.scale)) / w.scale
		}
		w = p.model(ctx, coef, threads)
		t := s.tally(w, errors(w, p.Rows.Error64))
		s.gap = math.Inf(1)
		s.raiseLower(&t, 1)
		s.setBound()
	}
	return s.Solution, 2*off + 1e-12 + s.objectiveError
}
