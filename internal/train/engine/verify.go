package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file finds out of a model what it claims of itself: its objective anew, and a lower bound on
// the least there is that owes nothing to the run: its dual variables are made from the margins of
// the weights as they are written, see certificate.FromScores, or come from a proof.

// A Check says where the bound comes from that a model is held against.
type Check struct {
	// Proof, if not nil, has the dual variables of the bound, of each vector or of a joint problem.
	Proof []certificate.Packed
	// Passes is how many passes of the descent improve the bound that is made of the margins.
	Passes int
	// Finish is that of the model's run. Newton's method may have found the claimed bound, and may
	// look for it.
	Finish string
	Claims result.Result
}

// A Found is what was found of a learner's part of a model.
type Found struct {
	Vector int // the first of its vectors
	Lambda float64
	// Exact is from float64 dot products, Quick from those of float32, as in training where that is
	// good enough.
	Exact, Quick Measurement
}

// Verify finds the objectives of m, which has Folded if there is a scale, and the best bounds: of
// each learner's part, and all together. They are of no use once ctx is done.
func (s *Session) Verify(ctx context.Context, m *Point, c Check) (found []Found, res result.Result) {
	s.Until, s.Newtons.Until, s.mayCut, s.measured = ctx, ctx, true, m
	if !s.Joint() {
		m.Result.PerClass = result.Unknown(len(m.Weights))
		if len(c.Claims.PerClass) != len(m.Weights) {
			c.Claims.PerClass = m.Result.PerClass
		}
	}
	s.looks = c.Passes > 0 && !s.Joint() &&
		(c.Finish == settings.FinishNewton || c.Finish == settings.FinishAuto) &&
		s.Rows.X.Cols() <= newton.MostColumns
	s.looks = s.looks && s.checkMemory() == nil
	all := make([][]Found, len(s.Runs))
	s.parallel(func(i int, r *Run) { all[i] = r.verify(ctx, m, &c) })
	s.total(&m.Result)
	return slices.Concat(all...), m.Result
}

func (r *Run) verify(ctx context.Context, m *Point, c *Check) (found []Found) {
	r.Measured = make([]Measurement, len(r.Learners))
	r.objectives(nil)
	quick := slices.Clone(r.Measured)
	r.refine(Exact)
	parallel.For(r.threads, len(r.Learners), func(_, k int) {
		at := &r.Measured[k]
		at.Bound = math.NaN()
		if ctx.Err() == nil {
			at.Bound = r.boundOf(m, k, c)
		}
	})
	for k, at := range r.Measured {
		found = append(found, Found{r.first + k, r.Lambda, at, quick[k]})
	}
	return found
}

// boundOf returns the best bound of learner k that the margins of m give, or that of the proof.
func (r *Run) boundOf(m *Point, k int, c *Check) float64 {
	l, at := r.Learners[k], &r.Measured[k]
	if c.Proof != nil {
		return boundOf(l.Of, c.Proof[r.first+k].Spread(l.Of), r.R2)
	}
	claim := result.Problem{Objective: c.Claims.Objective, DualObjective: c.Claims.DualObjective}
	if !r.s.Joint() {
		claim = c.Claims.PerClass[r.first+k]
	}
	// With that much the gap is no larger than claimed, though P is by its roundings.
	wanted := claim.DualObjective + max(0, at.Objective-claim.Objective) + at.Mistake
	_, b := r.vectorsOf(m, k)
	w := r.exact(m, k)
	a, best := certificate.FromScores(l.Of, w, b, r.R2, claim.Width)
	if a == nil {
		return best
	}
	for passes := c.Passes; passes > 0 && passes <= morePasses*c.Passes; passes *= 4 {
		d := r.newDual(l, a, false)
		if best = max(best, dual.Improve(d, l.State, l.Of, passes, r.R2)); best >= wanted {
			break
		}
	}
	if r.s.looks && best < wanted {
		best = max(best, r.newtonBound(l, w[0], b[0], claim.Width, wanted))
	}
	return best
}

const morePasses = 16 // times as many, where the bound is less than is wanted

// newtonBound returns the bound of the dual variables that some iterations of Newton's method find
// from the given weights on.
func (r *Run) newtonBound(l *Learner, w []float64, b, width, wanted float64) float64 {
	pool := &r.s.Newtons
	n := newton.New(pool, 0, func() *newton.Problem { return l.ForNewton(pool, 0) })
	u := make([]float32, len(w))
	for j, z := range w {
		if l.Prior != nil {
			z -= float64(l.Prior[0][j])
		}
		u[j] = float32(z) // as the margins take it
	}
	return n.Bound(u, b-l.PriorBias[0], width, wanted, r.inner,
		func(a []float32) float64 { return boundOf(l.Of, a, r.R2) })
}

// Prove returns the dual variables of the bound of the last point, of each vector or of a joint
// problem.
func (s *Session) Prove() ([]certificate.Packed, error) {
	n, _ := s.Vectors(len(s.Rows.Classes))
	if s.Joint() {
		n = 1
	}
	vectors := make([]certificate.Packed, n)
	for k := range vectors {
		vectors[k].Scale = 1 // also of pairs without rows
	}
	var none atomic.Bool
	s.parallel(func(_ int, r *Run) {
		for k, l := range r.Learners {
			if v, ok := l.pack(r.R2); ok {
				vectors[r.first+k] = v
			} else {
				none.Store(true)
			}
		}
	})
	if none.Load() {
		return nil, errors.New("pegasos: there is no bound with these settings, and no proof")
	}
	return vectors, nil
}

// Fits reports whether dual variables are as many as the problems have.
func (s *Session) Fits(vectors []certificate.Packed) bool {
	for _, r := range s.Runs {
		for k, l := range r.Learners {
			if r.first+k >= len(vectors) ||
				len(vectors[r.first+k].Shares) != certificate.Size(l.Of) {
				return false
			}
		}
	}
	return true
}
