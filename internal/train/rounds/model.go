package rounds

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

type modelVector struct {
	w        []float64
	bias     float64
	biasSize float64 // sum of the magnitudes of the terms that add up to bias
}

// Model returns the model with the weights of each problem's smallest objective so far.
func (r *Rounds) Model(s *State) (*Model, error) {
	if err := r.Check(s); err != nil {
		return nil, err
	}
	if r.claimed != nil {
		return nil, fmt.Errorf("pegasos: these rounds verify a model and train no model")
	}
	m := &Model{Classes: r.labels, Weights: matrices.Vectors(len(s.Problems), r.cols),
		Lambda: r.Lambda, Config: r.Config, Scale: r.Scale, Result: r.Result(s)}
	m.Config.Epochs = max(1, s.Iterations)
	for k, p := range s.Problems {
		for j := range m.Weights[k] {
			m.Weights[k][j] = float32(p.BestW[j])
		}
		if r.biasScale > 0 {
			m.Bias = append(m.Bias, float64(p.BestW[r.cols]*r.biasScale))
		}
	}
	if m.Scale != nil {
		m.Weights, m.Bias = m.Scale.Fold(m.Weights, m.Bias)
	}
	return m, nil
}

// Result's objectives and lower bounds are NaN unless s is Done.
func (r *Rounds) Result(s *State) proof.Result {
	steps := int64(s.Iterations) * int64(r.rows)
	all := proof.Result{Steps: steps, Epochs: float64(s.Iterations), Weight: r.weightSum,
		R2: r.meanSquare, Objective: math.NaN(), DualObjective: math.NaN(), Gap: math.NaN()}
	if !s.Done {
		return all
	}
	all.Objective, all.DualObjective, all.Gap = s.Objective, s.Bound, s.Gap()
	for _, p := range s.Problems {
		all.PerClass = append(all.PerClass, proof.ClassResult{Objective: p.Objective,
			DualObjective: p.Bound, Steps: steps, Lambda: r.Lambda})
	}
	return all
}

func (r *Rounds) modelVector(m *Model, k int) modelVector {
	e := modelVector{w: floats.Float64s(m.Weights[k])}
	if m.Bias != nil {
		e.bias, e.biasSize = m.Bias[k], math.Abs(m.Bias[k])
	}
	c := m.Scale
	if c == nil {
		return e
	}
	if c.Folded {
		for j, v := range c.Shift {
			e.biasSize += math.Abs(float64(e.w[j] * float64(v)))
		}
	}
	if e.w, e.bias = c.UnfoldExact(m.Weights[k], e.bias); r.biasScale == 0 {
		e.bias = 0 // there is no bias: the sum of the shifts is only a rounding error
	}
	return e
}

// norm returns the norm of e.w with the bias variable, bias/r.biasScale, appended.
func (e *modelVector) norm(r *Rounds) float64 {
	square := objective.SquareSum(e.w)
	if r.biasScale > 0 {
		b := e.bias / r.biasScale
		square += float64(b * b)
	}
	return math.Sqrt(square)
}

func norm(v []float64) float64 { return math.Sqrt(objective.SquareSum(v)) }
