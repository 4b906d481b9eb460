package newton

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

const (
	// defaultTol is the gap at which the method ends where none is given.
	defaultTol = 1e-3
	// content is the share of the wanted gap that the method itself is content with, for there
	// are roundings between what it knows and what is proven.
	content = 0.8
	// Retries is how often it goes on if that was not enough.
	Retries = 5
	// Patience is the number of iterations in which P - D has to fall by a tenth.
	Patience = 20
	// MostColumns is the most columns for which it is chosen.
	MostColumns = 2000
)

type state uint8

const (
	works state = iota
	done        // its own gap is small enough
	stuck
)

// A Method is Newton's on a problem. An iteration counts as an epoch.
type Method struct {
	load    func() *Problem
	p       *Problem // nil before the first iteration
	quick   bool     // see visitHinge
	threads int
	buffers *buffers   // its own while it looks for a direction
	line    *direction // its own from then on, until it has moved
	pool    *Pool

	few    store.Nonzeros // the rows, where they have few nonzeros; else nil
	pixels *pixelRows     // the rows as bytes, where they are added up so; else nil
	m      []float64      // the margin of each of the rows, less its target
	v      []float64      // w, less the prior, and the weight of the bias's feature if there is one
	h      float64
	least  float64 // of h
	target float64 // the gap that is wanted

	// The sums of c_i*a_i*y_i*x_i, those above and below 0 apart where the bias has no penalty, as
	// their balance is asked for. a has the a_i of all of the rows, of which they are the sums.
	sums [2][]float64
	a    []float32

	// The best so far, by P and by D.
	bestP, bestD float64
	bestV        []float64
	bestA        []float32
	bestH        float64 // the width of bestA

	state   state
	stall   Stall
	renewed bool // the margins were recomputed because it no longer fell

	// Set when the context was done within an iteration, which leaves the method half way: nothing
	// goes on from there, and a resumed run does the iteration again.
	cut atomic.Bool

	past Past
}

// A Past is what a resumed run has to repeat.
type Past struct {
	Iterations int   `json:"iterations"`
	Retries    []int `json:"retries,omitempty"` // the iterations after which it had to go on
}

// Fits reports whether it can be the past of a run of the given epochs.
func (p Past) Fits(epochs int) bool {
	return p.Iterations >= 0 && p.Iterations <= epochs && len(p.Retries) <= Retries+1 &&
		slices.IsSorted(p.Retries) &&
		(len(p.Retries) == 0 || p.Retries[0] >= 0 && p.Retries[len(p.Retries)-1] <= p.Iterations)
}

// New returns the method, which ends at the gap tol, or at 0.1 % for 0. The problem is loaded when
// the first iteration begins, or the first question is asked.
func New(pool *Pool, tol float64, load func() *Problem) *Method {
	return &Method{load: load, pool: pool, threads: 1, target: content * cmp.Or(tol, defaultTol)}
}

// Repeat makes the method one that has this past: it takes the iterations again, with the given
// number of goroutines, when the first question is asked.
func (n *Method) Repeat(past Past, threads int) {
	n.past = Past{past.Iterations, slices.Clone(past.Retries)}
	n.threads = threads
}

// Past returns what a resumed run has to repeat.
func (n *Method) Past() Past { return Past{n.past.Iterations, slices.Clone(n.past.Retries)} }

// Works reports whether there are iterations to be taken, and Stuck whether more are of no use.
func (n *Method) Works() bool { return n.state == works }

func (n *Method) Stuck() bool { return n.state == stuck }

// Cut reports whether an iteration was left half way.
func (n *Method) Cut() bool { return n.cut.Load() }

// begin begins with the given weights: with exact margins, or with weights no worse than 0.
func (n *Method) begin(w []float32, bias float64, exact bool) {
	rows := len(n.p.Rows)
	n.quick = n.p.Weight == nil && n.p.Target == nil && n.p.Loss.Kind == loss.Hinge
	n.few = n.fewNonzeros()
	n.pixels = n.newPixels()
	n.v = floats.Wide(w)
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
	n.h, n.least = n.firstWidth()
	n.bestP, n.bestD, n.stall.Falling = math.Inf(1), math.Inf(-1), math.Inf(1)
	n.bestV = slices.Clone(n.v)
}

