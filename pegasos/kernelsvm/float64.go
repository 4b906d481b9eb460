package kernelsvm

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/store"
)

// Predictions take kernel values in float64. Where the roundings of float32 are too much for the
// proof that is wanted, training takes its scores from them as well: it takes several times as long
// a value.

// wide returns the kernel's value from an inner product, or for RBF from a squared distance.
func (k *function) value64(v float64) float64 {
	if k.kind == RBF {
		return floats.Exp(-float64(k.gamma * v))
	}
	return k.ofProduct(v)
}

// wideTile sets dst[k][j] to the kernel of probe k and row j of tile t.
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

// wideRow sets dst to the kernel of a probe with the rows from start on, of tile t.
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

// wideScores sets dst to the scores of the problems that are wanted, as a model with coefficients
// predicts them, which are of float32. If ctx is done before they are found they are of no use.
func (r *run) scores64(ctx context.Context, wanted []bool, coef, dst [][]float64) {
	m := &Model{Classes: r.classes, Config: r.cfg, Func: r.f}
	at, err := r.collectSupport(m, coef)
	if err != nil {
		return // and there will be no model
	}
	m.rows = store.TakeMatrix(r.store.matrix, at)
	if m.prepare(); m.linear == nil {
		m.store.direct, m.general.direct = r.store.direct, r.store.direct
	}
	var positions, rows []int32 // of the classes that have part in what is wanted
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

// wideCost returns the number of products that the scores of a problem take.
func (r *run) cost64(p *problem, coef []float64) float64 {
	width := 20 + r.store.meanStored // the exponential takes as long as 20 products
	switch {
	case r.cfg.Kernel == Linear:
		return 0
	case r.store.words != nil:
		width = float64(r.store.width)
	}
	return float64(float64(p.rows*countNonzeros(coef)) * width)
}

const (
	maxVerifyCost     = 1 << 27 // products: some 0.1 s
	maxRecomputations = 4       // times that a problem's scores are found again
	// the share of an objective that may be due to roundings without its being found again
	maxErrorShare = 1e-6
)

// settle decides which problems are done after a pass of the finish, and finds the scores of those
// again in float64 whose proof roundings stand in the way of, unless ctx is done. Still is whether
// the pass made moves of any length.
func (r *run) endPass(ctx context.Context, still bool) {
	last := r.pass == r.cfg.Passes
	wanted := make([]bool, len(r.problems))
	for k, p := range r.problems {
		wanted[k] = r.needsFloat64(p, last || p.maxDelta == 0 && still)
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
			for i := range p.score { // found by coefficients
				p.score[i] *= p.dualScale()
			}
			r.measureDual(p)
		}
		p.done = p.done || p.gapWith(p.bound) <= r.cfg.Tol || p.maxDelta == 0 && still && !wanted[k]
	})
}

// blurred reports whether the scores of a problem have to be found in float64: its gap is proven to
// Tol, and to half of that without roundings, which are most of the rest. Or the finish has ended.
func (r *run) needsFloat64(p *problem, ended bool) bool {
	tol := r.cfg.Tol
	return !p.done && r.certified() && r.cfg.Kernel != Function &&
		p.recomputations < maxRecomputations &&
		p.gapWith(p.bound) > tol && (ended || p.gapWith(p.rawLower) <= tol/2) &&
		(p.lower == 0 || p.gapWith(p.bound)-p.gapWith(p.rawLower) > tol/4)
}

// settleScores finds the scores of the problems that are wanted, of the best pass after the last.
func (r *run) recomputeScores(ctx context.Context, wanted []bool, last bool) {
	coef, scores := r.zeros(), make([][]float64, len(r.problems))
	for k, p := range r.problems {
		if scores[k] = p.score; !wanted[k] {
			continue
		}
		if last {
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

// verify finds the objective of models again, from scores in float64, whose objective roundings may
// have put somewhere else, if that does not take long. all is their coefficients.
func (r *run) confirmObjectives(all [][]float64) {
	wanted, cost := make([]bool, len(r.problems)), 0.0
	for k, p := range r.problems {
		e := p.objectiveError
		wanted[k] = p.objective+e > 1 && e > 0 || e > float64(maxErrorShare*p.objective)
		if wanted[k] {
			cost += r.cost64(p, all[k])
		}
	}
	for k, p := range r.problems { // after shrink an objective is not known
		wanted[k] = math.IsInf(p.objectiveError, 1) ||
			wanted[k] && cost <= maxVerifyCost && r.cfg.Kernel != Function
	}
	if !slices.Contains(wanted, true) {
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
	// Where no multiple is better than w = 0 once rounded, the model is w = 0.
	for k, p := range r.problems {
		if wanted[k] {
			clear(all[k])
			p.objective, p.objectiveError = 1, 0
			r.setBound(p)
		}
	}
}

// zeros returns one for each row of each problem.
func (r *run) zeros() [][]float64 {
	all := make([][]float64, len(r.problems))
	for k, p := range r.problems {
		all[k] = make([]float64, len(p.score))
	}
	return all
}
