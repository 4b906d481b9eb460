package newton

import (
	"context"
	"sync"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// buffers holds the memory that one problem needs while its search direction is computed.
type buffers struct {
	dense  *gram.Sum       // Hessian over dense rows
	sparse *gram.SparseSum // Hessian over sparse rows
	bytes  *gram.Bytes     // Hessian over rows of bytes, unless the problem keeps its own
	room   *gram.Buffer    // scratch memory of gram.Bytes
	matrix gram.Matrix     // Hessian in use: dense, sparse or Method.pixels
	factor *cholesky.Factor
	dim    int       // dimension of the Hessian
	packed []float32 // for dense: one row per goroutine; for sparse: nonzeros of some rows
	block  []byte    // some rows as bytes
	index  []int32   // columns of the nonzeros in packed
	ends   []int     // end of each row in packed and index

	changed   []int32     // rows with a changed dual variable; chunk k's begin at k*chunkRows
	zone      []int32     // rows with a curvature above 0; chunk k's begin at k*chunkRows
	entering  []int32     // rows to be added to a kept Hessian
	leaving   []int32     // rows to be removed from a kept Hessian
	curvature []float32   // weight times second derivative of each row of the zone
	was       []float32   // dual variable of each row before it changed
	ones      []float32   // 1 for each row of the store, for store.Sum
	weight    []float64   // factor by which addRows multiplies each row of the store
	only      []uint32    // buffer: indices of the rows that addRows adds
	parts     [][]float64 // sums of the parts into which addRows cuts the rows
}

// Pool holds what the Methods of a run share: the rows, and buffers for computing search
// directions.
type Pool struct {
	X            store.Rows      // rows of the data, in the fastest format
	Threads      int             // goroutines that convert X to bytes
	MaxBuffers   int             // largest number of problems with buffers at a time; 0 for no limit
	MaxKeptBytes int             // most bytes of kept Hessians; 0 for newton.MaxKeptBytes
	Context      context.Context // interrupts iterations when it is done; may be nil

	mu   sync.Mutex
	back sync.Cond  // signaled when buffers are returned
	free []*buffers // buffers that are not in use
	used int        // number of buffers in use

	once     sync.Once
	bytes    *store.Pixels // X as bytes, if areBytes; set by once
	areBytes bool          // whether the values of X can be bytes; set by once
	kept     int           // bytes of the Hessians kept between iterations
}

// get lends buffers to n. While MaxBuffers problems have buffers, it waits.
func (l *Pool) get(n *Method) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.back.L = &l.mu
	for l.MaxBuffers > 0 && l.used >= l.MaxBuffers {
		l.back.Wait()
	}
	l.used++
	n.buffers = &buffers{}
	if k := len(l.free); k > 0 {
		n.buffers, l.free = l.free[k-1], l.free[:k-1]
	}
	n.buffers.fit(n)
}

// put takes the buffers of n back.
func (l *Pool) put(n *Method) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, n.buffers)
	n.buffers = nil
	l.used--
	l.back.Signal()
}

// gramBlock is the unit in which rows are added to a Hessian: between two checks of the context, a
// multiple of gramBlock rows is added, or the rest of the rows.
const gramBlock = 256

// fit sets b.matrix to the Hessian that n uses, and makes all buffers large enough for n.
func (b *buffers) fit(n *Method) {
	rows, dim := len(n.p.Rows), n.dim()
	if b.factor == nil || b.dim != dim {
		b.dim, b.factor = dim, cholesky.New(dim)
		b.dense, b.sparse, b.parts = nil, nil, nil
	}
	switch {
	case n.nonzeros != nil:
		if b.sparse == nil {
			b.sparse = gram.NewSparseSum(dim)
			b.index = []int32{} // a nil Index would mean a dense row
		}
		b.matrix = b.sparse
	case n.pixels != nil:
		b.matrix = n.pixels
	default:
		if b.dense == nil {
			b.dense = gram.New(dim)
		}
		b.matrix = b.dense
	}
	if len(b.curvature) < rows {
		b.curvature, b.was = make([]float32, rows), make([]float32, rows)
		b.changed, b.zone = make([]int32, rows), make([]int32, rows)
		b.only = make([]uint32, rows)
	}
	if all := n.p.X.Rows(); len(b.ones) < all {
		b.ones, b.weight = make([]float32, all), make([]float64, all)
		for i := range b.ones {
			b.ones[i] = 1
		}
	}
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
