package kernelsvm

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/elementary"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// Where the roundings of float32 are too much for the proof that is wanted, the scores are found
// anew from kernel values in float64: once, at the end, for it takes several times as long a value.

// wide returns the kernel's value from an inner product, or for RBF from a squared distance.
func (k *function) wide(v float64) float64 {
	if k.kind == RBF {
		return elementary.Exp(-float64(k.gamma * v))
	}
	return k.ofProduct(v)
}

// wideTile sets dst[k][j] to the kernel of probe k and row j of tile t.
func (s *rowStore) wideTile(dst []*[tileRows]float64, probes []probe, t int) {
	r := s.tiles[t]
	n := r.end - r.start
	switch {
	case s.kernel.kind == Function:
		for k := range probes {
			z := Row{probes[k].index, probes[k].values}
			for j := range n {
				dst[k][j] = float64(s.kernel.f(s.row(r.start+j), z))
			}
		}
	case s.words != nil:
		for k := range probes {
			count(s, dst[k][:n], s.wideValues, &probes[k], r.start)
		}
	case s.dense != nil:
		few := s.few()
		for j := 0; j < n; j += few {
			end := min(j+few, n)
			for k := range probes {
				s.wideProducts(dst[k][j:end], s.at[r.start+j:r.start+end], probes[k].values)
			}
		}
		for k := range probes {
			s.fromWide(dst[k][:n], probes[k].wide, r.start)
		}
	default:
		for k := range probes {
			s.index[t].dot(dst[k], &probes[k])
			s.fromWide(dst[k][:n], probes[k].wide, r.start)
		}
	}
}

// wideProducts is products in float64.
func (s *rowStore) wideProducts(dst []float64, rows []int32, x []float32) {
	for j, i := range rows {
		if s.direct {
			dst[j] = distance(s.dense.Row(int(i)), x)
		} else {
			dst[j] = dense.Dot64(s.dense.Row(int(i)), x)
		}
	}
}

// fromWide turns inner products, or distances found directly, into the kernel's values.
func (s *rowStore) fromWide(dst []float64, square float64, start int) {
	for j, v := range dst {
		if s.kernel.kind == RBF && !s.direct {
			v = max(0, (square+s.wide[start+j])-float64(2*v))
		}
		dst[j] = s.kernel.wide(v)
	}
}

// distance returns the squared distance of two rows.
func distance(x, z []float32) float64 {
	var a, b, c, d float64
	for len(x) >= 4 && len(z) >= 4 {
		u, v := (*[4]float32)(x), (*[4]float32)(z)
		d0, d1 := float64(u[0])-float64(v[0]), float64(u[1])-float64(v[1])
		d2, d3 := float64(u[2])-float64(v[2]), float64(u[3])-float64(v[3])
		a += float64(d0 * d0)
		b += float64(d1 * d1)
		c += float64(d2 * d2)
		d += float64(d3 * d3)
		x, z = x[4:], z[4:]
	}
	for j, v := range x {
		e := float64(v) - float64(z[j])
		a += float64(e * e)
	}
	return (a + b) + (c + d)
}

// A classValues has a number for each row of each class in each of the class's problems.
type classValues [][][]float64

// wideScores sets dst to the scores of the problems that are wanted, by coefficients, as a model
// that has these predicts them. If ctx is done before they are found they are of no use.
func (r *run) wideScores(ctx context.Context, wanted []bool, coef, dst classValues) {
	at, counts, kept := r.support(coef)
	sc := &scorer[float64]{r.cfg, len(r.classes), counts, kept, nil}
	var rows *rowStore
	if r.cfg.Kernel == Linear {
		sc.addUp(r.store.from, at)
	} else {
		rows = r.store.some(at, endsOf(counts))
	}
	n, problems := len(r.classOf), len(r.problems)
	workers := make([]*queryWorker, r.threads)
	parallel.For(r.threads, (n+queryRows-1)/queryRows, func(worker, block int) {
		if ctx.Err() != nil {
			return
		}
		if workers[worker] == nil {
			workers[worker] = newWorker(queryRows)
		}
		start, w := block*queryRows, workers[worker]
		end := min(start+queryRows, n)
		w.probes = w.probes[:0]
		scores := make([]float64, (end-start)*problems)
		for p := start; p < end; p++ {
			if sc.linear != nil {
				sc.decideLinear(r.store.row(p), scores[(p-start)*problems:])
			}
			w.probes = append(w.probes, r.store.probe(p))
		}
		if sc.linear == nil {
			sc.decide(rows, w, scores)
		}
		for p := start; p < end; p++ {
			g := &r.groups[r.classOf[p]]
			for s, slot := range g.slots {
				if wanted[slot.problem] {
					dst[r.classOf[p]][s][p-g.start] = scores[(p-start)*problems+slot.problem]
				}
			}
		}
	})
}

// wideCost returns the number of products of float64 that wideScores takes.
func (r *run) wideCost(coef classValues) float64 {
	at, _, _ := r.support(coef)
	rows, support, width := float64(len(r.classOf)), float64(len(at)), float64(r.store.width)
	switch {
	case r.cfg.Kernel == Linear:
		return float64((rows + support) * r.store.longest)
	case r.store.words == nil:
		width = 20 + r.store.meanLength // the exponential takes as long as 20 products
	}
	return float64(rows * support * width)
}

