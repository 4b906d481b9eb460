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
		v.checkRounds(r, s)
	}
	v.decide()
	return v, nil
}

// checkRounds compares claims with what rounds have found.
func (v *Verification) checkRounds(r *Rounds, s *RoundState) {
	sum := claim{}
	for k, p := range s.Problems {
		of := ""
		if len(s.Problems) > 1 {
			of = fmt.Sprintf(" of weight vector %d", k)
		}
		own := r.held.claims(k)
		if own.Lambda != 0 && own.Lambda != r.Lambda {
			v.Contradict("the lambda%s is %v, not %v", of, r.Lambda, own.Lambda)
		}
		if !v.checkRound(of, claim{own.Objective, own.DualObjective}, claim{p.Objective, p.Bound}) {
			v.Unconfirmed = append(v.Unconfirmed, k)
		}
		sum.objective, sum.bound = sum.objective+own.Objective, sum.bound+own.DualObjective
	}
	n := float64(len(s.Problems))
	all := claim{v.Claimed.Objective, v.Claimed.DualObjective}
	if mean := sum.objective / n; mean != all.objective {
		v.Contradict("the mean of the objectives is %v, not %v", mean, all.objective)
	}
	if mean := sum.bound / n; mean != all.bound && !(math.IsNaN(mean) && math.IsNaN(all.bound)) {
		v.Contradict("the mean of the bounds is %v, not %v", mean, all.bound)
	}
	v.unsure = v.unsure || !v.checkBound("", all, claim{v.Objective, v.Bound})
}

// What a claimed objective may be off as a share of the one that rounds find, whose sums have
// another order; and where training found it from float32 dot products, which rounds don't have.
const (
	roundError   = 1e-11
	float32Error = 1e-5
)

// checkRound compares the claim of one problem with what was found, and reports whether the bound is
// as good. An objective a little above the one found claims nothing too much.
func (v *Verification) checkRound(of string, claimed, found claim) bool {
	switch off := (claimed.objective - found.objective) / found.objective; {
	case -roundError <= off && off <= float32Error, claimed.objective == found.objective:
	case -float32Error <= off && off < 0:
		v.unsure = true
	default:
		v.Contradict("the objective%s is %v, not %v", of, found.objective, claimed.objective)
	}
	return v.checkBound(of, claimed, found)
}
