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
func (k *function) wide(v float64) float64 {
	if k.kind == RBF {
		return floats.Exp(-float64(k.gamma * v))
	}
	return k.ofProduct(v)
}

// wideTile sets dst[k][j] to the kernel of probe k and row j of tile t.
func (s *rowStore) wideTile(dst [][tileRows]float64, probes []probe, t int) {
	r := s.tiles[t]
	n := r.end - r.start
	few := n
	if s.dense != nil {
		few = s.few()
	}
	for j := 0; j < n; j += few {
		for k := range probes {
			s.wideRow(dst[k][j:min(j+few, n)], &probes[k], t, r.start+j)
		}
	}
}

// wideRow sets dst to the kernel of a probe with the rows from start on, of tile t.
func (s *rowStore) wideRow(dst []float64, q *probe, t, start int) {
	switch {
	case s.kernel.kind == Function:
		for j := range dst {
			dst[j] = float64(s.kernel.f(s.row(start+j), Row{q.index, q.values}))
		}
		return
	case s.words != nil:
		var counts [tileRows]float32
		s.count(counts[:len(dst)], s.numbers, q, start)
		for j := range dst {
			dst[j] = s.wideValues[int32(counts[j])]
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
			if v = (q.square + s.wide[start+j]) - float64(2*v); v < 0 {
				v = 0
			}
		}
		dst[j] = s.kernel.wide(v)
	}
}

// wideScores sets dst to the scores of the problems that are wanted, as a model with coefficients
// predicts them, which are of float32. If ctx is done before they are found they are of no use.
func (r *run) wideScores(ctx context.Context, wanted []bool, coef, dst [][]float64) {
	m := &Model{Classes: r.classes, Config: r.cfg, Func: r.f}
	at, err := r.takeSupport(m, coef)
	if err != nil {
		return // and there will be no model
	}
	m.rows = store.TakeMatrix(r.store.from, at)
	if m.prepare(); m.linear == nil {
		m.store.direct, m.general.direct = r.store.direct, r.store.direct
	}
	var places, rows []int32 // of the classes that have part in what is wanted
	for p, c := range r.classOf {
		if slices.ContainsFunc(r.parts[c], func(k int) bool { return wanted[k] }) {
			places, rows = append(places, int32(p)), append(rows, r.store.at[p])
		}
	}
	n := m.Problems()
	x := r.store.from.Examples()
	m.decideAll(ctx, x, rows, r.threads, func(start int, scores []float64) {
		for i, place := range places[start:][:len(scores)/n] {
			for _, k := range r.parts[r.classOf[place]] {
				if wanted[k] {
					at, _ := r.problems[k].find(int(place))
					dst[k][at] = scores[i*n+k]
				}
			}
		}
	})
}

// wideCost returns the number of products that the scores of a problem take.
func (r *run) wideCost(p *problem, coef []float64) float64 {
	width := 20 + r.store.meanLength // the exponential takes as long as 20 products
	switch {
	case r.cfg.Kernel == Linear:
		return 0
	case r.store.words != nil:
		width = float64(r.store.width)
	}
	return float64(float64(p.rows*count(coef)) * width)
}

const (
	wideCheap = 1 << 27 // products: some 0.1 s
	wideMost  = 4       // times that a problem's scores are found again
	// the share of an objective that may be due to roundings without its being found again
	blurry = 1e-6
)

// settle decides which problems are done after a pass of the finish, and finds the scores of those
// again in float64 whose proof roundings stand in the way of, unless ctx is done. Still is whether
// the pass made moves of any length.
func (r *run) settle(ctx context.Context, still bool) {
	last := r.pass == r.cfg.Passes
	wanted := make([]bool, len(r.problems))
	for k, p := range r.problems {
		wanted[k] = r.blurred(p, last || p.most == 0 && still)
	}
	if slices.Contains(wanted, true) {
		if r.settleScores(ctx, wanted, last); ctx.Err() != nil {
			return
		}
	}
	r.each(func(k int) {
		p := r.problems[k]
		if wanted[k] {
			p.settled = p.violations
			p.settlings++
			p.objective, p.off, p.gap, p.computed = 1, 0, math.Inf(1), p.lower
			clear(p.best)
			for i := range p.score { // found by coefficients
				p.score[i] *= p.dualScale()
			}
			r.measureDual(p)
		}
		p.done = p.done || p.gapTo(p.bound) <= r.cfg.Tol || p.most == 0 && still && !wanted[k]
	})
}

// blurred reports whether the scores of a problem have to be found in float64: its gap is proven to
// Tol, and to half of that without roundings, which are most of the rest. Or the finish has ended.
func (r *run) blurred(p *problem, ended bool) bool {
	tol := r.cfg.Tol
	return !p.done && r.certified() && r.cfg.Kernel != Function && p.settlings < wideMost &&
		p.gapTo(p.bound) > tol && (ended || p.gapTo(p.computed) <= tol/2) &&
		(p.lower == 0 || p.gapTo(p.bound)-p.gapTo(p.computed) > tol/4)
}

// settleScores finds the scores of the problems that are wanted, of the best pass after the last.
func (r *run) settleScores(ctx context.Context, wanted []bool, last bool) {
	coef, scores := r.zeros(), make([][]float64, len(r.problems))
	for k, p := range r.problems {
		if scores[k] = p.score; !wanted[k] {
			continue
		}
		if last {
			copy(p.alpha, p.best)
		}
		p.wide = slices.Clone(p.alpha)
		for i, a := range p.alpha {
			_, sign := p.row(i)
			coef[k][i] = float64(sign*a) / p.dualScale()
		}
	}
	r.wideScores(ctx, wanted, coef, scores)
}

// verify finds the objective of models again, from scores in float64, whose objective roundings may
// have put somewhere else, if that does not take long. all is their coefficients.
func (r *run) verify(all [][]float64) {
	wanted, cost := make([]bool, len(r.problems)), 0.0
	for k, p := range r.problems {
		wanted[k] = p.objective+p.off > 1 && p.off > 0 || p.off > float64(blurry*p.objective)
		if wanted[k] {
			cost += r.wideCost(p, all[k])
		}
	}
	for k, p := range r.problems { // after shrink an objective is not known
		wanted[k] = math.IsInf(p.off, 1) ||
			wanted[k] && cost <= wideCheap && r.cfg.Kernel != Function
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
	for round := 0; round < wideMost && slices.Contains(wanted, true); round++ {
		r.wideScores(context.Background(), wanted, all, scores)
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
			p.objective, p.off = 1, 0
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
