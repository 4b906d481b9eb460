package objective

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/scale"
)

// A Found is what was found of some vectors: their mean loss.
type Found struct {
	W       [][]float32
	Exact   [][]float64 // the same vectors exactly, if Loss is from float64 dot products; else nil
	B       []float64   // their biases
	Loss    float64
	DotSize float64      // View.DotSize of the dot products
	R2      float64      // the mean of the rows' squared norms, the appended feature included
	Scale   *scale.Scale // that is folded into the vectors; nil for none
}

// Measure returns P, and by how much it may be off.
func Measure(p Problem, t *Terms, f Found) (objective, mistake float64) {
	penalty := PenaltyOf(t, f.W, f.B)
	z := t.ScoreError(t.Longest(f.W, penalty), f.B, f.DotSize, f.R2)
	if c := f.Scale; c != nil {
		z += float64(t.Sums * c.BiasError(f.W))
		if f.Exact != nil {
			penalty = PenaltyOf(t, f.Exact, f.B)
		} else {
			mistake = t.foldError(c, f.W, penalty)
		}
		mistake += t.biasFoldError(c, f.W, f.B)
	}
	mistake += p.ErrorOf(z, f.Loss) + float64(t.Sums*(f.Loss+penalty))
	return penalty + f.Loss, mistake
}

// foldError returns by how much the penalty of the vectors w may change when folding rounds their
// weights, and so their difference from a prior by as much.
func (t *Terms) foldError(c *scale.Scale, w [][]float32, penalty float64) float64 {
	var sum float64
	for _, v := range w {
		sum += SquareSum(v)
	}
	d := c.WeightError() * math.Sqrt(sum)
	return float64(t.Lambda * d * (math.Sqrt(2*penalty/t.Lambda) + d))
}

// biasFoldError returns the same of the biases, by the error that they have when they are folded.
func (t *Terms) biasFoldError(c *scale.Scale, w [][]float32, b []float64) (sum float64) {
	if t.BiasScale == 0 {
		return 0
	}
	size := c.BiasError(w)
	for k, v := range b {
		d := float64(t.Sums*(size+math.Abs(v))) / t.BiasScale
		sum += float64(d * (math.Abs(v-t.PriorBias[k])/t.BiasScale + d))
	}
	return float64(t.Lambda * sum)
}
