package pegasos

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
)

// This file has Newton's method as the finish of a run. With the margins m_i = y_i*z_i, rows x_i
// and weights c_i of mean 1, Newton's method minimises
//
//	lambda/2 |w|^2 + mean of c_i*f(m_i),
//
// where f is the loss, or where that has a kink a loss without one, that differs from it in a zone
// of width h around the kink: see newtonloss.go. With a_i = -f'(m_i), which are dual variables
// within their bounds, and wa = mean of c_i*a_i*y_i*x_i/lambda,
//
//	P(w) - D(a) = S + O,  S = mean of c_i*(loss(m_i) - least(a_i) + a_i*m_i),
//	                      O = lambda/2 |w - wa|^2,
//
// exactly: the gap is known at each step, and says what to do. O is what Newton's steps make small,
// S what h is the reason of. Where O is below 3 S the zone is made narrower, such that S should end
// at half of what is wanted.
//
// The step is p = -H^-1 lambda (w - wa) with H = lambda I + mean of c_i*f”(m_i)*x_i*x_i', and w
// moves along p as far as the least of the smoothed objective, or nearly (newtonline.go). H, its
// factor and p are float32 and need not be better. w, wa and the margins are float64. The margins
// are not those of the rounded w but follow its steps, m += s*y*<x, p>, so that what is rounded off
// p and <x, p> is no reason to stop short of the optimum: Newton's method is its own refinement.
//
// All this decides when to stop, and no more: what is told of the model is found anew from its
// weights and the a_i, with every rounding accounted for (certificate.go, rounding.go). If that
// does not confirm what the method believes, it goes on from the weights as they are written, with
// their exact margins.
//
// A bias without a penalty is a variable more. The rows of the zone are centred then, by their mean
// with the weights c_i*f”(m_i): so the bias and the other variables don't meet in H, and rows far
// from the origin cost no digits.

const (
	// newtonTol is the gap at which the method ends where Config.Tol is 0.
	newtonTol = 1e-3
	// newtonShare is the share of the wanted gap that the method itself is content with, for there
	// are roundings between what it knows and what is proven.
	newtonShare = 0.8
	// newtonRetries is how often it goes on if that was not enough.
	newtonRetries = 5
	// newtonPatience is the number of iterations in which P - D has to fall by a tenth.
	newtonPatience = 20
)

type newtonState uint8

const (
	newtonWorks newtonState = iota
	newtonDone              // its own gap is small enough
	newtonStuck
)

// A newton is the part of a problem's run in which Newton's method takes the place of the steps. An
// iteration counts as an epoch.
type newton struct {
	p       *problem
	threads int
	buffers *newtonBuffers // its own while it looks for a direction
	line    *newtonLine    // its own from aim to move
	pool    *newtonPool

	newtonRows
	few    store.Nonzeros // the rows, where they have few nonzeros; else nil
	pixels *newtonPixels  // the rows as bytes, where they are added up so; else nil
	beta   float64        // the feature of the bias; 0 without one
	m      []float64      // the margin of each of the rows, less its target
	v      []float64      // w, less the prior, and the weight of the bias's feature if there is one
	h      float64
	least  float64 // of h
	target float64 // the gap that is wanted

	// The sums of c_i*a_i*y_i*x_i, those above and below 0 apart where the bias has no penalty, as
	// their balance is asked for. a has the a_i of all of the rows, of which they are the sums.
	sums [2][]float64
	a    []float32

	now newtonGap

	// The best so far, by P and by D.
	bestP, bestD float64
	bestV        []float64
	bestA        []float32
	bestH        float64 // the width of bestA

	state   newtonState
	since   int     // the iteration in which P - D was last found to have fallen
	falling float64 // what it was
	renewed bool    // the margins were found anew because it no longer fell

	// Set when the context was done within an iteration, which leaves the method half way: nothing
	// goes on from there, and a resumed run does the iteration again.
	cut atomic.Bool

	// What a resumed run has to repeat.
	start      int64 // the step after which it began
	dual       int64 // the step after which the ascent had begun that came before; 0 for none
	iterations int
	retries    []int // the iterations after which it had to go on
}

