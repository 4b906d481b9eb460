package newton

import (
	"cmp"
	"context"
	"sync"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// MaxKeptBytes limits the Hessians that a Pool's Methods keep between iterations. Tests change it.
var MaxKeptBytes = 1 << 29

type buffers struct {
	dense  *gram.Sum
	sparse *gram.SparseSum
	bytes  *gram.Bytes // if the problem keeps no Hessian
	room   *gram.Buffer
	matrix gram.Matrix // dense, sparse or Method.pixels
	factor *cholesky.Factor
	dim    int
	packed []float32 // one row per goroutine for dense; nonzeros of some rows for sparse
	block  []byte
	index  []int32
	ends   []int // end of each row in packed and index

	changed   []int32 // rows whose a_i has changed; those of chunk k begin at k*chunkRows
	zone      []int32 // stored like changed
	entering  []int32
	leaving   []int32
	curvature []float32 // weight times second derivative of each row of the zone
	was       []float32 // previous a_i of the rows in changed
	weight    []float64 // by index in Problem.X
	only      []uint32  // indices in Problem.X
	parts     [][]float64
}

// Pool holds the rows and buffers that Methods share.
type Pool struct {
	X            store.Rows
	Threads      int
	MaxBuffers   int             // most problems that have buffers at a time; 0 for no limit
	MaxKeptBytes int             // limit besides newton.MaxKeptBytes; 0 for none
	Context      context.Context // interrupts iterations; may be nil

	mu   sync.Mutex
	back sync.Cond
	free []*buffers
	used int
	rows [][]float32 // slices for borrow

	once     sync.Once
	bytes    *store.Pixels // X as bytes if areBytes is true
	areBytes bool
	kept     int // bytes of the kept Hessians
}

// get waits until fewer than MaxBuffers problems have buffers.
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

func (l *Pool) put(b *buffers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, b)
	l.used--
	l.back.Signal()
}

// The contents of the slice are undefined.
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

func (l *Pool) giveBack(v []float32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = append(l.rows, v)
}

// The context is checked before every 16*gramBlock dense rows, 4*gramBlock sparse rows, or
// 2*gramBlock rows that are converted to bytes.
const gramBlock = 256

func (l *Pool) reserve(bytes int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept+bytes > min(cmp.Or(l.MaxKeptBytes, MaxKeptBytes), MaxKeptBytes) {
		return false
	}
	l.kept += bytes
	return true
}

func (l *Pool) pixels() (*store.Pixels, bool) {
	l.once.Do(func() { l.bytes, l.areBytes = store.PixelsOf(l.X, l.Threads) })
	return l.bytes, l.areBytes
}
