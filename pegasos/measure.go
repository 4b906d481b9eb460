package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
)

// A measurement is what is known of one learner's part of a model.
type measurement struct {
	objective float64
	mistake   float64 // the most by which that may be off
	bound     float64 // on the least objective there is; NaN for none
}

// proven returns the bound less the mistake, so that no objective, as it is measured, is below it.
// No objective is below 0 either. See rounding.go.
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
			r.measured[k].bound = r.dual(k)
		}
	})
	r.objectives(m, nil)
	return r.refine(m, how)
}

// dual returns the bound of learner k: that of its dual variables, or, where these are kept, of
// what is kept of them, so that no run ends with less than its proof will show.
func (r *run) dual(k int) float64 {
	l := r.learners[k]
	if !r.data.keeps {
		return l.dual(r.r2)
	}
	v, ok := r.kept(k)
	if !ok {
		return math.NaN()
	}
	return l.boundOf(v.spread(r, k), r.r2)
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
			r.setObjective(0, w, nil, b, j.meanLoss(w, b))
		} else {
			exact := r.exact(w, r.first)
			r.setObjective(0, w, exact, b, j.wideMeanLoss(exact, b))
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
			loss[k] += p.losses(m.Weights[r.first+k], b, from, to)
		case wide[k]:
			loss[k] += p.wideLosses(vectors[k], b, from, to)
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
			exact = append(exact, wideVector(v))
		case r.data.folded != nil:
			wide, _ := s.exact(r.data.folded, first+k)
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
	penalty := s.penalty(w, b)
	longest := s.longest(w, penalty)
	z := s.scoreError(longest, b, r.dotSize(exact != nil), r.r2)
	at := &r.measured[k]
	at.mistake = 0
	if c := r.data.scaling; c != nil {
		z += float64(s.sums * c.biasError(w))
		if exact != nil {
			penalty = penaltyOf(s, exact, b)
		} else {
			at.mistake = c.penaltyError(w, s.lambda, penalty)
		}
		at.mistake += s.biasPenaltyError(c, w, b)
	}
	at.objective = penalty + loss
	at.mistake += l.lossError(z, loss) + float64(s.sums*(loss+penalty))
}

// vectorsOf returns the vectors of m that learner k has trained, and their biases.
func (r *run) vectorsOf(m *Model, k int) (w [][]float32, b []float64) {
	first, n := r.first+k, len(r.learners[k].common().vs)
	for i := range n {
		b = append(b, m.bias(first+i))
	}
	return m.Weights[first:][:n], b
}

// losses returns the sum of the losses of some rows, from float32 dot products.
func (p *problem) losses(w []float32, bias float64, from, to int) (sum float64) {
	for j := from; j < to; j++ {
		i := p.Row(j)
		z := float64(p.X.Dot(i, w)) + bias
		if !floats.IsFinite(z) {
			return math.NaN() // also for infinities: float32 overflowed, and who knows which way
		}
		sum += p.lossOf(i, z)
	}
	return sum
}

// wideLosses is losses from float64 dot products.
func (p *problem) wideLosses(w []float64, bias float64, from, to int) (sum float64) {
	for j := from; j < to; j++ {
		i := p.Row(j)
		sum += p.lossOf(i, p.X.WideDot(i, w)+bias)
	}
	return sum
}

// lossOf returns the loss of row i with the score z, times its weight.
func (p *problem) lossOf(i int, z float64) float64 {
	side, target := p.label(uint32(i))
	return float64(p.Share(i) * p.cost.At(float64(float64(side)*z)-target))
}

// wideVector returns w in float64.
func wideVector(w []float32) []float64 {
	wide := make([]float64, len(w))
	for j, v := range w {
		wide[j] = float64(v)
	}
	return wide
}

func wideVectors(w [][]float32) (wide [][]float64) {
	for _, v := range w {
		wide = append(wide, wideVector(v))
	}
	return wide
}

// lossAtZero returns the mean loss of v = 0.
func (p *problem) lossAtZero() float64 {
	if p.Target == nil && p.priorScores == nil {
		return p.cost.At(0)
	}
	var sum, n float64
	for j := range p.Count() {
		i := p.Row(j)
		_, target := p.frame(uint32(i))
		sum += float64(p.Share(i) * p.cost.At(-target))
		n += p.Share(i)
	}
	return sum / n
}

// penalty returns lambda/2 |w|^2, in which an appended feature's weights count as well, or with a
// prior that of the difference.
func (s *learnerState) penalty(w [][]float32, bias []float64) float64 {
	return penaltyOf(s, w, bias)
}

func penaltyOf[F float32 | float64](s *learnerState, w [][]F, bias []float64) (sum float64) {
	for k := range w {
		var from []float32
		if s.prior != nil {
			from = s.prior[k]
		}
		if s.biasScale == 0 {
			sum += penalty(w[k], from, 0, s.lambda, 1)
		} else {
			sum += penalty(w[k], from, bias[k]-s.priorBias[k], s.lambda, s.biasScale)
		}
	}
	return sum
}

// penalty returns lambda/2 |w - from|^2, where the appended feature's weight counts as well. No
// vector from is one of zeros.
func penalty[F float32 | float64](w []F, from []float32, bias, lambda, biasScale float64) float64 {
	sum := 0.0
	if from == nil {
		sum = squareSum(w)
	}
	for j, v := range from {
		d := float64(w[j]) - float64(v)
		sum += float64(d * d)
	}
	if bias != 0 {
		b := bias / biasScale
		sum += float64(b * b)
	}
	return float64(lambda / 2 * sum)
}

func squareSum[F float32 | float64](v []F) (sum float64) {
	for _, z := range v {
		sum += float64(float64(z) * float64(z))
	}
	return sum
}
