package newton

import (
	"context"
	"sync"

	"github.com/pegasimd/pegasimd/internal/cholesky"
	"github.com/pegasimd/pegasimd/internal/gram"
	"github.com/pegasimd/pegasimd/internal/store"
)

// buffers are what the iterations of one problem at a time need.
type buffers struct {
	sum    *gram.Sum   // of dense rows
	wide   *gram.Wide  // of rows with few nonzeros
	bytes  *gram.Bytes // of rows of bytes
	room   *gram.Room  // for those
	matrix gram.Matrix // the one that is wanted
	factor *cholesky.Factor
	dim    int       // of the matrix
	packed []float32 // a row of each goroutine for sum, or the values of some for wide
	block  []byte    // rows for bytes
	index  []int32   // the columns of sparse ones
	ends   []int     // and where each of those ends

	changed []int32   // the places of rows whose a has changed, from each chunk's first on
	zone    []int32   // the places of rows with a second derivative, likewise
	come    []int32   // the places of rows that are to be added to a sum of bytes
	left    []int32   // and of those to be taken away
	bend    []float32 // c_i*f”(m_i) of each row
	was     []float32 // a before it has changed
	ones    []float32 // by the rows' numbers in the store, for store.Sum
	weight  []float64 // likewise
	only    []uint32
	parts   [][]float64
}

// A Pool is what the problems of a run share: the rows, and buffers for the problem that comes
// next, of which there are as many as problems iterate at the same time.
type Pool struct {
	X       store.Rows // of the data, in the form that is fastest
	Threads int
	Most    int             // buffers for which there is memory; 0 for any number
	Kept    int             // bytes of sums that problems may keep; 0 for PixelsKept
	Until   context.Context // ends iterations before they are done; nil for none

	mu   sync.Mutex
	back sync.Cond // told when buffers are put back
	free []*buffers
	used int // those that are not free

	once     sync.Once
	bytes    *store.Pixels // X, if areBytes, both known when once is done
	areBytes bool
	kept     int // bytes of sums that problems keep
}

// get gives n buffers, and put takes them back.
func (l *Pool) get(n *Method) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.back.L = &l.mu
	for l.Most > 0 && l.used >= l.Most {
		l.back.Wait()
	}
	l.used++
	n.buffers = &buffers{}
	if k := len(l.free); k > 0 {
		n.buffers, l.free = l.free[k-1], l.free[:k-1]
	}
	n.buffers.fit(n)
}

func (l *Pool) put(n *Method) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, n.buffers)
	n.buffers = nil
	l.used--
	l.back.Signal()
}

// gramBlock is a number of rows between two looks at the context.
const gramBlock = 256

// fit makes the buffers large enough.
func (b *buffers) fit(n *Method) {
	rows, solved := len(n.p.Rows), n.solved()
	if b.factor == nil || b.dim != solved {
		b.dim, b.factor = solved, cholesky.New(solved)
		b.sum, b.wide, b.parts = nil, nil, nil
	}
	switch {
	case n.few != nil:
		if b.wide == nil {
			b.wide = gram.NewWide(solved)
			b.index = []int32{} // nil would be the columns of dense rows
		}
		b.matrix = b.wide
	case n.pixels != nil:
		b.matrix = n.pixels
	default:
		if b.sum == nil {
			b.sum = gram.New(solved)
		}
		b.matrix = b.sum
	}
	if len(b.bend) < rows {
		b.bend, b.was = make([]float32, rows), make([]float32, rows)
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

// over reports whether the context is done. It stays so: what is found after that is of no use.
func (n *Method) over() bool {
	if n.pool.Until != nil && n.pool.Until.Err() != nil {
		n.cut.Store(true)
	}
	return n.cut.Load()
}

// biasOf returns the bias that weights have at their end, 0 without one.
func (n *Method) biasOf(v []float64) float64 {
	if n.p.Beta == 0 {
		return 0
	}
	return float64(n.p.Beta * v[n.p.Cols])
}

// solved returns how many variables the equations have: a bias without a penalty is found apart.
func (n *Method) solved() int {
	if n.p.Free {
		return len(n.v) - 1
	}
	return len(n.v)
}
