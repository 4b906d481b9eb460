package newton

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
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

	nonzeros *store.Nonzeros // reader of sparse rows; nil if the Hessian is not summed by nonzeros
	pixels   *pixelRows      // rows as bytes, and their Hessian; nil if it is not summed from bytes
	m        []float64       // margin of each row: label times score, minus the target
	v        []float64       // weights minus the prior's; then the bias feature's weight, if any
	h        float64         // width of the zone around the kink; 1 for a loss without a kink
	minH     float64         // least width of the zone: h is reduced only while it is above minH
	target   float64         // relative gap (P - D)/D at which the iterations end

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

// direction is the search direction of an iteration.
type direction struct {
	p     []float64 // direction of the weights, then of the weight of the bias's feature
	step  []float32 // direction of the weights as float32, without the bias
	slope float64   // derivative of the smoothed objective along p, below 0
	q     []float32 // derivative of each row's margin along p
}

// over reports whether the context is done or was done in an earlier call. Everything that n
// computes after that is invalid.
func (n *Method) over() bool {
	if n.pool.Context != nil && n.pool.Context.Err() != nil {
		n.interrupted.Store(true)
	}
	return n.interrupted.Load()
}

// biasOf returns the bias of the weights v, from their last element; 0 without a bias.
func (n *Method) biasOf(v []float64) float64 {
	if n.p.Beta == 0 {
		return 0
	}
	return float64(n.p.Beta * v[n.p.Cols])
}

// dim returns the dimension of the Hessian: the number of elements of v. A bias without a penalty
// is not counted, because centering the rows separates it from the weights.
func (n *Method) dim() int {
	if n.p.Free {
		return len(n.v) - 1
	}
	return len(n.v)
}

// chunkRows is the number of rows that one goroutine sums up on its own. The chunks' sums are then
// added in order, so that the number of goroutines changes no bit.
const chunkRows = 4096

// forChunks calls f in parallel for each chunk of the rows: the rows j with from <= j < to.
func (n *Method) forChunks(f func(from, to int)) {
	mapChunks(n, func(from, to int) (none struct{}) {
		f(from, to)
		return none
	})
}

// mapChunks returns the results of f for each chunk of the rows, in order. A chunk has the rows j
// with from <= j < to. After an interruption mapChunks no longer calls f, and the remaining results
// are zero values.
func mapChunks[T any](n *Method, f func(from, to int) T) []T {
	rows := len(n.p.Rows)
	all := make([]T, (rows+chunkRows-1)/chunkRows)
	parallel.For(n.threads, len(all), func(_, k int) {
		if !n.over() {
			all[k] = f(k*chunkRows, min((k+1)*chunkRows, rows))
		}
	})
	return all
}
