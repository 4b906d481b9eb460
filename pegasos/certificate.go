package pegasos

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/elementary"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/store"
)

// This file measures a model: the objective P(w), and a lower bound on the least objective there
// is. The hinge loss has max(0, 1-z) >= a*(1-z) for any a in [0, 1], so that with one a_i for each
// of the n rows
//
//	P(w) >= lambda/2 |w|^2 + mean(a_i) - <w, u>,  u = mean of a_i*y_i*x_i
//
// for every w, and the right side is least at w = u/lambda:
//
//	P(w) >= mean(a_i) - |u|^2/(2 lambda)
//
// That is the dual objective. It is a bound whatever the a_i are, and close where they are the
// shares of the visits to row i that violated, for then u/lambda is the trainer's own w (times 1 +
// t0/t). u is added up anew from the rows, in float64: the trainer's v would do but for the
// roundings it has gathered.
//
// Other losses have at(m) >= least(a) - a*m, m being the margin y_i*z, and mean(least(a_i)) takes
// the place of mean(a_i); a_i is the mean of the row's coefficients. Where labels are numbers m is
// z - y_i: there is no y_i in u, and a_i*y_i is added to least(a_i).
//
// Where rows have weights all means are weighted. With a prior w0 all of this is about w - w0, and
// y_i and m are corrected for the scores of w0.

// measure fills in the run's part of m's objective and bound.
func (r *run) measure(m *Model) {
	res := &m.Result
	if j := r.joint; j != nil {
		w, b := r.apart(m, r.first, &j.learnerState)
		res.Objective, res.DualObjective = j.penalty(w, b)+j.meanLoss(m), math.NaN()
		if j.recent != nil {
			res.DualObjective = j.dual(r.r2)
		}
		return
	}
	loss := r.objective(m)
	bound := make([]float64, len(loss))
	r.parallel(func(k int) { bound[k] = r.problems[k].dual(r.r2) })
	for k := range loss {
		res.PerClass[r.first+k].Objective, res.PerClass[r.first+k].DualObjective = loss[k], bound[k]
	}
}

// apart returns the vectors of m that s has trained, and their biases. With a prior they are the
// difference of m and it.
func (r *run) apart(m *Model, first int, s *learnerState) (w [][]float32, b []float64) {
	for k := range s.vs {
		b = append(b, m.bias(first+k)-s.priorBias[k])
		w = append(w, m.Weights[first+k])
		if s.prior != nil {
			w[k] = slices.Clone(w[k])
			for j, v := range s.prior[k] {
				w[k][j] -= v
			}
		}
	}
	return w, b
}

// objective returns P for each weight vector of m. The scores are float32 dot products, as in
// prediction; they are added up in float64, in the order of the rows.
func (r *run) objective(m *Model) []float64 {
	loss := make([]float64, len(r.problems))
	r.inBlocks(r.problems[0].count(), func(k, from, to int) {
		loss[k] += r.problems[k].losses(m.Weights[r.first+k], m.bias(r.first+k), from, to)
	})
	for k, p := range r.problems {
		w, b := r.apart(m, r.first+k, &p.learnerState)
		loss[k] = p.penalty(w, b) + loss[k]/float64(r.rows)
	}
	return loss
}

// losses returns the sum of the losses of some rows.
func (p *problem) losses(w []float32, bias float64, from, to int) (sum float64) {
	for j := from; j < to; j++ {
		i := p.row(j)
		z := float64(p.x.Dot(i, w)) + bias
		if !floats.IsFinite(z) {
			return math.NaN() // also for infinities: float32 overflowed, and who knows which way
		}
		side, target := p.label(uint32(i))
		sum += float64(p.share(i) * p.cost.at(float64(float64(side)*z)-target))
	}
	return sum
}

// lossAtZero returns the mean loss of v = 0.
func (p *problem) lossAtZero() float64 {
	if p.target == nil && p.priorScores == nil {
		return p.cost.at(0)
	}
	var sum, n float64
	for j := range p.count() {
		i := p.row(j)
		_, target := p.frame(uint32(i))
		sum += float64(p.share(i) * p.cost.at(-target))
		n += p.share(i)
	}
	return sum / n
}

