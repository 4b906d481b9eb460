package newton

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

const (
	// defaultTol is the relative gap (P - D)/D that New aims at if its tol is 0.
	defaultTol = 1e-3
	// gapMargin is the fraction of the wanted gap at which a Method ends. The rest is for rounding
	// errors, which only the proof of the gap accounts for.
	gapMargin = 0.8
	// Retries is the largest number of times that a Method continues after an insufficient proof.
	Retries = 5
	// Patience is the number of iterations in which P - D must fall by a tenth.
	Patience = 20
	// MaxColumns is the largest number of columns for which the trainer chooses this solver.
	MaxColumns = 2000
)

type state uint8

const (
	works state = iota // more iterations are needed
	done               // the relative gap is small enough
	stuck              // more iterations would not reduce the gap
)

// Method is the solver: it minimizes the objective of one Problem by Newton's method. An iteration
// counts as an epoch.
type Method struct {
	load    func() *Problem // returns the problem; called once
	p       *Problem        // nil before the first iteration
	hinge   bool            // hinge loss without row weights and targets: see hinge.go
	threads int             // goroutines for this problem
	buffers *buffers        // lent by pool while a direction is computed; else nil
	line    *direction      // search direction of the next step; nil if there is none
	pool    *Pool

	nonzeros store.Nonzeros // reader of sparse rows; nil if the Hessian is not summed by nonzeros
	pixels   *pixelRows     // rows as bytes, and their Hessian; nil if it is not summed from bytes
	m        []float64      // margin of each row: label times score, minus the target
	v        []float64      // weights minus the prior's; then the bias feature's weight, if any
	h        float64        // width of the zone around the kink; 1 for a loss without a kink
	minH     float64        // least width of the zone: h is reduced only while it is above minH
	target   float64        // relative gap (P - D)/D at which the iterations end

	// sums are the sums of c_i*a_i*y_i*x_i for the a_i in a. If the bias has no penalty, sums[0] is
	// over the rows with a_i*y_i > 0 and sums[1] over the others, so that they can be balanced.
	sums [2][]float64
	a    []float32 // current dual variable a_i of each row

	// The best weights so far, by P, and the best dual variables, by D.
	bestP, bestD float64
	bestV        []float64
	bestA        []float32
	bestH        float64 // width of the zone for which bestA was computed

	state      state
	stall      Stall
	recomputed bool // recoverOrStop has recomputed the margins, which it does only once

	// interrupted is set when the context was done within an iteration. The state is then in the
	// middle of an iteration and can't be used; a resumed run repeats the iteration.
	interrupted atomic.Bool

	past Past
}

// Past is the history of a Method. A resumed run repeats its iterations.
type Past struct {
	Iterations int   `json:"iterations"`        // iterations taken
	Retries    []int `json:"retries,omitempty"` // numbers of iterations after which Retry was called
}

// Fits reports whether p can be the history after a run of the given number of epochs.
func (p Past) Fits(epochs int) bool {
	return p.Iterations >= 0 && p.Iterations <= epochs && len(p.Retries) <= Retries+1 &&
		slices.IsSorted(p.Retries) &&
		(len(p.Retries) == 0 || p.Retries[0] >= 0 && p.Retries[len(p.Retries)-1] <= p.Iterations)
}

// New returns a Method that ends when the relative gap is at most 0.8 (gapMargin) times tol; a tol
// of 0 means 0.1 %. The Method calls load when the first iteration begins or the first result is
// asked for.
func New(pool *Pool, tol float64, load func() *Problem) *Method {
	return &Method{load: load, pool: pool, threads: 1, target: gapMargin * cmp.Or(tol, defaultTol)}
}

// Repeat sets the history of a new Method. The Method repeats the iterations in past, in the given
// number of goroutines, when its first iteration begins or its first result is asked for.
func (n *Method) Repeat(past Past, threads int) {
	n.past = Past{past.Iterations, slices.Clone(past.Retries)}
	n.threads = threads
}

// Past returns a copy of the history of n.
func (n *Method) Past() Past { return Past{n.past.Iterations, slices.Clone(n.past.Retries)} }

// Works reports whether more iterations are needed.
func (n *Method) Works() bool { return n.state == works }

// Stuck reports whether more iterations would not reduce the gap.
func (n *Method) Stuck() bool { return n.state == stuck }