const (
	wideCheap = 1 << 27 // products: some 0.1 s
	wideMost  = 4       // times that a problem's scores are found anew
	// the share of an objective that may be due to roundings without its being found anew
	blurry = 1e-6
)

// settle decides which problems are done after a pass of the finish, and finds the scores of those
// anew in float64 whose proof roundings stand in the way of, unless ctx is done. Still is whether
// the pass made moves of any length.
func (r *run) settle(ctx context.Context, still bool) {
	last := r.pass == r.cfg.Passes
	wanted, coef, scores := make([]bool, len(r.problems)), r.empty(), r.empty()
	for k, p := range r.problems {
		wanted[k] = r.blurred(p, last || p.most == 0 && still)
	}
	for c := range r.groups {
		for s, slot := range r.groups[c].slots {
			if wanted[slot.problem] {
				coef[c][s], scores[c][s] = slices.Clone(slot.alpha), slot.score
				if last {
					copy(coef[c][s], slot.best)
				}
			}
		}
	}
	if slices.Contains(wanted, true) {
		if r.settleScores(ctx, wanted, coef, scores); ctx.Err() != nil {
			return
		}
	}
	r.each(func(k int) {
		p := r.problems[k]
		if wanted[k] {
			r.settled(k)
		}
		p.done = p.done || p.gapTo(p.bound) <= r.cfg.Tol || p.most == 0 && still && !wanted[k]
	})
}

// blurred reports whether the scores of a problem have to be found in float64: its gap is proven to
// Tol, and to half of that without roundings, which are most of the rest. Or the finish has ended.
func (r *run) blurred(p *problem, ended bool) bool {
	tol := r.cfg.Tol
	return !p.done && r.certified() && r.cfg.Kernel != Function && p.settlings < wideMost &&
		p.gapTo(p.bound) > tol && (ended || p.gapTo(p.computed) <= tol/2) && p.lost() > tol/4
}

// lost returns how much of the gap is due to roundings.
func (p *problem) lost() float64 {
	if p.lower == 0 {
		return math.Inf(1)
	}
	return p.gapTo(p.bound) - p.gapTo(p.computed)
}

// settleScores makes alpha those of the problems that are wanted, and finds their scores.
func (r *run) settleScores(ctx context.Context, wanted []bool, alpha, scores classValues) {
	for c := range r.groups {
		for s, slot := range r.groups[c].slots {
			if wanted[slot.problem] {
				copy(slot.alpha, alpha[c][s])
				r.groups[c].slots[s].wide = slices.Clone(slot.alpha)
				for i := range alpha[c][s] {
					alpha[c][s][i] *= slot.sign
				}
			}
		}
	}
	r.wideScores(ctx, wanted, alpha, scores)
}

// settled measures a problem whose scores were found in float64.
func (r *run) settled(k int) {
	p := r.problems[k]
	p.settled = p.violations
	p.settlings++
	p.objective, p.off, p.gap, p.computed = 1, 0, math.Inf(1), p.lower
	for c := range r.groups {
		if s := r.slot(k, c); s != nil {
			clear(s.best)
		}
	}
	r.measureDual(k)
}

// verify finds the objective of models again, from scores in float64, whose objective roundings may
// have put somewhere else, if that does not take long. all is their coefficients.
func (r *run) verify(all classValues) {
	wanted, scores := make([]bool, len(r.problems)), r.empty()
	for k, p := range r.problems {
		wanted[k] = r.cfg.Kernel != Function && (p.objective+p.off > 1 && p.off > 0 ||
			p.off > float64(blurry*p.objective))
	}
	if !slices.Contains(wanted, true) || r.wideCost(all) > wideCheap {
		return
	}
	for c, g := range r.groups {
		for s := range g.slots {
			scores[c][s] = make([]float64, g.end-g.start)
		}
	}
	for round := 0; round < wideMost && slices.Contains(wanted, true); round++ {
		r.wideScores(context.Background(), wanted, all, scores)
		r.each(func(k int) {
			if wanted[k] {
				r.measureModel(k, all, scores, r.wide)
				wanted[k] = r.problems[k].factor != 1
			}
		})
	}
	// Where no multiple is better than w = 0 once it is rounded, the model is that.
	for k, p := range r.problems {
		if wanted[k] {
			r.eachCoefficient(k, all, func(_, _ int, a *float64) { *a = 0 })
			p.objective, p.off = 1, 0
			r.setBound(p)
		}
	}
}

// scores returns those of this moment.
func (r *run) scores() classValues {
	v := r.empty()
	for c, g := range r.groups {
		for s := range g.slots {
			v[c][s] = g.slots[s].score
		}
	}
	return v
}

func (r *run) empty() classValues {
	v := make(classValues, len(r.groups))
	for c := range v {
		v[c] = make([][]float64, len(r.groups[c].slots))
	}
	return v
}
