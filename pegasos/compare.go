package pegasos

import (
	"fmt"
	"math"
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
	sum, claimed := claim{}, m.Result.PerClass
	switch {
	case len(claimed) == len(m.Weights):
	case len(m.Weights) == 1:
		claimed = []ClassResult{{Objective: m.Result.Objective,
			DualObjective: m.Result.DualObjective}}
	default:
		claimed = m.noClaims()
	}
	for k, p := range found {
		of, own := "", claimed[k]
		if len(found) > 1 {
			of = fmt.Sprintf(" of weight vector %d", k)
		}
		if own.Lambda != 0 && own.Lambda != p.Lambda {
			v.Contradict("the lambda%s is %v, not %v", of, p.Lambda, own.Lambda)
		}
		if !v.compare(of, claim{own.Objective, own.DualObjective},
			claim{p.Objective, p.DualObjective}) {
			v.Unconfirmed = append(v.Unconfirmed, k)
		}
		sum.objective, sum.bound = sum.objective+own.Objective, sum.bound+own.DualObjective
	}
	n := float64(len(found))
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

// compare compares the claim of one problem with what was found, and reports whether the bound is
// as good. An objective a little above the one found claims nothing too much.
func (v *Verification) compare(of string, claimed, found claim) bool {
	switch off := (claimed.objective - found.objective) / found.objective; {
	case -roundError <= off && off <= float32Error, claimed.objective == found.objective:
	case -float32Error <= off && off < 0:
		v.unsure = true
	default:
		v.Contradict("the objective%s is %v, not %v", of, found.objective, claimed.objective)
	}
	return v.checkBound(of, claimed, found)
}