// A newtonGap is P and D at a step, and their parts.
type newtonGap struct {
	p, d, smoothing, rest float64 // the latter are S and O
}

// startNewton makes Newton's method take over after step t, from the steps or from an ascent. It
// uses the weights of that moment.
func (p *problem) startNewton(cfg Config, t int64, pool *newtonPool) {
	tol := cfg.Tol
	if tol == 0 {
		tol = newtonTol
	}
	n := p.newNewton(pool)
	n.target, n.start = newtonShare*tol, t
	if p.ascent != nil {
		n.dual = p.ascent.start
	}
	p.newtons++
	p.newton, p.ascent, p.recent = n, nil, nil
}

// newNewton returns one that has not begun.
func (p *problem) newNewton(pool *newtonPool) *newton {
	n := &newton{p: p, pool: pool, threads: 1}
	switch {
	case p.free:
		n.beta = 1
	case p.biasScale > 0:
		n.beta = p.biasScale
	}
	return n
}

// free reports whether there is a bias without a penalty.
func (n *newton) free() bool { return n.p.free }

// begin sets up what the iterations need, with the weights of the step after which it starts.
func (n *newton) begin() {
	n.prepare()
	n.take(n.start)
	n.setMargins(false)
	n.shrink()
	n.settle()
}

// prepare makes room for weights, margins and sums.
func (n *newton) prepare() {
	p := n.p
	n.newtonRows = p.newtonRows(n.pool)
	p.widenPrior()
	if sumFew {
		n.few = n.fewNonzeros()
	}
	n.pixels = n.newPixels()
	d := len(p.v)
	vars := d
	if n.beta > 0 {
		vars++
	}
	n.m, n.a = make([]float64, len(n.rows)), make([]float32, len(n.rows))
	n.bestA, n.bestV = make([]float32, len(n.rows)), make([]float64, vars)
	n.v = make([]float64, vars)
	n.sums[0] = make([]float64, vars)
	if n.free() {
		n.sums[1] = make([]float64, vars)
	}
}

// settle begins with the weights that there are, and their margins.
func (n *newton) settle() {
	n.h, n.least = n.width()
	n.bestP, n.bestD, n.falling = math.Inf(1), math.Inf(-1), math.Inf(1)
	copy(n.bestV, n.v)
}

// shrink makes weights that are no better than 0 as much shorter as is best: by a power of two, or
// 0. Steps without an offset leave weights that are far too long, on rows of unequal columns in a
// direction that is a better start than 0.
func (n *newton) shrink() {
	zero := n.p.lossAtZero()
	if n.objective(1) < zero {
		return
	}
	best, least := 0.0, zero
	for k := 1; k <= 100; k++ {
		by := math.Ldexp(1, -k)
		if f := n.objective(by); f < least {
			best, least = by, f
		}
	}
	for j := range n.v {
		n.v[j] *= best
	}
	n.setMargins(false)
}

// take makes v the weights of the problem after step t, which it had then.
func (n *newton) take(t int64) {
	s := n.p.learnerState
	s.t = t
	w, b := vectors(1, len(s.vs[0])), make([]float64, 1)
	s.weights(w, b)
	for j, z := range w[0] {
		n.v[j] = float64(z)
	}
	if n.beta > 0 {
		n.v[len(w[0])] = b[0] / n.beta
	}
}

// ready makes the method what it was when the run was paused.
func (n *newton) ready() {
	if n.rows != nil {
		return
	}
	n.begin()
	iterations, retries := n.iterations, slices.Clone(n.retries)
	all := n.retries
	n.iterations, n.retries = 0, nil
	for {
		if n.over() {
			n.iterations, n.retries = iterations, all
			return
		}
		for len(retries) > 0 && retries[0] == n.iterations {
			n.retry()
			retries = retries[1:]
		}
		if n.iterations >= iterations || n.state != newtonWorks {
			return
		}
		n.iterate()
	}
}

