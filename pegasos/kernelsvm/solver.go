package kernelsvm

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/pegasos"
)

// solver trains one problem. While Pegasos runs, alpha counts a row's violations, and score is
// <w,phi(x)> times the scale lambda*(t+t0). Dual coordinate ascent starts from alpha =
// violations/epochs, which is in [0, 1], and has the scale lambda*rows.
//
// The mean of the last iterates is maintained as follows. Let S be the running sum of 1/scale over
// the iterates to average. A violation contributes to every later iterate: if the sum was S_0 when
// the violation happened and is S at the end, it adds S - S_0 to the sum of the iterates. So the
// mean iterate has alpha (alpha*S - alphaLag)/samples, where alphaLag is the sum of the S_0 of the
// row's violations.
type solver struct {
	*problem
	cfg     Config
	threads int
	cache   *kernelCache  // kernel values of earlier updates; nil for no cache
	values  *atomic.Int64 // number of kernel values computed, of all problems
	report  func(solution)
	block   *rowBlock
	workers []*tileWorker

	visits         *order.Visits
	visit          []int32   // problem's number of row i of visits; -1 if a short run never visits it
	total          int64     // Pegasos steps to take in all
	score, alpha   []float64 // by row
	alphaLag       []float64 // by row; nil unless iterates are averaged
	invScaleSum    float64   // S, the sum of 1/scale over the iterates to average
	samples        int64     // number of iterates in invScaleSum
	dual           bool      // dual coordinate ascent has begun
	alpha64        []float64 // alphas at the last float64 recomputation of scores; nil if none
	recomputedAt   int64     // value of updates when the scores were last recomputed in float64
	recomputations int

	solution
}

// solution is the state of a solved problem, or of one that is being solved.
type solution struct {
	coef    []float32 // coefficient of each row of the problem
	steps   int64     // Pegasos steps
	epochs  int       // finished epochs of Pegasos, including an incomplete last one
	passes  int       // begun passes of dual coordinate ascent
	updates int64     // steps and moves that changed an alpha
	t0      float64   // step offset

	// Objective of the model, and the reported lower bound on the optimum; NaN if unknown.
	objective, bound float64
	objectiveError   float64 // bound on the rounding error of objective
	gap              float64 // upper bound on P - D, D from the model's own alphas; +Inf if unknown
	lower            float64 // proven lower bound on the optimum
}

const tooLarge = "the kernel's values are too large for float32, or lambda too small; scale " +
	"the rows"

// newSolver returns the solver of p at w = 0.
func newSolver(p *problem, cfg Config) *solver {
	s := &solver{problem: p, cfg: cfg, visits: p.set.visits(p.rows)}
	if s.total = cfg.Steps; s.total == 0 {
		s.total = int64(cfg.Epochs) * int64(p.rows)
	}
	rows := p.set.rowsOf(p.first, p.second)
	s.visit = make([]int32, len(rows))
	for i, row := range rows {
		s.visit[i] = -1
		if pos := p.set.pos[row]; pos >= 0 {
			at, _ := p.find(int(pos))
			s.visit[i] = int32(at)
		}
	}
	s.score, s.alpha = make([]float64, p.size), make([]float64, p.size)
	if cfg.Finish == pegasos.FinishNone && cfg.Average == pegasos.LastHalf {
		s.alphaLag = make([]float64, p.size)
	}
	s.solution = solution{objective: math.NaN(), bound: math.NaN(), gap: math.Inf(1)}
	if cfg.Offset == pegasos.OffsetR2 {
		s.t0 = max(0, p.r2) / p.lambda
	}
	return s
}

// solve runs the Pegasos steps and, unless Finish is none, dual coordinate ascent. It returns early
// once ctx is done. measured is false if the objective is not to be measured.
func (s *solver) solve(ctx context.Context, measured bool) error {
	for s.steps < s.total && ctx.Err() == nil {
		// A block never crosses the middle of the run, where averaging begins.
		limit := s.total - s.steps
		if s.steps < s.total/2 {
			limit = s.total/2 - s.steps
		}
		if err := s.pegasosSteps(s.visits.Next(int(min(limit, blockRows)))); err != nil {
			return err
		}
		if s.visits.AtEnd() || s.steps == s.total {
			s.epochs++
			if measured {
				s.measureSteps()
			}
			s.report(s.solution)
		}
	}
	if s.cfg.Finish != pegasos.FinishNone && s.steps == s.total {
		return s.ascend(ctx)
	}
	coef := s.pegasosCoefficients()
	if measured && ctx.Err() == nil {
		s.measureModel(coef)
	}
	s.coef = toFloat32(coef)
	return nil
}

