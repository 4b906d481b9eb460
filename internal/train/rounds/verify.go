package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file verifies the claims of a model about rows in shards. Verification trains as usual and
// finds its own lower bound; the claim only decides when it stops. The proof computes the objective
// of the given model in place of the trained weights.

// claimSurplus determines the lower bound at which a proof is tried: the claimed lower bound plus
// this fraction of the claimed P - D, because the proof subtracts rounding errors.
const claimSurplus = 0.05

// NewVerification returns the Rounds that verify the objective and lower bound in m.Result on rows
// with the statistics s. shards is the number of shards that have rows. iterations is the largest
// number of dual passes or of Newton's iterations; 0 means the default of New. New also chooses the
// method. When the state is Done, Verified returns the outcome. NewVerification returns an error if
// New does not support the model's settings or if the model does not fit the rows.
func NewVerification(m *pegasos.Model, s *scale.Statistics, shards, iterations int) (
	*Rounds, error,
) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	switch {
	case m.Cols() != s.Cols:
		return nil, fmt.Errorf("pegasos: the rows have %d features, the model has %d", s.Cols,
			m.Cols())
	case !slices.Equal(m.Classes, s.Classes):
		return nil, fmt.Errorf("pegasos: the rows have classes %v, the model %v", s.Classes, m.Classes)
	case m.Prior != "":
		return nil, fmt.Errorf("pegasos: a model with a prior can't be verified in rounds")
	}
	c, scaling, scale := m.Config.Plain(), m.Scaling, pegasos.ScaleNone
	if scaling != nil {
		scale = scaling.Kind
	}
	if scale == pegasos.ScaleNone {
		scaling = nil // a scaling of the kind none has at most a Note
	}
	cfg := pegasos.Config{Loss: c.Loss, ClassWeight: c.ClassWeight, Lambda: m.Lambda, Bias: c.Bias,
		Scale: scale, Seed: c.Seed, Epochs: iterations}
	if len(m.Classes) > 2 {
		cfg.Multiclass = c.Multiclass
	}
	if cfg.Bias == pegasos.BiasAugmented {
		cfg.BiasScale = c.BiasScale
	}
	r, err := New(cfg, "", s, shards)
	if err != nil {
		return nil, err
	}
	if math.Abs(m.Result.Weight-r.weightSum) > 1e-9*max(m.Result.Weight, r.weightSum) {
		return nil, fmt.Errorf("pegasos: the weights of the rows sum to %g, in the model's training "+
			"to %g: verify with the rows of the training, without weights of rows, which shards lack",
			r.weightSum, m.Result.Weight)
	}
	if scaling != nil && !r.Scaling.Same(scaling) {
		return nil, fmt.Errorf("pegasos: the model's scaling differs from the scaling of these rows")
	}
	if r.biasScale == 0 && m.Bias != nil && (scaling == nil || scaling.Unfold(m).Bias != nil) {
		return nil, fmt.Errorf("pegasos: the model has a bias, but its setting Bias is \"none\"")
	}
	r.verified = m
	return r, nil
}

// claimOf returns the objective and the lower bound that m.Result has for weight vector k; both are
// NaN if unknown.
func claimOf(m *pegasos.Model, k int) pegasos.ClassResult {
	if len(m.Result.PerClass) == len(m.Weights) {
		return m.Result.PerClass[k]
	}
	return pegasos.ClassResult{Objective: math.NaN(), DualObjective: math.NaN()}
}

// startVerifying initializes p, problem k of a verification. It sets TargetBound if the model
// claims a positive lower bound that is at most the objective. In Newton's method it sets W to the
// model's weights.
func (r *Rounds) startVerifying(p *Problem, k int) {
	c := claimOf(r.verified, k)
	if c.DualObjective > 0 && c.DualObjective <= c.Objective {
		p.TargetBound = c.DualObjective + float64(claimSurplus*(c.Objective-c.DualObjective))
	}
	if r.Method == Newton {
		e := r.modelVector(r.verified, k)
		copy(p.W, e.w)
		if r.biasScale > 0 {
			p.W[r.cols] = e.bias / r.biasScale
		}
	}
}

// Verified compares what the model's Result claims with the proven results in s. It returns an
// error if s is not Done, or if r trains a model instead of verifying one.
func (r *Rounds) Verified(s *State) (*pegasos.Verification, error) {
	if r.verified == nil || !s.Done {
		return nil, fmt.Errorf("pegasos: want rounds from NewVerification and a state that is done")
	}
	return r.verified.Compare(r.result(s, 0)), nil
}

// Start returns the state that is the input of the first round.
func (r *Rounds) Start() *State {
	s := &State{Kind: r.firstKind(), Target: targetShare * r.Config.Tol,
		Problems: make([]Problem, r.Problems()), Objective: r.loss.At(0)}
	for _, v := range s.Vectors() {
		*v = make([]float64, r.vars)
	}
	for k := range s.Problems {
		p := &s.Problems[k]
		p.Objective, p.Falling = s.Objective, s.Objective
		p.Width, p.DualWidth = initialWidth, initialWidth
		p.Sigma = max(1, initialSigmaShare*float64(r.Shards))
		if r.verified != nil {
			r.startVerifying(p, k)
		}
	}
	return s
}
