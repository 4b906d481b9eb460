package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file checks the claims of a model about rows in shards. The rounds are those of training,
// and find a bound of their own; the claim only decides when they stop. The last one finds the
// objective of the model in place of that of their own weights.

// claimSurplus is the share of the claimed P - D by which the bound is to be above the claimed one
// before the last round, which takes off all roundings.
const claimSurplus = 0.05

// NewVerification returns the rounds that check the claims of m's Result about rows that have the
// statistics, in the given number of shards: with the method that New chooses, and with at most the
// given number of iterations, 0 for that of training. Their state, once it is Done, is for
// [Rounds.Verified]. The model's settings have to be such as New takes. An error says why the
// claims can't be checked.
func NewVerification(m *pegasos.Model, s *store.Statistics, shards, iterations int) (
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
		return nil, fmt.Errorf("pegasos: the rows are of the classes %v, the model is of %v",
			s.Classes, m.Classes)
	case m.Prior != "":
		return nil, fmt.Errorf("pegasos: the model's penalty is about the distance from another " +
			"model, which rounds don't have")
	}
	c, scaling, scale := m.Config.Plain(), m.Scaling, pegasos.ScaleNone
	if scaling != nil {
		scale = scaling.Kind
	}
	if scale == pegasos.ScaleNone {
		scaling = nil // it has a note at most
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
		return nil, fmt.Errorf("pegasos: the model was trained with weights of rows, which shards "+
			"don't have: they sum to %g", m.Result.Weight)
	}
	if scaling != nil && !r.Scaling.Same(scaling) {
		return nil, fmt.Errorf("pegasos: the model's scaling is not that of these rows")
	}
	if r.biasScale == 0 && m.Bias != nil && (scaling == nil || scaling.Unfold(m).Bias != nil) {
		return nil, fmt.Errorf("pegasos: the model has a bias, which its settings don't have")
	}
	r.verified = m
	return r, nil
}

// claims returns the claims of a model about problem k; numbers that are not known are NaN.
func claimOf(m *pegasos.Model, k int) pegasos.ClassResult {
	switch {
	case len(m.Result.PerClass) == len(m.Weights):
		return m.Result.PerClass[k]
	case len(m.Weights) == 1:
		return pegasos.ClassResult{Objective: m.Result.Objective,
			DualObjective: m.Result.DualObjective}
	}
	return pegasos.ClassResult{Objective: math.NaN(), DualObjective: math.NaN()}
}

// holdTo begins problem k of a verification: Newton's method with the model's own weights.
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

// Verified returns what the rounds of a verification have found, once the state is Done.
func (r *Rounds) Verified(s *State) (*pegasos.Verification, error) {
	if r.verified == nil || !s.Done {
		return nil, fmt.Errorf("pegasos: the rounds are not those of a verification, or not done")
	}
	return r.verified.Compare(r.result(s, 0)), nil
}

// Start returns the state before the first round.
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
