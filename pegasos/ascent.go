package pegasos

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// A Finish says how a run goes on after its first epoch.
type Finish string

const (
	// FinishNone goes on as it began.
	FinishNone Finish = "none"
	// FinishDual goes on with dual coordinate ascent (Hsieh et al., ICML 2008; Shalev-Shwartz and
	// Zhang, JMLR 14, 2013) from the dual variables that Pegasos leaves: the rows' shares of
	// violations. A step makes the best of one row's. The result is the best by P of the average
	// over the last half of that, of its last iterate, and of Pegasos's own, estimated from the
	// rows that matter most.
	FinishDual Finish = "dual"
	// FinishAuto goes by the number of operations that Newton's method and the dual would take,
	// problem by problem. With up to 2,000 columns Newton's method takes over at once where it
	// costs no more than soonEpochs epochs of the dual, else when epochs have cost half as much as it would.
	// The dual begins once P - D is below 70 % of P: where rows are long, and lambda times their
	// number small, such as on raw pixels, that may be never, and the dual would be slow; Newton's
	// method then takes over if it costs no more than poorEpochs epochs (auto.go has these numbers).
	// Where neither is the choice, Pegasos goes on. The run ends when Newton's method is done with all problems, as with
	// FinishNewton.
	FinishAuto Finish = "auto"
	// FinishNewton goes on with Newton's method, for all losses of one score. It is the finish for
	// dense rows of up to some thousand columns, whatever their scale, for small lambdas and for a
	// bias without a penalty; an iteration takes a pass and work with the square of the columns for
	// many of the rows. The run ends when the method finds the gap to be at most Tol, or 0.1 %.
	FinishNewton Finish = "newton"
)

// autoGap is the share of P that P - D has to be below before FinishAuto begins the dual; see
// docs/benchmarks.md. What else FinishAuto goes by is in auto.go.
const autoGap = 0.7

// An ascent is the dual part of a problem's run. With a_i between 0 and the row's weight c_i,
//
//	w = v/(lambda*n), v = sum of a_i*y_i*x_i,
//
// and what rises is the dual objective: for the hinge the mean of the a_i, for the squared hinge
// that of a_i - a_i^2/(4c_i), less lambda/2 |w|^2. For the squared loss of numbers the a_i have no
// bounds, y_i in the sum is 1, and it is the mean of a_i*y_i - a_i^2/(2c_i).
type ascent struct {
	start int64     // the step after which it began
	alpha []float32 // of each row

	rests      // of rows whose a_i is at a bound where the gradient points beyond it
	gaps  bool // between the others cost time, for the rows are beyond the caches

	// What Pegasos itself would have given.
	w [][]float32
	b []float64

	// Of the results after step chosenAt, which is 0 before there was a choice, the chosen one is
	// the best.
	chosen   int
	chosenAt int64
}

// A rests knows which rows are left out until the next pass over all, for their steps would change
// nothing.
type rests struct {
	resting []float32 // 1 if so, when the row was last visited
	pass    int
	awake   []uint32 // a buffer for the others of some steps
}

// full reports whether a pass is over all rows: the first is, and then the one 3 later, 6 after
// that, 9 after that and so on, for the closer to the optimum, the fewer rows leave a bound.
func full(pass int) bool {
	next := 0
	for gap := 3; next < pass; gap += 3 {
		next += gap
	}
	return next == pass
}

// startAscent starts the ascent, if it is time for that: after an epoch of the run, of which so
// many are done. It reports whether the bound says that the ascent would be slow.
func (p *problem) startAscent(cfg Config, epochs int, r2 float64) (poor bool) {
	if p.ascent != nil || !finishDue(&p.State, cfg, epochs) {
		return false
	}
	a := &ascent{w: iterate.Zeros(1, len(p.V)), b: make([]float64, 1)}
	p.State.Weights(a.w, a.b)
	share, s, bound, summed := p.sharesOfV()
	if !summed {
		share, s, bound = p.Recent.Best(&p.Of, p.Done(), r2)
	}
	if cfg.Finish == FinishAuto {
		if f := p.estimate(a.w[0], a.b[0]); !(f-bound <= float64(autoGap*f)) {
			return true
		}
	}
	a.alpha = make([]float32, len(share))
	for j := range p.Count() {
		i := p.Row(j)
		a.alpha[i] = float32(float64(s*float64(share[i])) * p.Share(i))
	}
	p.setAscent(a, p.T)
	if !summed {
		p.sumUp()
		return false
	}
	dense.Scale(float32(s), p.V)
	p.Biases[0] *= s
	return false
}

