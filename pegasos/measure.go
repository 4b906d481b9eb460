package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A measurement is what is known of one learner's part of a model.
type measurement struct {
	objective float64
	mistake   float64 // the most by which that may be off
	bound     float64 // on the least objective there is; NaN for none
}

// proven returns the bound less the mistake, so that no objective, as it is measured, is below it.
// No objective is below 0 either. See package certificate.
func (m measurement) proven() float64 { return max(0, m.bound-m.mistake) }

// A precision says how the objective is found.
type precision uint8

const (
	quick    precision = iota // from float32 dot products, as in prediction
	asNeeded                  // so only if the mistake is small beside the gap, else exact
	exact                     // from float64 dot products
)

// What the mistake may be where float32 dot products are good enough: a share of P - D, or without
// a bound of P.
const (
	smallOfGap       = 0.01
	smallOfObjective = 1e-4
)

// measure fills in the run's part of m's objective and bound. It returns the sum of the mistakes.
func (r *run) measure(m *Model, how precision) (mistakes float64) {
	r.measured = make([]measurement, len(r.learners))
	r.parallel(func(k int) {
		if !r.data.over() {
			r.measured[k].bound = dualOf(r.learners[k], r.r2, r.data.keeps)
		}
	})
	r.objectives(m, nil)
	return r.refine(m, how)
}

// refine fills in the run's part of m, which measure has seen, to some other precision.
func (r *run) refine(m *Model, how precision) (mistakes float64) {
	wide, some := make([]bool, len(r.measured)), false
	for k, at := range r.measured {
		enough := smallOfGap * (at.objective - at.bound)
		if math.IsNaN(at.bound) {
			enough = smallOfObjective * at.objective
		}
		rough := !(at.mistake <= enough)
		wide[k] = floats.IsFinite(at.objective) && (how == exact || how == asNeeded && rough)
		some = some || wide[k]
	}
	if some {
		r.objectives(m, wide)
	}
	return r.note(m)
}

// note writes what was measured into m's Result, and returns the sum of the mistakes.
func (r *run) note(m *Model) (mistakes float64) {
	for k, at := range r.measured {
		mistakes += at.mistake
		if r.joint != nil {
			m.Result.Objective, m.Result.DualObjective = at.objective, at.proven()
		} else {
			c := &m.Result.PerClass[r.first+k]
			c.Objective, c.DualObjective = at.objective, at.proven()
		}
	}
	return mistakes
}

// objectives finds P of each learner's part of m, and by how much it may be off; or, from float64
// dot products, of those that wide names. With float32 dot products P is NaN if one of them is not
// finite, for then predictions are not.
func (r *run) objectives(m *Model, wide []bool) {
	if r.data.written != nil {
		m = r.data.written
	}
	loss, vectors := make([]float64, len(r.learners)), make([][]float64, len(r.learners))
	if j := r.joint; j != nil {
		w, b := r.vectorsOf(m, 0)
		if wide == nil {
			r.setObjective(0, w, nil, b, j.Of.MeanLoss(w, b))
		} else {
			exact := r.exact(w, r.first)
			r.setObjective(0, w, exact, b, j.Of.WideMeanLoss(exact, b))
		}
		return
	}
	for k := range wide {
		if wide[k] {
			vectors[k] = r.exact(m.Weights[r.first+k:][:1], r.first+k)[0]
		}
	}
	r.inBlocks(r.problems[0].Count(), func(k, from, to int) {
		p, b := r.problems[k], m.bias(r.first+k)
		switch {
		case wide == nil:
			loss[k] += p.Of.Losses(m.Weights[r.first+k], b, from, to)
		case wide[k]:
			loss[k] += p.Of.WideLosses(vectors[k], b, from, to)
		}
	})
	for k := range loss {
		if wide == nil || wide[k] {
			w, b := r.vectorsOf(m, k)
			var exact [][]float64
			if wide != nil {
				exact = vectors[k : k+1]
			}
			r.setObjective(k, w, exact, b, loss[k]/float64(r.Count()))
		}
	}
}

// exact returns the vectors w, which take the places from first on, as the model will have them.
func (r *run) exact(w [][]float32, first int) (exact [][]float64) {
	s := r.data.scaling
	for k, v := range w {
		switch {
		case s == nil:
			exact = append(exact, floats.Wide(v))
		case r.data.folded != nil:
			wide, _ := s.Exact(r.data.folded, first+k)
			exact = append(exact, wide)
		default:
			exact = append(exact, s.exactWeights(v))
		}
	}
	return exact
}

// setObjective sets that of learner k with the vectors w, whose mean loss is known: that of the
// exact vectors, if there are any, by float64 dot products.
func (r *run) setObjective(k int, w [][]float32, exact [][]float64, b []float64, loss float64) {
	l := r.learners[k]
	s := l.common()
	penalty := s.Penalty(w, b)
	longest := s.Longest(w, penalty)
	z := s.ScoreError(longest, b, r.dotSize(exact != nil), r.r2)
	at := &r.measured[k]
	at.mistake = 0
	if c := r.data.scaling; c != nil {
		z += float64(s.Sums * c.biasError(w))
		if exact != nil {
			penalty = objective.PenaltyOf(s.Terms, exact, b)
		} else {
			at.mistake = c.penaltyError(w, s.Lambda, penalty)
		}
		at.mistake += biasPenaltyError(s.Terms, c, w, b)
	}
	at.objective = penalty + loss
	at.mistake += l.objective().ErrorOf(z, loss) + float64(s.Sums*(loss+penalty))
}

// vectorsOf returns the vectors of m that learner k has trained, and their biases.
func (r *run) vectorsOf(m *Model, k int) (w [][]float32, b []float64) {
	first, n := r.first+k, len(r.learners[k].common().Vectors)
	for i := range n {
		b = append(b, m.bias(first+i))
	}
	return m.Weights[first:][:n], b
}

// dotSize returns the root of the mean, over the rows, of the squared error of a dot product with a
// vector of length 1.
func (r *run) dotSize(wide bool) float64 {
	if wide {
		return 0 // it is in Terms.Sums
	}
	if r.dotError == 0 {
		var sum float64
		for j := range r.Count() {
			i := r.Row(j)
			e, weight := r.X.DotError(i), 1.0
			if r.Weight != nil {
				weight = r.Weight[i]
			}
			sum += float64(weight * float64(float64(e*e)*float64(r.Norms[i])))
		}
		// The factor covers the roundings of the norms.
		r.dotError = 1.001*math.Sqrt(sum/float64(r.Count())) + 0x1p-100
	}
	return r.dotError
}
