package sparse

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// Lazy is New for arrays that are too long to be looked at all at once, such as those of a mapped file. It looks at
// starts' ends only. The rest is checked in blocks of 2^shift rows, each when one of its rows is first met, and once: so
// that the kernels never see an index that wasn't checked. verify, if not nil, is called for the rows from first to
// end-1 of a block, after their starts were checked and before their columns are; an error of it makes the block bad.
//
// The rows of a bad block are empty, and Err tells of it: whoever uses a lazy matrix has to look at Err in the end. A
// pass over all rows, such as the trainer's first one, checks all. The slices must not change: what was checked isn't
// checked again.
func Lazy(cols int, starts []int64, indices []int32, values []float32, shift uint, verify func(first, end int) error) (*Matrix, error) {
	if err := checkArrays(cols, starts, indices, values); err != nil {
		return nil, err
	}
	if shift > 62 {
		return nil, fmt.Errorf("sparse: blocks of 2^%d rows", shift)
	}
	rows := len(starts) - 1
	blocks := 0
	if rows > 0 {
		blocks = (rows-1)>>shift + 1
	}
	g := &guard{shift: shift, verify: verify, state: make([]atomic.Uint32, blocks)}
	return &Matrix{cols: cols, starts: starts, indices: indices, values: values, guard: g}, nil
}

// Err returns what is wrong with the first block that was found to be bad so far. It is nil for a matrix made by New.
func (m *Matrix) Err() error {
	if m.guard == nil {
		return nil
	}
	m.guard.mu.Lock()
	defer m.guard.mu.Unlock()
	return m.guard.err
}

// Check checks the block of row i, unless that has been done, and returns what is wrong with it.
func (m *Matrix) Check(i int) error {
	if !m.barred(i) {
		return nil
	}
	first := i >> m.guard.shift << m.guard.shift
	return m.checkBlock(first, min(m.Rows(), first+1<<m.guard.shift), m.guard.verify)
}

// OnWillNeed sets what WillNeed does, for a matrix whose rows are read from a file when they are met.
func (m *Matrix) OnWillNeed(f func(first, end int)) { m.willNeed = f }

// WillNeed tells that the rows from first to end-1 will soon be met, so that they can be read from the disk by then. It
// does nothing if they are in memory anyway.
func (m *Matrix) WillNeed(first, end int) {
	if m.willNeed != nil {
		m.willNeed(first, end)
	}
}

// Reads reports whether rows may have to be read from a file when they are met: see WillNeed.
func (m *Matrix) Reads() bool { return m.willNeed != nil }

// A guard stands before the rows of a lazy matrix.
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

// admits tells whether row i may be seen. It panics if i is out of range, as indexing would.
func (g *guard) admits(m *Matrix, i int) bool {
	b := i >> g.shift
	state := g.state[b].Load()
	if state == unknown {
		state = g.check(m, b)
	}
	return state == good
}

// check settles a block's state. Several goroutines may do so at a time, with the same result.
func (g *guard) check(m *Matrix, b int) uint32 {
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

func (m *Matrix) checkBlock(first, end int, verify func(first, end int) error) error {
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

// checkArrays checks what can be checked without a pass over the arrays.
func checkArrays(cols int, starts []int64, indices []int32, values []float32) error {
	if cols < 0 || cols > math.MaxInt32 {
		return fmt.Errorf("sparse: %d columns: want 0 to %d", cols, math.MaxInt32)
	}
	if len(indices) != len(values) {
		return fmt.Errorf("sparse: %d indices and %d values", len(indices), len(values))
	}
	if len(starts) == 0 || starts[0] != 0 || starts[len(starts)-1] != int64(len(indices)) {
		return fmt.Errorf("sparse: row starts must run from 0 to the %d nonzeros", len(indices))
	}
	return nil
}

// checkStart checks where row i starts and ends.
func (m *Matrix) checkStart(i int) error {
	start, end := m.starts[i], m.starts[i+1]
	if start < 0 || end < start || end > int64(len(m.indices)) {
		return fmt.Errorf("sparse: row %d ends at %d, before it starts or past the end", i, end)
	}
	return nil
}

// checkColumns checks the columns of row i, whose start and end are right.
func (m *Matrix) checkColumns(i int) error {
	last := int32(-1)
	for _, j := range m.indices[m.starts[i]:m.starts[i+1]] {
		if j <= last || int(j) >= m.cols {
			return fmt.Errorf("sparse: row %d: column %d after %d: want strictly ascending columns below %d", i, j, last, m.cols)
		}
		last = j
	}
	return nil
}
