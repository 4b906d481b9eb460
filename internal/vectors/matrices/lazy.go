package matrices

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Check configures the checks of a lazy matrix: blocks of 2^Shift rows are checked, each when one
// of its rows is first read.
type Check struct {
	Shift uint
	// Verify, if not nil, is called for the rows start to end-1 of a block; for a sparse block
	// after the check of its row starts and before the check of its columns. An error makes the
	// block bad.
	Verify func(start, end int) error
	// WillNeed, if not nil, is called with the rows that will soon be read.
	WillNeed WillNeed
}

// WillNeed announces that the rows start to end-1 will soon be read. WillNeed(0, 0) announces that
// rows will be read in order from now on, without further announcements. A nil WillNeed means that
// all rows are in memory.
type WillNeed func(start, end int)

// Lazy is NewCSR for arrays that are too long to be read when the matrix is made, for example in a
// mapped file. Lazy makes only the checks that need no pass over the arrays. The rest is checked in
// blocks of rows, before the kernels get any index of the block.
//
// The rows of a bad block are empty, and Err returns the block's error: users of a lazy matrix must
// call Err after reading it. A pass over all rows, such as the trainer's first one, checks every
// block. The slices must not change: checks are not repeated.
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

// Verified reports whether all blocks have been found good, so that no row needs a check any more.
func (m *CSR) Verified() bool { return m.guard.verified() }

// Err returns the error of the first bad block among those checked so far. It is nil for a matrix
// made by NewCSR.
func (m *CSR) Err() error { return m.guard.firstError() }

// WillNeed returns the WillNeed of the Check given to Lazy, or nil if the matrix is not lazy.
func (m *CSR) WillNeed() WillNeed { return m.guard.announce() }

// CheckAll checks all blocks. If all are good, the matrix is no longer lazy.
func (m *CSR) CheckAll() error {
	if err := m.guard.checkAll(); err != nil {
		return err
	}
	m.guard = nil
	return nil
}

// LazyDense returns the matrix whose rows are in values one after the other, Stride(cols) elements
// each, the first at an address that is a multiple of 64. It keeps the slice, which may be
// read-only memory such as a mapped file: then the slices that Row returns must not be written to.
// The rows are checked in blocks, as by Lazy. The rows of a bad block are zeros.
func LazyDense(rows, cols int, values []float32, c Check) (*Dense, error) {
	m, err := denseOf(rows, cols, values)
	if err != nil {
		return nil, err
	}
	m.trusted = 0
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

// Verified reports whether all blocks have been found good, so that no row needs a check any more.
func (m *Dense) Verified() bool { return m.guard.verified() }

// Err returns the error of the first bad block among those checked so far. It is nil unless the
// matrix is lazy.
func (m *Dense) Err() error { return m.guard.firstError() }

// WillNeed returns the WillNeed of the Check given to LazyDense, or nil if the matrix is not lazy.
func (m *Dense) WillNeed() WillNeed { return m.guard.announce() }

// CheckAll checks all blocks. If all are good, the matrix is no longer lazy.
func (m *Dense) CheckAll() error {
	if err := m.guard.checkAll(); err != nil {
		return err
	}
	m.guard, m.trusted = nil, uint(m.rows)
	return nil
}

// checkedRow returns row i after checking its block. It panics if i is out of range.
func (m *Dense) checkedRow(i int) []float32 {
	if uint(i) >= uint(m.rows) {
		panic(misuse.Of("row %d of %d", i, m.rows))
	}
	if !m.guard.admits(i) {
		return m.guard.zeros(m.cols)
	}
	return m.values[i*m.stride:][:m.cols:m.cols]
}

// guard stores which blocks of a lazy matrix have been checked, and the results. It is nil for
// other matrices.
type guard struct {
	rows     int
	shift    uint // a block has 2^shift rows
	willNeed WillNeed
	// verify returns nil, or the error of the block of the rows start to end-1.
	verify     func(start, end int) error
	state      []atomic.Uint32 // the state of each block
	goodBlocks atomic.Int64    // number of blocks found good

	mu       sync.Mutex
	firstBad int // lowest index of a block found bad so far; unused if err is nil
	err      error
	zeroRow  []float32 // zeros, returned for rows of bad dense blocks; nil until needed
}

func newGuard(rows int, c Check, block func(first, end int) error) (*guard, error) {
	if c.Shift > 62 {
		return nil, fmt.Errorf("blocks of 2^%d rows: want at most 2^62", c.Shift)
	}
	blocks := 0
	if rows > 0 {
		blocks = (rows-1)>>c.Shift + 1
	}
	return &guard{
		rows: rows, shift: c.Shift, willNeed: c.WillNeed, verify: block,
		state: make([]atomic.Uint32, blocks),
	}, nil
}

// The states of a block.
const (
	unchecked = iota
	good
	bad
)

// admits reports whether the block of row i is good. It checks the block if that has not been done.
// It panics if i is out of range, as indexing would.
func (g *guard) admits(i int) bool {
	b := i >> g.shift
	state := g.state[b].Load()
	if state == unchecked {
		state = g.check(b)
	}
	return state == good
}

// check checks block b, stores its state, and returns it. Several goroutines may check the same
// block at the same time, with the same result.
func (g *guard) check(b int) uint32 {
	err := g.verify(b<<g.shift, min(g.rows, (b+1)<<g.shift))
	if err == nil {
		if g.state[b].CompareAndSwap(unchecked, good) {
			g.goodBlocks.Add(1)
		}
		return good
	}
	g.mu.Lock()
	if g.err == nil || b < g.firstBad {
		g.firstBad, g.err = b, err
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

func (g *guard) verified() bool { return g == nil || int(g.goodBlocks.Load()) == len(g.state) }

func (g *guard) announce() WillNeed {
	if g == nil {
		return nil
	}
	return g.willNeed
}

// firstError returns the error of the bad block with the lowest index among those checked so far,
// or nil.
func (g *guard) firstError() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// zeros returns the row of zeros that replaces every row of a bad dense block.
func (g *guard) zeros(cols int) []float32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.zeroRow == nil {
		g.zeroRow = aligned(cols)
	}
	return g.zeroRow
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
