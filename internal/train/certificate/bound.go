package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/objective"
)

type bounded interface {
	boundAt(a []float32, r2 float64) (value, s float64)

	// fromScores computes the scores with the weight vectors w and the biases b. smooth sets a to
	// the dual variables at these scores, for the loss smoothed to the width h. far holds each
	// row's distance from the nearest kink. A loss without kinks ignores h, and its far is nil.
	fromScores(w [][]float64, b []float64) (a []float32, smooth func(h float64), far []float64)
}

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

// Bound returns a lower bound on the optimum of p, and a factor s from 0 to 1. The bound is the
// dual objective of s*a, for an s that nearly maximizes it, minus a bound on all rounding errors.
// For log losses Bound returns 1 in place of s. r2 is the rows' mean squared norm, with the bias's
// feature. Bound may change a if the bias has no penalty (see balance.go), or if a row's dual
// variables in a joint problem sum to more than 1. For a joint problem whose biases have no
// penalty, Bound returns NaN and 0.
func Bound(p objective.Problem, a []float32, r2 float64) (value, s float64) {
	if p := boundedOf(p); p != nil {
		return p.boundAt(a, r2)
	}
	return math.NaN(), 0
}

// FromScores returns dual variables computed from the scores with the weight vectors w and the
// biases b, and their lower bound, at least 0. For a loss with kinks it keeps the best of several
// smoothing widths, including width if that is above 0. For a joint problem whose biases have no
// penalty, it returns nil and NaN.
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
	at(with) // sets a for the best width
	return a, best
}
