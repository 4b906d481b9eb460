package solve

import (
	"sync/atomic"

	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

type block struct {
	rows     []int
	sign     []float64
	score    []float64 // updated by the Pegasos steps of the block
	pos      []int32
	updates  []update
	selected bool
	among    kernel.Rows // valid if selected

	kernel [blockRows][]float32 // kernel of each row with all rows of the block; empty until needed
	buffer []float32
}

// update is a change of the alpha of a block's row, times the row's sign.
type update struct {
	index int // in the block
	delta float64
	lag   float64 // of a Pegasos step: delta times solver.invScaleSum
}

// blockRows balances the cost of distributing a block's updates and of the kernel among its rows.
const blockRows = 128

func (b *block) begin() {
	b.rows, b.sign, b.score, b.pos = b.rows[:0], b.sign[:0], b.score[:0], b.pos[:0]
	b.updates, b.selected = b.updates[:0], false
}

func (b *block) add(p *Problem, i int, score float64) {
	b.kernel[len(b.rows)] = b.kernel[len(b.rows)][:0]
	b.rows, b.pos = append(b.rows, i), append(b.pos, p.Pos[i])
	b.sign, b.score = append(b.sign, p.Sign[i]), append(b.score, score)
}

func (b *block) kernelRow(p *Problem, c *cache, k int, values *atomic.Int64) []float32 {
	if len(b.kernel[k]) > 0 {
		return b.kernel[k]
	}
	n := len(b.rows)
	b.kernel[k] = b.buffer[k*blockRows:][:n]
	if cached := c.find(b.rows[k]); cached != nil {
		for j, i := range b.rows {
			b.kernel[k][j] = cached[i]
		}
		return b.kernel[k]
	}
	if !b.selected {
		p.Rows.Select(&b.among, b.pos)
		b.selected = true
	}
	probe := [1]kernel.Probe{p.Rows.Probe(int(b.pos[k]))}
	kernel.Values(&b.among, b.kernel[k:k+1], probe[:], 0)
	values.Add(int64(n))
	return b.kernel[k]
}

// tileProbes is the number of updates that a goroutine adds to a tile's scores at a time.
const tileProbes = 64

type worker struct {
	buffer       []float32
	rows         [][]float32
	deltas, lags []float64
	missing      [][]float32
	probes       []kernel.Probe
}