// finishDue reports whether it is time to ask whether the ascent should begin.
func finishDue(s *iterate.State, cfg Config, epochs int) bool {
	if !cfg.finishes() || s.T >= s.Total || s.Err != nil {
		return false
	}
	// FinishAuto asks after 1, 2, 4, 8 epochs and so on: the answer takes about as long as an epoch.
	return cfg.Finish != FinishAuto || epochs&(epochs-1) == 0
}

// sharesOfV is bestShares after the first epoch, if v is still what the shares make of the rows:
// then nothing has to be added up. The roundings in v are left out of the bound, which is therefore
// no proof.
func (p *problem) sharesOfV() (share []float32, factor, bound float64, ok bool) {
	r := p.Recent
	if p.Began.W != nil || p.Start > 0 || p.T != r.Steps || r.OldStart > 0 {
		return nil, 0, 0, false
	}
	share = slices.Clone(r.Count)
	if r.Start > 0 {
		copy(share, r.Old) // the present window has just begun
	}
	var mean, squares float64
	for j := range p.Count() {
		i := p.Row(j)
		v := float64(p.Of.Cost.Clamp(share[i]))
		share[i] = float32(v)
		_, target := p.Of.Label(uint32(i))
		gain := float64(v*target) + p.Of.Cost.Linear(v)
		mean += float64(gain * p.Share(i))
		squares += float64(float64(v*v) * p.Share(i))
	}
	n := float64(p.Count())
	sum := float64(p.Biases[0] * p.Biases[0])
	for _, v := range p.V {
		sum += float64(float64(v) * float64(v))
	}
	half := sum / float64(n*n) / (2 * p.Lambda)
	if q := p.Of.Cost.Kind.Traits().Quadratic; q > 0 {
		half += float64(squares / n * q)
	}
	bound, factor = proof.Parabola(mean/n, half)
	return share, factor, bound, true
}

// estimate returns P, from so many rows at most, spread over all.
func (p *problem) estimate(w []float32, b float64) float64 {
	step := (p.Count() + estimateRows - 1) / estimateRows
	var sum, n float64
	for j := 0; j < p.Count(); j += step {
		sum += p.Of.Losses(w, b, j, j+1)
		n += 1
	}
	return p.Penalty([][]float32{w}, []float64{b}) + sum/n
}

const (
	estimateRows = 1024
	clearly      = 1.04 // beyond what so many rows are wrong by when they compare two vectors
)

// setAscent sets up the ascent, which begins after step t, and its average.
func (p *problem) setAscent(a *ascent, t int64) {
	p.ascent, a.start = a, t
	a.resting = make([]float32, p.X.Rows())
	a.gaps = p.X.Size() > gapsFrom
	p.BeginAscent(t)
}

// gapsFrom is the size of the rows, in bytes, from which each is fetched ahead of time if others
// are left out between them.
const gapsFrom = 1 << 23

// sumUp makes v of the a_i.
func (p *problem) sumUp() {
	clear(p.V)
	p.Biases[0] = 0
	for j := range p.Count() {
		i := p.Row(j)
		if a := p.ascent.alpha[i]; a != 0 {
			side, _ := p.Of.Label(uint32(i))
			a *= side // exact
			p.X.Axpy(i, a, p.V)
			p.Biases[0] += float64(float64(a) * p.BiasScale)
		}
	}
}

