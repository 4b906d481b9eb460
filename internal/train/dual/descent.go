// Package dual has dual coordinate descent (Hsieh et al., ICML 2008; Yu, Huang and Lin, Machine
// Learning 85, 2011): of one vector (Descent) or of one for each class (Joint). It begins with any
// dual variables, zeros in most runs, and improves those that package certificate makes of scores.
package dual

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A Solver is one of the two.
type Solver interface {
	SumUp() // makes the vectors those of the dual variables
	// Visit takes a step with each of the rows idx: with those that rest, one that changes nothing.
	Visit(idx []uint32)
	EndEpoch() // is called after each pass over the rows
	Shares() []float32
	// Left and Gain return estimates of P - D now and of D.
	Left() float64
	Gain() float64
	// Save returns what is to be saved beside the long arrays. Restore sets it, and reports whether
	// it can be that of such a solver after the epochs.
	Save() *iterate.Progress
	Restore(from *iterate.Progress, epochs int) bool
	// Arrays calls f with each long array, in a fixed order. f may write to it.
	Arrays(f func([]float32))
}

// A Descent is that of a binary problem. With one a_i for each row, a coefficient that its loss can
// have, and the row's weight c_i,
//
//	w = v/(lambda*n), v = sum of c_i*a_i*y_i*x_i,
//
// and a step gives a_i the value that makes the dual objective largest, all others being as they
// are. Since w is made of the a_i, P - D is the mean of what the loss of each row and the conjugate
// at its a_i are apart, which a step knows for nothing, of the moment before it.
//
// A bias without a penalty is found by the method of multipliers: it moves as the weight of an
// appended feature would, and at the end of each pass the bias so far becomes what the penalty is
// the distance from.
type Descent struct {
	running
	Of     *objective.Binary
	v      []float32 // the one vector
	square float64   // of the feature of the bias, whether it has a penalty or not
}

// A running is what both have: the dual variables, and what is found out on the way.
type running struct {
	*iterate.State
	alpha []float32 // of each row, and in a joint problem of each class
	iterate.Progress
	least float64   // rows that are less apart are left as they are
	due   []float32 // the pass in which each row is visited next
	calm  []float32 // in how many visits on end it had nothing to gain
	awake []uint32  // a buffer
}

const (
	leave    = 1. / 64 // the share of the mean that a row is apart at least where a step pays
	mostCalm = 4       // passes that a row may rest
)

// rest is called with a row that was so far apart. One that had nothing to gain twice rests for a
// pass, after the next time for two, and so on.
func (r *running) rest(i uint32, apart float64) {
	if apart > 0 {
		r.calm[i] = 0
		return
	}
	r.due[i] = float32(r.Pass+1) + r.calm[i]
	r.calm[i] = min(r.calm[i]+1, mostCalm)
}

// notResting returns those of the rows idx that are due. The slice is valid until the next call.
func (r *running) notResting(idx []uint32) []uint32 {
	if cap(r.awake) < len(idx) {
		r.awake = make([]uint32, len(idx))
	}
	n, awake, pass := 0, r.awake[:len(idx)], float32(r.Pass)
	for _, i := range idx {
		awake[n] = i
		if r.due[i] <= pass {
			n++ // a conditional move: as a branch it would be a guess
		}
	}
	return awake[:n]
}

// start begins with the given dual variables, after the steps of s.
func start(s *iterate.State, alpha []float32, mean bool) running {
	n := s.X.Rows()
	s.BeginDual(mean)
	return running{State: s, alpha: alpha, Progress: iterate.Progress{Start: s.T},
		due: make([]float32, n), calm: make([]float32, n)}
}

func (r *running) EndEpoch() {
	if r.Pass++; r.Average != nil {
		r.Average.Turn()
	}
	r.Before, r.Apart, r.Sum = r.Apart, r.Sum/float64(r.Count()), 0
	r.least = float64(leave * r.Apart)
}

// Left goes by what P - D was in the last pass, and how fast it falls.
func (r *running) Left() float64 {
	fall := 1.0
	if r.Before > r.Apart {
		fall = math.Sqrt(r.Apart / r.Before)
	}
	return float64(0.7 * float64(fall*r.Apart))
}

func (r *running) Save() *iterate.Progress {
	to := r.Progress
	return &to
}

func (r *running) Restore(from *iterate.Progress, epochs int) bool {
	r.Progress, r.least = *from, float64(leave*from.Apart)
	return from.Start >= 0 && from.Start <= r.T && from.Pass >= 0 && from.Pass <= epochs
}

