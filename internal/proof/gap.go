// Package proof has what the trainers of all kinds make of an objective P and of a lower bound D on
// the least objective there is.
//
// A trainer's D carries every rounding between it and the truth, those of P included: D <= P* - e,
// where P* is the least objective there is and P is off by at most e. Then P - D is no less than
// the excess of the model's true objective over P*, D > P can't be, and what is told of a model
// follows from the two numbers alone.
package proof

import (
	"fmt"
	"math"
	"strconv"
)

// Gap returns (P-D)/D, the most by which P can be above the least objective there is, as a share of
// that. It is 0 where P = D, also where both are 0, and +Inf where D is no use as a divisor, being
// 0 or less. It is NaN where one of them is not known. It is below 0 only where Check fails.
func Gap(objective, bound float64) float64 {
	switch {
	case objective == bound:
		return 0
	case bound <= 0:
		return math.Inf(1)
	}
	return (objective - bound) / bound
}

// Check returns an error if the bound is above the objective: one of them is wrong then, and so is
// this program.
func Check(objective, bound float64) error {
	if bound > objective {
		return fmt.Errorf("internal error: the bound %v is above the objective %v; please report "+
			"this, with the data and the settings", bound, objective)
	}
	return nil
}

// Worst returns the largest of the gaps of n problems whose objectives and bounds at returns, and
// the first problem that has it. Problems of which one is not known are left out. Where there are
// no others, the gap is NaN and k is -1.
func Worst(n int, at func(k int) (objective, bound float64)) (gap float64, k int) {
	gap, k = math.NaN(), -1
	for i := range n {
		if g := Gap(at(i)); k < 0 && !math.IsNaN(g) || g > gap {
			gap, k = g, i
		}
	}
	return gap, k
}

// Percent returns a gap as people read it: in per cent, rounded up to four digits.
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

// Useful reports whether a gap is worth telling: the bound is known, and no less than half of P.
func Useful(gap float64) bool { return gap <= 1 }

// Parabola returns the largest value of s*mean - s^2*half for s from 0 to 1, and that s.
func Parabola(mean, half float64) (value, s float64) {
	switch {
	case mean <= 0:
		return 0, 0
	case mean >= 2*half:
		return mean - half, 1
	}
	return float64(mean*mean) / (4 * half), mean / (2 * half)
}
