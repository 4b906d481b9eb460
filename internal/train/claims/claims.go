// Package claims compares the objectives and lower bounds that a model file claims with values
// computed again from the data, and derives the verdict of a verification. Its main type,
// Comparison, compares the problems of one model. Packages pegasos and kernelsvm use it.
package claims

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
)

// Claim is the objective and the lower bound of one problem, or their means over all problems, as a
// model claims them or as computed again. Bound is NaN if there is no lower bound.
type Claim struct{ Objective, Bound float64 }

// gap returns the relative duality gap, (Objective - Bound)/Bound.
func (c Claim) gap() float64 { return proof.Gap(c.Objective, c.Bound) }

// AsGood reports whether the bound of c is at least that of as, and its relative gap at most that.
func (c Claim) AsGood(as Claim) bool { return c.Bound >= as.Bound && c.gap() <= as.gap() }

// These are the largest errors that float32 dot products may leave in a claimed objective P. If the
// error could be larger, training computes P from float64 dot products.
const (
	GapTolerance       = 0.01 // error as a share of P - D, where D is the lower bound
	ObjectiveTolerance = 1e-4 // error as a share of P, if there is no lower bound
)

// Tolerance returns the largest error that float32 dot products may leave in the objective. A lower
// bound below 0 counts as 0.
func (c Claim) Tolerance() float64 {
	if math.IsNaN(c.Bound) {
		return float64(ObjectiveTolerance * c.Objective)
	}
	return float64(GapTolerance * (c.Objective - max(0, c.Bound)))
}

// ProblemSuffix returns the words that name problem k in a message, " of weight vector 3" for the
// what "weight vector" and k 3, or "" if there is only one problem.
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
	Unconfirmed bool                          // a claim was neither confirmed nor contradicted

	sum      Claim   // sums of the objectives and bounds in the claims that Bound was called with
	problems float64 // number of calls of Bound, one for each problem
}

// Objective compares a claimed objective with the computed objective found. A difference of more
// than most contradicts the claim; a difference of more than sure leaves the claim unconfirmed. of
// is the ProblemSuffix.
func (t *Comparison) Objective(of string, claimed, found, sure, most float64) {
	switch off := math.Abs(claimed - found); {
	case !(off <= most):
		t.Wrong(of, claimed, found)
	case off > sure:
		t.Unconfirmed = true
	}
}

// Wrong calls Contradict because the claimed objective differs from the computed objective found.
func (t *Comparison) Wrong(of string, claimed, found float64) {
	t.Contradict("the objective%s is %v, not %v", of, found, claimed)
}

// Bound compares the claimed bound of a problem with the computed bound, and adds the claim to the
// sums that Means uses. It reports whether the computed bound and gap are as good as claimed.
func (t *Comparison) Bound(of string, claimed, found Claim) bool {
	t.sum.Objective += claimed.Objective
	t.sum.Bound += claimed.Bound
	t.problems++
	return t.bound(of, claimed, found)
}

// bound compares a claimed bound with the computed bound, and reports whether the computed bound
// and gap are as good as claimed. It calls Contradict for a claimed bound below 0 or above the
// computed objective and, if Proven is set, for a computed bound or gap that is worse than claimed.
func (t *Comparison) bound(of string, claimed, found Claim) bool {
	switch {
	case math.IsNaN(claimed.Bound): // only an objective is claimed
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

// Lambda compares a claimed lambda, 0 for none, with the lambda computed from the data.
func (t *Comparison) Lambda(of string, claimed, found float64) {
	if claimed != 0 && claimed != found {
		t.Contradict("the lambda%s is %v, not %v", of, found, claimed)
	}
}

// Means compares the claimed means over all problems with the means of the claims that Bound was
// called with. They must be equal to the bit; a NaN bound equals another NaN bound.
func (t *Comparison) Means(all Claim) {
	mean := Claim{t.sum.Objective / t.problems, t.sum.Bound / t.problems}
	if mean.Objective != all.Objective {
		t.Contradict("the mean of the objectives is %v, not %v", mean.Objective, all.Objective)
	}
	if mean.Bound != all.Bound && !(math.IsNaN(mean.Bound) && math.IsNaN(all.Bound)) {
		t.Contradict("the mean of the bounds is %v, not %v", mean.Bound, all.Bound)
	}
}

// All compares the claimed mean bound over all problems with the computed mean, and sets
// Unconfirmed unless the computed bound and gap are as good as claimed.
func (t *Comparison) All(claimed, found Claim) {
	if !t.bound("", claimed, found) {
		t.Unconfirmed = true
	}
}

// Verdict returns the verdict on a model, a pegasos.Verdict. reasons is the number of reasons
// against the model's claims, all is its claimed means over all problems, and unsure reports
// whether a claim was not confirmed. With no reasons against it, a model whose claimed relative gap
// is above 1 or NaN claims nothing that could be confirmed.
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
