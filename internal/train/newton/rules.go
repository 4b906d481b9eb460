package newton

import (
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// This file has the rules that apply both on one machine and to rows in shards on many machines.

// Stall records the last iteration in which P - D was at most .9 times its value in the iteration
// recorded before.
type Stall struct {
	Since   int     `json:"since"`   // number of that iteration
	Falling float64 `json:"falling"` // P - D in that iteration
}

// Over updates s by gap, the value of P - D after the given number of iterations. It reports
// whether P - D has not fallen by a tenth in the last patience iterations.
func (s *Stall) Over(gap float64, iterations, patience int) bool {
	if gap <= float64(0.9*s.Falling) {
		s.Falling, s.Since = gap, iterations
	}
	return iterations-s.Since >= patience
}

// TooWide reports whether the smoothing gap dominates P - D, so that the width h of the zone should
// be reduced: whether the optimization gap is below 3 times the smoothing gap.
func TooWide(optimization, smoothing float64) bool { return optimization < 3*smoothing }

// Decompose computes the Cholesky factor of scale*h + lambda*I. If rounding errors have made that
// matrix indefinite, it tries again with 64 times lambda, with 64^2 times, and so on up to 64^7
// times, and then returns an error.
func Decompose(factor *cholesky.Factor, h gram.Matrix, lambda, scale float64, threads int,
) error {
	for add := lambda; ; add *= 64 {
		err := factor.Decompose(h, add, scale, threads)
		if err == nil || add > 0x1p40*lambda {
			return err
		}
	}
}
