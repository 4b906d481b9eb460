// Package iterate has the weights that a solver is at, in a form in which a step costs no more than
// a row, and the mean of those that it has been at.
package iterate

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// A State is what every solver has: weight vectors w in the form v/scale, one or, in a joint
// problem, one for each class, and what is known about them so far.
type State struct {
	*objective.Terms

	T0         float64
	Start      int64       // steps that had been done before the run
	Began      Weights     // the model's part that it started from; none without
	T          int64       // steps done, those included
	Vectors    [][]float32 // sums of the rows' coefficients, for the hinge 1 or 0, times y*x
	Biases     []float64   // the same for the appended feature
	Violations int64

	// With projection onto the ball w is factor*v/scale. The factor is 1 without.
	Factor float64
	Radius float64 // of the ball; 0 for none
	Norm2  float64 // |v|^2, the appended feature included; refreshed every epoch

	Fixed float64 // the scale of a dual solver; 0 before

	Total   int64    // steps of the whole run
	Period  int64    // steps between two samples of w
	Average *Average // of w; nil if the last iterate is wanted
	Origin  int64    // the step before the average's first
	scalars []float64

	Recent *certificate.Windows // for the certificate; nil without one

	Checked int64 // the step after which v was last found finite
	Err     error
}

// New returns the state of n vectors of zeros.
func New(t *objective.Terms, n int) State {
	return State{Terms: t, Factor: 1, Vectors: Zeros(n, t.X.Cols()), Biases: make([]float64, n),
		scalars: make([]float64, n)}
}

// Done returns the steps of the run so far.
func (s *State) Done() int64 { return s.T - s.Start }

// Scale returns what v has to be divided by to get w, where nothing was projected.
func (s *State) Scale() float64 {
	if s.Fixed > 0 {
		return s.Fixed
	}
	return s.Lambda * (float64(s.T) + s.T0)
}

// Divisor is the same after projections.
func (s *State) Divisor() float64 { return s.Scale() / s.Factor }

// NotFinite ends the run: the score of row i is infinite or NaN.
func (s *State) NotFinite(i uint32) { s.Fail(s.T+1, s.Name(i), "the score is") }

// Fail ends the run at a step, with a row or -1, where something is infinite or NaN.
func (s *State) Fail(step int64, row int, what string) {
	s.Err = &Error{step, row, what + " not finite: " + rows.TooLarge}
}

// Score returns the score of a row by vector k and its bias: dot is the row's dot product with v.
func (s *State) Score(k int, dot float32, divisor float64) float64 {
	z := 0.0
	if s.Free {
		z = s.Biases[k]
	}
	if divisor > 0 { // else w is 0 by definition
		z += (float64(dot) + float64(s.BiasScale*s.Biases[k])) / divisor
	}
	return z
}

// BiasUpdate returns what a row adds to vb: g is its coefficient with its weight, divided by the
// rows of the step, and a what the row is multiplied by in v.
func (s *State) BiasUpdate(g, a float64) float64 {
	if s.Free {
		return g / (s.Lambda * (float64(s.T+1) + s.T0))
	}
	return float64(a * s.BiasScale)
}

// BeforeSample returns how many of n steps there are up to the next sample of w. They are counted
// back from the end of the run, so that the last step is sampled.
func (s *State) BeforeSample(n int) int {
	if s.Average == nil {
		return n
	}
	return int(min(int64(n), (s.Total-s.T-1)%s.Period+1))
}

// Samples reports whether w is sampled after the present step.
func (s *State) Samples() bool { return s.Average != nil && (s.Total-s.T)%s.Period == 0 }

// Sample adds w to the mean if this is the step for it.
func (s *State) Sample() {
	if !s.Samples() {
		return
	}
	a := float32(1 / s.Divisor())
	for k, b := range s.Biases {
		if !s.Free {
			b = float64(float64(a) * b)
		}
		s.scalars[k] = b
	}
	s.Average.Add(s.T-s.Origin, a, s.Vectors, s.scalars)
}

// AddRow adds a times row i to vector k and keeps count of the norm. The caller still has to add to
// the appended feature's part of v.
func (s *State) AddRow(k int, i uint32, a float32) {
	if s.Radius > 0 {
		dot := float64(s.X.Dot(int(i), s.Vectors[k])) + float64(s.BiasScale*s.Biases[k])
		square := float64(s.X.SumSquares(int(i))) + float64(s.BiasScale*s.BiasScale)
		s.Norm2 = max(0, s.Norm2+float64(float64(a)*(2*dot+float64(float64(a)*square))))
	}
	s.X.Axpy(int(i), a, s.Vectors[k])
}

// Project scales w down to the ball if it is outside. Only the factor changes.
func (s *State) Project() {
	if s.Radius == 0 {
		return
	}
	norm, edge := s.Norm2, float64(s.Radius*s.Scale())
	if !floats.IsFinite(norm) {
		s.Fail(s.T, -1, "the norm of the weights is")
		return
	}
	if float64(float64(s.Factor*s.Factor)*norm) > float64(edge*edge) {
		s.Factor = edge / math.Sqrt(norm)
	}
	// Additions to v grow as the factor falls. A power of two goes over to v without rounding.
	const small = 0x1p-20
	for s.Factor < small {
		for k, v := range s.Vectors {
			dense.Scale(small, v)
			if !s.Free {
				s.Biases[k] *= small
			}
		}
		s.Norm2 *= small * small
		s.Factor /= small
	}
}

// RefreshNorm recomputes the norm of v.
func (s *State) RefreshNorm() {
	s.Norm2 = 0
	for k, v := range s.Vectors {
		if !s.Free {
			s.Norm2 += float64(s.Biases[k] * s.Biases[k])
		}
		for _, z := range v {
			s.Norm2 += float64(float64(z) * float64(z))
		}
	}
}

