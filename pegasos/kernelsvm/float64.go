package kernelsvm

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Predictions use kernel values computed in float64. Training recomputes its scores from such
// values where float32 rounding alone prevents the proof of Tol; a float64 value takes several
// times as long.

// value64 returns the kernel value for an inner product v or, for RBF, for a squared distance v.
func (k *function) value64(v float64) float64 {
	if k.kind == RBF {
		return floats.Exp(-float64(k.gamma * v))
	}
	return k.ofProduct(v)
}

// tile64 sets dst[k][j] to the float64 kernel value of the query row probes[k] and row j of tile t.
func (s *rowStore) tile64(dst [][tileRows]float64, probes []probe, t int) {
	r := s.tiles[t]
	n := r.end - r.start
	chunk := n
	if s.dense != nil {
		chunk = s.rowsPerChunk()
	}
	for j := 0; j < n; j += chunk {
		for k := range probes {
			s.row64(dst[k][j:min(j+chunk, n)], &probes[k], t, r.start+j)
		}
	}
}

// row64 sets dst[j] to the float64 kernel value of the query row q and row start+j of the store.
// These rows belong to tile t. If they are sparse, dst must be for all rows of the tile.
func (s *rowStore) row64(dst []float64, q *probe, t, start int) {
	switch {
	case s.kernel.kind == Function:
		for j := range dst {
			dst[j] = float64(s.kernel.f(s.row(start+j), Row{q.index, q.values}))
		}
		return
	case s.words != nil:
		var counts [tileRows]float32
		s.popcountValues(counts[:len(dst)], s.counts, q, start)
		for j := range dst {
			dst[j] = s.values64[int32(counts[j])]
		}
		return
	case s.dense == nil:
		s.index[t].dot((*[tileRows]float64)(dst[:tileRows]), q)
	case s.direct:
		for j := range dst {
			dst[j] = floats.SquaredDistance(s.dense.Row(int(s.at[start+j])), q.values)
		}
	default:
		for j := range dst {
			dst[j] = dense.Dot64(s.dense.Row(int(s.at[start+j])), q.values)
		}
	}
	for j, v := range dst {
		if s.kernel.kind == RBF && !s.direct {
			if v = (q.square + s.squares64[start+j]) - float64(2*v); v < 0 {
				v = 0
			}
		}
		dst[j] = s.kernel.value64(v)
	}
}

// scores64 computes, in float64, the scores that a model with the coefficients coef, rounded to
// float32, predicts for the rows of the run. For every problem k with wanted[k] it stores the
// scores of the problem's rows in dst[k]. If ctx is done early, dst is incomplete and must not be
// used.
func (r *run) scores64(ctx context.Context, wanted []bool, coef, dst [][]float64) {
	m := &Model{Classes: r.classes, Config: r.cfg, Func: r.f}
	at, err := r.collectSupport(m, coef)
	if err != nil {
		return // a coefficient is not finite: the method model returns that error
	}
	m.rows = store.TakeMatrix(r.store.matrix, at)
	if m.prepare(); m.linear == nil {
		m.store.direct, m.general.direct = r.store.direct, r.store.direct
	}
	var positions, rows []int32 // rows of the classes that have a wanted problem
	for p, c := range r.classOf {
		if slices.ContainsFunc(r.classProblems[c], func(k int) bool { return wanted[k] }) {
			positions, rows = append(positions, int32(p)), append(rows, r.store.at[p])
		}
	}
	n := m.Problems()
	x := r.store.matrix.Examples()
	m.scoreAll(ctx, x, rows, r.threads, func(start int, scores []float64) {
		for i, pos := range positions[start:][:len(scores)/n] {
			for _, k := range r.classProblems[r.classOf[pos]] {
				if wanted[k] {
					at, _ := r.problems[k].find(int(pos))
					dst[k][at] = scores[i*n+k]
				}
			}
		}
	})
}

// cost64 returns the approximate cost of scores64 for one problem, in multiplications.
func (r *run) cost64(p *problem, coef []float64) float64 {
	width := 20 + r.store.meanStored // an exponential takes about as long as 20 multiplications
	switch {
	case r.cfg.Kernel == Linear:
		return 0
	case r.store.words != nil:
		width = float64(r.store.width)
	}
	return float64(float64(p.rows*floats.CountNonzeros(coef)) * width)
}

const (
	maxVerifyCost     = 1 << 27 // limit for optional recomputations, in multiplications; about 0.1 s
	maxRecomputations = 4       // limit for float64 recomputations of one problem's scores
	// relative error bound up to which an objective is good enough without float64
	maxErrorShare = 1e-6
)

