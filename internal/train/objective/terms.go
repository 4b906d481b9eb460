// Package objective has what a training minimises,
//
//	P(w) = lambda/2 |w|^2 + the mean loss,
//
// of the rows of a view: for one vector (Binary) and for one of each class that are trained as one
// (Joint). It says how P is added up, and by how much that may be off.
package objective

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// A Problem is one of the two.
type Problem interface {
	// AtZero returns the mean loss of w = 0, or of the prior.
	AtZero() float64
	// Clamp returns what is nearest to a share of those that a row can have.
	Clamp(share float32) float32
	// At returns P of any vectors and biases, from float32 dot products.
	At(w [][]float32, bias []float64) float64
	// ErrorOf returns by how much the mean loss may be off where the scores are, by z.
	ErrorOf(z, loss float64) float64
}

// Terms are what both have.
type Terms struct {
	rows.View

	Lambda    float64
	BiasScale float64 // the value of the appended feature, 0 for none
	Free      bool    // the bias is no such feature, and has no penalty

	// The prior's weights, nil without one. The vectors are then the difference of w and them.
	Prior     [][]float32
	PriorBias []float64
	// The prior's scores, of all vectors for one row after the other: those that training takes,
	// from float32 dot products, and those of the certificate, which are nil before it needs them.
	PriorScores, wideScores []float64

	Sums float64 // a bound on the relative error of every sum in float64: see package certificate
}

// ScoreError returns the root of the mean, over the rows, of a score's squared error, without that
// of what the loss adds to it. No vector is longer than length.
func (t *Terms) ScoreError(length float64, b []float64, dotSize, r2 float64) float64 {
	bias := 0.0
	for _, v := range b {
		bias = max(bias, math.Abs(v))
	}
	if length == 0 {
		return float64(t.Sums * bias)
	}
	return float64(length*dotSize) + float64(t.Sums*(float64(1.001*length*math.Sqrt(r2))+bias))
}

// Longest returns the largest length of the vectors, whose penalty is given.
func (t *Terms) Longest(w [][]float32, penalty float64) (length float64) {
	if t.Prior == nil && len(w) == 1 {
		return math.Sqrt(2*penalty/t.Lambda) * (1 + 0x1p-30)
	}
	for _, v := range w {
		length = max(length, math.Sqrt(SquareSum(v)))
	}
	return length
}

// PriorError is ScoreError of a wideScore; 0 without a prior.
func (t *Terms) PriorError(r2 float64) float64 {
	return t.ScoreError(t.Longest(t.Prior, 0), t.PriorBias, 0, r2)
}

// WidenPrior finds the prior's scores that the certificate takes.
func (t *Terms) WidenPrior() {
	if t.Prior == nil || t.wideScores != nil {
		return
	}
	t.wideScores = make([]float64, len(t.PriorScores))
	for k, w := range t.Prior {
		wide := floats.Wide(w)
		t.InBlocks(func(x store.Rows, _, from, to int) {
			for j := from; j < to; j++ {
				i := t.Row(j)
				t.wideScores[i*len(t.Prior)+k] = x.WideDot(i, wide) + t.PriorBias[k]
			}
		})
	}
}

// WideScore returns the prior's score of row i by vector k; 0 without one.
func (t *Terms) WideScore(i, k int) float64 {
	if t.wideScores == nil {
		return 0
	}
	return t.wideScores[i*len(t.Prior)+k]
}

// atZero returns the mean of the rows' losses.
func (t *Terms) atZero(loss func(i int) float64) float64 {
	var sum, n float64
	for _, i := range t.All() {
		sum += float64(t.Share(i) * loss(i))
		n += t.Share(i)
	}
	return sum / n
}

// SetPrior makes the learner look for u = w - w0, w0 being the prior's weights and biases: the
// scores of w0 become part of the rows' targets.
func (t *Terms) SetPrior(weights [][]float32, bias []float64) error {
	t.Prior, t.PriorBias = weights, bias
	t.PriorScores = make([]float64, len(weights)*t.X.Rows())
	for _, i := range t.All() {
		for k, w := range weights {
			z := float64(t.X.Dot(i, w)) + bias[k]
			if !floats.IsFinite(z) {
				return rows.Bad(t.Name(uint32(i)), "the prior's score is not finite: "+rows.TooLarge)
			}
			t.PriorScores[i*len(weights)+k] = z
		}
	}
	return nil
}

// AddPrior turns u into w.
func (t *Terms) AddPrior(w [][]float32) {
	for k, prior := range t.Prior {
		for j, v := range prior {
			w[k][j] += v
		}
	}
}
