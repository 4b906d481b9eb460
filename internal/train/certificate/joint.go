package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A joint problem has a lower bound on P: of the hinge
//
//	max over r of cost(y, r) - z_y + z_r >= sum over r of a_r*(cost(y, r) - z_y + z_r)
//
// for all a_r >= 0 with a sum of at most 1, and of the log loss the right side without the costs,
// plus the entropy of the a_r and what they lack to 1. The a_r are the means of the row's
// coefficients. The rest is as for one vector: see binary.go.
type joint struct{ *objective.Joint }

// boundAt is bound, and s. For the log loss s is always 1.
func (j joint) boundAt(a []float32, r2 float64) (value, s float64) {
	k, n := j.Vectors, j.Count()
	j.WidenPrior()
	own := j.ownShares(a)
	half, prior := j.halfNorm(a, own, r2)
	if j.Log {
		return j.entropyBound(a, own, half) - prior, 1
	}
	var mean, size float64
	for p := range n {
		i := j.Row(p)
		y := int(j.Class[i])
		var gain, parts float64
		for r, v := range a[i*k:][:k] {
			z, own := j.WideScore(i, r), j.WideScore(i, y)
			gain += float64(float64(v) * (j.Cost(y, r) + z - own))
			parts += float64(float64(v) * (j.Cost(y, r) + math.Abs(z) + math.Abs(own)))
		}
		mean += float64(j.Share(i) * gain)
		size += float64(j.Share(i) * parts)
	}
	mean = (mean-float64(j.Sums*size))/float64(n) - prior
	_, s = proof.Parabola(mean, half)
	return DualAt(s, mean, half), s
}

// ownShares returns for each row the sum of its shares, with which it is added to the vector of its
// own class. Sums that roundings have made larger than 1 are scaled down.
func (j joint) ownShares(a []float32) []float64 {
	k, n := j.Vectors, j.Count()
	own := make([]float64, n)
	for p := range n {
		row := a[j.Row(p)*k:][:k]
		var sum float64
		for _, v := range row {
			sum += float64(v)
		}
		if sum > 1 {
			for r := range row {
				row[r] = float32(float64(row[r]) / (sum * (1 + 0x1p-20)))
			}
			sum = 0
			for _, v := range row {
				sum += float64(v)
			}
		}
		own[p] = sum
	}
	return own
}

// halfNorm returns no less than |u|^2/(2 lambda), u being the mean of the rows times their shares
// in all vectors' places, and a bound on what the roundings of the prior's scores may have added to
// the mean.
func (j joint) halfNorm(a []float32, own []float64, r2 float64) (half, prior float64) {
	k, n := j.Vectors, j.Count()
	u := make([]float64, j.X.Cols())
	c := make([]float32, j.X.Rows())
	var sum, squares float64
	for r := range k {
		clear(u)
		clear(c)
		var ub float64
		for p := range n {
			i := j.Row(p)
			v := -float64(a[i*k+r])
			if int(j.Class[i]) == r {
				v = own[p]
			}
			c[i] = float32(v)
			b := float64(j.Share(i) * float64(c[i]))
			ub += float64(b * j.BiasScale)
			squares += float64(float64(c[i]) * b)
		}
		// own[p] was rounded to float32: what is lost is a share of at most 2^-24 in the row's own
		// class, which has no cost. It is counted as a rounding below.
		j.AddTo(u, c)
		for _, v := range u {
			sum += float64(v * v)
		}
		sum += float64(ub * ub)
	}
	squares /= float64(n)
	norm := math.Sqrt(sum)/float64(n) +
		float64(1.001*(j.AddError()+j.Sums+0x1p-23)*math.Sqrt(squares*r2))
	norm = float64(norm * (1 + j.Sums))
	return norm * norm / (2 * j.Lambda), float64(2 * math.Sqrt(squares) * j.PriorError(r2))
}

// entropyBound is like that of one vector.
func (j joint) entropyBound(a []float32, own []float64, half float64) float64 {
	k, n := j.Vectors, j.Count()
	best, s := 0.0, 1.0
	for range 3 {
		var value, slope, bend, size float64
		for p := range n {
			i := j.Row(p)
			weight, y := j.Share(i), int(j.Class[i])
			var h, linear, dh float64
			for r, v := range a[i*k:][:k] {
				if v <= 0 {
					continue
				}
				h -= loss.XLogX(float64(s * float64(v)))
				dh -= float64(float64(v) * floats.Log(float64(s*float64(v))))
				z, own := j.WideScore(i, r), j.WideScore(i, y)
				linear += float64(float64(v) * (z - own))
				size += float64(float64(weight*float64(v)) * (math.Abs(z) + math.Abs(own)))
			}
			rest := 1 - float64(s*own[p])
			h -= loss.XLogX(rest)
			value += float64(weight * (h + float64(s*linear)))
			if rest > 0 {
				dh += float64(own[p] * floats.Log(rest))
				bend -= float64(weight*own[p]) / (s * rest)
			}
			slope += float64(weight * (dh + linear))
		}
		rows := float64(n)
		value, slope = value/rows-float64(s*s*half), slope/rows-float64(2*s*half)
		bend = bend/rows - 2*half
		best = max(best, value-float64(j.Sums*(64+size/rows)))
		if !(bend < 0) {
			break
		}
		s = max(s/4, min(s-slope/bend, 1))
	}
	return best
}