// scale returns lambda*(t+t0). Divided by it, the scores and alphas of Pegasos are scores and
// coefficients of w, up to sign.
func (s *solver) scale() float64 { return float64(s.lambda * (float64(s.steps) + s.t0)) }

// pegasosSteps takes the Pegasos steps for the rows that idx numbers as visits does.
//
// Deciding which rows of a block are updated requires only the kernel among the rows of the block,
// provided that all scores were up to date when the block began. The kernel values of the updated
// rows with all other rows are computed at the end of the block, for many rows at a time and in all
// goroutines.
func (s *solver) pegasosSteps(idx []uint32) error {
	b := s.block
	b.begin()
	for _, i := range idx {
		b.add(s, int(s.visit[i]))
	}
	averaging := s.alphaLag != nil && s.steps >= s.total/2
	for j, i := range b.rows {
		margin := float64(b.sign[j] * b.score[j])
		if !(margin >= s.scale()) || s.steps == 0 && s.t0 == 0 { // at w = 0 every row is a violation
			if !floats.IsFinite(margin) {
				return s.tooLarge(i)
			}
			s.alpha[i]++
			if s.alphaLag != nil {
				s.alphaLag[i] += s.invScaleSum
			}
			b.updates = append(b.updates, update{j, b.sign[j]})
			for k, v := range b.kernelRow(s, j)[j+1:] {
				b.score[j+1+k] += float64(b.sign[j] * float64(v))
			}
		}
		s.steps++
		if averaging {
			s.invScaleSum += 1 / s.scale()
			s.samples++
		}
	}
	s.updateScores()
	return nil
}

// tooLarge returns the error that the score of row i is not finite, or that their sum is not if i
// is -1.
func (s *solver) tooLarge(i int) error {
	err := &pegasos.StepError{Step: s.steps + 1, Row: i,
		Reason: "the score is not finite: " + tooLarge}
	if i >= 0 {
		pos, _ := s.row(i)
		err.Row = int(s.set.rowOf[pos])
	}
	return err
}

// pegasosCoefficients returns the coefficients of the last iterate or, if iterates were averaged,
// of their mean.
func (s *solver) pegasosCoefficients() []float64 {
	coef := make([]float64, len(s.alpha))
	for i, a := range s.alpha {
		scale := s.scale()
		if s.samples > 0 {
			a, scale = float64(a*s.invScaleSum)-s.alphaLag[i], float64(s.samples)
		}
		if _, sign := s.row(i); a != 0 {
			coef[i] = float64(sign*a) / scale
		}
	}
	return coef
}

// rowBlock holds up to blockRows rows of a problem, their scores, and the kernel values among them.
type rowBlock struct {
	rows    []int     // numbers of the rows in the problem
	sign    []float64 // labels of the rows
	score   []float64 // scores of the rows, changed by steps of rows of the block
	at      []int32   // indices of the rows in the store's matrix
	squares []float64 // squared norms of the rows
	probes  []probe   // the rows as probes
	updates []update

	kernel [][]float32 // kernel of each row with all rows of the block; empty until it is needed
	buffer []float32   // memory that kernel points into
	dense  []float32   // a sparse row as a dense vector; all zeros between calls
}

// update is a change of the alpha of a block's row, times the row's sign.
type update struct {
	index int // of the row in its block
	delta float64
}

// blockRows is the largest number of rows in a block: long enough for the updates of a block to
// outweigh the cost of distributing the work, short enough for the kernel among its rows to be
// cheap.
const blockRows = 128

func newBlock() *rowBlock {
	return &rowBlock{buffer: make([]float32, blockRows*blockRows),
		kernel: make([][]float32, blockRows)}
}

// begin removes all rows and updates.
func (b *rowBlock) begin() {
	b.rows, b.sign, b.score, b.at = b.rows[:0], b.sign[:0], b.score[:0], b.at[:0]
	b.squares, b.probes, b.updates = b.squares[:0], b.probes[:0], b.updates[:0]
}

