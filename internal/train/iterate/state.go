// Package iterate stores a solver's current weights and their average over about the last half of
// the steps. The weights are scaled lazily: a step costs O(nnz) of its rows.
package iterate

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// State is the current iterate of a solver, with counters. It stores each weight vector w as v =
// scale*w, with a common scale. A joint problem has a vector for each class, other problems have
// one.
type State struct {
	*objective.Terms

	T0           float64     // t0 in the scale lambda*(t+t0)
	LeastT0      float64     // least T0 that AdaptOffset sets; 0 if T0 is fixed
	Gradients    float64     // sum of squared sub-gradient norms, if LeastT0 > 0
	Start        int64       // steps of the model that the run continues, or 0
	StartWeights Weights     // of the model that the run continues, or zero
	T            int64       // steps taken, including those before the run
	Vectors      [][]float32 // vectors v = scale*w, divided by Factor
	Biases       []float64   // element of each v for the appended feature, or the unpenalized bias
	Violations   int64       // steps with a nonzero coefficient or a changed dual variable

	// With projection onto a ball, w is Factor*v/scale. Without projection, Factor is 1.
	Factor float64
	Radius float64 // of the ball for w; 0 for no projection
	Norm2  float64 // |v|^2 with the appended feature; kept up to date if Radius > 0

	FixedScale float64 // lambda*n in a dual solver, with n rows; 0 in other solvers

	Total   int64 // steps at the end of the run, including those before it
	Period  int64
	Average *Average // nil if the result is the last iterate
	Origin  int64    // step after which the average begins
	scalars []float64

	Windows *certificate.Windows // for the lower bound; may be nil

	Checked int64 // step after which v was last found to be finite
	Err     error // an *Error that ended the run; nil while it goes on
}

func New(t *objective.Terms, n int) State {
	return State{Terms: t, Factor: 1, Vectors: Zeros(n, t.X.Cols()), Biases: make([]float64, n),
		scalars: make([]float64, n)}
}

func (s *State) Done() int64 { return s.T - s.Start }

// Scale returns the scale in w = v/scale, without projections: lambda*(t+t0), or FixedScale in a
// dual solver.
func (s *State) Scale() float64 {
	if s.FixedScale > 0 {
		return s.FixedScale
	}
	return s.Lambda * (float64(s.T) + s.T0)
}

// Divisor returns the number by which v is divided to get w.
func (s *State) Divisor() float64 { return s.Scale() / s.Factor }

// NotFinite ends the run because the score of row i is infinite or NaN in step T+1.
func (s *State) NotFinite(i uint32) { s.Fail(s.T+1, s.SetRow(i), "the score is") }

// Fail ends the run because a number is infinite or NaN. subject begins the message, such as "a
// weight is". For step and row see Error.
func (s *State) Fail(step int64, row int, subject string) {
	s.Err = &Error{step, row, subject + " not finite: " + store.TooLarge}
}

// Score returns a row's score by weight vector k, including the bias. dot is the row's dot product
// with Vectors[k], and divisor the result of Divisor.
func (s *State) Score(k int, dot float32, divisor float64) float64 {
	z := 0.0
	if s.FreeBias {
		z = s.Biases[k]
	}
	if divisor > 0 { // otherwise w is 0: no step was taken, and T0 is 0
		z += (float64(dot) + float64(s.BiasScale*s.Biases[k])) / divisor
	}
	return z
}

// BiasUpdate returns the amount that one row of a step adds to an element of Biases. g is the row's
// coefficient times its weight, divided by the step's number of rows; a is the multiple of the row
// added to v.
func (s *State) BiasUpdate(g, a float64) float64 {
	if s.FreeBias {
		return g / (s.Lambda * (float64(s.T+1) + s.T0))
	}
	return float64(a * s.BiasScale)
}

// BeforeSample returns the number of steps up to the next sample of w, at most n. Samples are due
// every Period steps, counted back from the end of the run.
func (s *State) BeforeSample(n int) int {
	if s.Average == nil {
		return n
	}
	return int(min(int64(n), (s.Total-s.T-1)%s.Period+1))
}

