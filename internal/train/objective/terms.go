// Package objective computes the primal objective of a training problem,
//
//	P(w) = lambda/2 |w|^2 + the weighted mean of the rows' losses,
//
// and a bound on the error of the computed value. With a prior, the penalty is lambda/2 |w -
// prior|^2. A problem is Binary (one weight vector) or Joint (one for each class, trained
// together).
package objective

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

type Problem interface {
	// AtZero returns P, the mean loss, at w = 0 or, with a prior, at the prior.
	AtZero() float64
	// Clamp returns the feasible value nearest to a dual variable. In a joint problem it does not
	// limit the sum of a row's dual variables.
	Clamp(a float32) float32
	// At returns P for the weight vectors w and their biases, computed from float32 dot products;
	// NaN if a score is not finite.
	At(w [][]float32, bias []float64) float64
	// LossError bounds the error of loss, the computed mean loss, if the scores have the root mean
	// square error z.
	LossError(z, loss float64) float64
}

// Terms holds the rows and the penalty of a Binary or Joint problem.
type Terms struct {
	store.View

	Lambda    float64
	BiasScale float64 // value of the feature appended to each row for the bias; 0 for none
	FreeBias  bool    // the problem has a bias without a penalty; BiasScale is then 0

	Prior     [][]float32 // weights whose distance from w is penalized; nil for zeros
	PriorBias []float64   // biases of the prior, one for each weight vector; zeros without a prior
	// PriorScores holds the prior's scores from float32 dot products: for each row of X, one for
	// each weight vector; nil without a prior.
	PriorScores []float64
	// nil until ComputePriorScores64
	priorScores64 []float64

	// SumError bounds the error of each float64 sum, relative to the sum of its addends'
	// magnitudes.
	SumError float64
}

// ScoreError bounds the root mean square error of the rows' scores with any weight vector of a norm
// up to length and any of the biases b. dotSize is View.DotSize, or 0 for float64 dot products; r2
// is the mean squared norm of the rows, with the bias's feature.
func (t *Terms) ScoreError(length float64, b []float64, dotSize, r2 float64) float64 {
	bias := 0.0
	for _, v := range b {
		bias = max(bias, math.Abs(v))
	}
	if length == 0 {
		return float64(t.SumError * bias)
	}
	return float64(length*dotSize) + float64(t.SumError*(float64(1.001*length*math.Sqrt(r2))+bias))
}

// MaxNorm returns the largest norm of the vectors w. For a single vector without a prior, it
// returns an upper bound from penalty, which may include the bias's penalty.
func (t *Terms) MaxNorm(w [][]float32, penalty float64) (length float64) {
	if t.Prior == nil && len(w) == 1 {
		return math.Sqrt(2*penalty/t.Lambda) * (1 + 0x1p-30)
	}
	for _, v := range w {
		length = max(length, math.Sqrt(SquareSum(v)))
	}
	return length
}

// PriorError bounds the root mean square error of PriorScore64, for r2 as in ScoreError. It is 0
// without a prior.
func (t *Terms) PriorError(r2 float64) float64 {
	return t.ScoreError(t.MaxNorm(t.Prior, 0), t.PriorBias, 0, r2)
}

// ComputePriorScores64 computes the scores that PriorScore64 returns.
func (t *Terms) ComputePriorScores64() {
	if t.Prior == nil || t.priorScores64 != nil {
		return
	}
	t.priorScores64 = make([]float64, len(t.PriorScores))
	for k, w := range t.Prior {
		wide := floats.Float64s(w)
		t.InBlocks(func(x store.Rows, _, from, to int) {
			for j := from; j < to; j++ {
				i := t.Row(j)
				t.priorScores64[i*len(t.Prior)+k] = x.Dot64(i, wide) + t.PriorBias[k]
			}
		})
	}
}

// PriorScore64 returns the prior's float64 score of row i for vector k; 0 without a prior or before
// ComputePriorScores64.
func (t *Terms) PriorScore64(i, k int) float64 {
	if t.priorScores64 == nil {
		return 0
	}
	return t.priorScores64[i*len(t.Prior)+k]
}

func (t *Terms) atZero(loss func(i int) float64) float64 {
	var sum, n float64
	for _, i := range t.All() {
		sum += float64(t.RowWeight(i) * loss(i))
		n += t.RowWeight(i)
	}
	return sum / n
}

// SetPrior sets the prior and computes its scores. It returns an error for a row whose score is not
// finite.
func (t *Terms) SetPrior(weights [][]float32, bias []float64) error {
	t.Prior, t.PriorBias = weights, bias
	t.PriorScores = make([]float64, len(weights)*t.X.Rows())
	for _, i := range t.All() {
		for k, w := range weights {
			z := float64(t.X.Dot(i, w)) + bias[k]
			if !floats.IsFinite(z) {
				return store.BadRow(t.SetRow(uint32(i)),
					fmt.Sprintf("the prior's score is %v, want a finite number", z))
			}
			t.PriorScores[i*len(weights)+k] = z
		}
	}
	return nil
}

// AddPrior adds the prior's weights, but not its biases, to the vectors w.
func (t *Terms) AddPrior(w [][]float32) {
	for k, prior := range t.Prior {
		for j, v := range prior {
			w[k][j] += v
		}
	}
}

// PenaltyOf returns the sum of Penalty over the weight vectors w. If t.BiasScale is 0, biases have
// no penalty.
func PenaltyOf[F float32 | float64](t *Terms, w [][]F, bias []float64) (sum float64) {
	for k := range w {
		var from []float32
		if t.Prior != nil {
			from = t.Prior[k]
		}
		if t.BiasScale == 0 {
			sum += Penalty(w[k], from, 0, t.Lambda, 1)
		} else {
			sum += Penalty(w[k], from, bias[k]-t.PriorBias[k], t.Lambda, t.BiasScale)
		}
	}
	return sum
}

// Penalty returns lambda/2 (|w - prior|^2 + (bias/biasScale)^2). A nil prior means zeros. bias must
// be the difference from the prior's bias.
func Penalty[F float32 | float64](w []F, prior []float32, bias, lambda, biasScale float64) float64 {
	sum := 0.0
	if prior == nil {
		sum = SquareSum(w)
	}
	for j, v := range prior {
		d := float64(w[j]) - float64(v)
		sum += float64(d * d)
	}
	if bias != 0 {
		b := bias / biasScale
		sum += float64(b * b)
	}
	return float64(lambda / 2 * sum)
}

// SquareSum returns the squared norm of v, summed in order in float64.
func SquareSum[F float32 | float64](v []F) (sum float64) {
	for _, z := range v {
		sum += float64(float64(z) * float64(z))
	}
	return sum
}

func SumError(rows, cols, classes int) float64 {
	return (8*float64(rows) + float64(cols) + float64(classes) + 64) * 0x1p-53
}
