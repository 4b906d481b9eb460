package objective

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

// Evaluation is the mean loss of a problem's weight vectors, and how it was computed.
type Evaluation struct {
	W       [][]float32
	Exact   [][]float64 // W before rounding to float32; nil if Loss is from float32 dot products
	B       []float64
	Loss    float64
	DotSize float64      // View.DotSize if Loss is from float32 dot products; 0 if from float64
	R2      float64      // mean squared norm of the rows, with the bias's feature
	Scale   *scale.Scale // scaling that is folded into the vectors; nil for none
}

// Measure returns the primal objective P of f, and mistake, a bound on the absolute error of P.
func Measure(p Problem, t *Terms, f Evaluation) (objective, mistake float64) {
	penalty := PenaltyOf(t, f.W, f.B)
	z := t.ScoreError(t.MaxNorm(f.W, penalty), f.B, f.DotSize, f.R2)
	if c := f.Scale; c != nil {
		z += float64(t.SumError * c.BiasError(f.W))
		if f.Exact != nil {
			penalty = PenaltyOf(t, f.Exact, f.B)
		} else {
			mistake = t.foldError(c, f.W, penalty)
		}
		mistake += t.biasFoldError(c, f.W, f.B)
	}
	mistake += p.LossError(z, f.Loss) + float64(t.SumError*(f.Loss+penalty))
	return penalty + f.Loss, mistake
}

// foldError bounds the change of the penalty when w is rounded after the scaling c is folded in.
// penalty is the result of PenaltyOf for w.
func (t *Terms) foldError(c *scale.Scale, w [][]float32, penalty float64) float64 {
	var sum float64
	for _, v := range w {
		sum += SquareSum(v)
	}
	d := c.WeightError() * math.Sqrt(sum)
	return float64(t.Lambda * d * (math.Sqrt(2*penalty/t.Lambda) + d))
}

// biasFoldError is foldError for the biases' penalty; 0 if there is none.
func (t *Terms) biasFoldError(c *scale.Scale, w [][]float32, b []float64) (sum float64) {
	if t.BiasScale == 0 {
		return 0
	}
	size := c.BiasError(w)
	for k, v := range b {
		d := float64(t.SumError*(size+math.Abs(v))) / t.BiasScale
		sum += float64(d * (math.Abs(v-t.PriorBias[k])/t.BiasScale + d))
	}
	return float64(t.Lambda * sum)
}
