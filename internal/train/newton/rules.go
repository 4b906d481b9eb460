package newton

import (
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// Stall records the last iteration in which P - D was at most 0.9 times the value recorded before.
type Stall struct {
	Since   int     `json:"since"`   // number of the recorded iteration
	Falling float64 `json:"falling"` // P - D in the recorded iteration
}

// Over updates s by gap, the P - D after the given iterations. It reports whether P - D did not
// fall by a tenth in the last patience iterations.
func (s *Stall) Over(gap float64, iterations, patience int) bool {
	if gap <= float64(0.9*s.Falling) {
		s.Falling, s.Since = gap, iterations
	}
	return iterations-s.Since >= patience
}

// TooWide reports whether the smoothing gap is more than a quarter of P - D, the sum of both gaps.
func TooWide(optimization, smoothing float64) bool { return optimization < 3*smoothing }

// Decompose computes the Cholesky factor of scale*h + lambda*I. If rounding errors make the matrix
// indefinite, it tries 64, 64^2, ..., 64^7 times lambda before it returns an error.
func Decompose(factor *cholesky.Factor, h gram.Matrix, lambda, scale float64, threads int,
) error {
	for add := lambda; ; add *= 64 {
		err := factor.Decompose(h, add, scale, threads)
		if err == nil || add > 0x1p40*lambda {
			return err
		}
	}
}