// Interrupted reports whether an iteration was interrupted because the context was done.
func (n *Method) Interrupted() bool { return n.interrupted.Load() }

// begin prepares the first iteration, which starts from the given weights and bias. If exact is
// true, the margins are computed from float64 dot products. Otherwise they are computed from
// float32 dot products, and shrink is called.
func (n *Method) begin(w []float32, bias float64, exact bool) {
	rows := len(n.p.Rows)
	n.hinge = n.p.Weight == nil && n.p.Target == nil && n.p.Loss.Kind == loss.Hinge
	n.nonzeros = n.nonzerosReader()
	n.pixels = n.newPixels()
	n.v = floats.Float64s(w)
	if n.p.Beta > 0 {
		n.v = append(n.v, bias/n.p.Beta)
	}
	n.m, n.a, n.bestA = make([]float64, rows), make([]float32, rows), make([]float32, rows)
	n.sums[0] = make([]float64, len(n.v))
	if n.p.Free {
		n.sums[1] = make([]float64, len(n.v))
	}
	if n.setMargins(exact); !exact {
		n.shrink()
	}
	n.h, n.minH = n.firstWidth()
	n.bestP, n.bestD, n.stall.Falling = math.Inf(1), math.Inf(-1), math.Inf(1)
	n.bestV = slices.Clone(n.v)
}

// shrink multiplies the weights by the best power of two below 1, or by 0, if their objective P is
// not below that of w = 0. Pegasos steps without an offset leave weights that are far too long. If
// the columns have unequal scales, the direction of such weights is still a better start than 0.
func (n *Method) shrink() {
	zero := n.p.AtZero()
	if n.objective(1) < zero {
		return
	}
	by := n.shrinkFactor(zero)
	for j := range n.v {
		n.v[j] *= by
	}
	n.setMargins(false)
}

// shrinkFactor returns the factor by which shrink multiplies the weights; zero is the objective P
// of w = 0. P is a convex function of the factor. The factors 1/2, 1/4 and so on are therefore
// tried on a sample of the rows until P rises. If the sample does not have all rows, P of the best
// factor and of its neighbors is then computed with all rows, as long as the next factor is better.
func (n *Method) shrinkFactor(zero float64) float64 {
	const sample, maxShift = 2048, 100 // rows in the sample, and the largest k of the factors 2^-k
	rows := len(n.p.Rows)
	step := max(1, rows/sample)
	sampled := func(times float64) float64 {
		return n.penalty(times) + n.losses(times, 0, rows, step)/float64((rows+step-1)/step)
	}
	best, least := 0, zero
	if step > 1 {
		least = sampled(0)
	}
	for k := 1; k <= maxShift; k++ {
		f := sampled(math.Ldexp(1, -k))
		if best > 0 && f > least {
			break
		}
		if f < least {
			best, least = k, f
		}
	}
	if step > 1 && best > 0 {
		least = n.objective(math.Ldexp(1, -best))
		for _, to := range [2]int{-1, 1} {
			for k := best + to; k > 0 && k <= maxShift; k += to {
				f := n.objective(math.Ldexp(1, -k))
				if !(f < least) {
					break
				}
				best, least = k, f
			}
		}
	}
	if best == 0 || !(least < zero) {
		return 0
	}
	return math.Ldexp(1, -best)
}

// computeDirection does the first part of an iteration: it evaluates the weights, narrows the zone
// while the smoothing gap dominates P - D, and sets n.line to the search direction. n.line stays
// nil if the iterations end or restart here.
func (n *Method) computeDirection() {
	n.Ready()
	n.threads = min(n.threads, n.p.usefulThreads())
	if n.state != works {
		return
	}
	n.pool.get(n)
	defer n.pool.put(n)
	n.past.Iterations++
	for {
		at := n.evaluate()
		switch {
		case n.over():
		case !floats.IsFinite(at.p) || !floats.IsFinite(at.d):
			n.state = stuck
		case proof.Gap(n.bestP, n.bestD) <= n.target:
			n.state = done
		case n.narrow(at):
			continue
		case n.stall.Over(n.bestP-n.bestD, n.past.Iterations, Patience) || !n.findDirection(at):
			n.recoverOrStop()
		}
		return
	}
}

