package proof

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// Measurement is the objective and the lower bound of one problem, computed from the data.
type Measurement struct {
	Objective float64
	MaxError  float64 // largest possible error of Objective
	Bound     float64 // lower bound on the minimum, before subtracting MaxError; NaN for none
}

// Proven returns Bound - MaxError, because Objective may be too small by MaxError. The result is at
// least 0, or NaN without a bound.
func (m Measurement) Proven() float64 { return max(0, m.Bound-m.MaxError) }

// Found is a new measurement of one problem of a model.
type Found struct {
	Vector int // index in the model of the problem's first weight vector
	Lambda float64
	// Exact is measured from float64 dot products. Quick is the objective from float32 dot
	// products, with no bound.
	Exact, Quick Measurement
}

// Comparison compares a model's claims with computed values.
type Comparison struct {
	Contradict  func(format string, a ...any) // called with each reason against a claim
	Proven      bool                          // the computed bounds come from a proof file
	Unsure      bool                          // an objective or the mean bound is not confirmed
	Unconfirmed []int                         // weight vectors whose bound or gap is not confirmed
	// SameData says that the model was trained on the same data in the same layout. Without Parts,
	// the claimed objective must then equal Exact's or, if accurate enough, Quick's to the bit.
	SameData bool
	Parts    bool // sums were computed over parts of the data

	sum      Claim
	problems float64
}

// Linear compares r, the claims of a linear model with n weight vectors, with measurements: found,
// of each problem that has rows, and all, their means. joint says that the vectors share a problem.
func (t *Comparison) Linear(r Result, n int, joint bool, found []Found, all Claim) {
	claimed := r.PerClass
	switch {
	case math.IsNaN(r.Objective):
		return
	case joint && len(claimed) > 0:
		t.Contradict("the model has results of %s, want none: all weight vectors share one problem",
			plural.Count(len(claimed), "weight vector"))
		return
	case !joint && len(claimed) != n:
		t.Contradict("the model has results of %s, want %d",
			plural.Count(len(claimed), "weight vector"), n)
		return
	}
	covered := make([]bool, len(claimed))
	excess := 0.0 // sum of objectives minus claims, where positive, in problems with a bound of 0
	for _, f := range found {
		c, of := r.Claim(), ProblemSuffix("weight vector", f.Vector, len(found))
		if !joint {
			own := claimed[f.Vector]
			covered[f.Vector], c = true, own.claim()
			if own.Lambda != f.Lambda {
				t.Contradict("the lambda%s is %v, not %v", of, f.Lambda, own.Lambda)
			}
		}
		switch {
		case t.Parts:
			t.partObjective(of, c.Objective, f.Exact.Objective)
		case c.Objective != f.Quick.Objective || !(f.Quick.MaxError <= c.Tolerance()):
			sure, most := 0.0, 0.0
			if !t.SameData {
				sure = 2 * f.Exact.MaxError
				most = max(sure, c.Tolerance()+f.Exact.MaxError)
			}
			t.Objective(of, c.Objective, f.Exact.Objective, sure, most)
		}
		if f.Exact.Proven() == 0 {
			excess += max(0, f.Exact.Objective-c.Objective)
		}
		switch ok := t.Bound(of, c, Claim{f.Exact.Objective, f.Exact.Proven()}); {
		case of == "":
			t.Unsure = t.Unsure || !ok
		case !ok:
			t.Unconfirmed = append(t.Unconfirmed, f.Vector)
		}
	}
	if joint {
		return
	}
	whole := true
	for k, c := range claimed {
		if !covered[k] && !(math.IsNaN(c.Objective) && math.IsNaN(c.DualObjective)) {
			whole = false
			t.Contradict("the model makes claims about weight vector %d, for which the data have no rows",
				k)
		}
	}
	if whole {
		t.Means(r.Claim())
	}
	if len(found) > 1 && !t.Unsure {
		all.Objective -= excess / float64(len(found))
		t.All(r.Claim(), all)
	}
}

// Relative differences between a claimed objective and an objective computed over parts of the
// data.
const (
	roundError   = 1e-11 // that the order of the sums may cause
	float32Error = 1e-5  // allowed for float32 dot products in the claim
)

func (t *Comparison) partObjective(of string, claimed, found float64) {
	switch off := (claimed - found) / found; {
	case -roundError <= off && off <= float32Error, claimed == found:
	case -float32Error <= off && off < 0:
		t.Unsure = true
	default:
		t.wrong(of, claimed, found)
	}
}

// ProblemSuffix returns a text such as " of weight vector 3", or "" if there is only one problem.
func ProblemSuffix(kind string, k, problems int) string {
	if problems == 1 {
		return ""
	}
	return fmt.Sprintf(" of %s %d", kind, k)
}

// Objective compares the claimed objective of a problem with the objective found. A difference that
// is NaN or above wrong contradicts the claim; any other difference above unsure sets Unsure.
func (t *Comparison) Objective(suffix string, claimed, found, unsure, wrong float64) {
	switch off := math.Abs(claimed - found); {
	case !(off <= wrong):
		t.wrong(suffix, claimed, found)
	case off > unsure:
		t.Unsure = true
	}
}

func (t *Comparison) wrong(suffix string, claimed, found float64) {
	t.Contradict("the objective%s is %v, not %v", suffix, found, claimed)
}

// Bound reports whether a problem's computed bound and gap confirm the claim, and adds the claim to
// the sums for Means.
func (t *Comparison) Bound(suffix string, claimed, found Claim) bool {
	t.sum.Objective += claimed.Objective
	t.sum.DualObjective += claimed.DualObjective
	t.problems++
	return t.bound(suffix, claimed, found)
}

func (t *Comparison) bound(suffix string, claimed, found Claim) bool {
	switch {
	case math.IsNaN(claimed.DualObjective):
		return false
	case claimed.DualObjective < 0:
		t.Contradict("the claimed bound%s is %v, want 0 or more", suffix, claimed.DualObjective)
	case Check(found.Objective, claimed.DualObjective) != nil:
		t.Contradict("the claimed bound%s, %v, is above the objective found, %v", suffix,
			claimed.DualObjective, found.Objective)
	case found.AsGood(claimed):
		return true
	case t.Proven:
		t.Contradict("the proof shows the bound %v%s and the gap %v, but the model claims the bound "+
			"%v and the gap %v", found.DualObjective, suffix, found.Gap(), claimed.DualObjective,
			claimed.Gap())
	}
	return false
}

// Means contradicts the claimed means unless they equal the means of the claims passed to Bound.
// Two NaN bounds count as equal.
func (t *Comparison) Means(all Claim) {
	mean := Claim{t.sum.Objective / t.problems, t.sum.DualObjective / t.problems}
	if mean.Objective != all.Objective {
		t.Contradict("the mean of the claimed objectives is %v, not %v", mean.Objective, all.Objective)
	}
	if mean.DualObjective != all.DualObjective &&
		!(math.IsNaN(mean.DualObjective) && math.IsNaN(all.DualObjective)) {
		t.Contradict("the mean of the claimed bounds is %v, not %v", mean.DualObjective,
			all.DualObjective)
	}
}

// All sets Unsure unless the computed means confirm the claimed ones.
func (t *Comparison) All(claimed, found Claim) {
	if !t.bound("", claimed, found) {
		t.Unsure = true
	}
}
