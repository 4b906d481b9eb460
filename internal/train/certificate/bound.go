package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A bounded problem is one with bounds, and says which shares to try for weights.
type bounded interface {
	boundAt(a []float32, r2 float64) (value, s float64)

	// fromScores returns a function that writes the shares that the scores of the vectors w give to
	// a, for a width, and how far each row is from its kink: nil without one.
	fromScores(w [][]float64, b []float64) (a []float32, smooth func(h float64), far []float64)
}

// boundedOf returns p with its bounds: nil if it has none.
func boundedOf(p objective.Problem) bounded {
	switch p := p.(type) {
	case *objective.Binary:
		return binary{p}
	case *objective.Joint:
		if !p.Free {
			return joint{p}
		}
	}
	return nil
}

// Bound returns the dual objective at s*a, with the s from 0 to 1 that makes it largest, or nearly
// so, and s, which is 1 for log losses. It may make shares a little smaller. There is no bound, but
// NaN, for a joint problem whose biases have no penalty.
func Bound(p objective.Problem, a []float32, r2 float64) (value, s float64) {
	if p := boundedOf(p); p != nil {
		return p.boundAt(a, r2)
	}
	return math.NaN(), 0
}

// FromScores returns the shares with the best bound of those that the scores of the vectors w give,
// and the bound. One of the widths that are tried is the given one, if it is above 0.
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
	at(with) // a is what it was there
	return a, best
}
