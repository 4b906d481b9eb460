package newton

import (
	"cmp"
	"context"
	"sync"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// MaxKeptBytes limits the bytes of all Hessians together that are kept between iterations. A
// problem whose Hessian does not fit sums it over all rows of the zone in each iteration. Only
// tests change MaxKeptBytes.
var MaxKeptBytes = 1 << 29

// buffers holds the memory that one problem needs while its search direction is computed.
type buffers struct {
	dense  *gram.Sum       // Hessian over dense rows
	sparse *gram.SparseSum // Hessian over sparse rows
	bytes  *gram.Bytes     // Hessian over rows of bytes, unless the problem keeps its own
	room   *gram.Buffer    // scratch memory of gram.Bytes
	matrix gram.Matrix     // Hessian in use: dense, sparse or Method.pixels
	factor *cholesky.Factor
	dim    int       // dimension of the Hessian
	packed []float32 // one row per goroutine for dense, or nonzeros of some rows for sparse
	block  []byte    // some rows as bytes
	index  []int32   // columns of the nonzeros in packed
	ends   []int     // end of each row in packed and index

	changed   []int32     // rows with a changed dual variable; chunk k's begin at k*chunkRows
	zone      []int32     // rows with a curvature above 0; chunk k's begin at k*chunkRows
	entering  []int32     // rows to be added to a kept Hessian
	leaving   []int32     // rows to be removed from a kept Hessian
	curvature []float32   // weight times second derivative of each row of the zone
	was       []float32   // dual variable of each row before it changed
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
	back sync.Cond   // signaled when buffers are returned
	free []*buffers  // buffers that are not in use
	used int         // number of buffers in use
	rows [][]float32 // slices with an element per row that are not in use

	once     sync.Once
	bytes    *store.Pixels // X as bytes, if areBytes; set by once
	areBytes bool          // whether the values of X can be bytes; set by once
	kept     int           // bytes of the Hessians kept between iterations
}

// get lends buffers. While MaxBuffers problems have buffers, it waits.
func (l *Pool) get() *buffers {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.back.L = &l.mu
	for l.MaxBuffers > 0 && l.used >= l.MaxBuffers {
		l.back.Wait()
	}
	l.used++
	k := len(l.free)
	if k == 0 {
		return new(buffers)
	}
	b := l.free[k-1]
	l.free = l.free[:k-1]
	return b
}

// put takes the buffers b back.
func (l *Pool) put(b *buffers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, b)
	l.used--
	l.back.Signal()
}

// borrow lends a slice with an element for each of the given number of rows. Its contents are
// undefined.
func (l *Pool) borrow(rows int) []float32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := len(l.rows) - 1; k >= 0 {
		v := l.rows[k]
		if l.rows = l.rows[:k]; cap(v) >= rows {
			return v[:rows]
		}
	}
	return make([]float32, rows)
}

// giveBack takes a slice from borrow back.
func (l *Pool) giveBack(v []float32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = append(l.rows, v)
}

// gramBlock is the unit in which rows are added to a Hessian: between two checks of the context, a
// multiple of gramBlock rows is added, or the rest of the rows.
const gramBlock = 256

// reserve reports whether a Hessian of the given number of bytes may be kept between iterations. If
// so, it adds the number to l.kept.
func (l *Pool) reserve(bytes int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept+bytes > min(cmp.Or(l.MaxKeptBytes, MaxKeptBytes), MaxKeptBytes) {
		return false
	}
	l.kept += bytes
	return true
}

// pixels returns the rows l.X as bytes. It reports false if bytes can't represent their values.
func (l *Pool) pixels() (*store.Pixels, bool) {
	l.once.Do(func() { l.bytes, l.areBytes = store.PixelsOf(l.X, l.Threads) })
	return l.bytes, l.areBytes
}
