package rounds

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/pegasos"
)

// modelVector is a weight vector of a stored model and its bias, converted to float64 and to scaled
// rows.
type modelVector struct {
	w        []float64
	bias     float64
	biasSize float64 // sum of the magnitudes of the terms that add up to bias
}

// Model returns the model that has, for each problem, the weights with the smallest objective so
// far. If s is Done, the model's Result has the proven objective and lower bound and their gap;
// otherwise these three are NaN.
func (r *Rounds) Model(s *State) (*pegasos.Model, error) {
	if err := r.Check(s); err != nil {
		return nil, err
	}
	if r.verified != nil {
		return nil, fmt.Errorf("pegasos: these rounds verify a model and train none: use Verified")
	}
	m := &pegasos.Model{Classes: r.labels, Weights: matrices.Vectors(len(s.Problems), r.cols),
		Lambda: r.Lambda, Config: r.Config}
	for k, p := range s.Problems {
		for j := range m.Weights[k] {
			m.Weights[k][j] = float32(p.BestW[j])
		}
		if r.biasScale > 0 {
			m.Bias = append(m.Bias, float64(p.BestW[r.cols]*r.biasScale))
		}
	}
	m.Config.Epochs = max(1, s.Iterations)
	steps := int64(s.Iterations) * int64(r.allRows)
	m.Result = pegasos.Result{Objective: math.NaN(), DualObjective: math.NaN(), Gap: math.NaN()}
	if s.Done {
		m.Result = r.result(s, steps)
	}
	m.Result.Steps, m.Result.Epochs = steps, float64(s.Iterations)
	m.Result.Weight, m.Result.R2 = r.weightSum, r.meanSquare
	m = r.Scaling.Fold(m)
	return m, m.Validate()
}

// result returns the proven objectives and lower bounds of s, which must be Done. The result of
// each weight vector has the given number of steps.
func (r *Rounds) result(s *State, steps int64) pegasos.Result {
	result := pegasos.Result{Objective: s.Objective, DualObjective: s.Bound, Gap: s.Gap()}
	for _, p := range s.Problems {
		result.PerClass = append(result.PerClass, pegasos.ClassResult{Objective: p.Objective,
			DualObjective: p.Bound, Steps: steps, Lambda: r.Lambda})
	}
	return result
}

// modelVector returns weight vector k of the stored model m and its bias, converted to scaled rows.
func (r *Rounds) modelVector(m *pegasos.Model, k int) modelVector {
	e := modelVector{w: floats.Float64s(m.Weights[k])}
	if m.Bias != nil {
		e.bias, e.biasSize = m.Bias[k], math.Abs(m.Bias[k])
	}
	c := r.Scaling
	if c == nil {
		return e
	}
	if c.Folded {
		for j, v := range c.Shift {
			e.biasSize += math.Abs(float64(e.w[j] * float64(v)))
		}
	}
	if e.w, e.bias = c.Exact(m, k); r.biasScale == 0 {
		e.bias = 0 // there is no bias: the sum of the shifts is only a rounding error
	}
	return e
}

// norm returns the Euclidean norm of the weights and, if there is a bias, of the bias variable,
// which is the bias divided by r.biasScale.
func (e *modelVector) norm(r *Rounds) float64 {
	square := objectives.SquareSum(e.w)
	if r.biasScale > 0 {
		b := e.bias / r.biasScale
		square += float64(b * b)
	}
	return math.Sqrt(square)
}