// iterate takes one of Newton's steps, unless the gap is small enough.
func (n *newton) iterate() {
	if n.aim() {
		n.multiply()
		n.move()
	}
}

// aim is the first part of an iteration. It reports whether there is a direction to go on in: then
// move wants its product with each row.
func (n *newton) aim() bool {
	n.ready()
	if n.state != newtonWorks {
		return false
	}
	n.buffers = n.pool.get(n)
	defer func() {
		n.pool.put(n.buffers)
		n.buffers = nil
	}()
	n.iterations++
	for {
		n.evaluate()
		switch {
		case n.over():
			return false
		case !floats.IsFinite(n.now.p) || !floats.IsFinite(n.now.d):
			n.state = newtonStuck
			return false
		case proof.Gap(n.bestP, n.bestD) <= n.target:
			n.state = newtonDone
			return false
		}
		if !n.narrow() {
			break
		}
	}
	if n.stalls() || !n.direct() {
		if n.over() {
			return false
		}
		n.renew()
		return false
	}
	return true
}

// over reports whether the context is done. It stays so: what is found after that is of no use.
func (n *newton) over() bool {
	if n.pool.until != nil && n.pool.until.Err() != nil {
		n.cut.Store(true)
	}
	return n.cut.Load()
}

// narrow makes h smaller if it is what keeps P and D apart.
func (n *newton) narrow() bool {
	if n.now.rest >= 3*n.now.smoothing || n.h <= n.least {
		return false
	}
	by := math.Sqrt(n.now.smoothing / float64(n.target/2*n.now.p))
	for by > 4 {
		by = math.Sqrt(by) // the same in two steps
	}
	n.h /= max(1.4, by)
	return true
}

// stalls reports whether P - D no longer falls.
func (n *newton) stalls() bool {
	if gap := n.bestP - n.bestD; gap <= float64(0.9*n.falling) {
		n.falling, n.since = gap, n.iterations
	}
	return n.iterations-n.since >= newtonPatience
}

// renew finds the margins anew if that has not been done yet, else gives up.
func (n *newton) renew() {
	if n.renewed {
		n.state = newtonStuck
		return
	}
	n.renewed = true
	n.fromBest()
}

// retry goes on after the gap of the model was found to be too large.
func (n *newton) retry() {
	n.ready()
	if n.over() {
		n.retries = append(n.retries, n.iterations)
		return
	}
	n.retries = append(n.retries, n.iterations)
	if n.state == newtonStuck {
		return
	}
	if len(n.retries) > newtonRetries {
		n.state = newtonStuck
		return
	}
	n.target /= 2
	n.state = newtonWorks
	n.fromBest()
}

// fromBest goes on from the best weights, as they are written, with their exact margins.
func (n *newton) fromBest() {
	d := len(n.p.v)
	for j, z := range n.bestV {
		if j < d {
			z = float64(float32(z))
		}
		n.v[j] = z
	}
	n.setMargins(true)
	n.bestP = math.Inf(1)
	n.falling, n.since = math.Inf(1), n.iterations
}

// result writes the best weights, and the bias.
func (n *newton) result(w []float32, b *float64) {
	n.ready()
	for j := range w {
		w[j] = float32(n.bestV[j])
	}
	*b = n.biasOf(n.bestV)
}

// biasOf returns the bias that weights have at their end, 0 without one.
func (n *newton) biasOf(v []float64) float64 {
	if n.beta == 0 {
		return 0
	}
	return float64(n.beta * v[len(n.p.v)])
}

// smoothed returns the width at which the best dual variables were found; 0 where the loss has no
// kink.
func (n *newton) smoothed() float64 {
	if !n.p.cost.Kind.Traits().Kinks {
		return 0
	}
	return n.bestH
}

// shares returns the best dual variables, of each row.
func (n *newton) shares() []float32 {
	n.ready()
	a := make([]float32, n.p.x.Rows())
	for j, i := range n.rows {
		a[i] = n.bestA[j]
	}
	return a
}
