package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// bounded is a problem that has lower bounds.
type bounded interface {
	// boundAt implements Bound.
	boundAt(a []float32, r2 float64) (value, s float64)

	// fromScores computes the scores of the rows by the vectors w and the biases b. smooth then
	// sets a to minus the derivatives, at these scores, of the loss smoothed to the width h. far
	// holds each row's distance from the nearest kink; nil for a loss without kinks.
	fromScores(w [][]float64, b []float64) (a []float32, smooth func(h float64), far []float64)
}

// boundedOf returns p as a bounded problem; nil for a joint problem with an unpenalized bias.
func boundedOf(p objective.Problem) bounded {
	switch p := p.(type) {
	case *objective.Binary:
		return binary{p}
	case *objective.Joint:
		if !p.FreeBias {
			return joint{p}
		}
	}
	return nil
}

// Bound returns a lower bound on the optimum of p: the dual objective of s*a, less all rounding
// errors, and the factor s from 0 to 1, which nearly maximizes it. r2 is the mean squared norm of
// the rows. The s of log losses is not returned, but 1. Bound may change a: it balances both sides
// where the bias has no penalty, and lowers a row of a joint problem whose sum exceeds 1. It
// returns NaN and 0 for a joint problem whose biases have no penalty.
func Bound(p objective.Problem, a []float32, r2 float64) (value, s float64) {
	if p := boundedOf(p); p != nil {
		return p.boundAt(a, r2)
	}
	return math.NaN(), 0
}

// FromScores returns dual variables that it derives from the scores of the weight vectors w with
// the biases b, and their bound, which is at least 0. It tries several smoothing widths and keeps
// the best; a width above 0 is tried as well. It returns nil and NaN where Bound returns NaN.
func FromScores(p objective.Problem, w [][]float64, b []float64, r2, width float64) (
	a []float32, best float64,
) {
	of := boundedOf(p)
	if of == nil {
		return nil, math.NaN()
	}
	a, smooth, far := of.fromScores(w, b)
	at := func(h float64) float64 {
		smooth(h)
		value, _ := of.boundAt(a, r2)
		return value
	}
	if far == nil {
		return a, max(0, at(0))
	}
	best, with := bestWidth(far, at)
	if width > 0 {
		if bound := at(width); bound > best {
			best, with = bound, width
		}
	}
	at(with) // sets a
	return a, best
}
