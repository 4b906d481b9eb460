package pegasos

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/elementary"
	"github.com/pegasimd/pegasimd/sparse"
)

// This file measures a model: the objective P(w), and a lower bound on the least objective there is. The hinge loss has
// max(0, 1-z) >= a*(1-z) for any a in [0, 1], so that with one a_i for each of the n rows
//
//	P(w) >= lambda/2 |w|^2 + mean(a_i) - <w, u>,  u = mean of a_i*y_i*x_i
//
// for every w, and the right side is least at w = u/lambda:
//
//	P(w) >= mean(a_i) - |u|^2/(2 lambda)
//
// That is the dual objective. It is a bound whatever the a_i are, and close where they are the shares of the visits to
// row i that violated, for then u/lambda is the trainer's own w (times 1 + t0/t). u is added up anew from the rows, in
// float64: the trainer's v would do but for the roundings it has gathered.
//
// Other losses have at(m) >= least(a) - a*m, m being the margin y_i*z, and mean(least(a_i)) takes the place of mean(a_i);
// a_i is the mean of the row's pulls. Where labels are numbers m is z - y_i: there is no y_i in u, and a_i*y_i is added
// to least(a_i).
//
// Where rows have weights all means are weighted. With a prior w0 all of this is about w - w0, and y_i and m are corrected
// for the scores of w0.

// measure fills in the objective, the bound and the gap of m, the run's model of this moment.
func (r *run) measure(m *Model) {
	res := &m.Result
	loss := r.objective(m)
	bound := make([]float64, len(loss))
	r.parallel(func(first, step int) {
		for k := first; k < len(bound); k += step {
			bound[k] = r.problems[k].dual(r.r2)
		}
	})
	res.Objective, res.DualObjective = 0, 0
	for k := range loss {
		res.PerClass[k].Objective, res.PerClass[k].DualObjective = loss[k], bound[k]
		res.Objective += loss[k]
		res.DualObjective += bound[k]
	}
	res.Objective /= float64(len(loss))
	res.DualObjective /= float64(len(loss))
	res.Gap = max(0, (res.Objective-res.DualObjective)/res.Objective)
	if res.Objective == res.DualObjective {
		res.Gap = 0 // also of an objective of 0
	}
}

// objective returns P for each weight vector of m. The scores are float32 dot products, as in prediction; they are added
// up in float64, in the order of the rows.
func (r *run) objective(m *Model) []float64 {
	loss := make([]float64, len(r.problems))
	block := blockRows(r.x.Cols())
	r.parallel(func(first, step int) {
		for from := 0; from < r.x.Rows(); from += block {
			to := min(from+block, r.x.Rows())
			for k := first; k < len(r.problems); k += step {
				loss[k] += r.problems[k].losses(m.Weights[k], m.bias(k), from, to)
			}
		}
	})
	for k, p := range r.problems {
		w, b := m.Weights[k], m.bias(k)-p.priorBias
		if p.prior != nil {
			w = slices.Clone(w)
			for j, v := range p.prior {
				w[j] -= v
			}
		}
		loss[k] = penalty(w, b, p.lambda, p.biasScale) + loss[k]/float64(r.rows)
	}
	return loss
}

// losses returns the sum of the losses of some rows.
func (p *problem) losses(w []float32, bias float64, from, to int) (sum float64) {
	for i := from; i < to; i++ {
		z := float64(p.x.Dot(i, w)) + bias
		if z-z != 0 {
			return math.NaN() // also for infinities: float32 overflowed, and who knows which way
		}
		side, target := p.label(uint32(i))
		loss := p.cost.at(float64(float64(side)*z) - target)
		if p.weight != nil {
			loss = float64(p.weight[i] * loss)
		}
		sum += loss
	}
	return sum
}

// lossAtZero returns the mean loss of v = 0.
func (p *problem) lossAtZero() float64 {
	if p.target == nil && p.ahead == nil {
		return p.cost.at(0)
	}
	var sum, n float64
	for i := range p.x.Rows() {
		if share := p.share(i); share > 0 {
			_, target := p.frame(uint32(i))
			sum += float64(share * p.cost.at(-target))
			n += share
		}
	}
	return sum / n
}

// penalty returns lambda/2 |w|^2, where the appended feature's weight counts as well.
func penalty(w []float32, bias, lambda, biasScale float64) float64 {
	var sum float64
	for _, v := range w {
		sum += float64(float64(v) * float64(v))
	}
	if bias != 0 {
		b := bias / biasScale
		sum += float64(b * b)
	}
	return float64(lambda / 2 * sum)
}

// A recent counts each row's violations, or adds up its pulls, in the last epochs: in the present window of epochs and in
// the one before.
// Windows end with epoch E, E/2, E/4 and so on in a run of E epochs. What was long ago is left out because the early
// steps violate where the optimum does not.
type recent struct {
	rows, steps int64     // of an epoch
	epochs      int64     // of the whole run
	start       int64     // the epochs before the present window
	oldStart    int64     // and before the one before
	count, old  []float32 // float32 counts up to 2^24; and whatever it makes of pulls, they give a bound
}

// newRecent makes one for epochs of so many rows, whose numbers are below count, and so many steps.
func newRecent(total int64, rows, steps, count int) *recent {
	n := int64(steps)
	return &recent{rows: int64(rows), steps: n, epochs: (total + n - 1) / n, count: make([]float32, count), old: make([]float32, count)}
}

func (r *recent) endEpoch(epoch int) {
	for e := r.epochs / 2; e >= int64(epoch); e /= 2 {
		if e == int64(epoch) {
			r.count, r.old = r.old, r.count
			clear(r.count)
			r.start, r.oldStart = e, r.start
		}
	}
}

