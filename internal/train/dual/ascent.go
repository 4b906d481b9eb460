// Package dual has dual coordinate ascent: it goes on from dual variables that are there already,
// of one vector (Ascent) or of one for each class (Joint), and improves those of a certificate.
package dual

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// An Ascent is the dual part of a problem's run. With a_i between 0 and the row's weight c_i,
//
//	w = v/(lambda*n), v = sum of a_i*y_i*x_i,
//
// and what rises is the dual objective: for the hinge the mean of the a_i, for the squared hinge
// that of a_i - a_i^2/(4c_i), less lambda/2 |w|^2. For the squared loss of numbers the a_i have no
// bounds, y_i in the sum is 1, and it is the mean of a_i*y_i - a_i^2/(2c_i).
type Ascent struct {
	*iterate.State
	Of *objective.Binary
	v  []float32 // the one vector

	From  int64     // the step after which it began
	Alpha []float32 // of each row

	rests      // of rows whose a_i is at a bound where the gradient points beyond it
	gaps  bool // between the others cost time, for the rows are beyond the caches

	// What Pegasos itself would have given.
	W [][]float32
	B []float64

	Chosen   int   // which of the results after step ChosenAt is the best
	ChosenAt int64 // 0 before there was a choice
}

// A rests knows which rows, whose steps would change nothing, are left out of most passes.
type rests struct {
	Resting []float32 // 1 if so, when the row was last visited
	Pass    int
	awake   []uint32 // a buffer for the others of some steps
}

// Full reports whether a pass is over all rows: the first is, and then the one 3 later, 6 after
// that, 9 after that and so on, for the closer to the optimum, the fewer rows leave a bound.
func Full(pass int) bool {
	next := 0
	for gap := 3; next < pass; gap += 3 {
		next += gap
	}
	return next == pass
}

// Begin returns the ascent from the dual variables that the steps of s have left, unless P less
// their bound is within a share of P that is too small for it: nil then. No share of 0 is.
func Begin(s *iterate.State, of *objective.Binary, r2, within float64) *Ascent {
	w, b := s.Room()
	s.Weights(w, b)
	share, factor, bound, summed := SharesOfV(s, of)
	if !summed {
		share, factor, bound = s.Recent.Best(of, s.Done(), r2)
	}
	if within > 0 {
		if f := estimate(of, w, b); !(f-bound <= float64(within*f)) {
			return nil
		}
	}
	d := New(s, of, times(s, share, factor), s.T, w, b)
	if !summed {
		d.SumUp()
		return d
	}
	dense.Scale(float32(factor), d.v)
	d.Biases[0] *= factor
	return d
}

// times returns the dual variables of the shares times a factor.
func times(s *iterate.State, share []float32, factor float64) []float32 {
	alpha := make([]float32, len(share))
	for _, i := range s.All() {
		alpha[i] = float32(float64(factor*float64(share[i])) * s.Share(i))
	}
	return alpha
}

// New returns the ascent of the given dual variables, which begins after step t.
func New(s *iterate.State, of *objective.Binary, alpha []float32, t int64, w [][]float32,
	b []float64) *Ascent {
	s.BeginAscent(t)
	return &Ascent{State: s, Of: of, v: s.Vectors[0], From: t, Alpha: alpha, W: w, B: b,
		rests: rests{Resting: make([]float32, s.X.Rows())}, gaps: s.X.Size() > gapsFrom}
}

// EndEpoch is called after each pass over the rows. At the end of the run it chooses the result.
func (d *Ascent) EndEpoch() {
	d.endPass()
	if d.T == d.Total && d.Err == nil {
		d.Result(d.Room()) // now, so that the choice is a part of training
	}
}

// SharesOfV is Windows.Best after the first epoch, if v is still what the shares make of the rows:
// then nothing has to be added up. The roundings in v are left out of the bound, which is therefore
// no proof.
func SharesOfV(s *iterate.State, of *objective.Binary) (
	share []float32, factor, bound float64, ok bool,
) {
	r := s.Recent
	if s.Began.W != nil || s.Start > 0 || s.T != r.Steps || r.OldStart > 0 {
		return nil, 0, 0, false
	}
	share = slices.Clone(r.Count)
	if r.Start > 0 {
		copy(share, r.Old) // the present window has just begun
	}
	var mean, squares float64
	for _, i := range s.All() {
		v := float64(of.Cost.Clamp(share[i]))
		share[i] = float32(v)
		_, target := of.Label(uint32(i))
		gain := float64(v*target) + of.Cost.Linear(v)
		mean += float64(gain * s.Share(i))
		squares += float64(float64(v*v) * s.Share(i))
	}
	n := float64(s.Count())
	sum := float64(s.Biases[0] * s.Biases[0])
	for _, v := range s.Vectors[0] {
		sum += float64(float64(v) * float64(v))
	}
	half := sum / float64(n*n) / (2 * s.Lambda)
	half += float64(squares / n * of.Cost.Kind.Traits().Quadratic)
	bound, factor = proof.Parabola(mean/n, half)
	return share, factor, bound, true
}