// ascend takes a step with each of the rows idx. For those that rest it is one that changes
// nothing.
func (p *problem) ascend(idx []uint32) {
	a := p.ascent
	inverse := 1 / p.Fixed
	reward, curve, low := p.Of.Cost.DualShape()
	all, end, ahead := idx, p.T+int64(len(idx)), p.FetchAhead()
	if idx = a.notResting(idx); len(idx) < len(all) && a.gaps { // what is left out leaves gaps
		ahead = p.X.Ahead()
	}
	for n, i := range idx {
		if ahead > 0 && n+ahead < len(idx) {
			p.X.Fetch(int(idx[n+ahead]))
		}
		dot := p.X.Dot(int(i), p.V)
		y, target := p.Of.Label(i)
		old, top := a.alpha[i], 1.0
		if p.Weight != nil {
			top = p.Weight[i]
		}
		// Minus the gradient: where it is above 0 the objective rises as a_i falls.
		g := float64(float64(float64(y)*(float64(dot)+float64(p.BiasScale*p.Biases[0])))*inverse) -
			(target + reward)
		if curve > 0 {
			g += float64(curve*float64(old)) / top
			top = math.Inf(1)
		}
		if !floats.IsFinite(g) {
			p.T += int64(slices.Index(all, i))
			p.NotFinite(i)
			return
		}
		if float64(old) <= low && g >= 0 || float64(old) >= top && g <= 0 {
			a.resting[i] = 1
			continue
		}
		a.resting[i] = 0
		bend := float64((float64(p.Norms[i]) + float64(p.BiasScale*p.BiasScale)) * inverse)
		if curve > 0 {
			bend += curve / p.Share(int(i))
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
		a.alpha[i] = to
		step *= y // exact
		p.X.Axpy(int(i), step, p.V)
		p.Biases[0] += float64(float64(step) * p.BiasScale)
		p.Violations++
	}
	p.T = end
}

// notResting returns those of the rows idx that a pass is over: all, or those that don't rest. The
// slice is valid until the next call.
func (a *rests) notResting(idx []uint32) []uint32 {
	if full(a.pass) {
		return idx
	}
	if cap(a.awake) < len(idx) {
		a.awake = make([]uint32, len(idx))
	}
	n, awake := 0, a.awake[:len(idx)]
	for _, i := range idx {
		awake[n] = i
		if a.resting[i] == 0 {
			n++ // a conditional move: as a branch it would be a guess
		}
	}
	return awake[:n]
}

// result is what learner asks for. After an ascent it is the best by P of the average, the last
// iterate and what Pegasos left, or nearly: see choose.
func (p *problem) result(w [][]float32, b []float64) {
	if p.newton != nil {
		b[0] = p.newton.Result(w[0])
		return
	}
	p.State.Weights(w, b)
	if p.ascent == nil {
		return
	}
	if p.ascent.chosenAt != p.T {
		p.choose(w[0], b[0])
	}
	switch p.ascent.chosen {
	case lastIterate:
		p.last(w, b)
	case before:
		copy(w[0], p.ascent.w[0])
		b[0] = p.ascent.b[0]
	}
}

// What ascent.chosen may be.
const (
	average     = iota // if there is one, else the last iterate
	lastIterate        // if there is an average
	before             // what Pegasos left
)

// last is State.Weights of the last iterate.
func (p *problem) last(w [][]float32, b []float64) {
	s := iterate.State{Vectors: p.Vectors, Biases: p.Biases, T: p.T, Terms: p.Terms, Factor: 1, Fixed: p.Fixed}
	s.Weights(w, b)
}

// endRun chooses the result when the last step has been taken, so that this is a part of training,
// and not of what is asked later.
func (p *problem) endRun() {
	w, b := iterate.Zeros(1, len(p.V)), make([]float64, 1)
	p.State.Weights(w, b)
	p.choose(w[0], b[0])
}

// choose chooses the result. w is the average if there is one.
func (p *problem) choose(w []float32, b float64) {
	a := p.ascent
	a.chosen, a.chosenAt = average, p.T
	if p.Average != nil {
		last, bias := iterate.Zeros(1, len(p.V)), make([]float64, 1)
		p.last(last, bias)
		// Rows that rest at 0 had no loss when they were last visited. With few exceptions they
		// have none now.
		var sum, sumLast float64
		for j := range p.Count() {
			if i := p.Row(j); a.alpha[i] != 0 || a.resting[i] == 0 {
				sum += p.Of.Losses(w, b, j, j+1)
				sumLast += p.Of.Losses(last[0], bias[0], j, j+1)
			}
		}
		n := float64(p.Count())
		mean := p.Penalty([][]float32{w}, []float64{b}) + sum/n
		if f := p.Penalty(last, bias) + sumLast/n; !(mean <= f) {
			a.chosen, w, b = lastIterate, last[0], bias[0]
		}
	}
	// What Pegasos left is seldom better. Unless it is clearly worse on some of the rows it is
	// compared on all.
	if p.estimate(a.w[0], a.b[0]) < float64(clearly*p.estimate(w, b)) &&
		p.Of.At(a.w, a.b) < p.Of.At([][]float32{w}, []float64{b}) {
		a.chosen = before
	}
}

// shares is what learner asks for.
func (p *problem) shares() []float32 {
	if p.newton != nil {
		return p.newtonShares()
	}
	if p.ascent == nil {
		return nil
	}
	share := slices.Clone(p.ascent.alpha)
	if p.Weight != nil {
		for j := range p.Count() {
			i := p.Row(j)
			share[i] = p.Of.Cost.Clamp(float32(float64(share[i]) / p.Weight[i]))
		}
	}
	return share
}
