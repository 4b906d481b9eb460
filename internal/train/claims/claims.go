// Package claims compares the objectives that a model claims, and the bounds on the least there
// are, with those that were found anew.
package claims

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
)

// A Claim is what a model says, or what was found, of a problem or of the mean of all.
type Claim struct{ Objective, Bound float64 }

func (c Claim) gap() float64 { return proof.Gap(c.Objective, c.Bound) }

// AsGood reports whether the bound and the gap are as good as those of another claim.
func (c Claim) AsGood(as Claim) bool { return c.Bound >= as.Bound && c.gap() <= as.gap() }

// SmallOfGap and SmallOfObjective limit the error of float32 that training may leave in a claimed
// objective, as shares of P - D, and of P where there is no bound.
const (
	SmallOfGap       = 0.01
	SmallOfObjective = 1e-4
)

// Small returns the error of float32 that the objective may have.
func (c Claim) Small() float64 {
	if math.IsNaN(c.Bound) {
		return float64(SmallOfObjective * c.Objective)
	}
	return float64(SmallOfGap * (c.Objective - max(0, c.Bound)))
}

// Of returns the words that name problem k in a message, each problem being called what: none if it
// is the only one.
func Of(what string, k, problems int) string {
	if problems == 1 {
		return ""
	}
	return fmt.Sprintf(" of %s %d", what, k)
}

// A Trial is a comparison of claims, problem by problem.
type Trial struct {
	Contradict func(format string, a ...any) // takes what speaks against a claim
	Proven     bool                          // the bounds are those of a proof
	Unsure     bool                          // a claim was not found again

	sum      Claim // of the claims
	problems float64
}

// Objective compares a claimed objective with the one that was found. They may differ by most, but
// if by more than sure the claim was not found again.
func (t *Trial) Objective(of string, claimed, found, sure, most float64) {
	switch off := math.Abs(claimed - found); {
	case !(off <= most):
		t.Wrong(of, claimed, found)
	case off > sure:
		t.Unsure = true
	}
}

// Wrong says that the claimed objective is.
func (t *Trial) Wrong(of string, claimed, found float64) {
	t.Contradict("the objective%s is %v, not %v", of, found, claimed)
}

// Bound adds a problem's claim to the sum of all. It reports whether a bound and a gap were found
// that are as good as the claimed ones.
func (t *Trial) Bound(of string, claimed, found Claim) bool {
	t.sum.Objective += claimed.Objective
	t.sum.Bound += claimed.Bound
	t.problems++
	return t.bound(of, claimed, found)
}

func (t *Trial) bound(of string, claimed, found Claim) bool {
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

// Lambda compares the one that is claimed, if it is, with that of the data.
func (t *Trial) Lambda(of string, claimed, found float64) {
	if claimed != 0 && claimed != found {
		t.Contradict("the lambda%s is %v, not %v", of, found, claimed)
	}
}

// Means compares the claim of all problems with the means over their claims.
func (t *Trial) Means(all Claim) {
	mean := Claim{t.sum.Objective / t.problems, t.sum.Bound / t.problems}
	if mean.Objective != all.Objective {
		t.Contradict("the mean of the objectives is %v, not %v", mean.Objective, all.Objective)
	}
	if mean.Bound != all.Bound && !(math.IsNaN(mean.Bound) && math.IsNaN(all.Bound)) {
		t.Contradict("the mean of the bounds is %v, not %v", mean.Bound, all.Bound)
	}
}

// All compares the claim of all problems with the one that was found.
func (t *Trial) All(claimed, found Claim) {
	if !t.bound("", claimed, found) {
		t.Unsure = true
	}
}

// Verdict returns the verdict on a model, by its name in package pegasos: from the number of reasons
// against its claims, its claim about the mean of all problems, and whether a claim was not found
// again. A claim without a useful bound says nothing that could be confirmed.
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