// estimate returns P, from at most estimateRows rows, spread over all.
func estimate(p *objective.Binary, w [][]float32, b []float64) float64 {
	step := (p.Count() + estimateRows - 1) / estimateRows
	var sum, n float64
	for j := 0; j < p.Count(); j += step {
		sum += p.Losses(w[0], b[0], j, j+1)
		n++
	}
	return p.Penalty(w, b) + sum/n
}

const (
	estimateRows = 1024
	clearly      = 1.04    // more than estimates of two vectors are wrong by when they are compared
	gapsFrom     = 1 << 23 // bytes of rows: each is fetched ahead if others are left out before it
)

// SumUp makes v of the a_i.
func (d *Ascent) SumUp() {
	clear(d.v)
	d.Biases[0] = 0
	for _, i := range d.All() {
		if a := d.Alpha[i]; a != 0 {
			side, _ := d.Of.Label(uint32(i))
			a *= side // exact
			d.X.Axpy(i, a, d.v)
			d.Biases[0] += float64(float64(a) * d.BiasScale)
		}
	}
}

// Ascend takes a step with each of the rows idx: with those that rest, one that changes nothing.
func (d *Ascent) Ascend(idx []uint32) {
	inverse := 1 / d.Fixed
	reward, curve, low := d.Of.Cost.DualShape()
	all, end, ahead := idx, d.T+int64(len(idx)), d.FetchAhead()
	if idx = d.notResting(idx); len(idx) < len(all) && d.gaps { // what is left out leaves gaps
		ahead = d.X.Ahead()
	}
	for n, i := range idx {
		if ahead > 0 && n+ahead < len(idx) {
			d.X.Fetch(int(idx[n+ahead]))
		}
		dot := d.X.Dot(int(i), d.v)
		y, target := d.Of.Label(i)
		old, top := d.Alpha[i], d.Share(int(i))
		// Minus the gradient: where it is above 0 the objective rises as a_i falls.
		g := float64(float64(float64(y)*(float64(dot)+float64(d.BiasScale*d.Biases[0])))*inverse) -
			(target + reward)
		if curve > 0 {
			g += float64(curve*float64(old)) / top
			top = math.Inf(1)
		}
		if !floats.IsFinite(g) {
			d.T += int64(slices.Index(all, i))
			d.NotFinite(i)
			return
		}
		if float64(old) <= low && g >= 0 || float64(old) >= top && g <= 0 {
			d.Resting[i] = 1
			continue
		}
		d.Resting[i] = 0
		bend := float64((float64(d.Norms[i]) + float64(d.BiasScale*d.BiasScale)) * inverse)
		if curve > 0 {
			bend += curve / d.Share(int(i))
		}
		next := top
		if bend > 0 {
			next = max(low, min(float64(old)-g/bend, top))
		}
		to := float32(next)
		step := to - old
		if step == 0 {
			continue
		}
		d.Alpha[i] = to
		step *= y // exact
		d.X.Axpy(int(i), step, d.v)
		d.Biases[0] += float64(float64(step) * d.BiasScale)
		d.Violations++
	}
	d.T = end
}

func (a *rests) endPass() { a.Pass++ }

// notResting returns those of the rows idx that a pass is over: all, or those that don't rest. The
// slice is valid until the next call.
func (a *rests) notResting(idx []uint32) []uint32 {
	if Full(a.Pass) {
		return idx
	}
	if cap(a.awake) < len(idx) {
		a.awake = make([]uint32, len(idx))
	}
	n, awake := 0, a.awake[:len(idx)]
	for _, i := range idx {
		awake[n] = i
		if a.Resting[i] == 0 {
			n++ // a conditional move: as a branch it would be a guess
		}
	}
	return awake[:n]
}

// Shares returns the shares of the rows.
func (d *Ascent) Shares() []float32 {
	share := slices.Clone(d.Alpha)
	if d.Weight != nil {
		for _, i := range d.All() {
			share[i] = d.Of.Clamp(float32(float64(share[i]) / d.Weight[i]))
		}
	}
	return share
}
