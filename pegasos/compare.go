package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/claims"
)

// This file compares what a model claims with what rounds of training over shards have found.

// Compare holds what m claims to another run's result, whose sums may have another order. All
// of its weight vectors have to be in found.PerClass, with their lambdas.
func (m *Model) Compare(found Result) *Verification {
	v := &Verification{Hash: m.Hash(), Claimed: m.Result, Objective: found.Objective,
		Bound: found.DualObjective, Gap: found.Gap}
	if !math.IsNaN(m.Result.Objective) {
		v.compareVectors(m, found.PerClass)
	}
	v.decide()
	return v
}

// compareVectors compares the claims of the weight vectors, and of their mean.
func (v *Verification) compareVectors(m *Model, found []ClassResult) {
	t, claimed := v.trial(), m.Result.PerClass
	switch {
	case len(claimed) == len(m.Weights):
	case len(m.Weights) == 1:
		claimed = []ClassResult{{Objective: m.Result.Objective,
			DualObjective: m.Result.DualObjective}}
	default:
		claimed = m.noClaims()
	}
	for k, p := range found {
		of, own := claims.Of("weight vector", k, len(found)), claimed[k]
		t.Lambda(of, own.Lambda, p.Lambda)
		compareObjectives(t, of, own.Objective, p.Objective)
		if !t.Bound(of, own.claim(), p.claim()) {
			v.Unconfirmed = append(v.Unconfirmed, k)
		}
	}
	t.Means(v.Claimed.claim())
	if !t.Unsure {
		t.All(v.Claimed.claim(), claims.Claim{Objective: v.Objective, Bound: v.Bound})
	}
	v.unsure = t.Unsure
}

// What a claimed objective may be off as a share of the one that rounds find, whose sums have
// another order; and where training found it from float32 dot products, which rounds don't have.
const (
	roundError   = 1e-11
	float32Error = 1e-5
)

// compareObjectives compares a problem's claimed objective with the one found. One that is a little
// above that claims nothing too much.
func compareObjectives(t *claims.Trial, of string, claimed, found float64) {
	switch off := (claimed - found) / found; {
	case -roundError <= off && off <= float32Error, claimed == found:
	case -float32Error <= off && off < 0:
		t.Unsure = true
	default:
		t.Wrong(of, claimed, found)
	}
}
