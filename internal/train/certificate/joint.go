package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// joint is a joint problem. The loss of Crammer and Singer satisfies
//
//	max over r of cost(y, r) - z_y + z_r >= sum over r of a_r*(cost(y, r) - z_y + z_r)
//
// for all a_r >= 0 whose sum is at most 1, where z_r is the score of class r and y the row's class.
// The log loss is at least the right side without the costs, plus the entropy of the a_r and of 1
// minus their sum. a_y is 0. The rest is as for one vector: see binary.go.
type joint struct{ *objective.Joint }

func (j joint) boundAt(a []float32, r2 float64) (value, s float64) {
	j.ComputePriorScores64()
	own := j.ownDuals(a)
	half, prior := j.halfNorm(a, own, r2)
	if j.Log {
		return j.entropyBound(a, own, half) - prior, 1
	}
	sums := j.AddUp(func(_ store.Rows, from, to int) [4]float64 {
		var mean, size float64
		for p := from; p < to; p++ {
			i := j.Row(p)
			y := int(j.Class[i])
			var gain, parts float64
			for r, v := range a[i*j.Vectors:][:j.Vectors] {
				z, own := j.PriorScore64(i, r), j.PriorScore64(i, y)
				gain += float64(float64(v) * (j.Cost(y, r) + z - own))
				parts += float64(float64(v) * (j.Cost(y, r) + math.Abs(z) + math.Abs(own)))
			}
			mean += float64(j.RowWeight(i) * gain)
			size += float64(j.RowWeight(i) * parts)
		}
		return [4]float64{mean, size}
	})
	mean := (sums[0]-float64(j.SumError*sums[1]))/float64(j.Count()) - prior
	_, s = Parabola(mean, half)
	return DualAt(s, mean, half), s
}

// ownDuals returns each row's own dual variable, by position in the view: the sum of the row's dual
// variables for the other classes. If it exceeds 1, ownDuals scales down the row's dual variables
// in a.
func (j joint) ownDuals(a []float32) []float64 {
	k := j.Vectors
	own := make([]float64, j.Count())
	j.InBlocks(func(_ store.Rows, _, from, to int) {
		for p := from; p < to; p++ {
			row := a[j.Row(p)*k:][:k]
			if own[p] = Sum(row); own[p] > 1 {
				for r := range row {
					row[r] = float32(float64(row[r]) / (own[p] * (1 + 0x1p-20)))
				}
				own[p] = Sum(row)
			}
		}
	})
	return own
}

func Sum(a []float32) (sum float64) {
	for _, v := range a {
		sum += float64(v)
	}
	return sum
}

// halfNorm returns an upper bound, half, on |u|^2/(2 lambda). The vector u has one part for each
// class r: the mean of the rows, where a row of class r is multiplied by its own dual variable, and
// any other row by minus its dual variable for r. prior bounds the error of the dual objective from
// rounding the prior's scores.
func (j joint) halfNorm(a []float32, own []float64, r2 float64) (half, prior float64) {
	k, n := j.Vectors, float64(j.Count())
	u, c := make([]float64, j.X.Cols()), make([]float32, j.X.Rows())
	var sum, squares float64
	for r := range k {
		clear(u)
		sums := j.AddUp(func(_ store.Rows, from, to int) [4]float64 {
			ub, sum := 0.0, 0.0
			if from == 0 {
				sum = squares // continue the sum of the classes before r
			}
			for p := from; p < to; p++ {
				i := j.Row(p)
				v := -float64(a[i*k+r])
				if int(j.Class[i]) == r {
					v = own[p]
				}
				c[i] = float32(v)
				b := float64(j.RowWeight(i) * float64(c[i]))
				ub += float64(b * j.BiasScale)
				sum += float64(float64(c[i]) * b)
			}
			return [4]float64{ub, sum}
		})
		ub := sums[0]
		squares = sums[1]
		// Rounding own[p] to float32 changes only the vector of the row's own class: the linear
		// terms do not contain own[p]. The 2^-23 below covers this error.
		j.AddTo(u, c)
		for _, v := range u {
			sum += float64(v * v)
		}
		sum += float64(ub * ub)
	}
	squares /= n
	norm := math.Sqrt(sum)/n +
		float64(1.001*(j.AddError()+j.SumError+0x1p-23)*math.Sqrt(squares*r2))
	norm = float64(norm * (1 + j.SumError))
	return norm * norm / (2 * j.Lambda), float64(2 * math.Sqrt(squares) * j.PriorError(r2))
}

func (j joint) entropyBound(a []float32, own []float64, half float64) float64 {
	return maximize(&j.View, half, j.SumError, func(s float64, from, to int) (at curve) {
		for p := from; p < to; p++ {
			i := j.Row(p)
			weight, y := j.RowWeight(i), int(j.Class[i])
			var h, linear, dh float64
			for r, v := range a[i*j.Vectors:][:j.Vectors] {
				if v <= 0 {
					continue
				}
				h -= loss.XLogX(float64(s * float64(v)))
				dh -= float64(float64(v) * floats.Log(float64(s*float64(v))))
				z, own := j.PriorScore64(i, r), j.PriorScore64(i, y)
				linear += float64(float64(v) * (z - own))
				at.size += float64(float64(weight*float64(v)) * (math.Abs(z) + math.Abs(own)))
			}
			rest := 1 - float64(s*own[p])
			h -= loss.XLogX(rest)
			at.value += float64(weight * (h + float64(s*linear)))
			if rest > 0 {
				dh += float64(own[p] * floats.Log(rest))
				at.curvature -= float64(weight*own[p]) / (s * rest)
			}
			at.slope += float64(weight * (dh + linear))
		}
		return at
	})
}
