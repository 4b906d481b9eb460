package matrices

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Check configures the checks of a lazy matrix: blocks of 2^Shift rows are checked when a row is
// first read.
type Check struct {
	Shift uint
	// Verify, if not nil, checks rows start to end-1, a block. In a sparse block, it is called
	// between the checks of row starts and of columns. An error makes the block bad.
	Verify func(start, end int) error
	// WillNeed, if not nil, is called with the rows that will soon be read.
	WillNeed WillNeed
}

// WillNeed announces that rows start to end-1 will soon be read. WillNeed(0, 0) announces that all
// further reads are in order of rows.
type WillNeed func(start, end int)

// Guard stores which blocks of a lazy matrix have been checked, and the results. The Guard of other
// matrices is nil, but its exported methods may be called.
type Guard struct {
	rows       int
	shift      uint
	willNeed   WillNeed
	verify     func(start, end int) error
	state      []atomic.Uint32
	goodBlocks atomic.Int64

	mu       sync.Mutex
	firstBad int // lowest index of a block found bad so far, if err is not nil
	err      error
}

func newGuard(rows int, c Check, block func(first, end int) error) (*Guard, error) {
	if c.Shift > 62 {
		return nil, fmt.Errorf("blocks of 2^%d rows: want at most 2^62", c.Shift)
	}
	blocks := 0
	if rows > 0 {
		blocks = (rows-1)>>c.Shift + 1
	}
	return &Guard{
		rows: rows, shift: c.Shift, willNeed: c.WillNeed, verify: block,
		state: make([]atomic.Uint32, blocks),
	}, nil
}

const (
	unchecked = iota
	good
	bad
)

func (g *Guard) admits(i int) bool {
	b := i >> g.shift
	state := g.state[b].Load()
	if state == unchecked {
		state = g.check(b)
	}
	return state == good
}

func (g *Guard) check(b int) uint32 {
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

func (g *Guard) checkAll() error {
	if g == nil {
		return nil
	}
	for b := range g.state {
		if !g.admits(b << g.shift) {
			return g.Err()
		}
	}
	return nil
}

// Verified reports whether all blocks have been found good.
func (g *Guard) Verified() bool { return g == nil || int(g.goodBlocks.Load()) == len(g.state) }

// WillNeed returns the Check's WillNeed; nil for a nil Guard.
func (g *Guard) WillNeed() WillNeed {
	if g == nil {
		return nil
	}
	return g.willNeed
}

// Err returns the error of the bad block with the lowest index so far, or nil.
func (g *Guard) Err() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