// endPass decides, after a pass of dual coordinate ascent, which problems are done. Before that it
// recomputes scores in float64 where rounding errors prevent the proof of a gap of Tol; it returns
// early if ctx is done by then. finest says that the pass skipped only moves shorter than
// minThreshold, so that a problem without any move has converged.
func (r *run) endPass(ctx context.Context, finest bool) {
	last := r.pass == r.cfg.Passes
	wanted := make([]bool, len(r.problems))
	for k, p := range r.problems {
		wanted[k] = r.needsFloat64(p, last || p.maxDelta == 0 && finest)
	}
	if slices.Contains(wanted, true) {
		if r.recomputeScores(ctx, wanted, last); ctx.Err() != nil {
			return
		}
	}
	r.each(func(k int) {
		p := r.problems[k]
		if wanted[k] {
			p.recomputedAt = p.violations
			p.recomputations++
			p.objective, p.objectiveError, p.gap, p.rawLower = 1, 0, math.Inf(1), p.lower
			clear(p.best)
			for i := range p.score { // scores64 returns scores of coefficients, not of alphas
				p.score[i] *= p.dualScale()
			}
			r.measureDual(p)
		}
		p.done = p.done || p.gapWith(p.bound) <= r.cfg.Tol || p.maxDelta == 0 && finest && !wanted[k]
	})
}

// needsFloat64 reports whether the scores of a problem have to be recomputed in float64. That is so
// if all of these conditions hold:
//
//   - The problem is not done, can have a lower bound, and its kernel is not a Func.
//   - Its gap is above Tol.
//   - More than Tol/4 of the gap comes from rounding errors, or no lower bound is proven yet.
//   - Without rounding errors the gap would be at most Tol/2, or the ascent has ended.
//   - The problem has had fewer than maxRecomputations.
func (r *run) needsFloat64(p *problem, ended bool) bool {
	tol := r.cfg.Tol
	return !p.done && r.certified() && r.cfg.Kernel != Function && p.gapWith(p.bound) > tol &&
		p.recomputations < maxRecomputations && (ended || p.gapWith(p.rawLower) <= tol/2) &&
		(p.lower == 0 || p.gapWith(p.bound)-p.gapWith(p.rawLower) > tol/4)
}

// recomputeScores recomputes, in float64, the scores of every problem k with wanted[k]. They are
// the scores of the current alphas or, if useBest is true, of the alphas of the best pass, which
// then replace the current ones.
func (r *run) recomputeScores(ctx context.Context, wanted []bool, useBest bool) {
	coef, scores := r.zeros(), make([][]float64, len(r.problems))
	for k, p := range r.problems {
		if scores[k] = p.score; !wanted[k] {
			continue
		}
		if useBest {
			copy(p.alpha, p.best)
		}
		p.alpha64 = slices.Clone(p.alpha)
		for i, a := range p.alpha {
			_, sign := p.row(i)
			coef[k][i] = float64(sign*a) / p.dualScale()
		}
	}
	r.scores64(ctx, wanted, coef, scores)
}

// confirmObjectives recomputes, from float64 scores, the objectives of the problems whose objective
// rounding errors may have changed noticeably, if this is cheap and the kernel is not a Func.
// all[k] holds the coefficients of problem k. If any objective is recomputed, all coefficients are
// rounded to float32, and scaled down where that lowers a recomputed objective above 1.
func (r *run) confirmObjectives(all [][]float64) {
	wanted, cost := make([]bool, len(r.problems)), 0.0
	for k, p := range r.problems {
		e := p.objectiveError
		wanted[k] = p.objective+e > 1 && e > 0 || e > float64(maxErrorShare*p.objective)
		if wanted[k] {
			cost += r.cost64(p, all[k])
		}
	}
	if cost > maxVerifyCost || r.cfg.Kernel == Function || !slices.Contains(wanted, true) {
		return
	}
	for _, coef := range all {
		for i, v := range coef {
			coef[i] = float64(float32(v))
		}
	}
	scores := r.zeros()
	for round := 0; round < maxRecomputations && slices.Contains(wanted, true); round++ {
		r.scores64(context.Background(), wanted, all, scores)
		r.each(func(k int) {
			if wanted[k] {
				r.measureModel(r.problems[k], all[k], scores[k])
				wanted[k] = r.problems[k].factor != 1
			}
		})
	}
	// If no rounded multiple is better than w = 0, the model is w = 0.
	for k, p := range r.problems {
		if wanted[k] {
			clear(all[k])
			p.objective, p.objectiveError = 1, 0
			r.setBound(p)
		}
	}
}

// zeros returns a zero for each row of each problem.
func (r *run) zeros() [][]float64 {
	all := make([][]float64, len(r.problems))
	for k, p := range r.problems {
		all[k] = make([]float64, len(p.score))
	}
	return all
}
