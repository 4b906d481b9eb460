// Package dual implements dual coordinate descent (Hsieh et al., ICML 2008; for the log loss Yu,
// Huang and Lin, Machine Learning 85, 2011), from any initial dual variables. Descent solves
// problems with one weight vector, Joint problems with a vector for each class.
package dual

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Solver is a dual coordinate descent in progress: a Descent or a Joint.
type Solver interface {
	// RecomputeWeights recomputes the weight vectors, and biases that have a penalty, from the dual
	// variables.
	RecomputeWeights()
	// Visit takes a dual step with each row of idx that is not skipped. Skipped rows count as
	// steps. At a row whose score or curvature is not finite, Visit stops and sets the state's Err.
	Visit(idx []uint32)
	EndEpoch() // must be called after each pass
	// Duals returns a copy of the dual variables, clamped by objective.Problem.Clamp.
	Duals() []float32
	// GapEstimate estimates P - D.
	GapEstimate() float64
	// DualEstimate returns D up to rounding, or an estimate for a bias without a penalty.
	DualEstimate() float64
	// Save returns the counters for a checkpoint.
	Save() *iterate.Progress
	// Restore sets the counters that Save returns. It returns false if they are impossible after
	// the given epochs.
	Restore(from *iterate.Progress, epochs int) bool
	// Arrays calls f with each array for a checkpoint, in a fixed order. f may write to the array.
	Arrays(f func([]float32))
}

// Descent is dual coordinate descent on a binary problem. Row i has a dual variable a_i and a
// weight c_i. Let w be the weights, minus the prior's if any:
//
//	w = v/(lambda*n), v = sum of c_i*a_i*y_i*x_i.
//
// A step sets a_i to the maximizer of the dual objective (nearly, for the log loss) with all other
// dual variables fixed (Hsieh et al., algorithm 1), unless the gain would be too small: see pays.
// The primal objective P minus the dual objective D is the mean of the rows' duality gaps,
// loss(m_i) + conjugate(-a_i) + a_i*m_i, weighted by c_i, except with a bias without a penalty.
//
// The method of multipliers finds a bias without a penalty: within a pass it moves like the weight
// of an appended feature, and the end of the pass centers the penalty at the bias.
type Descent struct {
	common
	Of     *objective.Binary
	v      []float32 // the problem's only vector
	square float64   // square of the feature for the bias; r2 if the bias has no penalty
}

type common struct {
	*iterate.State
	problem objective.Problem
	alpha   []float32 // by row or, in a joint problem, by row and class
	iterate.Progress
	minGain  float64   // see pays
	nextPass []float32 // pass in which each row is visited next
	streak   []float32 // number of each row's latest successive visits with gap 0; at most maxSkip
	active   []uint32
}

const (
	minGainShare = 1. / 64 // ratio of minGain to the rows' mean gain in the pass before
	maxSkip      = 4
)

// A row whose gap was 0 in two successive visits is skipped for one pass. Each further such visit
// adds a pass, up to maxSkip.
func (r *common) skip(i uint32, gap float64) {
	if gap > 0 {
		r.streak[i] = 0
		return
	}
	r.nextPass[i] = float32(r.Pass+1) + r.streak[i]
	r.streak[i] = min(r.streak[i]+1, maxSkip)
}

// The result of activeRows is valid until the next call.
func (r *common) activeRows(idx []uint32) []uint32 {
	if cap(r.active) < len(idx) {
		r.active = make([]uint32, len(idx))
	}
	n, active, pass := 0, r.active[:len(idx)], float32(r.Pass)
	for _, i := range idx {
		active[n] = i
		if r.nextPass[i] <= pass {
			n++ // without a branch around the store, this can be a conditional move
		}
	}
	return active[:n]
}

func newCommon(s *iterate.State, p objective.Problem, alpha []float32, mean bool) common {
	n := s.X.Rows()
	s.BeginDual(mean)
	return common{State: s, problem: p, alpha: alpha, Progress: iterate.Progress{Start: s.T},
		nextPass: make([]float32, n), streak: make([]float32, n)}
}

func (r *common) EndEpoch() {
	if r.Pass++; r.Average != nil {
		r.Average.Turn()
	}
	r.PrevGap, r.MeanGap, r.GapSum = r.MeanGap, r.GapSum/float64(r.Count()), 0
	r.MeanGain, r.GainSum = r.GainSum/float64(r.Count()), 0
	r.minGain = float64(minGainShare * r.MeanGain)
}

// pays adds a step's gain to r.GainSum, and reports whether the gain is large enough for the step.
// square is the squared norm of the change of a row's dual variables, c the row's weight, and q the
// curvature of n times the dual objective, divided by c. The best step raises the dual objective by
// at least gain/(2n).
func (r *common) pays(q, c, square float64) bool {
	gain := float64(float64(q*c) * square)
	r.GainSum += gain
	return !(gain < r.minGain)
}

// GapEstimate reduces the mean of the gaps measured during a pass, to estimate P - D at its end.
// The reduction is larger if the mean has fallen since the pass before.
func (r *common) GapEstimate() float64 {
	fall := 1.0
	if r.PrevGap > r.MeanGap {
		fall = math.Sqrt(r.MeanGap / r.PrevGap)
	}
	return float64(0.7 * float64(fall*r.MeanGap))
}

func (r *common) Save() *iterate.Progress {
	to := r.Progress
	return &to
}

