// Package proof defines what a model records of its objective P and of a lower bound D on the
// minimum P*, and compares it with values computed again from the data.
//
// A lower bound D above 0 accounts for all rounding errors: D <= P* - e if the computed P differs
// from the exact objective by at most e. P - D is then at least the excess of the exact objective
// over P*.
package proof

import (
	"fmt"
	"math"
	"strconv"
)

// Gap returns the relative duality gap (P-D)/D of an objective P and a lower bound D on the
// minimum. Special cases, of which the first that applies counts:
//
//   - 0 if P = D, even if both are 0
//   - +Inf if D is 0 or less
//   - NaN if P or D is NaN
func Gap(objective, bound float64) float64 {
	switch {
	case objective == bound:
		return 0
	case bound <= 0:
		return math.Inf(1)
	}
	return (objective - bound) / bound
}

func Check(objective, bound float64) error {
	if bound > objective {
		return fmt.Errorf("internal error: the bound %v is above the objective %v; please report "+
			"this, with the data and the settings", bound, objective)
	}
	return nil
}

// Worst returns the largest gap of n problems that is not NaN, and the first problem k with that
// gap. at(i) returns P and D of problem i. If all gaps are NaN, gap is NaN and k is -1.
func Worst(n int, at func(k int) (objective, bound float64)) (gap float64, k int) {
	gap, k = math.NaN(), -1
	for i := range n {
		if g := Gap(at(i)); k < 0 && !math.IsNaN(g) || g > gap {
			gap, k = g, i
		}
	}
	return gap, k
}

// Percent returns a gap as text in percent, rounded up to four significant digits, or "none" if it
// is not finite.
func Percent(gap float64) string {
	if math.IsNaN(gap) || math.IsInf(gap, 0) {
		return "none"
	}
	p := 100 * gap
	for up := p; ; up += math.Abs(p) * 0x1p-14 { // less than a unit of the fourth digit
		text := fmt.Sprintf("%.4g", up)
		if back, err := strconv.ParseFloat(text, 64); err != nil || back >= p {
			return text + " %"
		}
	}
}

// Standing describes how far above the optimum an objective with this gap can be.
func Standing(gap float64) string {
	switch {
	case math.IsNaN(gap):
		return "no bound on its distance from the optimum"
	case gap < 0: // only in edited files
		return "with a bound above it"
	case !Useful(gap):
		return "no useful bound yet"
	}
	return "at most " + Percent(gap) + " above the optimum"
}

// Useful reports whether the lower bound is at least half the objective.
func Useful(gap float64) bool { return gap <= 1 }