// shrink makes weights that are no better than 0 as much shorter as is best: by a power of two, or
// 0. Steps without an offset leave weights that are far too long, on rows of unequal columns in a
// direction that is a better start than 0.
func (n *Method) shrink() {
	zero := n.p.AtZero()
	if n.objective(1) < zero {
		return
	}
	by := n.shorter(zero)
	for j := range n.v {
		n.v[j] *= by
	}
	n.setMargins(false)
}

// shorter returns the factor that shrink multiplies by, zero being P of 0. P of a multiple of v is
// convex, so that powers of two are tried only until they get worse, on a sample of the rows.
// Unless the sample has all rows, the search goes on from the best, with all rows, as long as a
// neighbour is better.
func (n *Method) shorter(zero float64) float64 {
	const sample, most = 2048, 100
	rows := len(n.p.Rows)
	step := max(1, rows/sample)
	few := func(times float64) float64 {
		return n.penalty(times) + n.losses(times, 0, rows, step)/float64((rows+step-1)/step)
	}
	best, least := 0, zero
	if step > 1 {
		least = few(0)
	}
	for k := 1; k <= most; k++ {
		f := few(math.Ldexp(1, -k))
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
			for k := best + to; k > 0 && k <= most; k += to {
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

// aim is the first part of an iteration. It finds the direction to go on in, if there is one.
func (n *Method) aim() {
	n.Ready()
	n.threads = min(n.threads, n.p.busy())
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
		case n.stall.Over(n.bestP-n.bestD, n.past.Iterations, Patience) || !n.direct(at):
			n.renew()
		}
		return
	}
}

// narrow makes h smaller if it is what keeps P and D apart.
func (n *Method) narrow(at place) bool {
	if !TooWide(at.rest, at.smoothing) || n.h <= n.least {
		return false
	}
	by := math.Sqrt(at.smoothing / float64(n.target/2*at.p))
	for by > 4 {
		by = math.Sqrt(by) // the same in two steps
	}
	n.h /= max(1.4, by)
	return true
}

// renew recomputes the margins if that has not been done yet, else gives up.
func (n *Method) renew() {
	switch {
	case n.over():
	case n.renewed:
		n.state = stuck
	default:
		n.renewed = true
		n.fromBest()
	}
}

// Retry goes on after the gap of the model was found to be too large.
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
		n.fromBest()
	}
}

// fromBest goes on from the best weights, as they are written, with their exact margins.
func (n *Method) fromBest() {
	copy(n.v, n.bestV)
	for j, z := range n.v[:n.p.Cols] {
		n.v[j] = float64(float32(z))
	}
	n.setMargins(true)
	n.bestP = math.Inf(1)
	n.stall = Stall{n.past.Iterations, math.Inf(1)}
}

// Result writes the best weights, and returns the bias.
func (n *Method) Result(w []float32) (bias float64) {
	n.Ready()
	for j := range w {
		w[j] = float32(n.bestV[j])
	}
	return n.biasOf(n.bestV)
}

// Width returns the width of the best dual variables; 0 where the loss has no kink.
func (n *Method) Width() float64 {
	n.Ready()
	if !n.p.Loss.Kind.Traits().Kinks {
		return 0
	}
	return n.bestH
}

// Shares writes the best dual variables to a, by the rows' numbers.
func (n *Method) Shares(a []float32) {
	n.Ready()
	for j, i := range n.p.Rows {
		a[i] = n.bestA[j]
	}
}

// firstWidth returns the first width of the zone, and the least there may be. The first is such
// that a part of the rows is in the zone, and at least some for each variable.
func (n *Method) firstWidth() (h, least float64) {
	if !n.p.Loss.Kind.Traits().Kinks {
		return 1, 1
	}
	const sample = 2048
	rows := len(n.p.Rows)
	step := max(1, rows/sample)
	var away []float64
	for j := 0; j < rows; j += step {
		away = append(away, n.p.Loss.FromKink(n.m[j]))
	}
	slices.Sort(away)
	most := away[len(away)-1]
	inside := max(0.15*float64(rows), float64(min(3*len(n.v), rows-1)))
	h = 2 * away[min(len(away)-1, int(inside/float64(step)))]
	h = max(h, 1e-4*min(most, 1))
	if !(h > 0) || math.IsInf(h, 0) {
		h = 1
	}
	return h, 0x1p-40 * h
}

// Ready makes the method what it was when the run was paused: at first, with the weights of the
// step after which it starts.
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
