package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

// marginOptions say which dual variables are tried.
type marginOptions struct {
	width  float64 // one of the widths, if it is above 0
	passes int     // of an ascent from the best of them, where there is one

	// Where that is less than the bound that is wanted, there are more passes, and Newton's method
	// goes on from the weights for some iterations. Without a pool it does not.
	wanted  float64
	pool    *newton.Pool
	threads int
}

// marginBound returns the best bound on P that the scores of the vectors w give.
func marginBound(l learner, w [][]float64, b []float64, r2 float64, o marginOptions) float64 {
	a, best := certificate.FromScores(l.objective(), w, b, r2, o.width)
	if a == nil {
		return best
	}
	best = o.climb(best, func(passes int) float64 { return l.climb(a, passes, r2) })
	if p, ok := l.(*problem); ok && o.pool != nil && best < o.wanted {
		best = max(best, p.newtonBound(w[0], b[0], r2, o))
	}
	return best
}

// newtonBound returns the bound of the dual variables that some iterations of Newton's method find
// from the given weights on.
func (p *problem) newtonBound(w []float64, b, r2 float64, o marginOptions) (best float64) {
	n := newton.New(o.pool, 0, func() *newton.Problem { return p.forNewton(o.pool, 0) })
	u := make([]float32, len(p.V))
	for j, z := range w {
		if p.Prior != nil {
			z -= float64(p.Prior[0][j])
		}
		u[j] = float32(z) // as the margins take it
	}
	return n.Bound(u, b-p.PriorBias[0], o.width, o.wanted, o.threads,
		func(a []float32) float64 { return boundOf(&p.Of, a, r2) })
}

// climb returns the best of a bound and of those after some passes: as many as are asked for, or up
// to morePasses times as many where that is less than is wanted.
func (o *marginOptions) climb(best float64, climb func(passes int) float64) float64 {
	for passes := o.passes; passes > 0 && passes <= morePasses*o.passes; passes *= 4 {
		if best = max(best, climb(passes)); best >= o.wanted {
			break
		}
	}
	return best
}

const morePasses = 16
