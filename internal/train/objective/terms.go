// Package objective computes the primal objective of a training problem,
//
//	P(w) = lambda/2 |w|^2 + the weighted mean of the rows' losses,
//
// and a bound on the error of the computed value. A problem is Binary (one weight vector) or Joint
// (one weight vector for each class, trained together). Both embed Terms, the rows and the
// penalty. The solvers take the coefficients of their steps from here.
package objective

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// Problem is a Binary or a Joint problem.
type Problem interface {
	// AtZero returns P at w = 0, or at the prior: the mean loss there.
	AtZero() float64
	// Clamp returns the feasible dual variable nearest to a. The sum over the classes of a joint
	// problem is not limited.
	Clamp(a float32) float32
	// At returns P for the weight vectors w and their biases, from float32 dot products; NaN if one
	// of them is not finite.
	At(w [][]float32, bias []float64) float64
	// LossError returns a bound on the error of the mean loss if the scores have the root mean
	// square error z; loss is the mean loss as computed.
	LossError(z, loss float64) float64
}

// Terms is the part that both kinds of problem have: the rows, the penalty and the prior.
type Terms struct {
	rows.View

	Lambda    float64
	BiasScale float64 // value of the feature appended to each row for the bias; 0 for none
	FreeBias  bool    // the problem has a bias without a penalty; BiasScale is 0

	Prior     [][]float32 // weights that the penalty measures w's distance from; nil for zeros
	PriorBias []float64   // the prior's biases; zeros without a prior
	// PriorScores holds the prior's scores from float32 dot products, row by row, one for each
	// vector; nil without a prior. Solvers train the difference of w from the prior.
	PriorScores []float64
	// priorScores64 is PriorScores from float64 dot products; nil until ComputePriorScores64
	// computes it.
	priorScores64 []float64

	// SumError bounds the relative error of every float64 sum: see package certificate.
	SumError float64
}

// ScoreError returns a bound on the root mean square error of the rows' scores by any weight vector
// no longer than length with one of the biases b. dotSize is View.DotSize, or 0 for float64 dot
// products, and r2 the mean squared length of the rows. The error of labels and of the loss's own
// constants is not included.
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

// MaxNorm returns the largest length of the vectors w, or more: a single vector without a prior is
// measured by the given penalty, which may include the bias.
func (t *Terms) MaxNorm(w [][]float32, penalty float64) (length float64) {
	if t.Prior == nil && len(w) == 1 {
		return math.Sqrt(2*penalty/t.Lambda) * (1 + 0x1p-30)
	}
	for _, v := range w {
		length = max(length, math.Sqrt(SquareSum(v)))
	}
	return length
}

// PriorError returns ScoreError for the results of PriorScore64; 0 without a prior.
func (t *Terms) PriorError(r2 float64) float64 {
	return t.ScoreError(t.MaxNorm(t.Prior, 0), t.PriorBias, 0, r2)
}

// ComputePriorScores64 computes the prior's scores in float64, as the bounds need them, if there is
// a prior and they are not known yet.
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

// atZero returns the weighted mean of loss(i) over the rows.
func (t *Terms) atZero(loss func(i int) float64) float64 {
	var sum, n float64
	for _, i := range t.All() {
		sum += float64(t.RowWeight(i) * loss(i))
		n += t.RowWeight(i)
	}
	return sum / n
}

// SetPrior sets the prior's weights and biases, w0, and computes its scores. Solvers then train u =
// w - w0, and the scores of w0 are part of the rows' targets. It returns an error that names the
// row if a score is not finite.
func (t *Terms) SetPrior(weights [][]float32, bias []float64) error {
	t.Prior, t.PriorBias = weights, bias
	t.PriorScores = make([]float64, len(weights)*t.X.Rows())
	for _, i := range t.All() {
		for k, w := range weights {
			z := float64(t.X.Dot(i, w)) + bias[k]
			if !floats.IsFinite(z) {
				return rows.Bad(t.SetRow(uint32(i)), "the prior's score is not finite: "+rows.TooLarge)
			}
			t.PriorScores[i*len(weights)+k] = z
		}
	}
	return nil
}

// AddPrior adds the prior's weights, but not its biases, to the vectors u, which become w.
func (t *Terms) AddPrior(w [][]float32) {
	for k, prior := range t.Prior {
		for j, v := range prior {
			w[k][j] += v
		}
	}
}