// narrow reduces the width h of the zone if the smoothing gap dominates P - D and h is above minH.
// It reports whether it reduced h.
func (n *Method) narrow(at evaluation) bool {
	if !TooWide(at.optimization, at.smoothing) || n.h <= n.minH {
		return false
	}
	by := math.Sqrt(at.smoothing / float64(n.target/2*at.p))
	for by > 4 {
		by = math.Sqrt(by) // several smaller reductions have the same effect
	}
	n.h /= max(1.4, by)
	return true
}

// recoverOrStop must be called if P - D no longer falls or there is no search direction. The first
// time it restarts from the best weights with exact margins; after that it sets the state to stuck.
func (n *Method) recoverOrStop() {
	switch {
	case n.over():
	case n.recomputed:
		n.state = stuck
	default:
		n.recomputed = true
		n.restart()
	}
}

// Retry must be called if the proven gap of the result is too large. The iterations then continue
// from the best weights, with half the target gap. If Retry was called Retries times before, the
// state becomes stuck instead. A Method that is stuck stays stuck.
func (n *Method) Retry() {
	n.Ready()
	n.past.Retries = append(n.past.Retries, n.past.Iterations)
	switch {
	case n.over() || n.state == stuck:
	case len(n.past.Retries) > Retries:
		n.state = stuck
	default:
		n.target /= 2
		n.state = works
		n.restart()
	}
}

// restart sets v to the best weights, rounded to float32 as in the written model, and recomputes
// the margins from float64 dot products.
func (n *Method) restart() {
	copy(n.v, n.bestV)
	for j, z := range n.v[:n.p.Cols] {
		n.v[j] = float64(float32(z))
	}
	n.setMargins(true)
	n.bestP = math.Inf(1)
	n.stall = Stall{n.past.Iterations, math.Inf(1)}
}

// Result writes the best weights to w and returns their bias. If there is a prior, both are
// differences from the prior's.
func (n *Method) Result(w []float32) (bias float64) {
	n.Ready()
	for j := range w {
		w[j] = float32(n.bestV[j])
	}
	return n.biasOf(n.bestV)
}

// Width returns the width of the zone with which the best dual variables were computed; 0 if the
// loss has no kink.
func (n *Method) Width() float64 {
	n.Ready()
	if !n.p.Loss.Kind.Traits().Kinks {
		return 0
	}
	return n.bestH
}

// Duals writes the best dual variables to a: the dual variable of row j to a[Problem.Rows[j]].
func (n *Method) Duals(a []float32) {
	n.Ready()
	for j, i := range n.p.Rows {
		a[i] = n.bestA[j]
	}
}

// firstWidth returns the initial width h of the zone, and the least width minH, which is 2^-40
// times h. Both are 1 for a loss without a kink. Initially the zone has about 15 % of the rows, or
// three rows for each variable if that is more and there are enough rows.
func (n *Method) firstWidth() (h, minH float64) {
	if !n.p.Loss.Kind.Traits().Kinks {
		return 1, 1
	}
	const sample = 2048
	rows := len(n.p.Rows)
	step := max(1, rows/sample)
	var distances []float64 // distances of a sample of the margins from the kink
	for j := 0; j < rows; j += step {
		distances = append(distances, n.p.Loss.KinkDistance(n.m[j]))
	}
	slices.Sort(distances)
	farthest := distances[len(distances)-1]
	inside := max(0.15*float64(rows), float64(min(3*len(n.v), rows-1)))
	h = 2 * distances[min(len(distances)-1, int(inside/float64(step)))]
	h = max(h, 1e-4*min(farthest, 1))
	if !(h > 0) || math.IsInf(h, 0) {
		h = 1
	}
	return h, 0x1p-40 * h
}

// Ready loads the problem and repeats the iterations in n.past. It does nothing if the problem is
// already loaded.
func (n *Method) Ready() {
	if n.p != nil {
		return
	}
	n.p = n.load()
	w, bias := n.p.Start()
	n.begin(w, bias, false)
	past := n.past
	n.past = Past{}
	for !n.over() {
		for _, after := range past.Retries {
			if after == n.past.Iterations {
				n.Retry()
			}
		}
		if n.past.Iterations >= past.Iterations || n.state != works {
			return
		}
		Iterate([]*Method{n}, n.threads)
	}
	n.past = past
}
