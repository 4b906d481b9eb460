package newton

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

const (
	// defaultTol is the relative gap (P - D)/D for a tol of 0.
	defaultTol = 1e-3
	// gapMargin is the fraction of the relative gap tol at which a Method ends. The rest of tol is
	// left for rounding errors, which the proof of the gap adds.
	gapMargin = 0.8
	// Retries is the largest number of times that Retry lets a Method continue.
	Retries = 5
	// Patience is the number of iterations in which P - D must fall by a tenth.
	Patience = 20
	// MaxColumns is the largest number of columns for which the trainer chooses Newton's method
	// without being told to. Package rounds has no such limit for the log loss.
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
	load    func() *Problem // called once
	p       *Problem        // nil until Ready or Bound loads it
	hinge   bool            // hinge loss without row weights and targets: see hinge.go
	threads int
	buffers *buffers   // lent by pool while a direction is computed; else nil
	line    *direction // search direction of the next step; nil if there is none
	pool    *Pool

	nonzeros *store.Nonzeros // reader of sparse rows; nil if the Hessian is not summed by nonzeros
	pixels   *pixelRows      // rows as bytes and their Hessian; nil if bytes are not used
	m        []float64       // margin of each row: label times score, minus the target
	v        []float64       // weights minus the prior's; then the bias feature's weight, if any
	h        float64         // width of the zone around the kink; 1 for a loss without a kink
	minH     float64         // width at or below which h is not reduced any more
	target   float64         // relative gap (P - D)/D at which the iterations end

	// Sums of c_i*a_i*y_i*x_i. If the bias has no penalty, sums[0] is the sum over the rows
	// with a_i*y_i > 0, but its element for the bias the sum over all rows, and sums[1] is
	// the sum over the other rows. Otherwise sums[0] is the sum over all rows, and sums[1] is
	// nil.
	sums [2][]float64
	a    []float32 // current dual variable a_i of each row

	// The weights with the least P since the last restart, and the dual variables with the largest
	// D of all iterations.
	bestP, bestD float64
	bestV        []float64
	bestA        []float32
	bestH        float64 // width of the zone with which bestA was computed

	state      state
	stall      Stall
	recomputed bool // whether recoverOrStop has restarted the Method, which it does only once

	// interrupted is true once over has found that the context is done. The Method may then be in
	// the middle of an iteration and can't be used; a resumed run repeats the iteration.
	interrupted atomic.Bool

	past Past
}

// Past is the history of a Method, which a resumed run repeats.
type Past struct {
	Iterations int   `json:"iterations"`
	Retries    []int `json:"retries,omitempty"` // value of Iterations at each call of Retry
}

// Fits reports whether p can be the history after a run of the given number of epochs.
func (p Past) Fits(epochs int) bool {
	return p.Iterations >= 0 && p.Iterations <= epochs && len(p.Retries) <= Retries+1 &&
		slices.IsSorted(p.Retries) &&
		(len(p.Retries) == 0 || p.Retries[0] >= 0 && p.Retries[len(p.Retries)-1] <= p.Iterations)
}

// New returns a Method that ends when the relative gap is at most gapMargin times tol; a tol of 0
// means defaultTol. The Method calls load before its first iteration or its first result.
func New(pool *Pool, tol float64, load func() *Problem) *Method {
	return &Method{load: load, pool: pool, threads: 1, target: gapMargin * cmp.Or(tol, defaultTol)}
}

// Repeat sets the history of a new Method, which repeats these iterations, in the given number of
// goroutines, before its first iteration or its first result.
func (n *Method) Repeat(past Past, threads int) {
	n.past = Past{past.Iterations, slices.Clone(past.Retries)}
	n.threads = threads
}

func (n *Method) Past() Past { return Past{n.past.Iterations, slices.Clone(n.past.Retries)} }

func (n *Method) Works() bool { return n.state == works }

func (n *Method) Stuck() bool { return n.state == stuck }

func (n *Method) Interrupted() bool { return n.interrupted.Load() }

type direction struct {
	p     []float64 // elements for the weights and, if there is a bias, the bias feature's weight
	step  []float32 // p as float32, without the bias
	slope float64   // derivative of the smoothed objective along p, below 0
	q     []float32 // derivative of each row's margin along p
}

// over reports whether the context is done or was done in an earlier call. Results that n computes
// after the context is done are invalid.
func (n *Method) over() bool {
	if n.pool.Context != nil && n.pool.Context.Err() != nil {
		n.interrupted.Store(true)
	}
	return n.interrupted.Load()
}

func (n *Method) biasOf(v []float64) float64 {
	if n.p.Beta == 0 {
		return 0
	}
	return float64(n.p.Beta * v[n.p.Cols])
}

// dim returns the dimension of the Hessian: the number of elements of v, minus 1 if the bias has no
// penalty, because centering the rows separates such a bias from the weights.
func (n *Method) dim() int {
	if n.p.Free {
		return len(n.v) - 1
	}
	return len(n.v)
}

// chunkRows is the number of rows in a chunk. One goroutine computes the sums over a chunk. The
// chunks' sums are then added in order, so that the number of goroutines changes no bit.
const chunkRows = 4096

func (n *Method) forChunks(f func(from, to int)) {
	mapChunks(n, func(from, to int) (none struct{}) {
		f(from, to)
		return none
	})
}

// mapChunks returns the results of f for each chunk of the rows, in order. A chunk has the rows j
// with from <= j < to. After an interruption the results are incomplete.
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