// add adds row i of the problem of s.
func (b *rowBlock) add(s *solver, i int) {
	pos, sign := s.row(i)
	b.kernel[len(b.rows)] = b.kernel[len(b.rows)][:0]
	b.rows, b.sign, b.score = append(b.rows, i), append(b.sign, sign), append(b.score, s.score[i])
	b.at = append(b.at, s.set.store.at[pos])
	b.squares = append(b.squares, s.set.store.squares[pos])
	b.probes = append(b.probes, s.set.store.probe(pos))
}

// kernelRow returns the kernel of row k of the block with all rows of the block.
func (b *rowBlock) kernelRow(s *solver, k int) []float32 {
	if len(b.kernel[k]) == 0 {
		n := len(b.rows)
		b.kernel[k] = b.buffer[k*blockRows:][:n]
		if cached := s.cache.find(b.rows[k]); cached != nil {
			for j, i := range b.rows {
				b.kernel[k][j] = cached[i]
			}
		} else {
			s.set.store.blockValues(b.kernel[k], k, b)
			s.values.Add(int64(n))
		}
	}
	return b.kernel[k]
}

// tileProbes is the number of rows whose kernel values with a tile are in memory at a time: 256 kB
// of values.
const tileProbes = 64

// tileWorker is the memory that one goroutine needs to update the scores of a tile.
type tileWorker struct {
	buffer  []float32   // kernel values that are not cached
	rows    [][]float32 // kernel of each updated row with the tile
	deltas  []float64
	missing [][]float32 // kernel rows to compute, those not found in the cache
	probes  []probe
}

// updateScores adds the updates of the block to the scores of all rows, each score in the order of
// the updates.
func (s *solver) updateScores() {
	updates := s.block.updates
	s.updates += int64(len(updates))
	cached, known := make([][]float32, len(updates)), make([]bool, len(updates))
	for k, u := range updates {
		cached[k], known[k] = s.cache.get(s.block.rows[u.index], s.dual)
		if !known[k] {
			s.values.Add(int64(s.size))
		}
	}
	s.eachTile(func(w *tileWorker, t int) {
		tile := s.tiles[t].at
		n := tile.end - tile.start
		for start := 0; start < len(updates); start += tileProbes {
			w.rows, w.deltas, w.missing, w.probes = w.rows[:0], w.deltas[:0], w.missing[:0],
				w.probes[:0]
			for k := start; k < min(start+tileProbes, len(updates)); k++ {
				values := w.buffer[(k-start)*tileRows:][:n]
				if cached[k] != nil {
					values = cached[k][tile.start:tile.end]
				}
				if !known[k] {
					w.missing = append(w.missing, values)
					w.probes = append(w.probes, s.block.probes[updates[k].index])
				}
				w.rows, w.deltas = append(w.rows, values), append(w.deltas, updates[k].delta)
			}
			if len(w.missing) > 0 {
				s.set.store.tile(w.missing, w.probes, s.tiles[t].index)
			}
			addScaledRows(s.score[tile.start:tile.end], w.deltas, w.rows)
		}
	})
}

// eachTile calls f for every tile of the problem, in several goroutines.
func (s *solver) eachTile(f func(w *tileWorker, t int)) {
	parallel.For(s.threads, len(s.tiles), func(worker, t int) { f(s.workers[worker], t) })
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

// alphaPerViolation returns the dual variable that one violation counts for after the given number
// of epochs: 1/epochs, rounded down to few enough bits that the coefficients of all possible
// violation counts are exact in float32.
func (p *problem) alphaPerViolation(epochs int) float64 {
	scale := p.dualScale()
	c := math.Float32bits(float32(1 / (float64(epochs) * scale)))
	c &^= 1<<bits.Len(uint(epochs)) - 1
	if float64(math.Float32frombits(c))*float64(epochs)*scale > 1 {
		c -= 1 << bits.Len(uint(epochs))
	}
	return float64(math.Float32frombits(c)) * scale
}

// roundAlpha returns an alpha near a, at most 1, whose coefficient alpha/scale is a float32 number,
// so that the model that is written is the one that was measured.
func roundAlpha(a, scale float64) float64 {
	c := float32(a / scale)
	if float64(c)*scale > 1 {
		c = math.Nextafter32(c, 0)
	}
	return float64(c) * scale
}

func toFloat32(coef []float64) []float32 {
	all := make([]float32, len(coef))
	for i, a := range coef {
		all[i] = float32(a)
	}
	return all
}