func (r *running) Arrays(f func([]float32)) {
	for _, a := range [][]float32{r.alpha, r.due, r.calm} {
		r.InOrder(a, f)
	}
}

// New returns the descent of the given dual variables, which begins after the steps of s. The mean
// of the rows' squared norms is r2. The result may be the mean of the last pass's iterates: P of the
// last one leaps up and down where the loss has a kink, and far from the optimum.
func New(s *iterate.State, of *objective.Binary, alpha []float32, r2 float64, mean bool) *Descent {
	d := &Descent{running: start(s, alpha, mean), Of: of, v: s.Vectors[0],
		square: float64(s.BiasScale * s.BiasScale)}
	if s.Free {
		d.square = r2
	}
	return d
}

// SumUp leaves a bias without a penalty as it is.
func (d *Descent) SumUp() {
	clear(d.v)
	if d.Uneven = 0; !d.Free {
		d.Biases[0] = 0
	}
	for _, i := range d.All() {
		if a := float64(d.alpha[i]); a != 0 {
			side, _ := d.Of.Label(uint32(i))
			d.shift(uint32(i), float32(d.Share(i)*a)*side) // the second product is exact
		}
	}
}

// shift adds a row times the step to v.
func (d *Descent) shift(i uint32, step float32) {
	d.X.Axpy(int(i), step, d.v)
	if d.Free {
		d.Uneven += float64(step)
	} else {
		d.Biases[0] += float64(float64(step) * d.BiasScale)
	}
}

func (d *Descent) Visit(all []uint32) {
	inverse, ahead, idx := 1/d.Fixed, d.FetchAhead(), d.notResting(all)
	for n, i := range idx {
		if ahead > 0 && n+ahead < len(idx) {
			d.X.Fetch(int(idx[n+ahead]))
		}
		z, c := d.score(i, inverse), d.Share(int(i))
		side, target := d.Of.Frame(i)
		m := float64(float64(side)*z) - target
		q := float64(c * (float64(d.Norms[i]) + d.square) * inverse)
		if !floats.IsFinite(m) || !floats.IsFinite(q) {
			d.T += int64(slices.Index(all, i))
			d.NotFinite(i)
			return
		}
		old := float64(d.alpha[i])
		next, apart := d.Of.Cost.Best(old, m, q)
		d.Sum += float64(c * apart)
		d.rest(i, apart)
		if to := float32(next); to != d.alpha[i] && !(apart < d.least) {
			d.alpha[i] = to
			d.shift(i, float32(c*(float64(to)-old))*side)
			d.Violations++
		}
	}
	d.T += int64(len(all))
}

// score returns the score of row i.
func (d *Descent) score(i uint32, inverse float64) float64 {
	dot := float64(d.X.Dot(int(i), d.v))
	if d.Free {
		return float64((dot+float64(d.square*d.Uneven))*inverse) + d.Biases[0]
	}
	return float64((dot + float64(d.BiasScale*d.Biases[0])) * inverse)
}

func (d *Descent) EndEpoch() {
	d.running.EndEpoch()
	if d.Free {
		d.Biases[0] += float64(d.square * d.Uneven / d.Fixed)
	}
}

func (d *Descent) Shares() []float32 {
	a := slices.Clone(d.alpha)
	for i := range a {
		a[i] = d.Of.Clamp(a[i]) // a state may say anything
	}
	return a
}

func (d *Descent) Gain() float64 {
	var sum float64
	for _, i := range d.All() {
		_, target := d.Of.Frame(uint32(i))
		a := float64(d.alpha[i])
		sum += float64(d.Share(i) * (d.Of.Cost.Least(a) + float64(a*target)))
	}
	square := float64(dense.SumSquares(d.v))
	if !d.Free {
		square += float64(d.Biases[0] * d.Biases[0])
	}
	return sum/float64(d.Count()) - square/(2*d.Fixed*float64(d.Count()))
}

// Improve returns the bound after passes of a solver of s, in a random order each; 0 if rows are too
// large.
func Improve(d Solver, s *iterate.State, of objective.Problem, passes int, r2 float64) float64 {
	d.SumUp()
	visits := order.New(order.Permutation, s.Count(), 0, 0, 0)
	visits.Only = s.Only
	for range passes {
		if d.Visit(visits.Next(s.Count())); s.Err != nil {
			s.Err = nil
			return 0
		}
		d.EndEpoch()
	}
	bound, _ := certificate.Bound(of, d.Shares(), r2)
	return bound
}
