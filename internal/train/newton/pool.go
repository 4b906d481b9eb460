package newton

import (
	"context"
	"sync"

	"github.com/pegasimd/pegasimd/internal/cholesky"
	"github.com/pegasimd/pegasimd/internal/gram"
	"github.com/pegasimd/pegasimd/internal/store"
)

// buffers holds the memory that one problem needs while its direction is computed.
type buffers struct {
	dense  *gram.Sum       // Hessian over dense rows
	sparse *gram.SparseSum // Hessian over sparse rows
	bytes  *gram.Bytes     // Hessian over rows of bytes, unless the problem keeps its own
	room   *gram.Buffer    // buffer for any gram.Bytes
	matrix gram.Matrix     // Hessian in use: one of the above, or the problem's pixels
	factor *cholesky.Factor
	dim    int       // dimension of the Hessian
	packed []float32 // one row per goroutine for dense, or the nonzeros of some rows for sparse
	block  []byte    // rows of bytes
	index  []int32   // columns of the nonzeros in packed
	ends   []int     // end of each row in packed and index

	changed   []int32     // rows whose a_i has changed; chunk k's list begins at k*chunkRows
	zone      []int32     // rows with a curvature above 0; chunk k's list begins at k*chunkRows
	entering  []int32     // rows to be added to a kept Hessian
	leaving   []int32     // rows to be removed from a kept Hessian
	curvature []float32   // c_i*b_i (doc.go) of each row of the zone
	was       []float32   // a_i of each row before it changed
	ones      []float32   // 1 for each row of the store, for store.Sum
	weight    []float64   // factor of each row of the store in addRows
	only      []uint32    // buffer: the rows that addRows adds
	parts     [][]float64 // sums of the parts into which addRows cuts the rows
}

// Pool holds what the methods of a run share: the rows, and buffers to compute a direction with.
type Pool struct {
	X            store.Rows      // rows of the data, in the fastest format
	Threads      int             // goroutines that convert X to bytes
	MaxBuffers   int             // largest number of buffers in use; 0 for no limit
	MaxKeptBytes int             // bytes for Hessians kept between iterations; 0 for MaxKeptBytes
	Context      context.Context // interrupts iterations when it is done; may be nil

	mu   sync.Mutex
	back sync.Cond  // signaled when buffers are returned
	free []*buffers // buffers that are not in use
	used int        // number of buffers in use

	once     sync.Once
	bytes    *store.Pixels // X as bytes, if areBytes; set by once
	areBytes bool          // whether the values of X can be bytes; set by once
	kept     int           // bytes of the Hessians that methods keep
}

// get lends buffers to n. It waits while MaxBuffers of them are in use.
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

// gramBlock is the number of rows of which a multiple is added up between checks of the context.
const gramBlock = 256

// fit sets the Hessian in use to that of n, and makes all buffers large enough for n.
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

// over reports whether the context was done in this call or an earlier one. Everything that the
// method computes after that is invalid.
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

// dim returns the number of variables of the equations. A bias without a penalty is not one of
// them, because the centering separates it from the others.
func (n *Method) dim() int {
	if n.p.Free {
		return len(n.v) - 1
	}
	return len(n.v)
}