// dual returns the best lower bound on P that the problem has after t steps, or NaN.
func (p *problem) dual(r2 float64) float64 {
	r := p.recent
	if r == nil {
		return math.NaN()
	}
	best := 0.0 // from a_i = 0
	epoch := (p.t - p.start + r.steps - 1) / r.steps
	a := make([]float32, len(r.count))
	// A row has been met once an epoch at most, so that no share exceeds 1, but for roundings of other losses' pulls.
	if n := epoch - r.start; n > 0 {
		for i, c := range r.count {
			a[i] = p.cost.clamp(c / float32(n))
		}
		best = max(best, p.bound(a, r2))
	}
	if n := epoch - r.oldStart; n > 0 && r.start > r.oldStart {
		for i, c := range r.count {
			a[i] = p.cost.clamp((c + r.old[i]) / float32(n))
		}
		best = max(best, p.bound(a, r2))
	}
	return best
}

// bound returns the dual objective at s*a, with the s from 0 to 1 that makes it largest, or nearly so.
func (p *problem) bound(a []float32, r2 float64) float64 {
	u := make([]float64, len(p.v))
	var ub, squares float64
	for i, v := range a {
		side, _ := p.frame(uint32(i))
		weight := p.share(i)
		ub += float64(float64(float64(v*side)*p.biasScale) * weight)
		squares += float64(float64(float64(v)*float64(v)) * weight)
	}
	rounding := p.addRows(a, u)
	n := float64(p.recent.rows)
	squares /= n
	sum := float64(ub * ub)
	for _, v := range u {
		sum += float64(v * v)
	}
	// |u| is too small by the roundings at most: each addition errs by a share of what was added so far, in all by
	// rounding * mean(|a_i| |x_i|), and that is at most sqrt(mean(a_i^2) * R^2). The factor covers R^2's own roundings.
	norm := math.Sqrt(sum)/n + float64(1.001*rounding*math.Sqrt(squares*r2))
	half := norm * norm / (2 * p.lambda)
	if p.cost.loss == logCost {
		return p.entropyBound(a, half)
	}
	var mean float64 // of what is linear in s
	for i, v := range a {
		_, target := p.frame(uint32(i))
		gain := float64(float64(v) * target)
		if p.cost.loss == squaredHingeCost {
			gain += float64(v)
		} else {
			gain += p.cost.least(float64(v))
		}
		mean += float64(p.share(i) * gain)
	}
	mean /= n
	if p.cost.loss == squaredHingeCost {
		half += squares / 4
	}
	// The quadratic s*mean - s^2*half.
	switch {
	case mean <= 0:
		return 0
	case mean >= 2*half:
		return mean - half
	}
	return mean * mean / (4 * half)
}

// entropyBound returns the largest value found of the mean entropy of s*a, and what is linear in s, less s^2*half. It is
// concave: two of Newton's steps from s = 1 come close.
func (p *problem) entropyBound(a []float32, half float64) float64 {
	best, s := 0.0, 1.0
	for range 3 {
		var value, slope, bend float64
		for i, v := range a {
			b, weight := float64(s*float64(v)), p.share(i)
			_, target := p.frame(uint32(i))
			value += float64(weight * (p.cost.least(b) + float64(b*target)))
			slope += float64(float64(weight*float64(v)) * target)
			if b > 0 && b < 1 {
				wv := float64(weight * float64(v))
				slope += float64(wv * (elementary.Log(1-b) - elementary.Log(b)))
				bend -= wv / (s * (1 - b))
			}
		}
		n := float64(p.recent.rows)
		value, slope, bend = value/n-float64(s*s*half), slope/n-float64(2*s*half), bend/n-2*half
		best = max(best, value)
		if !(bend < 0) {
			break
		}
		s = max(s/4, min(s-slope/bend, 1))
	}
	return best
}

// share returns the weight of row i.
func (p *problem) share(i int) float64 {
	if p.weight == nil {
		return 1
	}
	return p.weight[i]
}

// addRows adds a[i]*y*x, times the weight, over the rows to u. It returns a bound on the relative error of the sums, in terms of the sum of
// the addends' magnitudes.
func (p *problem) addRows(a []float32, u []float64) (rounding float64) {
	switch x := p.x.(type) {
	case *dense.Matrix:
		for i, v := range a {
			if v != 0 {
				side, _ := p.frame(uint32(i))
				ay := float64(float64(v*side) * p.share(i))
				for j, z := range x.Row(i) {
					u[j] += float64(ay * float64(z))
				}
			}
		}
	case *sparse.Matrix:
		for i, v := range a {
			if v != 0 {
				side, _ := p.frame(uint32(i))
				ay := float64(float64(v*side) * p.share(i))
				idx, val := x.Row(i)
				for k, j := range idx {
					u[j] += float64(ay * float64(val[k]))
				}
			}
		}
	default:
		// Only a float32 Axpy is to be had: it runs over few rows at a time, so that little is rounded away.
		const few = 64
		part := make([]float32, len(u))
		added := 0
		for i, v := range a {
			if v != 0 {
				side, _ := p.frame(uint32(i))
				p.x.Axpy(i, float32(v*side*float32(p.share(i))), part)
				added++
			}
			if added == few || i == len(a)-1 {
				for j, z := range part {
					u[j] += float64(z)
				}
				clear(part)
				added = 0
			}
		}
		return (few + 3) * 0x1p-24
	}
	return float64(len(a)+2) * 0x1p-53
}
