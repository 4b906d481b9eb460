package newton

import (
	"github.com/pegasimd/pegasimd/internal/cholesky"
	"github.com/pegasimd/pegasimd/internal/gram"
)

// This file has the rules that the method has wherever the rows are: on one machine, or in shards
// on many.

// A Stall knows when P - D last fell much.
type Stall struct {
	Since   int     `json:"since"`   // the iteration
	Falling float64 `json:"falling"` // what it was
}

// Over reports whether P - D, which is gap after the given iterations, has not fallen by a tenth in
// the last patience of them.
func (s *Stall) Over(gap float64, iterations, patience int) bool {
	if gap <= float64(0.9*s.Falling) {
		s.Falling, s.Since = gap, iterations
	}
	return iterations-s.Since >= patience
}

// TooWide reports whether the smoothing keeps P and D apart, so that a narrower zone is due.
func TooWide(rest, smoothing float64) bool { return rest < 3*smoothing }

// Decompose factors scale*h, with lambda added to its diagonal. Only roundings can make that not
// positive definite, and a larger lambda outweighs them.
func Decompose(factor *cholesky.Factor, h gram.Matrix, lambda, scale float64, threads int,
) error {
	for add := lambda; ; add *= 64 {
		err := factor.Decompose(h, add, scale, threads)
		if err == nil || add > 0x1p40*lambda {
			return err
		}
	}
}
