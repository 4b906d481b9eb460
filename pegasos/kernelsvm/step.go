package kernelsvm

import (
	"math"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Steps are taken in blocks. To know which rows of a block violate takes the kernel among these
// rows alone, provided that every row's score was up to date when the block began. The violations'
// kernels with all other rows can wait until its end, where they are found for many rows of the
// data at a time, and by all cores. A score is a sum in the order of the moves in either case, so
// that how long a block is makes no difference to the bits.

// blockRows is the length of a block: long enough for a block's moves to outweigh the costs of
// handing out the work, short enough for the kernel among its rows to cost little.
const blockRows = 256

// tileProbes is the number of rows whose kernel values with a tile are in use at a time: 256 kB.
const tileProbes = 64

// A rowBlock is the rows of the present block.
type rowBlock struct {
	positions []int32 // in the store
	at        []int32 // in the matrix
	squares   []float64
	probes    []probe
	locks     [blockRows]sync.Mutex // held while a row of among is found
	// the kernel of row k with rows k+1, ...; empty until it is needed
	kernel [blockRows][]float32
	buffer []float32
}

// A blockWorker has what one goroutine needs.
type blockWorker struct {
	score  [blockRows]float64 // of the block's rows, in one problem
	dense  []float32          // a sparse row
	buffer []float32          // kernel values that are not kept
	needed []int              // rows of the block
	// kernel values of these and a tile
	rows       [blockRows][]float32
	missing    [][]float32 // those still to be found
	probes     []probe
	deltas     []float64 // moves of one problem
	lags       []float64
	kernelRows [][]float32
}

// begin prepares for the rows at places.
func (b *rowBlock) load(r *run) {
	b.at, b.squares, b.probes = b.at[:0], b.squares[:0], b.probes[:0]
	if b.buffer == nil {
		b.buffer = make([]float32, blockRows*(blockRows-1)/2)
	}
	for k, p := range b.positions {
		b.at = append(b.at, r.store.at[p])
		b.squares = append(b.squares, r.store.squares[p])
		b.probes = append(b.probes, r.store.probe(int(p)))
		b.kernel[k] = b.kernel[k][:0]
	}
}

// row returns the kernel of row k of the block with those after it.
func (b *rowBlock) kernelRow(r *run, w *blockWorker, k int) []float32 {
	n := len(b.positions) - k - 1
	if n == 0 {
		return nil
	}
	b.locks[k].Lock()
	defer b.locks[k].Unlock()
	if len(b.kernel[k]) == 0 {
		start := k*(blockRows-1) - k*(k-1)/2
		b.kernel[k] = b.buffer[start:][:n]
		r.store.blockValues(b.kernel[k], &b.probes[k], b, k+1, w)
		r.values.Add(int64(n))
	}
	return b.kernel[k]
}

// among sets dst to the kernel of q and the rows of the block from the given one on.
func (s *rowStore) blockValues(dst []float32, q *probe, b *rowBlock, from int, w *blockWorker) {
	switch {
	case s.kernel.kind == Function:
		z := Row{q.index, q.values}
		for j := range dst {
			dst[j] = s.kernel.f(s.row(int(b.positions[from+j])), z)
		}
	case s.words != nil:
		for j := range dst {
			s.popcountValues(dst[j:j+1], s.values, q, int(b.positions[from+j]))
		}
	case s.dense != nil:
		s.dotsOrDistances(dst, b.at[from:], q.values)
		s.applyKernel(dst, q.square, b.squares[from:])
	default:
		if w.dense == nil {
			w.dense = make([]float32, s.cols)
		}
		for k, j := range q.index {
			w.dense[j] = q.values[k]
		}
		var dots [blockRows]float64
		for j := range dst {
			// Columns that q lacks add zeros, which change nothing.
			p := &b.probes[from+j]
			for k, c := range p.index {
				dots[j] += float64(float64(p.values[k]) * float64(w.dense[c]))
			}
		}
		for _, j := range q.index {
			w.dense[j] = 0
		}
		kernelValues(&s.kernel, dst, dots[:len(dst)], q.square, b.squares[from:])
	}
}

// takeSteps takes a step with each of the rows idx: of Pegasos or, in the finish, moves of at least
// the given length.
func (r *run) takeSteps(idx []uint32, threshold float64) error {
	b := &r.block
	b.positions = b.positions[:0]
	for _, i := range idx {
		b.positions = append(b.positions, r.pos[i])
	}
	b.load(r)
	parallel.For(r.threads, len(r.problems), func(worker, k int) {
		w, p := r.workers[worker], r.problems[k]
		if p.updates = p.updates[:0]; p.done {
			return
		}
		for j, pos := range b.positions {
			if i, _ := p.find(int(pos)); i >= 0 {
				w.score[j] = p.score[i]
			}
		}
		if r.dual {
			r.ascentSteps(w, p, idx, threshold)
		} else {
			r.pegasosSteps(w, p, idx)
		}
	})
	for _, p := range r.problems {
		if p.err != nil {
			return p.err
		}
	}
	r.updateScores()
	if !r.dual {
		r.t += int64(len(idx))
	}
	return nil
}

// move records that the alpha of row j of the block moves by a, and brings the scores of the
// block's later rows up to date.
func (r *run) recordUpdate(w *blockWorker, p *problem, j int, a, lag float64) {
	p.updates = append(p.updates, update{j, a, lag})
	score := w.score[j+1:]
	for i, v := range r.block.kernelRow(r, w, j) {
		score[i] += float64(a * float64(v))
	}
}

// pegasosSteps takes the steps of a problem.
func (r *run) pegasosSteps(w *blockWorker, p *problem, idx []uint32) {
	averaging := r.cfg.Average == pegasos.LastHalf && r.cfg.Finish == pegasos.FinishNone &&
		r.t >= r.total/2
	for j, pos := range r.block.positions {
		i, sign := p.find(int(pos))
		if i < 0 {
			continue
		}
		margin := float64(sign * w.score[j])
		if !(margin >= p.scale()) || p.t == 0 && p.t0 == 0 { // at first w is 0 by definition
			if !floats.IsFinite(margin) {
				p.err = &pegasos.StepError{Step: r.t + int64(j) + 1, Row: int(idx[j]),
					Reason: "the score is not finite: " + tooLarge}
				return
			}
			lag := float64(sign * p.invScaleSum)
			p.alpha[i]++
			if p.alphaLag != nil {
				p.alphaLag[i] += p.invScaleSum
			}
			p.violations++
			r.recordUpdate(w, p, j, sign, lag)
		}
		p.t++
		if averaging {
			p.invScaleSum += 1 / p.scale()
			p.samples++
		}
	}
}

const tooLarge = "the kernel's values are too large for float32, or lambda too small; scale " +
	"the rows"

// ascentSteps moves each alpha of a problem to where the dual objective is largest along it.
func (r *run) ascentSteps(w *blockWorker, p *problem, idx []uint32, threshold float64) {
	scale := p.dualScale()
	for j, pos := range r.block.positions {
		i, sign := p.find(int(pos))
		if i < 0 {
			continue
		}
		slack := 1 - float64(sign*w.score[j])/scale
		if !floats.IsFinite(slack) {
			p.err = &pegasos.StepError{Step: r.t, Row: int(idx[j]),
				Reason: "the score is not finite: " + tooLarge}
			return
		}
		to, longest := 0.0, 1.0 // with a kernel of 0 or less all the way
		if slack > 0 {
			to = 1
		}
		if d := float64(r.diagonal[pos]); d > 0 {
			to = min(max(p.alpha[i]+float64(slack*scale)/d, 0), 1)
			longest = min(scale/d, 1)
		}
		a := to - p.alpha[i]
		if math.Abs(a) < float64(threshold*longest) || a == 0 {
			continue
		}
		to = roundAlpha(to, scale)
		if a = to - p.alpha[i]; a == 0 {
			continue
		}
		p.maxDelta = max(p.maxDelta, math.Abs(a))
		p.alpha[i] = to
		p.violations++
		r.recordUpdate(w, p, j, float64(a*sign), 0)
	}
}

// updateScores brings the scores of all rows up to date after a block.
func (r *run) updateScores() {
	parallel.For(r.threads, len(r.store.tiles),
		func(worker, t int) { r.updateTile(r.workers[worker], t) })
}

// updateTile brings the scores of a tile's rows up to date.
func (r *run) updateTile(w *blockWorker, t int) {
	tile := r.store.tiles[t]
	parts, n := r.classProblems[r.classOf[tile.start]], tile.end-tile.start
	if w.buffer == nil {
		w.buffer = make([]float32, tileProbes*tileRows)
	}
	var moved [blockRows]bool // in any of the class's problems
	for _, k := range parts {
		for _, m := range r.problems[k].updates {
			moved[m.index] = true
		}
	}
	for start, end := 0, 0; ; start = end {
		w.needed = w.needed[:0]
		for ; end < blockRows && len(w.needed) < tileProbes; end++ {
			if moved[end] {
				w.needed = append(w.needed, end)
			}
		}
		if len(w.needed) == 0 {
			return
		}
		r.fetchKernelRows(w, t, n)
		for _, k := range parts {
			p := r.problems[k]
			w.deltas, w.lags, w.kernelRows = w.deltas[:0], w.lags[:0], w.kernelRows[:0]
			lag := false
			for _, m := range slices.Backward(p.updates) {
				if m.index >= start && m.index < end {
					w.deltas, w.lags, w.kernelRows = append(w.deltas, m.delta), append(w.lags, m.lag),
						append(w.kernelRows, w.rows[m.index])
					lag = lag || m.lag != 0
				}
			}
			from, _ := p.find(tile.start)
			addScaledRows(p.score[from:from+n], w.deltas, w.kernelRows)
			if lag {
				addScaledRows(p.scoreLag[from:from+n], w.lags, w.kernelRows)
			}
		}
	}
}

// findValues gets the kernel values of the needed rows of the block with the rows of tile t, of
// which there are n.
func (r *run) fetchKernelRows(w *blockWorker, t, n int) {
	w.missing, w.probes = w.missing[:0], w.probes[:0]
	for k, j := range w.needed {
		var values []float32
		known := false
		if r.caches != nil {
			values, known = r.caches[t].get(r.block.positions[j])
		}
		if values == nil {
			values = w.buffer[k*tileRows:][:n]
		}
		w.rows[j] = values
		if !known {
			w.missing = append(w.missing, values)
			w.probes = append(w.probes, r.block.probes[j])
		}
	}
	if len(w.missing) > 0 {
		r.store.tile(w.missing, w.probes, t)
		r.values.Add(int64(len(w.missing)) * int64(n))
	}
}

// addMoves adds a[k]*rows[k] to y, from the last k to the first.
func addScaledRows(y []float64, a []float64, rows [][]float32) {
	for len(a) >= 4 {
		n := len(a) - 4
		a0, a1, a2, a3 := a[n+3], a[n+2], a[n+1], a[n]
		r0, r1, r2, r3 := rows[n+3][:len(y)], rows[n+2][:len(y)], rows[n+1][:len(y)],
			rows[n][:len(y)]
		for j, v := range y {
			v += float64(a0 * float64(r0[j]))
			v += float64(a1 * float64(r1[j]))
			v += float64(a2 * float64(r2[j]))
			v += float64(a3 * float64(r3[j]))
			y[j] = v
		}
		a, rows = a[:n], rows[:n]
	}
	for n := len(a) - 1; n >= 0; n-- {
		row := rows[n][:len(y)]
		for j, v := range row {
			y[j] += float64(a[n] * float64(v))
		}
	}
}
