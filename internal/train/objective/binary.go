package objective

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
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

// Losses returns the sum of the losses of some rows, from float32 dot products.
func (b *Binary) Losses(w []float32, bias float64, from, to int) (sum float64) {
	for j := from; j < to; j++ {
		i := b.Row(j)
		z := float64(b.X.Dot(i, w)) + bias
		if !floats.IsFinite(z) {
			return math.NaN() // also for infinities: float32 overflowed, and who knows which way
		}
		sum += b.LossOf(i, z)
	}
	return sum
}

// WideLosses is Losses from float64 dot products.
func (b *Binary) WideLosses(w []float64, bias float64, from, to int) (sum float64) {
	for j := from; j < to; j++ {
		i := b.Row(j)
		sum += b.LossOf(i, b.X.WideDot(i, w)+bias)
	}
	return sum
}

// LossOf returns the loss of row i with the score z, times its weight.
func (b *Binary) LossOf(i int, z float64) float64 {
	side, target := b.Label(uint32(i))
	return float64(b.Share(i) * b.Cost.At(float64(float64(side)*z)-target))
}

func (b *Binary) At(w [][]float32, bias []float64) float64 {
	return b.Penalty(w, bias) + b.Losses(w[0], bias[0], 0, b.Count())/float64(b.Count())
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
	return z
}

// WideTarget is the target of Frame, by such a score.
func (b *Binary) WideTarget(i int) float64 {
	side, target := b.Label(uint32(i))
	return target - float64(float64(side)*b.WideScore(i, 0))
}
