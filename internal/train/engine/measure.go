package engine

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
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
	mistakes := make([]float64, len(s.Runs))
	s.parallel(func(i int, r *Run) { mistakes[i] = r.measure(m, how) })
	s.total(&m.Result)
	n := 0
	for i, r := range s.Runs {
		mistake += mistakes[i]
		n += len(r.Learners)
	}
	return mistake / float64(n)
}

// total adds up what was measured of all vectors.
func (s *Session) total(res *result.Result) {
	if res.PerClass != nil {
		res.Objective, res.DualObjective = 0, 0
		n := 0
		for _, r := range s.Runs {
			for k := range r.Learners {
				c := res.PerClass[r.first+k]
				res.Objective += c.Objective
				res.DualObjective += c.DualObjective
				n++
			}
		}
		res.Objective /= float64(n)
		res.DualObjective /= float64(n)
	}
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
}

// measure fills in the run's part of m's objective and bound. It returns the sum of the mistakes.
func (r *Run) measure(m *Point, how Precision) (mistakes float64) {
	r.Measured = make([]Measurement, len(r.Learners))
	r.parallel(func(k int) {
		if !r.s.over() {
			r.Measured[k].Bound = r.Learners[k].dual(r.R2, r.s.KeepProof)
		}
	})
	r.objectives(nil)
	return r.refine(m, how)
}

// refine fills in the run's part of m, which measure has seen, to some other precision.
func (r *Run) refine(m *Point, how Precision) (mistakes float64) {
	wide := make([]bool, len(r.Measured))
	for k, at := range r.Measured {
		enough := claims.SmallOfGap * (at.Objective - at.Bound)
		if math.IsNaN(at.Bound) {
			enough = claims.SmallOfObjective * at.Objective
		}
		rough := !(at.Mistake <= enough)
		wide[k] = floats.IsFinite(at.Objective) && (how == Exact || how == AsNeeded && rough)
	}
	r.objectives(wide)
	return r.note(m)
}

// note writes what was measured into m's Result, and returns the sum of the mistakes.
func (r *Run) note(m *Point) (mistakes float64) {
	for k, at := range r.Measured {
		mistakes += at.Mistake
		p, d := &m.Result.Objective, &m.Result.DualObjective
		if all := m.Result.PerClass; all != nil {
			p, d = &all[r.first+k].Objective, &all[r.first+k].DualObjective
		}
		*p, *d = at.Objective, at.Proven()
	}
	return mistakes
}

// objectives finds P of each learner's part of the point that is measured, and by how much it may
// be off; or, from float64 dot products, of those that wide names. With float32 dot products P is
// NaN if one of them is not finite, for then predictions are not.
func (r *Run) objectives(wide []bool) {
	m := r.s.measured
	loss, vectors := make([]float64, len(r.Learners)), make([][][]float64, len(r.Learners))
	for k := range wide {
		if wide[k] {
			vectors[k] = r.exact(m, k)
		}
	}
	if j := r.Learners[0].Joint; j != nil {
		w, b := r.vectorsOf(m, 0)
		if wide == nil {
			loss[0] = j.Of.MeanLoss(w, b)
		} else if wide[0] {
			loss[0] = j.Of.WideMeanLoss(vectors[0], b)
		}
	} else {
		r.inBlocks(r.Count(), func(k, from, to int) {
			of, b := &r.Learners[k].Binary.Of, m.bias(r.first+k)
			switch {
			case wide == nil:
				loss[k] += of.Losses(m.Weights[r.first+k], b, from, to)
			case wide[k]:
				loss[k] += of.WideLosses(vectors[k][0], b, from, to)
			}
		})
		for k := range loss {
			loss[k] /= float64(r.Count())
		}
	}
	size := 0.0 // what float64 dot products are off by is in Terms.Sums
	if wide == nil {
		if r.dotError == 0 {
			r.dotError = r.DotSize()
		}
		size = r.dotError
	}
	for k, l := range r.Learners {
		if wide == nil || wide[k] {
			at := &r.Measured[k]
			w, b := r.vectorsOf(m, k)
			at.Objective, at.Mistake = objective.Measure(l.Of, l.Terms, objective.Found{W: w,
				Exact: vectors[k], B: b, Loss: loss[k], DotSize: size, R2: r.R2,
				Scale: r.s.Scale})
		}
	}
}

// inBlocks calls f for each learner and block of the rows 0 to n-1, such that a block comes from
// the cache for all learners but the first.
func (r *Run) inBlocks(n int, f func(k, from, to int)) {
	block := blockRows(r.X.Cols())
	r.share(func(first, end int) {
		for from := 0; from < n && !r.s.over(); from += block {
			for k := first; k < end; k++ {
				f(k, from, min(from+block, n))
			}
		}
	})
}

// exact returns the vectors of m that learner k has trained, as the model will have them.
func (r *Run) exact(m *Point, k int) (exact [][]float64) {
	w, _ := r.vectorsOf(m, k)
	if r.s.Scale == nil {
		return objective.WideVectors(w)
	}
	for i := range w {
		f := m.Folded
		wide, _ := r.s.Scale.Exact(f.Weights[r.first+k+i], f.bias(r.first+k+i))
		exact = append(exact, wide)
	}
	return exact
}

// vectorsOf returns the vectors of m that learner k has trained, and their biases.
func (r *Run) vectorsOf(m *Point, k int) (w [][]float32, b []float64) {
	return m.vectors(r.first+k, len(r.Learners[k].Vectors))
}