func (r *common) Restore(from *iterate.Progress, epochs int) bool {
	r.Progress, r.minGain = *from, float64(minGainShare*from.MeanGain)
	return from.Start >= 0 && from.Start <= r.T && from.Pass >= 0 && from.Pass <= epochs
}

func (r *common) Arrays(f func([]float32)) {
	for _, a := range [][]float32{r.alpha, r.nextPass, r.streak} {
		r.InOrder(a, f)
	}
}

func (r *common) Duals() []float32 {
	a := slices.Clone(r.alpha)
	for i := range a {
		a[i] = r.problem.Clamp(a[i]) // a damaged checkpoint may contain any numbers
	}
	return a
}

// sum is the weighted sum over the rows of the part of D that does not depend on w.
func (r *common) dual(sum float64) float64 {
	square := 0.0
	for k, v := range r.Vectors {
		of := float64(dense.SumSquares(v))
		if !r.FreeBias {
			of += float64(r.Biases[k] * r.Biases[k])
		}
		square += of
	}
	return sum/float64(r.Count()) - square/(2*r.FixedScale*float64(r.Count()))
}

// New returns a solver that starts with the dual variables alpha. For r2 see certificate.Bound. If
// mean is set, the result is the mean of iterates sampled in the last pass: for a loss with kinks,
// the primal objective of single iterates jumps up and down.
func New(s *iterate.State, p *objective.Binary, alpha []float32, r2 float64, mean bool) *Descent {
	d := &Descent{common: newCommon(s, p, alpha, mean), Of: p, v: s.Vectors[0],
		square: float64(s.BiasScale * s.BiasScale)}
	if s.FreeBias {
		d.square = r2
	}
	return d
}

func (d *Descent) RecomputeWeights() {
	clear(d.v)
	if d.BiasSum = 0; !d.FreeBias {
		d.Biases[0] = 0
	}
	for _, i := range d.All() {
		if a := float64(d.alpha[i]); a != 0 {
			side, _ := d.Of.Label(uint32(i))
			d.shift(uint32(i), float32(d.RowWeight(i)*a)*side) // the second product is exact
		}
	}
}

func (d *Descent) shift(i uint32, change float32) {
	d.X.Axpy(int(i), change, d.v)
	if d.FreeBias {
		d.BiasSum += float64(change)
	} else {
		d.Biases[0] += float64(float64(change) * d.BiasScale)
	}
}

func (d *Descent) Visit(all []uint32) {
	inverse, distance, idx := 1/d.FixedScale, d.PrefetchDistance(), d.activeRows(all)
	for n, i := range idx {
		if distance > 0 && n+distance < len(idx) {
			d.X.Prefetch(int(idx[n+distance]))
		}
		z, c := d.score(i, inverse), d.RowWeight(int(i))
		side, target := d.Of.MarginTerms(i)
		m := float64(float64(side)*z) - target
		q := float64(c * (float64(d.Norms[i]) + d.square) * inverse)
		if !floats.IsFinite(m) || !floats.IsFinite(q) {
			d.T += int64(slices.Index(all, i))
			d.NotFinite(i)
			return
		}
		old := float64(d.alpha[i])
		next, gap := d.Of.Cost.DualStep(old, m, q)
		d.GapSum += float64(c * gap)
		d.skip(i, gap)
		to := float32(next)
		change := float64(to) - old
		if d.pays(q, c, float64(change*change)) && change != 0 {
			d.alpha[i] = to
			d.shift(i, float32(c*change)*side)
			d.Violations++
		}
	}
	d.T += int64(len(all))
}

// inverse is 1/(lambda*n).
func (d *Descent) score(i uint32, inverse float64) float64 {
	dot := float64(d.X.Dot(int(i), d.v))
	if d.FreeBias {
		return float64((dot+float64(d.square*d.BiasSum))*inverse) + d.Biases[0]
	}
	return float64((dot + float64(d.BiasScale*d.Biases[0])) * inverse)
}

func (d *Descent) EndEpoch() {
	d.common.EndEpoch()
	if d.Pass >= max(firstFace, d.NextFace) {
		if d.NextFace = d.Pass + facePeriod; !d.moveFree() {
			d.NextFace += d.Pass / 4
		}
	}
	if d.FreeBias {
		d.Biases[0] += float64(d.square * d.BiasSum / d.FixedScale)
	}
}

func (d *Descent) DualEstimate() float64 {
	var sum float64
	for _, i := range d.All() {
		_, target := d.Of.MarginTerms(uint32(i))
		a := float64(d.alpha[i])
		sum += float64(d.RowWeight(i) * (d.Of.Cost.DualTerm(a) + float64(a*target)))
	}
	return d.dual(sum)
}

// Improve makes passes with the solver d of problem p and state s. It returns the final dual
// variables' lower bound, or 0 if Visit sets an error. For r2 see certificate.Bound.
func Improve(d Solver, s *iterate.State, p objective.Problem, passes int, r2 float64) float64 {
	d.RecomputeWeights()
	visits := order.New(order.Permutation, s.Count(), 0, 0, 0)
	visits.Only = s.Only
	for range passes {
		if d.Visit(visits.Next(s.Count())); s.Err != nil {
			s.Err = nil
			return 0
		}
		d.EndEpoch()
	}
	bound, _ := certificate.Bound(p, d.Duals(), r2)
	return bound
}
