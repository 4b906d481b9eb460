package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// A learnerState is what every learner has: weight vectors w in the form v/scale, and what is known
// about them so far. Most have one vector; those of a joint problem have one for each class.
type learnerState struct {
	*objective.Terms

	t0    float64
	start int64            // steps that had been done before the run
	began vectorsAndBiases // the model's part that it started from; none without
	t     int64            // steps done, those included
	// The sum of y*x over the violations; of other losses than the hinge, of each row's coefficient
	// times x.
	vs         [][]float32
	vb         []float64 // the same for the appended feature
	violations int64

	// With projection onto the ball w is factor*v/scale. The factor is 1 without.
	factor float64
	radius float64 // of the ball; 0 for none
	norm2  float64 // |v|^2, the appended feature included; refreshed every epoch

	fixed float64 // the scale of an ascent; 0 before

	total   int64   // steps of the whole run
	period  int64   // steps between two samples of w
	avg     *suffix // of w; nil if the last iterate is wanted
	origin  int64   // the step before the average's first
	scalars []float64

	recent *certificate.Windows // for the certificate; nil without one

	checked int64 // the step after which v was last found finite
	err     error
}

func (s *learnerState) common() *learnerState { return s }

// done returns the steps of the run so far.
func (s *learnerState) done() int64 { return s.t - s.start }

// scale returns what v has to be divided by to get w, where nothing was projected.
func (s *learnerState) scale() float64 {
	if s.fixed > 0 {
		return s.fixed
	}
	return s.Lambda * (float64(s.t) + s.t0)
}

// notFinite ends the run: the score of row i is infinite or NaN.
func (s *learnerState) notFinite(i uint32) {
	s.err = &StepError{s.t + 1, s.Name(i), "the score is not finite: " + rows.TooLarge}
}

// divisor is the same after projections.
func (s *learnerState) divisor() float64 { return s.scale() / s.factor }

// score returns the score of a row by vector k and its bias: dot is the row's dot product with v.
func (s *learnerState) score(k int, dot float32, divisor float64) float64 {
	z := 0.0
	if s.Free {
		z = s.vb[k]
	}
	if divisor > 0 { // else w is 0 by definition
		z += (float64(dot) + float64(s.BiasScale*s.vb[k])) / divisor
	}
	return z
}

// biasUpdate returns what a row adds to vb: g is its coefficient with its weight, divided by the
// rows of the step, and a what the row is multiplied by in v.
func (s *learnerState) biasUpdate(g, a float64) float64 {
	if s.Free {
		return g / (s.Lambda * (float64(s.t+1) + s.t0))
	}
	return float64(a * s.BiasScale)
}

// beforeSample returns how many of n steps there are up to the next sample of w. They are counted
// back from the end of the run, so that the last step is sampled.
func (s *learnerState) beforeSample(n int) int {
	if s.avg == nil {
		return n
	}
	return int(min(int64(n), (s.total-s.t-1)%s.period+1))
}

// samples reports whether w is sampled after the present step.
func (s *learnerState) samples() bool { return s.avg != nil && (s.total-s.t)%s.period == 0 }

// sample adds w to the mean if this is the step for it.
func (s *learnerState) sample() {
	if !s.samples() {
		return
	}
	a := float32(1 / s.divisor())
	for k, b := range s.vb {
		if !s.Free {
			b = float64(float64(a) * b)
		}
		s.scalars[k] = b
	}
	s.avg.add(s.t-s.origin, a, s.vs, s.scalars)
}

// addRow adds a times row i to vector k and keeps count of the norm. The appended feature's part of
// v is still to be added to.
func (s *learnerState) addRow(k int, i uint32, a float32) {
	if s.radius > 0 {
		dot := float64(s.X.Dot(int(i), s.vs[k])) + float64(s.BiasScale*s.vb[k])
		square := float64(s.X.SumSquares(int(i))) + float64(s.BiasScale*s.BiasScale)
		s.norm2 = max(0, s.norm2+float64(float64(a)*(2*dot+float64(float64(a)*square))))
	}
	s.X.Axpy(int(i), a, s.vs[k])
}