// penalty returns lambda/2 |w|^2, in which an appended feature's weights count as well.
func (s *learnerState) penalty(w [][]float32, bias []float64) (sum float64) {
	for k := range w {
		if s.biasScale == 0 {
			sum += penalty(w[k], 0, s.lambda, 1)
		} else {
			sum += penalty(w[k], bias[k], s.lambda, s.biasScale)
		}
	}
	return sum
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

// A recent counts each row's violations, or adds up its coefficients, in the last epochs: in the
// present window of epochs and in the one before. Windows end with epoch E, E/2, E/4 and so on in a
// run of E epochs. What was long ago is left out because the early steps violate where the optimum
// does not. Of joint problems there is a count for each row and class.
type recent struct {
	steps    int64 // of an epoch
	epochs   int64 // of the whole run
	start    int64 // the epochs before the present window
	oldStart int64 // and before the one before
	// A float32 counts up to 2^24. Whatever is lost of other coefficients, they give a bound.
	count, old []float32
}

// newRecent makes one for epochs of so many steps, and so many counts.
func newRecent(total int64, steps, count int) *recent {
	n := int64(steps)
	return &recent{
		steps: n, epochs: (total + n - 1) / n,
		count: make([]float32, count), old: make([]float32, count),
	}
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
	if p.ascent != nil {
		share := slices.Clone(p.ascent.alpha)
		if p.weight != nil {
			for j := range p.count() {
				i := p.row(j)
				share[i] = p.cost.clamp(float32(float64(share[i]) / p.weight[i]))
			}
		}
		return p.bound(share, r2)
	}
	if p.recent == nil {
		return math.NaN()
	}
	return p.bestBound(p.cost.clamp, func(a []float32) float64 { return p.bound(a, r2) })
}

// bestShares returns the shares that dual has its bound from, what they have to be multiplied by,
// and the bound.
func (p *problem) bestShares(r2 float64) (share []float32, factor, bound float64) {
	p.bestBound(p.cost.clamp, func(a []float32) float64 {
		b, s := p.boundAt(a, r2)
		if share == nil || b > bound {
			share, factor, bound = slices.Clone(a), s, b
		}
		return b
	})
	return share, factor, bound
}

// bestBound returns the best of what bound makes of the shares in the present window of epochs, and
// in it and the one before. A row has been visited once an epoch at most, so that no share is out
// of range, but for roundings of other losses' coefficients, which clamp sets right.
func (s *learnerState) bestBound(
	clamp func(float32) float32, bound func(a []float32) float64,
) float64 {
	r := s.recent
	best := 0.0 // from a_i = 0
	epoch := (s.t - s.start + r.steps - 1) / r.steps
	a := make([]float32, len(r.count))
	if n := epoch - r.start; n > 0 {
		for i, c := range r.count {
			a[i] = clamp(c / float32(n))
		}
		best = max(best, bound(a))
	}
	if n := epoch - r.oldStart; n > 0 && r.start > r.oldStart {
		for i, c := range r.count {
			a[i] = clamp((c + r.old[i]) / float32(n))
		}
		best = max(best, bound(a))
	}
	return best
}

// bound returns the dual objective at s*a, with the s from 0 to 1 that makes it largest, or nearly
// so.
func (p *problem) bound(a []float32, r2 float64) float64 {
	value, _ := p.boundAt(a, r2)
	return value
}

// boundAt is bound, and s. For the log loss s is always 1.
func (p *problem) boundAt(a []float32, r2 float64) (value, s float64) {
	slack := 0.0
	if p.free {
		slack = p.balance(a)
	}
	u, signed := make([]float64, len(p.v)), make([]float32, len(a))
	var ub, squares float64
	for j := range p.count() {
		i := p.row(j)
		v := a[i]
		side, _ := p.frame(uint32(i))
		signed[i] = v * side
		weight := p.share(i)
		ub += float64(float64(float64(signed[i])*p.biasScale) * weight)
		squares += float64(float64(float64(v)*float64(v)) * weight)
	}
	rounding := p.addRows(signed, u) + slack
	n := float64(p.count())
	squares /= n
	sum := float64(ub * ub)
	for _, v := range u {
		sum += float64(v * v)
	}
	// |u| is too small by the roundings at most: each addition errs by a share of what was added so
	// far, in all by rounding * mean(|a_i| |x_i|), and that is at most sqrt(mean(a_i^2) * R^2). The
	// factor covers R^2's own roundings.
	norm := math.Sqrt(sum)/n + float64(1.001*rounding*math.Sqrt(squares*r2))
	half := norm * norm / (2 * p.lambda)
	if p.cost.loss == logCost {
		return p.entropyBound(a, half, slack), 1
	}
	var mean, size float64 // of what is linear in s, and of its parts' magnitudes
	for j := range p.count() {
		i := p.row(j)
		v := a[i]
		_, target := p.frame(uint32(i))
		gain, least := float64(float64(v)*target), p.cost.linear(float64(v))
		mean += float64(p.share(i) * (gain + least))
		size += float64(p.share(i) * (math.Abs(gain) + math.Abs(least)))
	}
	mean = (mean - float64(slack*size)) / n
	if q := lossTable[p.cost.loss].quadratic; q > 0 {
		half += float64(float64(squares*q) * (1 + 3*slack))
	}
	return parabola(mean, half)
}

// balance scales the shares of one side down until the sums of both are the same: otherwise the
// least over all biases is minus infinity. It returns how far each may be from the real number that
// makes it so, as a share of itself: by the rounding to float32, and by those of the sums.
func (p *problem) balance(a []float32) (slack float64) {
	var up, down float64
	for j := range p.count() {
		i := p.row(j)
		v := a[i]
		side, _ := p.label(uint32(i))
		if b := float64(float64(v*side) * p.share(i)); b > 0 {
			up += b
		} else {
			down -= b
		}
	}
	for i, v := range a {
		side, _ := p.label(uint32(i))
		switch {
		case v*side > 0 && up > down:
			a[i] = float32(float64(v) * (down / up))
		case v*side < 0 && down > up:
			a[i] = float32(float64(v) * (up / down))
		}
	}
	return 0x1p-23 + float64(p.count())*0x1p-51
}

// parabola returns the largest value of s*mean - s^2*half for s from 0 to 1, and that s.
func parabola(mean, half float64) (value, s float64) {
	switch {
	case mean <= 0:
		return 0, 0
	case mean >= 2*half:
		return mean - half, 1
	}
	return float64(mean*mean) / (4 * half), mean / (2 * half)
}

// entropyBound returns the largest value found of the mean entropy of s*a, and what is linear in s,
// less s^2*half. It is concave: two of Newton's steps from s = 1 come close.
func (p *problem) entropyBound(a []float32, half, slack float64) float64 {
	best, s := 0.0, 1.0
	for range 3 {
		var value, slope, bend, size float64
		for j := range p.count() {
			i := p.row(j)
			v := a[i]
			b, weight := float64(s*float64(v)), p.share(i)
			_, target := p.frame(uint32(i))
			size += float64(weight * math.Abs(float64(b*target)))
			value += float64(weight * (p.cost.least(b) + float64(b*target)))
			slope += float64(float64(weight*float64(v)) * target)
			if b > 0 && b < 1 {
				wv := float64(weight * float64(v))
				slope += float64(wv * (elementary.Log(1-b) - elementary.Log(b)))
				bend -= wv / (s * (1 - b))
			}
		}
		n := float64(p.count())
		value, slope, bend = value/n-float64(s*s*half), slope/n-float64(2*s*half), bend/n-2*half
		// An entropy changes by less than slack*log(1/slack) where its argument does by slack; 64
		// is more than that log.
		best = max(best, value-float64(slack*(64+size/n)))
		if !(bend < 0) {
			break
		}
		s = max(s/4, min(s-slope/bend, 1))
	}
	return best
}

// addRows adds a[i]*x, times the row's weight, over the rows to u. It returns a bound on the
// relative error of the sums, in terms of the sum of the addends' magnitudes.
func (s *learnerState) addRows(a []float32, u []float64) (rounding float64) {
	return s.x.AddTo(u, store.Sum{Only: s.only, A: a, Weight: s.weight})
}
