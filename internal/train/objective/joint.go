package objective

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Joint is the problem of one weight vector for each class. The loss of a row of class y with the
// scores z is the multinomial log loss, log(sum of e^z_r) - z_y, or the loss of Crammer and Singer,
// the maximum over r of cost(y, r) + z_r - z_y.
type Joint struct {
	*Terms
	Vectors int
	Log     bool // multinomial log loss, not Crammer-Singer
	// Costs[y][r] is the cost of predicting class r for a row of class y; nil for 1 each.
	Costs [][]float64
}

// Coefficients stores in b a sub-gradient of the loss of row i with respect to the scores z, but 0
// for its own class. It returns false if the sub-gradient of a Crammer-Singer loss is 0. With a
// prior, z is the scores minus the prior's.
func (j *Joint) Coefficients(z, b []float64, i uint32) bool {
	y := int(j.Class[i])
	clear(b)
	if !j.Log {
		worst, most := y, 0.0
		for r, v := range z {
			l := j.Cost(y, r) + (j.FullScore(v, r, i) - j.FullScore(z[y], y, i))
			if r != y && l > most {
				worst, most = r, l
			}
		}
		if worst != y {
			b[worst] = 1
		}
		return worst != y
	}
	for r, v := range z {
		b[r] = j.FullScore(v, r, i)
	}
	top, sum := slices.Max(b), 0.0
	for r, v := range b {
		b[r] = floats.Exp(v - top)
		sum += b[r]
	}
	for r := range b {
		b[r] /= sum
	}
	b[y] = 0
	return true
}

func (j *Joint) FullScore(z float64, r int, i uint32) float64 {
	if j.PriorScores != nil {
		return z + j.PriorScores[int(i)*j.Vectors+r]
	}
	return z
}

func (j *Joint) Cost(y, r int) float64 {
	switch {
	case y == r:
		return 0
	case j.Costs != nil:
		return j.Costs[y][r]
	}
	return 1
}

// Loss returns the loss of a row of class y with the scores z, which include the prior's scores.
func (j *Joint) Loss(z []float64, y int) float64 {
	if j.Log {
		return LogSumExp(z, z[y])
	}
	var worst float64
	for r, v := range z {
		worst = max(worst, j.Cost(y, r)+(v-z[y]))
	}
	return worst
}

// lossBlock rows are multiplied by a vector before the next is read: all vectors may exceed the
// caches.
const lossBlock = 32

// MeanLoss returns the weighted mean loss, from float64 dot products with wide or, if wide is nil,
// from float32 dot products with w. It is NaN if a score is not finite.
func (j *Joint) MeanLoss(w [][]float32, wide [][]float64, b []float64) float64 {
	var all *dense.Matrix
	if wide == nil {
		all = dense.New(len(w), j.X.Cols())
		for r, w := range w {
			copy(all.Row(r), w)
		}
	}
	sums := j.AddUp(func(x store.Rows, from, to int) [4]float64 {
		sum, k := 0.0, len(w)
		dots, block := make([]float32, k), make([]float64, k*min(lossBlock, to-from))
		for from < to {
			rows := min(lossBlock, to-from)
			for r, w := range wide {
				for n := range rows {
					block[n*k+r] = x.Dot64(j.Row(from+n), w) + b[r]
				}
			}
			for n := range rows {
				i, z := j.Row(from+n), block[n*k:][:k]
				if wide == nil {
					x.DotVectors(dots, i, all, 0)
					for r, dot := range dots {
						z[r] = float64(dot) + b[r]
					}
				}
				if floats.FirstNotFinite(z) >= 0 {
					return [4]float64{math.NaN()}
				}
				sum += float64(j.RowWeight(i) * j.Loss(z, int(j.Class[i])))
			}
			from += rows
		}
		return [4]float64{sum}
	})
	return sums[0] / float64(j.Count())
}

func (j *Joint) At(w [][]float32, b []float64) float64 {
	return PenaltyOf(j.Terms, w, b) + j.MeanLoss(w, nil, b)
}

func (j *Joint) Clamp(a float32) float32 { return max(0, a) }

func (j *Joint) AtZero() float64 {
	z := make([]float64, j.Vectors)
	return j.atZero(func(i int) float64 {
		for r := range z {
			z[r] = j.FullScore(0, r, uint32(i))
		}
		return j.Loss(z, int(j.Class[i]))
	})
}

// A loss changes by at most twice the largest change of a score. The second term bounds the
// rounding of sums of cost and scores.
func (j *Joint) LossError(z, loss float64) float64 {
	most := 1.0
	for _, row := range j.Costs {
		most = max(most, slices.Max(row))
	}
	return float64(2*z) + float64(j.SumError*most)
}

// LogSumExp returns the logarithm of the sum over r of e^(z_r - base), where base is one of the
// z_r. It clips rounding errors below 0.
func LogSumExp(z []float64, base float64) float64 {
	top := slices.Max(z)
	var sum float64
	for _, v := range z {
		sum += floats.Exp(v - top)
	}
	return max(0, top-base+floats.Log(sum))
}
