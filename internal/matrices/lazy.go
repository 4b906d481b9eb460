package matrices

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A Check says how a lazy matrix is checked: in blocks of 2^Shift rows, each when one of its rows
// is first read.
type Check struct {
	Shift uint
	// Verify, if not nil, is called for the rows from first to end-1 of a block, after their starts
	// were checked and before their columns are. An error of it makes the block bad.
	Verify func(first, end int) error
	// WillNeed, if not nil, is told which rows will soon be read.
	WillNeed WillNeed
}

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
	if c.Shift > 62 {
		return nil, fmt.Errorf("sparse: blocks of 2^%d rows", c.Shift)
	}
	rows := len(starts) - 1
	blocks := 0
	if rows > 0 {
		blocks = (rows-1)>>c.Shift + 1
	}
	m := Trusted(cols, starts, indices, values)
	m.willNeed = c.WillNeed
	m.guard = &guard{shift: c.Shift, verify: c.Verify, state: make([]atomic.Uint32, blocks)}
	return m, nil
}

// Lazy reports whether rows are checked when they are first read.
func (m *CSR) Lazy() bool { return m.guard != nil }

// Err returns what is wrong with the first block that was found to be bad so far. It is nil for a
// matrix made by NewCSR.
func (m *CSR) Err() error {
	if m.guard == nil {
		return nil
	}
	m.guard.mu.Lock()
	defer m.guard.mu.Unlock()
	return m.guard.err
}

// Check checks the block of row i, unless that has been done, and returns what is wrong with it.
func (m *CSR) Check(i int) error {
	if !m.Barred(i) {
		return nil
	}
	first := i >> m.guard.shift << m.guard.shift
	return m.checkBlock(first, min(m.Rows(), first+1<<m.guard.shift), m.guard.verify)
}

// A guard has the state of the blocks of a lazy matrix.
type guard struct {
	shift  uint // a block has 2^shift rows
	verify func(first, end int) error
	state  []atomic.Uint32 // of each block

	mu  sync.Mutex
	bad int // the first bad block
	err error
}

// States of a block.
const (
	unknown = iota
	good
	bad
)

// admits reports whether row i may be read. It panics if i is out of range, as indexing would.
func (g *guard) admits(m *CSR, i int) bool {
	b := i >> g.shift
	state := g.state[b].Load()
	if state == unknown {
		state = g.check(m, b)
	}
	return state == good
}

// check finds a block's state. Several goroutines may do so at a time, with the same result.
func (g *guard) check(m *CSR, b int) uint32 {
	first := b << g.shift
	end := min(len(m.starts)-1, (b+1)<<g.shift)
	state := uint32(good)
	if err := m.checkBlock(first, end, g.verify); err != nil {
		g.mu.Lock()
		if g.err == nil || b < g.bad {
			g.bad, g.err = b, err
		}
		g.mu.Unlock()
		state = bad
	}
	g.state[b].Store(state)
	return state
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
