package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// This file finds a lower bound on the least objective there is. The hinge loss has max(0, 1-z) >=
// a*(1-z) for any a in [0, 1], so that with one a_i for each of the n rows
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
// the place of mean(a_i); a_i is the mean of the row's coefficients. If labels are numbers, m is
// z - y_i: there is no y_i in u, and a_i*y_i is added to least(a_i).
//
// If rows have weights, all means are weighted. With a prior w0, all of this is about w - w0, and
// y_i and m are corrected for the scores of w0.

// A binary problem has bounds.
type binary struct{ *objective.Binary }

// boundAt is Bound.
func (p binary) boundAt(a []float32, r2 float64) (value, s float64) {
	p.WidenPrior() // before its scores are asked for
	var even balance
	if p.Free {
		even = p.balance(a)
	}
	slack := even.slack
	u, signed := make([]float64, p.X.Cols()), make([]float32, len(a))
	sums := p.AddUp(func(_ store.Rows, from, to int) [4]float64 {
		var ub, squares, mean, size float64
		for j := from; j < to; j++ {
			i := p.Row(j)
			v, weight := float64(a[i]), p.Share(i)
			side, _ := p.Label(uint32(i))
			signed[i] = a[i] * side
			ub += float64(float64(float64(signed[i])*p.BiasScale) * weight)
			squares += float64(float64(v*v) * weight)
			gain, least := float64(v*p.WideTarget(i)), p.Cost.Linear(v)
			mean += float64(weight * (gain + least))
			size += float64(weight * (math.Abs(gain) + math.Abs(least)))
		}
		return [4]float64{ub, squares, mean, size}
	})
	p.AddTo(u, signed)
	n := float64(p.Count())
	ub, squares := sums[0], sums[1]/n
	mean, size := sums[2], sums[3] // of what is linear in s, but for log losses
	sum := float64(ub * ub)
	for _, v := range u {
		sum += float64(v * v)
	}
	// No less than mean(|a_i| |x_i|). The factor covers R^2's own roundings.
	reach := 1.001 * math.Sqrt(squares*r2)
	norm := math.Sqrt(sum)/n + float64((p.AddError()+slack)*reach) + even.length/n
	half := norm * norm / (2 * p.Lambda)
	norm = float64((norm + float64(p.Sums*reach)) * (1 + p.Sums)) // certainly no less than |u|
	most := norm * norm / (2 * p.Lambda)
	prior := float64(math.Sqrt(squares) * p.PriorError(r2))
	if p.Cost.Kind.Traits().Entropy {
		return p.entropyBound(a, most, slack+p.Sums) - prior - even.entropy/n, 1
	}
	mean = (mean - float64(slack*size) - even.gain) / n
	bend := float64(float64(squares*p.Cost.Kind.Traits().Quadratic) * (1 + 3*slack))
	most += float64(bend * (1 + p.Sums))
	_, s = proof.Parabola(mean, half+bend)
	return DualAt(s, mean-float64(p.Sums*(size/n))-prior, most), s
}

// DualAt returns s*mean - s^2*half, less its own roundings.
func DualAt(s, mean, half float64) float64 {
	if s == 0 {
		return 0 // also where half is infinite
	}
	gain, cost := float64(s*mean), float64(float64(s*s)*half)
	return gain - cost - float64(0x1p-50*(math.Abs(gain)+cost))
}

// entropyBound is boundAt for the log loss, with half for |u|^2/(2 lambda).
func (p binary) entropyBound(a []float32, half, slack float64) float64 {
	return largest(&p.View, half, slack, func(s float64, from, to int) (at curve) {
		for j := from; j < to; j++ {
			i := p.Row(j)
			v, weight, target := float64(a[i]), p.Share(i), p.WideTarget(i)
			b := float64(s * v)
			at.size += float64(weight * math.Abs(float64(b*target)))
			entropy, wv := 0.0, float64(weight*v)
			at.slope += float64(wv * target)
			if b > 0 && b < 1 {
				log, rest := floats.Log(b), floats.Log(1-b)
				entropy = -float64(b*log) - float64((1-b)*rest)
				at.slope += float64(wv * (rest - log))
				at.bend -= wv / (s * (1 - b))
			}
			at.value += float64(weight * (entropy + float64(b*target)))
		}
		return at
	})
}

// A curve is a sum over rows at one s, its derivatives, and the size of what is linear in s.
type curve struct{ value, slope, bend, size float64 }

// largest returns the largest value found, for some s, of a mean entropy over the rows, less
// s^2*half and what may come of shares that are known up to slack. It is concave: two of Newton's
// steps from s = 1 come close, and fewer where they bring little. sum is that of the rows from one
// place to another.
func largest(v *rows.View, half, slack float64, sum func(s float64, from, to int) curve) (
	best float64,
) {
	s, n := 1.0, float64(v.Count())
	for range 3 {
		sums := v.AddUp(func(_ store.Rows, from, to int) [4]float64 {
			at := sum(s, from, to)
			return [4]float64{at.value, at.slope, at.bend, at.size}
		})
		at := curve{sums[0], sums[1], sums[2], sums[3]}
		slope, bend := at.slope/n-float64(2*s*half), at.bend/n-2*half
		// An entropy changes by less than slack*log(1/slack) where its argument does by slack; 64
		// is more than that log.
		best = max(best, at.value/n-float64(s*s*half)-float64(slack*(64+at.size/n)))
		if more := -slope * slope / (2 * bend); !(more > float64(0x1p-26*best)) {
			break // a step would bring no more than this
		}
		s = max(s/4, min(s-slope/bend, 1))
	}
	return best
}