// project scales w down to the ball if it is outside. Only the factor changes.
func (s *learnerState) project() {
	if s.radius == 0 {
		return
	}
	norm, edge := s.norm2, float64(s.radius*s.scale())
	if !floats.IsFinite(norm) {
		s.err = &StepError{s.t, -1, "the norm of the weights is not finite: " + rows.TooLarge}
		return
	}
	if float64(float64(s.factor*s.factor)*norm) > float64(edge*edge) {
		s.factor = edge / math.Sqrt(norm)
	}
	// What is added to v grows as the factor falls. A power of two goes over to v without rounding.
	const small = 0x1p-20
	for s.factor < small {
		for k, v := range s.vs {
			dense.Scale(small, v)
			if !s.Free {
				s.vb[k] *= small
			}
		}
		s.norm2 *= small * small
		s.factor /= small
	}
}

// refreshNorm finds the norm of v anew.
func (s *learnerState) refreshNorm() {
	s.norm2 = 0
	for k, v := range s.vs {
		if !s.Free {
			s.norm2 += float64(s.vb[k] * s.vb[k])
		}
		for _, z := range v {
			s.norm2 += float64(float64(z) * float64(z))
		}
	}
}

// endEpoch is called after each pass over the rows, of which there were so many.
func (s *learnerState) endEpoch(epochs int) {
	if s.err != nil {
		return
	}
	if s.recent != nil {
		s.recent.EndEpoch(epochs)
	}
	// Not more often than the steps pay for: few rows may have very many columns. The end of the
	// run is no exception, for the model is checked as well.
	if s.t-s.checked >= int64(len(s.vs)*s.X.Cols()/16) {
		s.checkFinite()
		if s.radius > 0 {
			s.refreshNorm()
		}
	}
}

func (s *learnerState) checkFinite() {
	for k, v := range s.vs {
		for _, z := range v {
			if !floats.IsFinite(z) {
				s.err = &StepError{s.t, -1, "a weight is not finite: " + rows.TooLarge}
				return
			}
		}
		if b := s.vb[k]; !floats.IsFinite(b) {
			s.err = &StepError{s.t, -1, "a bias is not finite: " + rows.TooLarge}
			return
		}
	}
	s.checked = s.t
}

// weights writes the vectors of this moment to w, and their biases to b. With a prior they are what
// is added to it.
func (s *learnerState) weights(w [][]float32, b []float64) {
	if s.avg != nil {
		mean := true
		for k := range w {
			mean = s.avg.mean(s.t-s.origin, k, w[k], &b[k]) && mean
		}
		if mean {
			if !s.Free {
				for k := range b {
					b[k] = float64(s.BiasScale * b[k])
				}
			}
			return
		}
	}
	d := s.divisor()
	for k, v := range s.vs {
		clear(w[k])
		b[k] = 0
		if s.Free {
			b[k] = s.vb[k]
		}
		if d == 0 { // before the first step without an offset
			continue
		}
		for j, z := range v {
			w[k][j] = float32(float64(z) / d)
		}
		if !s.Free {
			b[k] = float64(s.BiasScale*s.vb[k]) / d
		}
	}
}

// setStart makes w that of a model, after so many steps.
func (s *learnerState) setStart(weights [][]float32, bias []float64, steps int64) error {
	s.t, s.start, s.origin = steps, steps, steps
	s.began = vectorsAndBiases{weights, bias}
	s.total += s.start
	scale := s.scale()
	for k := range s.vs {
		b := bias[k] - s.PriorBias[k]
		if math.Abs(b) < 0x1p-1000 {
			b = 0 // in models from liblinear it only breaks ties
		}
		if b != 0 && s.BiasScale == 0 && !s.Free {
			return badField("Start", "the model has a bias, but Bias is %q", BiasNone)
		}
		for j, w := range weights[k] {
			u := float64(w)
			if s.Prior != nil {
				u -= float64(s.Prior[k][j])
			}
			v := float32(u*scale) + 0 // +0: v is never -0
			if !floats.IsFinite(v) {
				return badField("Start",
					"weight %d times lambda*(t+t0) is too large for float32", j)
			}
			s.vs[k][j] = v
		}
		switch {
		case s.Free:
			s.vb[k] = b
		case b != 0:
			s.vb[k] = float64(b*scale) / s.BiasScale
		}
	}
	s.refreshNorm()
	return nil
}
