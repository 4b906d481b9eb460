package newton

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

const (
	defaultTol = 1e-3
	// A Method ends at a relative gap of gapMargin*tol, to leave the rest of tol for rounding
	// errors.
	gapMargin = 0.8
	// Retries is the largest number of times that a Method continues after Retry.
	Retries = 5
	// Patience is the number of iterations in which P - D must fall by a tenth.
	Patience = 20
	// MaxColumns is the largest number of columns for which FinishAuto may choose Newton's method.
	MaxColumns = 2000
)

type state uint8

const (
	works state = iota
	done
	stuck // more iterations would not help
)

type Method struct {
	load    func() *Problem
	p       *Problem
	hinge   bool // the loops of hinge.go apply
	threads int
	buffers *buffers   // lent by pool; nil unless a direction is computed
	line    *direction // nil if there is no step to take
	pool    *Pool

	nonzeros *store.Nonzeros // nil if not used
	pixels   *pixelRows      // nil if not used
	m        []float64       // margins: label times score, minus the target
	v        []float64       // weights minus the prior's; then the bias feature's weight, if any
	h        float64         // width of the zone around a kink; 1 for a loss without kinks
	minH     float64
	target   float64 // relative to D

	// Sums of c_i*a_i*y_i*x_i. If the bias has no penalty, sums[0] is over the rows with a_i*y_i >
	// 0, and sums[1] over the others; else sums[0] is over all rows. The bias's element of sums[0]
	// is always over all rows.
	sums [2][]float64
	a    []float32

	// weights with the least P since the last restart; dual variables with the largest D
	bestP, bestD float64
	bestV        []float64
	bestA        []float32
	bestH        float64 // h of bestA

	state      state
	stall      Stall
	recomputed bool

	// interrupted is set once over finds the context done: the Method can't be used any more.
	interrupted atomic.Bool

	past Past
}

// Past is the history of a Method, from which Repeat reproduces it.
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

// New returns a Method with a target of gapMargin times tol, or times defaultTol if tol is 0.
func New(pool *Pool, tol float64, load func() *Problem) *Method {
	return &Method{load: load, pool: pool, threads: 1, target: gapMargin * cmp.Or(tol, defaultTol)}
}

// Repeat sets the history of a new Method. Ready repeats it in the given number of goroutines.
func (n *Method) Repeat(past Past, threads int) {
	n.past = Past{past.Iterations, slices.Clone(past.Retries)}
	n.threads = threads
}

func (n *Method) Past() Past { return Past{n.past.Iterations, slices.Clone(n.past.Retries)} }

func (n *Method) Works() bool { return n.state == works }

func (n *Method) Stuck() bool { return n.state == stuck }

func (n *Method) Interrupted() bool { return n.interrupted.Load() }

type direction struct {
	p     []float64 // elements as in Method.v
	step  []float32 // p without the bias
	slope float64   // derivative of the smoothed objective along p, below 0
	q     []float32 // derivatives of the margins along p
}

// over reports whether the context is or was done. Once it returns true, results that n computes
// are invalid.
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

// dim returns the dimension of the Hessian: centering removes a bias without a penalty.
func (n *Method) dim() int {
	if n.p.Free {
		return len(n.v) - 1
	}
	return len(n.v)
}

// Sums over chunks are added in order: the bits do not depend on the number of goroutines.
const chunkRows = 4096

func (n *Method) forChunks(f func(from, to int)) {
	mapChunks(n, func(from, to int) (none struct{}) {
		f(from, to)
		return none
	})
}

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