// Samples reports whether w is sampled after the step just taken.
func (s *State) Samples() bool { return s.Average != nil && (s.Total-s.T)%s.Period == 0 }

func (s *State) Sample() {
	if !s.Samples() {
		return
	}
	a := float32(1 / s.Divisor())
	for k, b := range s.Biases {
		if !s.FreeBias {
			b = float64(float64(a) * b)
		}
		s.scalars[k] = b
	}
	s.Average.Add(s.T-s.Origin, a, s.Vectors, s.scalars)
}

// AddRow adds row i, multiplied by a, to Vectors[k]. With projection it updates Norm2, with the
// appended feature; the caller must change Biases afterwards.
func (s *State) AddRow(k int, i uint32, a float32) {
	if s.Radius > 0 {
		dot := float64(s.X.Dot(int(i), s.Vectors[k])) + float64(s.BiasScale*s.Biases[k])
		square := float64(s.X.SumSquares(int(i))) + float64(s.BiasScale*s.BiasScale)
		s.Norm2 = max(0, s.Norm2+float64(float64(a)*(2*dot+float64(float64(a)*square))))
	}
	s.X.Axpy(int(i), a, s.Vectors[k])
}

// Project scales a w outside the ball down to the ball. It changes Factor, and v only if Factor is
// small.
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
	// With a small Factor, large multiples of rows would be added to v.
	const small = 0x1p-20
	for s.Factor < small {
		for k, v := range s.Vectors {
			dense.Scale(small, v)
			if !s.FreeBias {
				s.Biases[k] *= small
			}
		}
		s.Norm2 *= small * small
		s.Factor /= small
	}
}

func (s *State) RefreshNorm() {
	s.Norm2 = 0
	for k, v := range s.Vectors {
		if !s.FreeBias {
			s.Norm2 += float64(s.Biases[k] * s.Biases[k])
		}
		for _, z := range v {
			s.Norm2 += float64(float64(z) * float64(z))
		}
	}
}

// EndEpoch must be called after each epoch, with the number of epochs so far.
func (s *State) EndEpoch(epochs int) {
	if s.Err != nil {
		return
	}
	if s.Windows != nil {
		s.Windows.EndEpoch(epochs)
	}
	// The check reads all of v. It waits until the steps since the last check cost about as much.
	if s.T-s.Checked >= int64(len(s.Vectors)*s.X.Cols()/16) {
		s.checkFinite()
		if s.Radius > 0 {
			s.RefreshNorm()
		}
	}
}

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

// Weights writes the average, or the last iterate if the average is nil or has no samples, to w and
// b. With a prior these are differences from the prior.
func (s *State) Weights(w [][]float32, b []float64) {
	for k := range w {
		if s.Average == nil || !s.Average.Mean(s.T-s.Origin, k, w[k], &b[k]) {
			s.Last(w, b)
			return
		}
		if !s.FreeBias {
			b[k] = float64(s.BiasScale * b[k])
		}
	}
}

// Last writes the last iterate, less the prior if any, to w and b.
func (s *State) Last(w [][]float32, b []float64) {
	d := s.Divisor()
	for k, v := range s.Vectors {
		clear(w[k])
		b[k] = 0
		if s.FreeBias {
			b[k] = s.Biases[k]
		}
		if d == 0 { // no step was taken and T0 is 0
			continue
		}
		for j, z := range v {
			w[k][j] = float32(float64(z) / d)
		}
		if !s.FreeBias {
			b[k] = float64(s.BiasScale*s.Biases[k]) / d
		}
	}
}

func (s *State) NewWeights() (w [][]float32, b []float64) {
	return Zeros(len(s.Vectors), s.X.Cols()), make([]float64, len(s.Vectors))
}

