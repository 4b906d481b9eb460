package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// This file computes a lower bound on the optimum of a binary problem. The hinge loss of the margin
// m = y*z satisfies max(0, 1-m) >= a*(1-m) for any a in [0, 1]. With one a_i for each row,
//
//	P(w) >= lambda/2 |w|^2 + mean(a_i) - <w, u>,  u = mean of a_i*y_i*x_i
//
// for every w. The right side is smallest at w = u/lambda. There it is the dual objective,
//
//	mean(a_i) - |u|^2/(2 lambda).
//
// Another loss l satisfies l(m) >= d(a) - a*m, where d(a) is loss.Func.DualTerm; mean(d(a_i)) then
// replaces mean(a_i). For regression targets m is the residual z - y_i: there is no y_i in u, and
// a_i*y_i is added to d(a_i).
//
// If rows have weights, all means are weighted. With a prior, w is the difference from the prior,
// and the prior's scores change the terms that are linear in a_i: see objective.Binary.Target64.

type binary struct{ *objective.Binary }

func (p binary) boundAt(a []float32, r2 float64) (value, s float64) {
	p.ComputePriorScores64() // Target64 reads these scores
	var even balance
	if p.FreeBias {
		even = balanceSides(p.Binary, a)
	}
	slack := even.slack
	u, signed := floats.Borrow(p.X.Cols()), make([]float32, len(a))
	sums := p.AddUp(func(_ store.Rows, from, to int) [4]float64 {
		var ub, squares, mean, size float64
		for j := from; j < to; j++ {
			i := p.Row(j)
			v, weight := float64(a[i]), p.RowWeight(i)
			side, _ := p.Label(uint32(i))
			signed[i] = a[i] * side
			ub += float64(float64(float64(signed[i])*p.BiasScale) * weight)
			squares += float64(float64(v*v) * weight)
			gain, least := float64(v*p.Target64(i)), p.Cost.DualLinear(v)
			mean += float64(weight * (gain + least))
			size += float64(weight * (math.Abs(gain) + math.Abs(least)))
		}
		return [4]float64{ub, squares, mean, size}
	})
	p.AddTo(u, signed)
	n := float64(p.Count())
	ub, squares := sums[0], sums[1]/n
	mean, size := sums[2], sums[3] // sums of terms linear in s
	sum := float64(ub * ub)
	for _, v := range u {
		sum += float64(v * v)
	}
	floats.GiveBack(u)
	// at least mean(|a_i| |x_i|); the factor covers the roundings of r2
	reach := 1.001 * math.Sqrt(squares*r2)
	norm := math.Sqrt(sum)/n + float64((p.AddError()+slack)*reach) + even.length/n
	half := norm * norm / (2 * p.Lambda)
	norm = float64((norm + float64(p.SumError*reach)) * (1 + p.SumError)) // now at least |u|
	most := norm * norm / (2 * p.Lambda)
	prior := float64(math.Sqrt(squares) * p.PriorError(r2))
	if p.Cost.Kind.Traits().Entropy {
		return p.entropyBound(a, most, slack+p.SumError) - prior - even.entropy/n, 1
	}
	mean = (mean - float64(slack*size) - even.gain) / n
	bend := float64(float64(squares*p.Cost.Kind.Traits().Quadratic) * (1 + 3*slack))
	most += float64(bend * (1 + p.SumError))
	_, s = Parabola(mean, half+bend)
	return DualAt(s, mean-float64(p.SumError*(size/n))-prior, most), s
}

// half must be at least |u|^2/(2 lambda). slack is the largest relative error of the dual variables
// plus the relative error of the sums.
func (p binary) entropyBound(a []float32, half, slack float64) float64 {
	return maximize(&p.View, half, slack, func(s float64, from, to int) (at curve) {
		for j := from; j < to; j++ {
			i := p.Row(j)
			v, weight, target := float64(a[i]), p.RowWeight(i), p.Target64(i)
			b := float64(s * v)
			at.size += float64(weight * math.Abs(float64(b*target)))
			entropy, wv := 0.0, float64(weight*v)
			at.slope += float64(wv * target)
			if b > 0 && b < 1 {
				log, rest := floats.Log(b), floats.Log(1-b)
				entropy = -float64(b*log) - float64((1-b)*rest)
				at.slope += float64(wv * (rest - log))
				at.curvature -= wv / (s * (1 - b))
			}
			at.value += float64(weight * (entropy + float64(b*target)))
		}
		return at
	})
}
