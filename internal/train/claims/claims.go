// Package claims compares the objectives and lower bounds that a model file claims with those
// computed again from the data, and derives the verdict of a verification. Comparison compares the
// problems of one model; packages pegasos and kernelsvm use it.
package claims

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
)

// Claim is the objective and the lower bound of one problem, or their means over all problems:
// claimed by a model, or computed again. A NaN Bound means that there is none.
type Claim struct{ Objective, Bound float64 }

// gap returns the relative duality gap.
func (c Claim) gap() float64 { return proof.Gap(c.Objective, c.Bound) }

// AsGood reports whether c has at least the bound, and at most the gap, of the claim as.
func (c Claim) AsGood(as Claim) bool { return c.Bound >= as.Bound && c.gap() <= as.gap() }

// Largest error of float32 dot products that training leaves in a claimed objective P, relative to
// another number.
const (
	GapTolerance       = 0.01 // relative to P - D, D being the bound
	ObjectiveTolerance = 1e-4 // relative to P, where there is no bound
)

// Tolerance returns the largest error of float32 dot products that the objective may have. A bound
// below 0 counts as 0.
func (c Claim) Tolerance() float64 {
	if math.IsNaN(c.Bound) {
		return float64(ObjectiveTolerance * c.Objective)
	}
	return float64(GapTolerance * (c.Objective - max(0, c.Bound)))
}

// ProblemSuffix returns " of", what and k, to name problem k in a message, and "" if there is only
// one problem.
func ProblemSuffix(what string, k, problems int) string {
	if problems == 1 {
		return ""
	}
	return fmt.Sprintf(" of %s %d", what, k)
}

// Comparison compares the claims of a model with computed values, problem by problem.
type Comparison struct {
	Contradict  func(format string, a ...any) // called with each reason against a claim
	Proven      bool                          // the computed bounds come from a proof file
	Unconfirmed bool                          // some claim was neither confirmed nor contradicted

	sum      Claim   // sum of the claims of the problems that Bound was called with
	problems float64 // number of these problems
}

// Objective compares a claimed objective with the computed one. A difference of more than most
// contradicts the claim; one of more than sure leaves it unconfirmed.
func (t *Comparison) Objective(of string, claimed, found, sure, most float64) {
	switch off := math.Abs(claimed - found); {
	case !(off <= most):
		t.Wrong(of, claimed, found)
	case off > sure:
		t.Unconfirmed = true
	}
}

// Wrong reports a contradiction: the claimed objective differs from the computed one.
func (t *Comparison) Wrong(of string, claimed, found float64) {
	t.Contradict("the objective%s is %v, not %v", of, found, claimed)
}

// Bound compares the claimed bound of a problem with the computed one, and adds the claim to the
// sums that Means uses. It reports whether the computed bound and gap are as good as claimed.
func (t *Comparison) Bound(of string, claimed, found Claim) bool {
	t.sum.Objective += claimed.Objective
	t.sum.Bound += claimed.Bound
	t.problems++
	return t.bound(of, claimed, found)
}

// bound compares a claimed bound with the computed one, and reports whether the computed bound and
// gap are as good as claimed. It contradicts a bound below 0 or above the computed objective, and a
// claim that the proof does not support.
func (t *Comparison) bound(of string, claimed, found Claim) bool {
	switch {
	case math.IsNaN(claimed.Bound): // Only an objective is claimed.
		return false
	case claimed.Bound < 0 || proof.Check(found.Objective, claimed.Bound) != nil:
		t.Contradict("the claimed bound %v on the least objective%s is below 0 or above the "+
			"model's objective, %v", claimed.Bound, of, found.Objective)
	case found.AsGood(claimed):
		return true
	case t.Proven:
		t.Contradict("the proof shows a gap%s of %v by the bound %v, the model claims %v by %v", of,
			found.gap(), found.Bound, claimed.gap(), claimed.Bound)
	}
	return false
}

// Lambda compares a claimed lambda, 0 for none, with the one computed from the data.
func (t *Comparison) Lambda(of string, claimed, found float64) {
	if claimed != 0 && claimed != found {
		t.Contradict("the lambda%s is %v, not %v", of, found, claimed)
	}
}

// Means compares the claimed means over all problems with the means of the problems' claims. They
// must be equal to the bit.
func (t *Comparison) Means(all Claim) {
	mean := Claim{t.sum.Objective / t.problems, t.sum.Bound / t.problems}
	if mean.Objective != all.Objective {
		t.Contradict("the mean of the objectives is %v, not %v", mean.Objective, all.Objective)
	}
	if mean.Bound != all.Bound && !(math.IsNaN(mean.Bound) && math.IsNaN(all.Bound)) {
		t.Contradict("the mean of the bounds is %v, not %v", mean.Bound, all.Bound)
	}
}

// All compares the claimed bound of all problems with the computed one, and sets Unconfirmed unless
// it is as good as claimed.
func (t *Comparison) All(claimed, found Claim) {
	if !t.bound("", claimed, found) {
		t.Unconfirmed = true
	}
}

// Verdict returns the verdict on a model, a pegasos.Verdict, from the number of reasons against its
// claims, its claimed means over all problems, and whether some claim was not confirmed. Claimed
// means without a useful bound claim nothing that could be confirmed.
func Verdict(reasons int, all Claim, unsure bool) string {
	switch {
	case reasons > 0:
		return "contradicted"
	case !proof.Useful(all.gap()):
		return "claims nothing"
	case unsure:
		return "not confirmed"
	}
	return "confirmed"
}
