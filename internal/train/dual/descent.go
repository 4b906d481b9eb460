// Package dual has dual coordinate descent (Hsieh et al., ICML 2008; Yu, Huang and Lin, Machine
// Learning 85, 2011): of one vector (Descent) or of one for each class (Joint). It begins with any
// dual variables, zeros in most runs, and improves those that package certificate makes of scores.
package dual

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

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
	*iterate.State
	Of    *objective.Binary
	Alpha []float32 // a_i of each row
	v     []float32 // the one vector

	running
	square float64 // of the feature of the bias, whether it has a penalty or not
	uneven float64 // the sum of c_i*a_i*y_i, where the bias has no penalty
}

// A running is what a solver finds out on the way.
type running struct {
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

// start returns what is known at first.
func start(s *iterate.State) running {
	n := s.X.Rows()
	return running{Progress: iterate.Progress{Start: s.T}, due: make([]float32, n),
		calm: make([]float32, n)}
}

// endPass is called after each pass over the rows of s.
func (r *running) endPass(s *iterate.State) {
	if r.Pass++; s.Average != nil {
		s.Average.Turn()
	}
	r.Before, r.Apart, r.Sum = r.Apart, r.Sum/float64(s.Count()), 0
	r.least = float64(leave * r.Apart)
}

// Left returns an estimate of P - D now: from what it was in the last pass, and how fast it falls.
func (r *running) Left() float64 {
	fall := 1.0
	if r.Before > r.Apart {
		fall = math.Sqrt(r.Apart / r.Before)
	}
	return float64(0.7 * float64(fall*r.Apart))
}

// restore reports whether the numbers can be those of a solver of s after the epochs.
func (r *running) restore(from *iterate.Progress, s *iterate.State, epochs int) bool {
	r.Progress, r.least = *from, float64(leave*from.Apart)
	return r.Start >= 0 && r.Start <= s.T && r.Pass >= 0 && r.Pass <= epochs
}

// New returns the descent of the given dual variables, which begins after the steps of s. The mean
// of the rows' squared norms is r2. The result may be the mean of the last pass's iterates: P of the
// last one leaps up and down where the loss has a kink, and far from the optimum.
func New(s *iterate.State, of *objective.Binary, alpha []float32, r2 float64, mean bool) *Descent {
	d := &Descent{State: s, Of: of, Alpha: alpha, v: s.Vectors[0], running: start(s),
		square: float64(s.BiasScale * s.BiasScale)}
	if s.Free {
		d.square = r2
	}
	s.BeginDual(mean)
	return d
}

// SumUp makes v of the a_i. A bias without a penalty stays as it is.
func (d *Descent) SumUp() {
	clear(d.v)
	if d.uneven = 0; !d.Free {
		d.Biases[0] = 0
	}
	for _, i := range d.All() {
		if a := float64(d.Alpha[i]); a != 0 {
			d.shift(uint32(i), a)
		}
	}
}

// shift adds a row to v, by the change of its dual variable.
func (d *Descent) shift(i uint32, change float64) {
	side, _ := d.Of.Label(i)
	step := float32(d.Share(int(i))*change) * side // the product is exact
	d.X.Axpy(int(i), step, d.v)
	if d.Free {
		d.uneven += float64(step)
	} else {
		d.Biases[0] += float64(float64(step) * d.BiasScale)
	}
}

// Visit takes a step with each of the rows idx: with those that rest, one that changes nothing.
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
		old := float64(d.Alpha[i])
		next, apart := d.Of.Cost.Best(old, m, q)
		d.Sum += float64(c * apart)
		d.rest(i, apart)
		if to := float32(next); to != d.Alpha[i] && !(apart < d.least) {
			d.Alpha[i] = to
			d.shift(i, float64(to)-old)
			d.Violations++
		}
	}
	d.T += int64(len(all))
}

// score returns the score of row i.
func (d *Descent) score(i uint32, inverse float64) float64 {
	dot := float64(d.X.Dot(int(i), d.v))
	if d.Free {
		return float64((dot+float64(d.square*d.uneven))*inverse) + d.Biases[0]
	}
	return float64((dot + float64(d.BiasScale*d.Biases[0])) * inverse)
}

// EndEpoch is called after each pass over the rows.
func (d *Descent) EndEpoch() {
	d.endPass(d.State)
	if d.Free {
		d.Biases[0] += float64(d.square * d.uneven / d.Fixed)
	}
}

// Shares returns the dual variables.
func (d *Descent) Shares() []float32 {
	a := slices.Clone(d.Alpha)
	for i := range a {
		a[i] = d.Of.Clamp(a[i]) // a state may say anything
	}
	return a
}

// Gain returns an estimate of D.
func (d *Descent) Gain() float64 {
	var sum float64
	for _, i := range d.All() {
		_, target := d.Of.Frame(uint32(i))
		a := float64(d.Alpha[i])
		sum += float64(d.State.Share(i) * (d.Of.Cost.Least(a) + float64(a*target)))
	}
	square := float64(dense.SumSquares(d.v))
	if !d.Free {
		square += float64(d.Biases[0] * d.Biases[0])
	}
	return sum/float64(d.Count()) - square/(2*d.Fixed*float64(d.Count()))
}

// A solver is one of the two.
type solver interface {
	SumUp()
	Visit(rows []uint32)
	EndEpoch()
	Shares() []float32
}

// improve returns the bound after the passes, in a random order each; 0 if rows are too large.
func improve(d solver, s *iterate.State, of objective.Problem, passes int, r2 float64) float64 {
	d.SumUp()
	pcg, rows := rand.NewPCG(0, order.Stream), make([]uint32, s.Count())
	for range passes {
		order.Permute(pcg, rows)
		for k, j := range rows {
			rows[k] = uint32(s.Row(int(j)))
		}
		if d.Visit(rows); s.Err != nil {
			s.Err = nil
			return 0
		}
		d.EndEpoch()
	}
	bound, _ := certificate.Bound(of, d.Shares(), r2)
	return bound
}

// Improve returns the bound after passes from the given dual variables.
func Improve(s *iterate.State, of *objective.Binary, a []float32, passes int, r2 float64) float64 {
	return improve(New(s, of, a, r2, false), s, of, passes, r2)
}
