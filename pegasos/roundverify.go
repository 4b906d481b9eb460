package pegasos

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/proof"
)

// This file holds a model to what it claims of rows in shards. The rounds are those of training,
// and find a bound of their own; they owe nothing to the claim but when to stop. The last one finds
// the objective of the model in place of their own weights'.

// claimSurplus is the share of the claimed P - D by which the bound is to be above the claimed one
// before the last round, which takes off all roundings.
const claimSurplus = 0.05

// NewVerification returns the rounds that hold m to what its Result claims of rows that have the
// statistics, in so many shards: with the method that NewRounds chooses, and with no more than so
// many iterations; 0 is as many as in training. Their state, once it is Done, is for
// [Rounds.Verified]. The model's settings have to be such as NewRounds takes. An error says why
// nothing can be said.
func NewVerification(m *Model, s *Statistics, shards, iterations int) (*Rounds, error) {
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
	c := m.Config.Plain()
	cfg := Config{Loss: c.Loss, ClassWeight: c.ClassWeight, Lambda: m.Lambda, Bias: c.Bias,
		Scale: ScaleNone, Seed: c.Seed, Epochs: iterations}
	if len(m.Classes) > 2 {
		cfg.Multiclass = c.Multiclass
	}
	if cfg.Bias == BiasAugmented {
		cfg.BiasScale = c.BiasScale
	}
	scaling := m.Scaling
	if scaling != nil && scaling.Kind == ScaleNone {
		scaling = nil // it has a note at most
	}
	if scaling != nil {
		cfg.Scale = scaling.Kind
	}
	r, err := NewRounds(cfg, "", s, shards)
	if err != nil {
		return nil, err
	}
	if scaling != nil && !r.Scaling.same(scaling) {
		return nil, fmt.Errorf("pegasos: the model's scaling is not that of these rows")
	}
	if r.beta == 0 && m.Bias != nil && (scaling == nil || scaling.unfold(m).Bias != nil) {
		return nil, fmt.Errorf("pegasos: the model has a bias, which its settings don't have")
	}
	r.held = m
	return r, nil
}

// claims returns what a model claims of problem k; numbers that are not known are NaN.
func (m *Model) claims(k int) ClassResult {
	switch {
	case len(m.Result.PerClass) == len(m.Weights):
		return m.Result.PerClass[k]
	case len(m.Weights) == 1:
		return ClassResult{Objective: m.Result.Objective, DualObjective: m.Result.DualObjective}
	}
	return ClassResult{Objective: math.NaN(), DualObjective: math.NaN()}
}

// holdTo begins the rounds of a verification: Newton's method with the model's own weights.
func (r *Rounds) holdTo(s *RoundState) {
	for k, e := range r.effectiveOf(r.held) {
		p, claim := &s.Problems[k], r.held.claims(k)
		if claim.DualObjective > 0 && claim.DualObjective <= claim.Objective {
			p.Wanted = claim.DualObjective +
				float64(claimSurplus*(claim.Objective-claim.DualObjective))
		}
		if r.Method == RoundNewton {
			copy(p.W, e.w)
			if r.beta > 0 {
				p.W[r.cols] = e.bias / r.beta
			}
		}
	}
}

// provenEnough reports whether the last round is the last one, or has the method go on.
func (r *Rounds) provenEnough(s *RoundState) bool {
	if r.held == nil || !(r.held.Result.DualObjective > 0) {
		return s.Gap() <= r.Config.Tol
	}
	return s.Bound >= r.held.Result.DualObjective
}

// goOn says what problem k needs further, of which the last round was not enough.
func (r *Rounds) goOn(s *RoundState, k int) {
	p := &s.Problems[k]
	if p.Wanted == 0 {
		p.Done = p.Stuck || proof.Gap(p.Objective, p.Bound) <= s.Target
		return
	}
	p.Done = p.Stuck || p.Bound >= r.held.claims(k).DualObjective
	p.Wanted += float64((p.Objective - p.Wanted) / 4)
}

// Verified returns what the rounds of a verification have found, once the state is Done.
func (r *Rounds) Verified(s *RoundState) (*Verification, error) {
	if r.held == nil || !s.Done {
		return nil, fmt.Errorf("pegasos: the rounds are not those of a verification, or not done")
	}
	m := r.held
	v := &Verification{Hash: m.Hash(), Claimed: m.Result, Objective: s.Objective, Bound: s.Bound,
		Gap: s.Gap()}
	if !math.IsNaN(m.Result.Objective) {
		v.checkClaims(r, s)
	}
	v.checkBound()
	v.decide()
	return v, nil
}

// checkClaims compares objectives. Those of models of other trainers were found in another way.
func (v *Verification) checkClaims(r *Rounds, s *RoundState) {
	differ := func(claimed, found float64) bool {
		return !(math.Abs(claimed-found) <= float64(roundClaimError*found))
	}
	sum, bound := 0.0, 0.0
	for k, p := range s.Problems {
		claim, name := r.held.claims(k), ""
		if len(s.Problems) > 1 {
			name = fmt.Sprintf(" of weight vector %d", k)
		}
		if differ(claim.Objective, p.Objective) {
			v.Contradict("the objective%s is %v, not %v", name, p.Objective, claim.Objective)
		}
		if claim.Lambda != 0 && claim.Lambda != r.Lambda {
			v.Contradict("the lambda%s is %v, not %v", name, r.Lambda, claim.Lambda)
		}
		sum, bound = sum+claim.Objective, bound+claim.DualObjective
	}
	n := float64(len(s.Problems))
	if differ(v.Claimed.Objective, sum/n) {
		v.Contradict("the mean of the objectives is %v, not %v", sum/n, v.Claimed.Objective)
	}
	if mean := bound / n; !math.IsNaN(mean) && differ(v.Claimed.DualObjective, mean) {
		v.Contradict("the mean of the bounds is %v, not %v", mean, v.Claimed.DualObjective)
	}
}

// roundClaimError is the relative error that an objective may have which was found in float32.
const roundClaimError = 1e-5