// EndEpoch is called after each pass over the rows; epochs is how many there were.
func (s *State) EndEpoch(epochs int) {
	if s.Err != nil {
		return
	}
	if s.Recent != nil {
		s.Recent.EndEpoch(epochs)
	}
	// Not more often than the steps pay for: few rows may have very many columns. The end of the
	// run is no exception, for the model is checked as well.
	if s.T-s.Checked >= int64(len(s.Vectors)*s.X.Cols()/16) {
		s.checkFinite()
		if s.Radius > 0 {
			s.RefreshNorm()
		}
	}
}

// checkFinite ends the run if a number is not finite.
func (s *State) checkFinite() {
	for k, v := range s.Vectors {
		if floats.FirstNotFinite(v) >= 0 {
			s.Fail(s.T, -1, "a weight is")
		} else if !floats.IsFinite(s.Biases[k]) {
			s.Fail(s.T, -1, "a bias is")
		}
		if s.Err != nil {
			return
		}
	}
	s.Checked = s.T
}

// Weights writes the vectors and biases of this moment, less a prior's.
func (s *State) Weights(w [][]float32, b []float64) {
	for k := range w {
		if s.Average == nil || !s.Average.Mean(s.T-s.Origin, k, w[k], &b[k]) {
			s.Last(w, b)
			return
		}
		if !s.Free {
			b[k] = float64(s.BiasScale * b[k])
		}
	}
}

// Last is Weights without an average.
func (s *State) Last(w [][]float32, b []float64) {
	d := s.Divisor()
	for k, v := range s.Vectors {
		clear(w[k])
		b[k] = 0
		if s.Free {
			b[k] = s.Biases[k]
		}
		if d == 0 { // before the first step without an offset
			continue
		}
		for j, z := range v {
			w[k][j] = float32(float64(z) / d)
		}
		if !s.Free {
			b[k] = float64(s.BiasScale*s.Biases[k]) / d
		}
	}
}

// Room returns vectors and biases to write to.
func (s *State) Room() (w [][]float32, b []float64) {
	return Zeros(len(s.Vectors), s.X.Cols()), make([]float64, len(s.Vectors))
}

// SetStart makes w that of a model that has taken the steps.
func (s *State) SetStart(weights [][]float32, bias []float64, steps int64) error {
	s.T, s.Start, s.Origin = steps, steps, steps
	s.Began = Weights{weights, bias}
	s.Total += s.Start
	scale := s.Scale()
	for k := range s.Vectors {
		b := bias[k] - s.PriorBias[k]
		if math.Abs(b) < 0x1p-1000 {
			b = 0 // in models from liblinear it only breaks ties
		}
		if b != 0 && s.BiasScale == 0 && !s.Free {
			return fmt.Errorf("the model has a bias, but Bias is \"none\"")
		}
		for j, w := range weights[k] {
			u := float64(w)
			if s.Prior != nil {
				u -= float64(s.Prior[k][j])
			}
			v := float32(u*scale) + 0 // +0: v is never -0
			if !floats.IsFinite(v) {
				return fmt.Errorf("weight %d times lambda*(t+t0) is too large for float32", j)
			}
			s.Vectors[k][j] = v
		}
		switch {
		case s.Free:
			s.Biases[k] = b
		case b != 0:
			s.Biases[k] = float64(b*scale) / s.BiasScale
		}
	}
	s.RefreshNorm()
	return nil
}

// BeginDual makes the scale that of a dual solver. Its result is the last iterate, or the mean of
// those of the last pass, for which it turns the average.
func (s *State) BeginDual(mean bool) {
	s.Recent = nil
	s.Fixed = float64(s.Lambda * float64(s.Count()))
	if s.Average = nil; !mean {
		return
	}
	s.Origin, s.Period = s.T, max(1, int64(s.Count()/16), int64(s.X.Cols()/128))
	s.Average = NewAverage(math.MaxInt64, len(s.Vectors), s.X.Cols())
	s.Average.Shift = 0
}

// Adopt takes over the weights of a learner of other rows.
func (s *State) Adopt(last *State) {
	s.T0, s.T, s.Start, s.Origin, s.Total, s.Period = last.T0, last.T, last.Start, last.Origin,
		last.Total, last.Period
	for k, v := range last.Vectors {
		copy(s.Vectors[k], v)
	}
	copy(s.Biases, last.Biases)
	s.Factor, s.Radius, s.Norm2 = last.Factor, last.Radius, last.Norm2
	s.Violations, s.Checked, s.Average = last.Violations, last.Checked, last.Average
}

// Weights are the vectors of a learner and their biases; W is nil for none.
type Weights struct {
	W [][]float32
	B []float64
}

// An Error says at which step the numbers left the range of float32.
type Error struct {
	Step   int64 // from 1
	Row    int   // from 0, or -1 where no single row is at fault
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("step %d: %s", e.Step, e.Reason) }

// Zero returns w = 0, or the prior.
func (s *State) Zero() Weights {
	w, _ := s.Room()
	s.AddPrior(w)
	return Weights{w, s.PriorBias}
}

// LastIterate returns the last iterate, a prior included, where the result is a mean of the steps';
// none otherwise.
func (s *State) LastIterate() (v Weights) {
	if s.Average == nil {
		return v
	}
	v.W, v.B = s.Room()
	s.Last(v.W, v.B)
	s.AddPrior(v.W)
	for k := range v.B {
		v.B[k] += s.PriorBias[k]
	}
	return v
}
