package objective

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// A Binary problem is that of the rows of one class against others, or of numbers to predict.
type Binary struct {
	*Terms
	Cost     loss.Func
	Positive int32 // the class that is +1 here
}

// Coefficient returns minus a sub-gradient of the loss of row i, whose score is z: c with respect
// to its margin, and g to its score, with its weight.
func (b *Binary) Coefficient(i uint32, z float64) (c, g float32) {
	side, target := b.Frame(i)
	c = float32(b.Cost.Coefficient(float64(float64(side)*z) - target))
	return c, b.Weighted(i, c*side) // the product is exact
}

// Weighted returns g times the weight of row i.
func (b *Binary) Weighted(i uint32, g float32) float32 {
	if b.Weight == nil {
		return g
	}
	return float32(g * float32(b.Weight[i]))
}

// Frame returns how the loss of row i depends on its score z: it is that of side*z - target. With a
// prior z is what is added to the prior's score.
func (b *Binary) Frame(i uint32) (side float32, target float64) {
	side, target = b.Label(i)
	if b.PriorScores != nil {
		target -= float64(float64(side) * b.PriorScores[i])
	}
	return side, target
}

// Label is the same of the score of w, prior or not.
func (b *Binary) Label(i uint32) (side float32, target float64) {
	if b.Target != nil {
		return 1, float64(b.Target[i])
	}
	return b.Sign(i), 0
}

// Sign returns the label of row i: +1 or -1.
func (b *Binary) Sign(i uint32) float32 {
	s := int32(-1)
	if b.Class[i] == b.Positive {
		s = 1 // a conditional move: as a branch it would be a guess
	}
	return float32(s)
}

// LossesOf returns the sum of the losses of some rows, from float32 dot products, with the rows for
// this goroutine.
func (b *Binary) LossesOf(x store.Rows, w []float32, bias float64, from, to int) float64 {
	return b.losses(from, to, func(i int) float64 {
		z := float64(x.Dot(i, w)) + bias
		if !floats.IsFinite(z) {
			return math.NaN() // also for infinities: float32 overflowed, and who knows which way
		}
		return z
	})
}

// WideLosses is LossesOf from float64 dot products.
func (b *Binary) WideLosses(x store.Rows, w []float64, bias float64, from, to int) float64 {
	return b.losses(from, to, func(i int) float64 { return x.WideDot(i, w) + bias })
}

// losses returns the sum of the losses of some rows whose scores are given. The margins of some
// rows come first, and then their losses.
func (b *Binary) losses(from, to int, score func(i int) float64) (sum float64) {
	var margins [64]float64
	for from < to {
		m := margins[:min(to-from, len(margins))]
		for k := range m {
			i := b.Row(from + k)
			side, target := b.Label(uint32(i))
			m[k] = float64(float64(side)*score(i)) - target
		}
		b.Cost.Losses(m, m)
		for k, v := range m {
			sum += float64(b.Share(b.Row(from+k)) * v)
		}
		from += len(m)
	}
	return sum
}

func (b *Binary) At(w [][]float32, bias []float64) float64 {
	sums := b.AddUp(func(x store.Rows, from, to int) [4]float64 {
		return [4]float64{b.LossesOf(x, w[0], bias[0], from, to)}
	})
	return PenaltyOf(b.Terms, w, bias) + sums[0]/float64(b.Count())
}

func (b *Binary) Clamp(share float32) float32 { return b.Cost.Clamp(share) }

func (b *Binary) AtZero() float64 {
	if b.Target == nil && b.PriorScores == nil {
		return b.Cost.At(0)
	}
	return b.atZero(func(i int) float64 {
		_, target := b.Frame(uint32(i))
		return b.Cost.At(-target)
	})
}

func (b *Binary) ErrorOf(z, loss float64) float64 {
	var squares float64
	if b.Target != nil {
		for _, i := range b.All() {
			t := float64(b.Target[i])
			squares += float64(b.Share(i) * float64(t*t))
		}
	}
	z += float64(b.Sums * (1 + b.Cost.Epsilon + math.Sqrt(squares/float64(b.Count()))))
	if c := b.Cost.Kind.Traits().Curvature; c > 0 {
		return float64(z * (math.Sqrt(2*c*loss) + c/2*z))
	}
	return float64(z * b.Cost.Kind.Traits().Slope())
}

// WideTarget is the target of Frame, by such a score.
func (b *Binary) WideTarget(i int) float64 {
	side, target := b.Label(uint32(i))
	return target - float64(float64(side)*b.WideScore(i, 0))
}
