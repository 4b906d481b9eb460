package kernelsvm

import (
	"math"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Steps are taken in blocks. Deciding which rows of a block are updated requires only the kernel
// among the rows of the block, provided that all scores were up to date when the block began. The
// kernel values of the updated rows with all other rows are computed at the end of the block, for
// many rows at a time and on all cores. In either case a score is summed in the order of the
// updates, so the block length does not influence the bits.

// blockRows is the number of steps in a block: long enough for the updates of a block to outweigh
// the cost of distributing the work, short enough for the kernel among its rows to be cheap.
const blockRows = 256

// tileProbes is the number of rows whose kernel values with a tile are in memory at a time: 256 kB
// of values.
const tileProbes = 64

// rowBlock holds the rows of the current block of steps and the kernel values among them.
type rowBlock struct {
	positions []int32               // store positions of the rows of the block
	at        []int32               // indices of the rows of the block in the store's matrix
	squares   []float64             // squared norms of the rows of the block
	probes    []probe               // the rows of the block as probes
	locks     [blockRows]sync.Mutex // locks[k] is held while kernel[k] is computed
	// kernel of row k of the block with rows k+1, k+2, ...; empty until it is needed
	kernel [blockRows][]float32
	buffer []float32 // memory that kernel points into
}

// blockWorker is the memory that one goroutine needs to take steps and to update scores.
type blockWorker struct {
	score  [blockRows]float64 // scores of the block's rows in one problem
	dense  []float32          // a sparse row as a dense vector; all zeros between calls
	buffer []float32          // kernel values that are not cached
	needed []int              // indices in the block of updated rows, at most tileProbes of them
	// rows[j] is the kernel of row j of the block with the rows of a tile, for every j in needed
	rows       [blockRows][]float32
	missing    [][]float32 // kernel rows to compute, those not found in the cache
	probes     []probe
	deltas     []float64   // change of alpha*sign in each update of one problem, the latest update first
	lags       []float64   // lag of each update of one problem, in the order of deltas
	kernelRows [][]float32 // kernel of each updated row with the tile, in the order of deltas
}

// load prepares the block for the rows at b.positions, with no kernel values computed yet.
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

// kernelRow returns the kernel values of row k of the block with each of the rows after it. It
// computes the values on the first call and is safe for concurrent use.
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

// blockValues sets dst[j] to the kernel value of the query row q and row start+j of the block.
func (s *rowStore) blockValues(dst []float32, q *probe, b *rowBlock, start int, w *blockWorker) {
	switch {
	case s.kernel.kind == Function:
		z := Row{q.index, q.values}
		for j := range dst {
			dst[j] = s.kernel.f(s.row(int(b.positions[start+j])), z)
		}
	case s.words != nil:
		for j := range dst {
			s.popcountValues(dst[j:j+1], s.values, q, int(b.positions[start+j]))
		}
	case s.dense != nil:
		s.dotsOrDistances(dst, b.at[start:], q.values)
		s.applyKernel(dst, q.square, b.squares[start:])
	default:
		if w.dense == nil {
			w.dense = make([]float32, s.cols)
		}
		for k, j := range q.index {
			w.dense[j] = q.values[k]
		}
		var dots [blockRows]float64
		for j := range dst {
			// Columns that q lacks add zeros, which do not change the sum.
			p := &b.probes[start+j]
			for k, c := range p.index {
				dots[j] += float64(float64(p.values[k]) * float64(w.dense[c]))
			}
		}
		for _, j := range q.index {
			w.dense[j] = 0
		}
		kernelValues(&s.kernel, dst, dots[:len(dst)], q.square, b.squares[start:])
	}
}

// takeSteps takes one step for each row of x in idx, in every problem that has the row and is not
// done, and then updates all scores. The steps are those of Pegasos or, once dual coordinate ascent
// has begun, moves that are at least threshold long (see initialThreshold for its unit).
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

// recordUpdate records an update of row j of the block, whose alpha*sign changes by a, and updates
// the scores of the later rows of the block.
func (r *run) recordUpdate(w *blockWorker, p *problem, j int, a, lag float64) {
	p.updates = append(p.updates, update{j, a, lag})
	score := w.score[j+1:]
	for i, v := range r.block.kernelRow(r, w, j) {
		score[i] += float64(a * float64(v))
	}
}

// pegasosSteps takes the Pegasos steps of one problem for the rows of the block.
func (r *run) pegasosSteps(w *blockWorker, p *problem, idx []uint32) {
	averaging := r.cfg.Average == pegasos.LastHalf && r.cfg.Finish == pegasos.FinishNone &&
		r.t >= r.total/2
	for j, pos := range r.block.positions {
		i, sign := p.find(int(pos))
		if i < 0 {
			continue
		}
		margin := float64(sign * w.score[j])
		if !(margin >= p.scale()) || p.t == 0 && p.t0 == 0 { // at w = 0 every row is a violation
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

// ascentSteps moves the alpha of each row x of the block to the maximum of the problem's dual
// objective along that coordinate. It skips moves shorter than threshold times min(1,
// dualScale/k(x,x)) or, if k(x,x) is not above 0, shorter than threshold.
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
		to, longest := 0.0, 1.0 // unless k(x,x) > 0, alpha moves to 0 or 1
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

// updateScores adds the updates of the block to the scores of all rows.
func (r *run) updateScores() {
	parallel.For(r.threads, len(r.store.tiles),
		func(worker, t int) { r.updateTile(r.workers[worker], t) })
}

// updateTile adds the updates of the block to the scores of the rows of tile t.
func (r *run) updateTile(w *blockWorker, t int) {
	tile := r.store.tiles[t]
	parts, n := r.classProblems[r.classOf[tile.start]], tile.end-tile.start
	if w.buffer == nil {
		w.buffer = make([]float32, tileProbes*tileRows)
	}
	var moved [blockRows]bool // rows of the block with an update in any problem of the tile's class
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

// fetchKernelRows sets w.rows to the kernel of the needed rows of the block with the n rows of tile
// t, from the cache or computed.
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

// addScaledRows adds a[k]*rows[k] to y for every k, from the last to the first.
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
