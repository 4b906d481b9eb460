package objective

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// Binary is the problem of one weight vector: one class against the others, or regression. The loss
// of a row with the score z is Cost.At(side*z - target): see Label.
type Binary struct {
	*Terms
	Cost     loss.Func
	Positive int32 // the class whose rows have the label +1
}

// Coefficient returns minus a sub-gradient of the loss of row i: c with respect to the margin, and
// g, times the row's weight, with respect to the score. With a prior, z is the score minus the
// prior's.
func (b *Binary) Coefficient(i uint32, z float64) (c, g float32) {
	side, target := b.MarginTerms(i)
	c = float32(b.Cost.Coefficient(float64(float64(side)*z) - target))
	return c, b.Weighted(i, c*side) // c*side is exact, because side is 1 or -1
}

func (b *Binary) Weighted(i uint32, g float32) float32 {
	if b.Weight == nil {
		return g
	}
	return float32(g * float32(b.Weight[i]))
}

// MarginTerms returns side and target such that row i has the margin side*z - target. With a prior,
// z is the score minus the prior's.
func (b *Binary) MarginTerms(i uint32) (side float32, target float64) {
	side, target = b.Label(i)
	if b.PriorScores != nil {
		target -= float64(float64(side) * b.PriorScores[i])
	}
	return side, target
}

// Label is MarginTerms for the whole score, prior included: (1, y) for a regression target y, and
// (y, 0) for the label y = +1 or -1.
func (b *Binary) Label(i uint32) (side float32, target float64) {
	if b.Target != nil {
		return 1, float64(b.Target[i])
	}
	return b.Sign(i), 0
}

func (b *Binary) Sign(i uint32) float32 {
	s := int32(-1)
	if b.Class[i] == b.Positive {
		s = 1 // integers, so that this can compile to a conditional move
	}
	return float32(s)
}

// SumLosses returns the weighted sum of the losses of the rows at positions from to to-1 of the
// view. x is a clone of its rows. If wide is nil, SumLosses uses float32 dot products with w, and
// returns NaN if a score is not finite. Otherwise it uses float64 dot products with wide,
// unchecked.
func (b *Binary) SumLosses(x store.Rows, w []float32, wide []float64, bias float64, from, to int,
) (sum float64) {
	var margins [64]float64
	for from < to {
		m := margins[:min(to-from, len(margins))]
		for k := range m {
			i, z := b.Row(from+k), 0.0
			if wide != nil {
				z = x.Dot64(i, wide) + bias
			} else if z = float64(x.Dot(i, w)) + bias; !floats.IsFinite(z) {
				z = math.NaN() // an overflow of float32 may have the wrong sign
			}
			side, target := b.Label(uint32(i))
			m[k] = float64(float64(side)*z) - target
		}
		b.Cost.Losses(m, m)
		for k, v := range m {
			sum += float64(b.RowWeight(b.Row(from+k)) * v)
		}
		from += len(m)
	}
	return sum
}

func (b *Binary) At(w [][]float32, bias []float64) float64 {
	sums := b.AddUp(func(x store.Rows, from, to int) [4]float64 {
		return [4]float64{b.SumLosses(x, w[0], nil, bias[0], from, to)}
	})
	return PenaltyOf(b.Terms, w, bias) + sums[0]/float64(b.Count())
}

func (b *Binary) Clamp(a float32) float32 { return b.Cost.Clamp(a) }

func (b *Binary) AtZero() float64 {
	if b.Target == nil && b.PriorScores == nil {
		return b.Cost.At(0)
	}
	return b.atZero(func(i int) float64 {
		_, target := b.MarginTerms(uint32(i))
		return b.Cost.At(-target)
	})
}

// LossError adds the rounding error of margins to z. A loss whose derivative is at most s in
// magnitude then changes by at most s*z. A loss whose second derivative is at most c changes by at
// most c/2 z (2d + z) where its derivative is c*d, and d^2 is at most 2/c times the loss.
func (b *Binary) LossError(z, loss float64) float64 {
	var squares float64
	if b.Target != nil {
		for _, i := range b.All() {
			t := float64(b.Target[i])
			squares += float64(b.RowWeight(i) * float64(t*t))
		}
	}
	z += float64(b.SumError * (1 + b.Cost.Epsilon + math.Sqrt(squares/float64(b.Count()))))
	if c := b.Cost.Kind.Traits().Curvature; c > 0 {
		return float64(z * (math.Sqrt(2*c*loss) + c/2*z))
	}
	return float64(z * b.Cost.Kind.Traits().Slope())
}

// Target64 returns the target of MarginTerms for row i, from the prior's float64 score.
func (b *Binary) Target64(i int) float64 {
	side, target := b.Label(uint32(i))
	return target - float64(float64(side)*b.PriorScore64(i, 0))
}
