package engine

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/claims"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// A Measurement is what is known of one learner's part of a point.
type Measurement struct {
	Objective float64
	Mistake   float64 // the most by which that may be off
	Bound     float64 // on the least objective there is; NaN for none
}

// Proven returns the bound less the mistake, so that no objective, as it is measured, is below it.
// No objective is below 0 either. See package certificate.
func (m Measurement) Proven() float64 { return max(0, m.Bound-m.Mistake) }

// A Precision says how the objective is found.
type Precision uint8

const (
	Quick    Precision = iota // from float32 dot products, as in prediction
	AsNeeded                  // so only if the mistake is small beside the gap, else exact
	Exact                     // from float64 dot products
)

// Measure fills in the objective, the bound and the gap of m, whose weights the runs may have. They
// are those of the model as it will be written: a scale is folded into it, and rounded. It returns
// the mean of the mistakes.
func (s *Session) Measure(m *Point, how Precision) (mistake float64) {
	s.measured = m
	m.Folded = nil
	if f := m.Fold(s.Scale); f != m {
		s.measured = &Point{Folded: f}
		s.measured.Weights, s.measured.Bias = s.Scale.Unfold(f.Weights, f.Bias, s.Scale,
			s.Bias != settings.BiasNone)
	}
	s.parallel(func(_ int, r *Run) { r.measure(how) })
	return s.total(&m.Result)
}

// total writes what was measured into res, of each vector and the mean. It returns that of the
// mistakes.
func (s *Session) total(res *result.Result) (mistake float64) {
	n, objective, bound := 0.0, 0.0, 0.0
	for _, r := range s.Runs {
		for k, at := range r.Measured {
			if res.PerClass != nil {
				c := &res.PerClass[r.first+k]
				c.Objective, c.DualObjective = at.Objective, at.Proven()
			}
			objective += at.Objective
			bound += at.Proven()
			mistake += at.Mistake
			n++
		}
	}
	res.Objective, res.DualObjective = objective/n, bound/n
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
	return mistake / n
}

// measure finds the run's part of the measured point's objective and bound.
func (r *Run) measure(how Precision) {
	r.Measured = make([]Measurement, len(r.Learners))
	r.parallel(func(k int) {
		if !r.s.over() {
			r.Measured[k].Bound = r.Learners[k].dual(r.R2, r.s.KeepProof)
		}
	})
	if how != Exact || !r.finiteDots() {
		r.objectives(nil)
	}
	r.refine(how)
}

// finiteDots reports whether float32 has room for all dot products of the run's rows and the
// vectors that are measured, and for the sums on the way to one: none is larger than the lengths'
// product. Of rows of a caller's own type nothing is known.
func (r *Run) finiteDots() bool {
	for k := range r.Learners {
		w, b := r.vectorsOf(r.s.measured, k)
		for i, v := range w {
			length := math.Sqrt(float64(objective.SquareSum(v) * r.longest))
			if !(length < 0x1p120) || !floats.IsFinite(b[i]) {
				return false
			}
		}
	}
	return !math.IsInf(r.X.DotError(0), 1)
}

// refine finds the objective of the run's part of the point that is measured to some other
// precision.
func (r *Run) refine(how Precision) {
	exact := make([][][]float64, len(r.Measured))
	for k, at := range r.Measured {
		enough := claims.SmallOfGap * (at.Objective - at.Bound)
		if math.IsNaN(at.Bound) {
			enough = claims.SmallOfObjective * at.Objective
		}
		rough := !(at.Mistake <= enough)
		if floats.IsFinite(at.Objective) && (how == Exact || how == AsNeeded && rough) {
			exact[k] = r.exact(r.s.measured, k)
		}
	}
	r.objectives(exact)
}

// objectives finds P of each learner's part of the point that is measured, and by how much it may
// be off; or, from float64 dot products, of those whose exact vectors are given. With float32 dot
// products P is NaN if one of them is not finite, for then predictions are not.
func (r *Run) objectives(exact [][][]float64) {
	m, loss, quick := r.s.measured, make([]float64, len(r.Learners)), exact == nil
	dotSize := 0.0 // what float64 dot products are off by is in Terms.Sums
	if quick {
		if r.dotError == 0 {
			r.dotError = r.DotSize()
		}
		exact, dotSize = make([][][]float64, len(r.Learners)), r.dotError
	}
	if j := r.Learners[0].Joint; j != nil {
		w, b := r.vectorsOf(m, 0)
		if quick {
			loss[0] = j.Of.MeanLoss(w, b)
		} else if exact[0] != nil {
			loss[0] = j.Of.WideMeanLoss(exact[0], b)
		}
	} else {
		loss = r.meanLosses(func(k int, x store.Rows, from, to int) float64 {
			of, b := &r.Learners[k].Binary.Of, m.bias(r.first+k)
			switch {
			case quick:
				return of.LossesOf(x, m.Weights[r.first+k], b, from, to)
			case exact[k] != nil:
				return of.WideLosses(x, exact[k][0], b, from, to)
			}
			return 0
		})
	}
	for k, l := range r.Learners {
		if quick || exact[k] != nil {
			at := &r.Measured[k]
			w, b := r.vectorsOf(m, k)
			at.Objective, at.Mistake = objective.Measure(l.Of, l.Terms, objective.Found{W: w,
				Exact: exact[k], B: b, Loss: loss[k], DotSize: dotSize, R2: r.R2,
				Scale: r.s.Scale})
		}
	}
}

// meanLosses returns those of the learners, by the sums of f over some rows, such that rows come
// from the cache for all learners but the first.
func (r *Run) meanLosses(f func(k int, x store.Rows, from, to int) float64) []float64 {
	some, sums := blockRows(r.X.Cols()), make([][]float64, r.Blocks())
	for b := range sums {
		sums[b] = make([]float64, len(r.Learners))
	}
	r.share(func(first, end int) {
		r.InBlocks(func(x store.Rows, b, from, to int) {
			for ; from < to && !r.s.over(); from += some {
				for k := first; k < end; k++ {
					sums[b][k] += f(k, x, from, min(from+some, to))
				}
			}
		})
	})
	loss := make([]float64, len(r.Learners))
	for k := range loss {
		for _, sum := range sums {
			loss[k] += sum[k]
		}
		loss[k] /= float64(r.Count())
	}
	return loss
}

// exact returns the vectors of m that learner k has trained, as the model will have them.
func (r *Run) exact(m *Point, k int) (exact [][]float64) {
	w, _ := r.vectorsOf(m, k)
	for i, v := range w {
		if r.s.Scale == nil {
			exact = append(exact, floats.Wide(v))
			continue
		}
		f := m.Folded
		wide, _ := r.s.Scale.Exact(f.Weights[r.first+k+i], f.bias(r.first+k+i))
		exact = append(exact, wide)
	}
	return exact
}
