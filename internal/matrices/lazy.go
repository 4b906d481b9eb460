package matrices

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/misuse"
)

// A Check says how a lazy matrix is checked: in blocks of 2^Shift rows, each when one of its rows
// is first read.
type Check struct {
	Shift uint
	// Verify, if not nil, is called for the rows from first to end-1 of a block; of a sparse one
	// after their starts were checked and before their columns are. An error of it makes the block
	// bad.
	Verify func(first, end int) error
	// WillNeed, if not nil, is told which rows will soon be read.
	WillNeed WillNeed
}

// WillNeed tells that the rows from first to end-1 will soon be read; 0 and 0 that rows are read in
// order from now on, and not asked for. It is nil for rows that are in memory anyway.
type WillNeed func(first, end int)

// Lazy is NewCSR for arrays that are too long to be read all at once, such as those of a mapped
// file. It checks starts' ends only. The rest is checked in blocks, so that the kernels never get
// an index that wasn't checked.
//
// The rows of a bad block are empty, and Err tells of it: whoever uses a lazy matrix has to ask Err
// in the end. A pass over all rows, such as the trainer's first one, checks all. The slices must
// not change: what was checked isn't checked again.
func Lazy(cols int, starts []int64, indices []int32, values []float32, c Check) (*CSR, error) {
	if err := checkArrays(cols, starts, indices, values); err != nil {
		return nil, err
	}
	m := Trusted(cols, starts, indices, values)
	var err error
	m.guard, err = newGuard(len(starts)-1, c, func(first, end int) error {
		return m.checkBlock(first, end, c.Verify)
	})
	if err != nil {
		return nil, fmt.Errorf("sparse: %w", err)
	}
	return m, nil
}

// Lazy reports whether rows are checked when they are first read.
func (m *CSR) Lazy() bool { return m.guard != nil }

// Sound reports whether all blocks were found to be good, so that no row need be checked any more.
func (m *CSR) Sound() bool { return m.guard.sound() }

// Err returns what is wrong with the first block that was found to be bad so far. It is nil for a
// matrix made by NewCSR.
func (m *CSR) Err() error { return m.guard.firstError() }

// WillNeed returns what is to be told which rows will soon be read, or nil.
func (m *CSR) WillNeed() WillNeed { return m.guard.ahead() }

// CheckAll checks all blocks. If they are good, the matrix is not lazy any more.
func (m *CSR) CheckAll() error {
	if err := m.guard.checkAll(); err != nil {
		return err
	}
	m.guard = nil
	return nil
}

// LazyDense returns the matrix whose rows are in values one after the other, Stride(cols) elements
// each, the first at an address that is a multiple of 64. It keeps the slice, which may be memory
// that can only be read, such as a mapped file: then Row must not be written to. The rows are
// checked as those of Lazy are. Those of a bad block are zeros.
func LazyDense(rows, cols int, values []float32, c Check) (*Dense, error) {
	m, err := denseOf(rows, cols, values)
	if err != nil {
		return nil, err
	}
	m.free = 0
	verify := c.Verify
	if verify == nil {
		verify = func(int, int) error { return nil }
	}
	if m.guard, err = newGuard(rows, c, verify); err != nil {
		return nil, fmt.Errorf("dense: %w", err)
	}
	return m, nil
}

// Lazy reports whether rows are checked when they are first read.
func (m *Dense) Lazy() bool { return m.guard != nil }

// Sound reports whether all blocks were found to be good, so that no row need be checked any more.
func (m *Dense) Sound() bool { return m.guard.sound() }

// Err returns what is wrong with the first block that was found to be bad so far. It is nil unless
// the matrix is lazy.
func (m *Dense) Err() error { return m.guard.firstError() }

// WillNeed returns what is to be told which rows will soon be read, or nil.
func (m *Dense) WillNeed() WillNeed { return m.guard.ahead() }

// CheckAll checks all blocks. If they are good, the matrix is not lazy any more.
func (m *Dense) CheckAll() error {
	if err := m.guard.checkAll(); err != nil {
		return err
	}
	m.guard, m.free = nil, uint(m.rows)
	return nil
}

// admit returns row i, which is out of range or to be checked.
func (m *Dense) admit(i int) []float32 {
	if uint(i) >= uint(m.rows) {
		panic(misuse.Of("row %d of %d", i, m.rows))
	}
	if !m.guard.admits(i) {
		return m.guard.zeros(m.cols)
	}
	return m.values[i*m.stride:][:m.cols:m.cols]
}

// A guard has the state of the blocks of a lazy matrix. A matrix that is not lazy has none.
type guard struct {
	rows     int
	shift    uint // a block has 2^shift rows
	willNeed WillNeed
	// block returns what is wrong with the rows from first to end-1 of a block, or nil.
	block func(first, end int) error
	state []atomic.Uint32 // of each block
	good  atomic.Int64    // how many were found to be good

	mu  sync.Mutex
	bad int // the first bad block
	err error
	row []float32 // zeros
}

func newGuard(rows int, c Check, block func(first, end int) error) (*guard, error) {
	if c.Shift > 62 {
		return nil, fmt.Errorf("blocks of 2^%d rows", c.Shift)
	}
	blocks := 0
	if rows > 0 {
		blocks = (rows-1)>>c.Shift + 1
	}
	return &guard{
		rows: rows, shift: c.Shift, willNeed: c.WillNeed, block: block,
		state: make([]atomic.Uint32, blocks),
	}, nil
}

// States of a block.
const (
	unknown = iota
	good
	bad
)

// admits reports whether row i may be read. It panics if i is out of range, as indexing would.
func (g *guard) admits(i int) bool {
	b := i >> g.shift
	state := g.state[b].Load()
	if state == unknown {
		state = g.check(b)
	}
	return state == good
}

// check finds a block's state. Several goroutines may do so at a time, with the same result.
func (g *guard) check(b int) uint32 {
	err := g.block(b<<g.shift, min(g.rows, (b+1)<<g.shift))
	if err == nil {
		if g.state[b].CompareAndSwap(unknown, good) {
			g.good.Add(1)
		}
		return good
	}
	g.mu.Lock()
	if g.err == nil || b < g.bad {
		g.bad, g.err = b, err
	}
	g.mu.Unlock()
	g.state[b].Store(bad)
	return bad
}

// checkAll checks the blocks in order, up to the first bad one.
func (g *guard) checkAll() error {
	if g == nil {
		return nil
	}
	for b := range g.state {
		if !g.admits(b << g.shift) {
			return g.firstError()
		}
	}
	return nil
}

func (g *guard) sound() bool { return g == nil || int(g.good.Load()) == len(g.state) }

func (g *guard) ahead() WillNeed {
	if g == nil {
		return nil
	}
	return g.willNeed
}

// firstError returns what is wrong with the first bad block so far.
func (g *guard) firstError() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// zeros returns what stands for a row of a bad block of a dense matrix.
func (g *guard) zeros(cols int) []float32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.row == nil {
		g.row = aligned(cols)
	}
	return g.row
}

func (m *CSR) checkBlock(first, end int, verify func(first, end int) error) error {
	for i := first; i < end; i++ {
		if err := m.checkStart(i); err != nil {
			return err
		}
	}
	if verify != nil {
		if err := verify(first, end); err != nil {
			return err
		}
	}
	for i := first; i < end; i++ {
		if err := m.checkColumns(i); err != nil {
			return err
		}
	}
	return nil
}
