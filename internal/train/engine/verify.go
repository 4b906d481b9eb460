package engine

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

type Check struct {
	// Proof has the dual variables of each weight vector, or of a joint problem in a single
	// element; nil without a proof.
	Proof []certificate.Packed
	// Passes is the number of dual passes of the first attempt to improve the dual variables from
	// the margins; 0 for no attempts. See maxPassesRatio.
	Passes int
	// Finish is the setting of the model's run. If it allows Newton's method, and Passes is not 0,
	// Verify may use the method too.
	Finish string
	Claims proof.Result
}

// Verify computes the objectives of m and searches for the best lower bounds. found has the results
// for each learner's part of m, res for all of m. With a scaling, m.Folded must be set. If ctx is
// done before Verify returns, the results are invalid.
func (s *Session) Verify(ctx context.Context, m *Point, c Check) (found []proof.Found,
	res proof.Result) {
	s.Until, s.Newtons.Context, s.abandonable, s.measured = ctx, ctx, true, m
	if !s.Joint() {
		m.Result.PerClass = proof.Unknown(len(m.Weights))
		if len(c.Claims.PerClass) != len(m.Weights) {
			c.Claims.PerClass = m.Result.PerClass
		}
	}
	s.verifyByNewton = c.Passes > 0 && !s.Joint() &&
		(c.Finish == settings.FinishNewton || c.Finish == settings.FinishAuto) &&
		s.Rows.X.Cols() <= newton.MaxColumns
	s.verifyByNewton = s.verifyByNewton && s.checkMemory() == nil
	all := make([][]proof.Found, len(s.Runs))
	s.parallel(func(i int, r *Run) { all[i] = r.verify(ctx, m, &c) })
	s.sumMeasurements(&m.Result)
	return slices.Concat(all...), m.Result
}

func (r *Run) verify(ctx context.Context, m *Point, c *Check) (found []proof.Found) {
	r.Measured = make([]proof.Measurement, len(r.Learners))
	r.setObjectives(nil)
	quick := slices.Clone(r.Measured)
	r.refine(Exact)
	r.parallel(func(k int) {
		at := &r.Measured[k]
		at.Bound = math.NaN()
		if ctx.Err() == nil {
			at.Bound = r.boundOf(m, k, c)
		}
	})
	for k, at := range r.Measured {
		found = append(found,
			proof.Found{Vector: r.first + k, Lambda: r.Lambda, Exact: at, Quick: quick[k]})
	}
	return found
}

// boundOf returns the lower bound of the proof or, without a proof, the best bound found from the
// margins of m.
func (r *Run) boundOf(m *Point, k int, c *Check) float64 {
	l, at := r.Learners[k], &r.Measured[k]
	if c.Proof != nil {
		return boundOf(l.Of, c.Proof[r.first+k].Unpack(l.Of), r.R2)
	}
	claim := proof.ClassResult{Objective: c.Claims.Objective, DualObjective: c.Claims.DualObjective}
	if !r.s.Joint() {
		claim = c.Claims.PerClass[r.first+k]
	}
	// With a lower bound of wanted, the gap is at most the claimed gap, even if rounding raises the
	// objective.
	wanted := claim.DualObjective + max(0, at.Objective-claim.Objective) + at.MaxError
	_, b := r.vectorsOf(m, k)
	w := r.exactVectors(m, k)
	a, best := certificate.FromScores(l.Of, w, b, r.R2, claim.Width)
	if a == nil {
		return best
	}
	for passes := c.Passes; passes > 0 && passes <= maxPassesRatio*c.Passes; passes *= 4 {
		d := r.newDual(l, a, false)
		if best = max(best, dual.Improve(d, l.State, l.Of, passes, r.R2)); best >= wanted {
			break
		}
	}
	if r.s.verifyByNewton && best < wanted {
		best = max(best, r.newtonBound(l, w[0], b[0], claim.Width, wanted))
	}
	return best
}

// maxPassesRatio limits the passes of an attempt, as a multiple of Check.Passes.
const maxPassesRatio = 16

// newtonBound returns the best lower bound of some iterations of Newton's method from w and b.
// width is the claimed smoothing width, 0 if unknown. A bound of wanted ends the iterations.
func (r *Run) newtonBound(l *Learner, w []float64, b, width, wanted float64) float64 {
	pool := &r.s.Newtons
	n := newton.New(pool, 0, func() *newton.Problem { return l.ForNewton(pool, 0) })
	u := make([]float32, len(w))
	for j, z := range w {
		if l.Prior != nil {
			z -= float64(l.Prior[0][j])
		}
		u[j] = float32(z) // the method's weights are float32
	}
	return n.Bound(u, b-l.PriorBias[0], width, wanted, r.innerThreads,
		func(a []float32) float64 { return boundOf(l.Of, a, r.R2) })
}

// Prove returns the dual variables of the current lower bounds, in the layout of Check.Proof. The
// session must have taken steps. Prove returns an error if the settings give no lower bound.
func (s *Session) Prove() ([]certificate.Packed, error) {
	if !s.HasBound() {
		return nil, errors.New("pegasos: there is no proof: these settings give no lower bound")
	}
	n, _ := s.Vectors(len(s.Rows.Classes))
	if s.Joint() {
		n = 1
	}
	vectors := make([]certificate.Packed, n)
	for k := range vectors {
		vectors[k].Scale = 1 // for a pair without rows; the other elements are set below
	}
	s.parallel(func(_ int, r *Run) {
		for k, l := range r.Learners {
			vectors[r.first+k], _ = l.pack(r.R2)
		}
	})
	return vectors, nil
}

func (s *Session) Fits(vectors []certificate.Packed) bool {
	for _, r := range s.Runs {
		for k, l := range r.Learners {
			if r.first+k >= len(vectors) ||
				len(vectors[r.first+k].Duals) != certificate.PackedLen(l.Of) {
				return false
			}
		}
	}
	return true
}