// SetStart sets w to the weights of a model that has taken the given steps, less the prior if any.
// It must be called before the first step. It returns an error if w has a bias that the problem
// lacks, or if a weight times the result of Scale exceeds the range of float32.
func (s *State) SetStart(weights [][]float32, bias []float64, steps int64) error {
	s.T, s.Start, s.Origin = steps, steps, steps
	s.StartWeights = Weights{weights, bias}
	s.Total += s.Start
	scale, less := s.Scale(), ""
	if s.Prior != nil {
		less = " less the prior's"
	}
	for k := range s.Vectors {
		b := bias[k] - s.PriorBias[k]
		if math.Abs(b) < 0x1p-1000 {
			b = 0
		}
		if b != 0 && s.BiasScale == 0 && !s.FreeBias {
			return fmt.Errorf("the run has no bias, but the model's bias%s is %v", less, b)
		}
		for j, w := range weights[k] {
			u := float64(w)
			if s.Prior != nil {
				u -= float64(s.Prior[k][j])
			}
			v := float32(u*scale) + 0 // adding 0 turns -0 into 0: v must not contain -0
			if !floats.IsFinite(v) {
				return fmt.Errorf("weight %d%s is %v, and lambda*(t+t0) is %v: their product is too "+
					"large for float32", j, less, u, scale)
			}
			s.Vectors[k][j] = v
		}
		switch {
		case s.FreeBias:
			s.Biases[k] = b
		case b != 0:
			s.Biases[k] = float64(b*scale) / s.BiasScale
		}
	}
	s.RefreshNorm()
	return nil
}

// BeginDual prepares s for a dual solver: it sets FixedScale and drops Windows. The result of the
// run will be the last iterate or, if mean is set, the mean of iterates sampled in the last pass.
// For the mean, the solver must call Average.Turn after each pass.
func (s *State) BeginDual(mean bool) {
	s.Windows = nil
	s.FixedScale = float64(s.Lambda * float64(s.Count()))
	if s.Average = nil; !mean {
		return
	}
	s.Origin, s.Period = s.T, max(1, int64(s.Count()/16), int64(s.X.Cols()/128))
	s.Average = NewAverage(math.MaxInt64, len(s.Vectors), s.X.Cols())
	s.Average.Shift = 0 // 3*(Total>>1) overflows in Mean, so that Mean never mixes windows
}

// Adopt copies the weights and counters of old, a state on other rows, to s, and shares its
// average.
func (s *State) Adopt(old *State) {
	s.T0, s.T, s.Start, s.Origin, s.Total, s.Period = old.T0, old.T, old.Start, old.Origin,
		old.Total, old.Period
	for k, v := range old.Vectors {
		copy(s.Vectors[k], v)
	}
	copy(s.Biases, old.Biases)
	s.Factor, s.Radius, s.Norm2 = old.Factor, old.Radius, old.Norm2
	s.Violations, s.Checked, s.Average = old.Violations, old.Checked, old.Average
}

// Weights holds weight vectors W with their biases B; W is nil if there are none.
type Weights struct {
	W [][]float32
	B []float64
}

// Error is the error of a run that exceeded the range of float32.
type Error struct {
	Step   int64  // from 1
	Row    int    // index in the training set; -1 if no single row is the cause
	Reason string // message for users, without the step
}

func (e *Error) Error() string { return fmt.Sprintf("step %d: %s", e.Step, e.Reason) }

// Zero returns weights of 0 or, with a prior, the prior's.
func (s *State) Zero() Weights {
	w, _ := s.NewWeights()
	s.AddPrior(w)
	return Weights{w, s.PriorBias}
}

// LastIterate returns the last iterate, plus the prior if any. Without an average, W is nil: the
// last iterate is then the result of the run.
func (s *State) LastIterate() (v Weights) {
	if s.Average == nil {
		return v
	}
	v.W, v.B = s.NewWeights()
	s.Last(v.W, v.B)
	s.AddPrior(v.W)
	for k := range v.B {
		v.B[k] += s.PriorBias[k]
	}
	return v
}
