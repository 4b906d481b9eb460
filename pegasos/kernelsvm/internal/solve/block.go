package solve

import (
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// Memory is the memory that solving needs and that one problem leaves to the next.
type Memory struct {
	values  *atomic.Int64 // number of kernel values computed
	cache   *cache
	all     bool // the cache was filled for a problem of all rows
	block   block
	workers []*worker
}

// NewMemory returns memory for the given number of goroutines, and for up to cacheMB MB of cached
// kernel values. Solve adds the number of kernel values that it computes to values.
func NewMemory(threads int, cacheMB float64, values *atomic.Int64) *Memory {
	m := &Memory{cache: newCache(cacheMB), values: values}
	for range threads {
		m.workers = append(m.workers, &worker{buffer: make([]float32, tileProbes*kernel.TileRows)})
	}
	m.block.buffer = make([]float32, blockRows*blockRows)
	return m
}

// block is up to blockRows rows of a problem, their scores, and the kernel values among them.
type block struct {
	rows     []int     // numbers of the rows in the problem
	sign     []float64 // labels of the rows
	score    []float64 // scores of the rows, changed by steps of rows of the block
	pos      []int32   // positions of the rows
	updates  []update
	selected bool        // among has the rows of this block
	among    kernel.Rows // the rows as a tile

	kernel [blockRows][]float32 // kernel of each row with all rows of the block; empty until needed
	buffer []float32            // memory that kernel points into
}

// update is a change of the alpha of a block's row, times the row's sign.
type update struct {
	index int // of the row in its block
	delta float64
	lag   float64 // delta times the sum of 1/scale over the iterates to average so far
}

// blockRows is the largest number of rows in a block: long enough for the updates of a block to
// outweigh the cost of distributing the work, short enough for the kernel among its rows to be
// cheap.
const blockRows = 128

// begin removes all rows and updates.
func (b *block) begin() {
	b.rows, b.sign, b.score, b.pos = b.rows[:0], b.sign[:0], b.score[:0], b.pos[:0]
	b.updates, b.selected = b.updates[:0], false
}

// add adds row i of the problem of s.
func (b *block) add(s *solver, i int) {
	b.kernel[len(b.rows)] = b.kernel[len(b.rows)][:0]
	b.rows, b.sign, b.score = append(b.rows, i), append(b.sign, s.Sign[i]), append(b.score, s.score[i])
	b.pos = append(b.pos, s.Pos[i])
}

// kernelRow returns the kernel of row k of the block with all rows of the block.
func (b *block) kernelRow(s *solver, k int) []float32 {
	if len(b.kernel[k]) > 0 {
		return b.kernel[k]
	}
	n := len(b.rows)
	b.kernel[k] = b.buffer[k*blockRows:][:n]
	if cached := s.cache.find(b.rows[k]); cached != nil {
		for j, i := range b.rows {
			b.kernel[k][j] = cached[i]
		}
		return b.kernel[k]
	}
	if !b.selected {
		s.Rows.Select(&b.among, b.pos)
		b.selected = true
	}
	probe := [1]kernel.Probe{s.Rows.Probe(int(b.pos[k]))}
	kernel.Values(&b.among, b.kernel[k:k+1], probe[:], 0)
	s.values.Add(int64(n))
	return b.kernel[k]
}

// tileProbes is the number of rows whose kernel values with a tile are in memory at a time: 256 kB
// of values.
const tileProbes = 64

// worker is the memory that one goroutine needs to update the scores of a tile.
type worker struct {
	buffer       []float32   // kernel values that are not cached
	rows         [][]float32 // kernel of each updated row with the tile
	deltas, lags []float64
	missing      [][]float32 // kernel rows to compute, those not found in the cache
	probes       []kernel.Probe
}

// updateScores adds the updates of the block to the scores of all rows, each score in the order of
// the updates.
func (s *solver) updateScores() {
	b := &s.block
	s.Updates += int64(len(b.updates))
	cached, known := make([][]float32, len(b.updates)), make([]bool, len(b.updates))
	for k, u := range b.updates {
		cached[k], known[k] = s.cache.get(b.rows[u.index], s.ascending)
		if !known[k] {
			s.values.Add(int64(len(s.Pos)))
		}
	}
	s.eachTile(func(w *worker, _ int, tile Tile) {
		n := tile.End - tile.Start
		for start := 0; start < len(b.updates); start += tileProbes {
			w.rows, w.deltas, w.lags = w.rows[:0], w.deltas[:0], w.lags[:0]
			w.missing, w.probes = w.missing[:0], w.probes[:0]
			for k := start; k < min(start+tileProbes, len(b.updates)); k++ {
				u := b.updates[k]
				values := w.buffer[(k-start)*kernel.TileRows:][:n]
				if cached[k] != nil {
					values = cached[k][tile.Start:tile.End]
				}
				if !known[k] {
					w.missing = append(w.missing, values)
					w.probes = append(w.probes, s.Rows.Probe(int(b.pos[u.index])))
				}
				w.rows, w.deltas = append(w.rows, values), append(w.deltas, u.delta)
				w.lags = append(w.lags, u.lag)
			}
			if len(w.missing) > 0 {
				kernel.Values(s.Rows, w.missing, w.probes, tile.Index)
			}
			addScaledRows(s.score[tile.Start:tile.End], w.deltas, w.rows)
			if s.scoreLag != nil && s.samples > 0 { // all lags before are 0
				addScaledRows(s.scoreLag[tile.Start:tile.End], w.lags, w.rows)
			}
		}
	})
}

// eachTile calls f for every tile t of the problem, in several goroutines.
func (s *solver) eachTile(f func(w *worker, t int, tile Tile)) {
	parallel.For(len(s.workers), len(s.Tiles), func(worker, t int) {
		f(s.workers[worker], t, s.Tiles[t])
	})
}

// addScaledRows adds a[k]*rows[k] to y for every k, in order.
func addScaledRows(y []float64, a []float64, rows [][]float32) {
	for ; len(a) >= 4; a, rows = a[4:], rows[4:] {
		a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
		r0, r1, r2, r3 := rows[0][:len(y)], rows[1][:len(y)], rows[2][:len(y)], rows[3][:len(y)]
		for j, v := range y {
			v += float64(a0 * float64(r0[j]))
			v += float64(a1 * float64(r1[j]))
			v += float64(a2 * float64(r2[j]))
			v += float64(a3 * float64(r3[j]))
			y[j] = v
		}
	}
	for k, row := range rows {
		for j, v := range row[:len(y)] {
			y[j] += float64(a[k] * float64(v))
		}
	}
}
