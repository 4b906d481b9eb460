// Package claims compares the objectives and lower bounds that a model file claims with values
// computed again from the data, and derives the verdict of a verification. Its main type,
// Comparison, compares the problems of one model. Packages pegasos and kernelsvm use it.
package claims

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// Claim is the objective and the lower bound of one problem, or their means over all problems, as a
// model claims them or as computed again. Bound is NaN if there is no lower bound.
type Claim struct{ Objective, Bound float64 }

// gap returns the relative duality gap, (Objective - Bound)/Bound.
func (c Claim) gap() float64 { return proof.Gap(c.Objective, c.Bound) }

// AsGood reports whether c claims at least as much as other: its lower bound is not smaller, and
// its relative gap not larger.
func (c Claim) AsGood(other Claim) bool { return c.Bound >= other.Bound && c.gap() <= other.gap() }

// GapTolerance and ObjectiveTolerance define the largest error that float32 dot products may leave
// in a claimed objective P. If the error could be larger, training computes P from float64 dot
// products.
const (
	GapTolerance       = 0.01 // error as a share of P - D, where D is the lower bound
	ObjectiveTolerance = 1e-4 // error as a share of P, if there is no lower bound
)

// Tolerance returns the largest error that float32 dot products may leave in c.Objective. A lower
// bound below 0 counts as 0.
func (c Claim) Tolerance() float64 {
	if math.IsNaN(c.Bound) {
		return float64(ObjectiveTolerance * c.Objective)
	}
	return float64(GapTolerance * (c.Objective - max(0, c.Bound)))
}

// ProblemSuffix returns words that name one of several problems in a message. An example is " of
// weight vector 3", where kind is "weight vector" and k is 3. If there is only one problem, it
// returns "".
func ProblemSuffix(kind string, k, problems int) string {
	if problems == 1 {
		return ""
	}
	return fmt.Sprintf(" of %s %d", kind, k)
}

// Comparison compares the claims of a model with computed values, problem by problem.
type Comparison struct {
	Contradict  func(format string, a ...any) // called with each reason against a claim
	Proven      bool                          // the computed bounds come from a proof file
	Unconfirmed bool                          // a claim was neither confirmed nor contradicted

	sum      Claim   // sums of the objectives and bounds in the claims that Bound was called with
	problems float64 // number of calls of Bound, one for each problem
}

// Objective compares the claimed objective of a problem with the objective found, which was
// computed from the data. A difference of more than wrong contradicts the claim; a smaller
// difference, but of more than unsure, leaves it unconfirmed. suffix is the ProblemSuffix.
func (t *Comparison) Objective(suffix string, claimed, found, unsure, wrong float64) {
	switch off := math.Abs(claimed - found); {
	case !(off <= wrong):
		t.Wrong(suffix, claimed, found)
	case off > unsure:
		t.Unconfirmed = true
	}
}

// Wrong calls Contradict with the reason that the claimed objective differs from the objective
// found, which was computed from the data. suffix is the ProblemSuffix.
func (t *Comparison) Wrong(suffix string, claimed, found float64) {
	t.Contradict("the objective%s is %v, not %v", suffix, found, claimed)
}

// Bound compares the claimed bound of a problem with the computed bound, and adds the claim to the
// sums that Means uses. It reports whether the computed bound and gap are as good as claimed.
func (t *Comparison) Bound(suffix string, claimed, found Claim) bool {
	t.sum.Objective += claimed.Objective
	t.sum.Bound += claimed.Bound
	t.problems++
	return t.bound(suffix, claimed, found)
}

// bound compares a claimed bound with the computed bound, and reports whether the computed bound
// and gap are as good as claimed. It calls Contradict for a claimed bound below 0 or above the
// computed objective and, if Proven is set, for a computed bound or gap that is worse than claimed.
func (t *Comparison) bound(suffix string, claimed, found Claim) bool {
	switch {
	case math.IsNaN(claimed.Bound): // only an objective is claimed
		return false
	case claimed.Bound < 0 || proof.Check(found.Objective, claimed.Bound) != nil:
		t.Contradict("the claimed bound %v on the least objective%s is below 0 or above the "+
			"model's objective, %v", claimed.Bound, suffix, found.Objective)
	case found.AsGood(claimed):
		return true
	case t.Proven:
		t.Contradict("the proof shows a gap%s of %v by the bound %v, the model claims %v by %v", suffix,
			found.gap(), found.Bound, claimed.gap(), claimed.Bound)
	}
	return false
}

// Lambda compares a claimed lambda with the lambda found, which was computed from the data. It
// calls Contradict if they differ, unless claimed is 0, which means that no lambda is claimed.
func (t *Comparison) Lambda(suffix string, claimed, found float64) {
	if claimed != 0 && claimed != found {
		t.Contradict("the lambda%s is %v, not %v", suffix, found, claimed)
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

// Verdict returns the verdict on a model, as the text of a pegasos.Verdict. reasons is the number
// of reasons against the model's claims, all is its claimed means over all problems, and unsure
// reports whether a claim was not confirmed. The first of these verdicts that applies is returned:
//
//   - contradicted, if there are reasons
//   - claims nothing, if the claimed relative gap is above 1 or NaN
//   - not confirmed, if unsure is true
//   - confirmed
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
