package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Bound returns the dual objective at s*a, with the s from 0 to 1 that makes it largest, or nearly
// so, and s, which is 1 for log losses. It may make shares a little smaller. There is no bound, but
// NaN, for a joint problem whose biases have no penalty.
func Bound(p objective.Problem, a []float32, r2 float64) (value, s float64) {
	switch p := p.(type) {
	case *objective.Binary:
		return binary{p}.boundAt(a, r2)
	case *objective.Joint:
		if !p.Free {
			return joint{p}.boundAt(a, r2)
		}
	}
	return math.NaN(), 0
}

// FromScores returns the shares with the best bound of those that the scores of the vectors w give,
// and the bound. One of the widths that are tried is the given one, if it is above 0.
func FromScores(p objective.Problem, w [][]float64, b []float64, r2, width float64) (
	a []float32, best float64,
) {
	switch p := p.(type) {
	case *objective.Binary:
		return binary{p}.fromScores(w[0], b[0], r2, width)
	case *objective.Joint:
		if !p.Free {
			return joint{p}.fromScores(w, b, r2)
		}
	}
	return nil, math.NaN()
}
