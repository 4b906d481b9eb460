package kernelsvm

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A budget of support rows. A problem with more of them than MaxSV is given up to that many by
// kernel matching pursuit (Vincent and Bengio, Machine Learning 48, 2002), which looks for a w', a
// sum over few rows, that is close to w:
//
//  1. Pick the support row whose score by w' is furthest from that by w, over the root of its
//     kernel with itself, and give it the coefficient that puts its own score right. That is the
//     row and the step by which |w-w'| falls most. A row may be picked again. Stop when MaxSV rows
//     have been picked, or after 4*MaxSV picks.
//  2. Find the coefficients of these rows that make |w-w'| least, by conjugate gradients.
//
// Dropping the rows with the smallest alphas would be of no use: most of them are 1, those of rows
// that are wrong.

// maxRefits is the number of iterations of conjugate gradients, and refitted the share of the
// squared error at which they end. The system is nearly singular where rows are close to each
// other: what is left then doesn't matter.
const (
	maxRefits = 200
	refitted  = 1e-12
)

// shrink keeps each problem's coefficients within the budget. Its objective is to be found again.
func (r *run) shrink(all [][]float64) {
	for _, p := range r.problems {
		p.moves = p.moves[:0]
	}
	for k, p := range r.problems {
		if count(all[k]) <= r.cfg.MaxSV {
			continue
		}
		support, target := r.own(p, all[k])
		picked, coef := r.pursue(p, support)
		r.refit(target, picked, coef)
		for i, place := range picked {
			at, _ := p.find(int(place))
			all[k][at] = coef[i]
		}
		p.off, p.gap = math.Inf(1), math.Inf(1)
	}
}

// count returns how many coefficients are not 0.
func count(coef []float64) (n int) {
	for _, v := range coef {
		if v != 0 {
			n++
		}
	}
	return n
}

// own clears a problem's coefficients, makes its scores those of its w, and returns the places of
// the rows that this consists of, and the scores by place. After a finish it is the w of the last
// pass, whose scores are known, not of the best.
func (r *run) own(p *problem, coef []float64) (support []int32, target []float64) {
	target = make([]float64, len(r.classOf))
	scale := r.scaleOf(p)
	for i := range p.score {
		place, _ := p.row(i)
		_, score := p.at(i, r.averaged(p))
		if scale > 0 {
			score = float64(score/scale) * p.factor
		}
		p.score[i], target[place] = score, score
		if r.dual && p.alpha[i] != 0 || !r.dual && coef[i] != 0 {
			support = append(support, int32(place))
		}
	}
	clear(coef)
	return support, target
}

// pursue picks rows. The scores of the problem become those of w - w'.
func (r *run) pursue(p *problem, support []int32) (picked []int32, coef []float64) {
	at := make(map[int32]int)
	for range 4 * r.cfg.MaxSV {
		best, most := int32(-1), 0.0
		for _, place := range support {
			if d := float64(r.diagonal[place]); d > 0 {
				i, _ := p.find(int(place))
				if gain := float64(p.score[i]*p.score[i]) / d; gain > most {
					best, most = place, gain
				}
			}
		}
		if best < 0 {
			break
		}
		if _, again := at[best]; !again {
			if len(picked) == r.cfg.MaxSV {
				break
			}
			at[best] = len(picked)
			picked, coef = append(picked, best), append(coef, 0)
		}
		i, _ := p.find(int(best))
		a := p.score[i] / float64(r.diagonal[best])
		coef[at[best]] += a
		r.subtract(p, []int32{best}, []float64{a})
	}
	return picked, coef
}

// subtract takes a sum over some rows from the scores of a problem.
func (r *run) subtract(p *problem, places []int32, a []float64) {
	for len(places) > 0 {
		n := min(len(places), blockRows)
		b := &r.block
		b.places, b.probes, p.moves = b.places[:0], b.probes[:0], p.moves[:0]
		for i, place := range places[:n] {
			b.places = append(b.places, place)
			b.probes = append(b.probes, r.store.probe(int(place)))
			p.moves = append(p.moves, alphaMove{int32(i), -a[i], 0})
		}
		parallel.For(r.threads, len(r.store.tiles),
			func(worker, t int) { r.updateScores(r.workers[worker], t) })
		places, a = places[n:], a[n:]
	}
	p.moves = p.moves[:0]
}

// refit makes the coefficients the best there are, in float32.
func (r *run) refit(all []float64, picked []int32, coef []float64) {
	target := make([]float64, len(picked))
	for i, place := range picked {
		target[i] = all[place]
	}
	r.gram(picked).solve(coef, target)
	for i, v := range coef {
		coef[i] = float64(float32(v))
	}
}

// A gramMatrix has the kernel of n rows with each other.
type gramMatrix struct {
	n       int
	values  []float32
	threads int
}

func (r *run) gram(picked []int32) *gramMatrix {
	n := len(picked)
	at := make([]int32, n)
	for i, place := range picked {
		at[i] = r.store.at[place]
	}
	rows := newStore(r.store.kernel, r.store.from, at, []int{n})
	rows.direct = r.store.direct
	g := &gramMatrix{n, make([]float32, n*n), r.threads}
	parallel.For(r.threads, len(rows.tiles), func(_, t int) {
		tile := rows.tiles[t]
		for i := range n {
			rows.tile([][]float32{g.values[i*n+tile.start : i*n+tile.end]},
				[]probe{rows.probe(i)}, t)
		}
	})
	return g
}

// times sets dst to the matrix times x.
func (g *gramMatrix) times(dst, x []float64) {
	parallel.For(g.threads, g.n, func(_, i int) {
		var sum float64
		for j, v := range g.values[i*g.n:][:g.n] {
			sum += float64(float64(v) * x[j])
		}
		dst[i] = sum
	})
}

// solve brings the matrix times coef close to target, by conjugate gradients.
func (g *gramMatrix) solve(coef, target []float64) {
	image, rest, along := make([]float64, g.n), make([]float64, g.n), make([]float64, g.n)
	g.times(image, coef)
	var norm, start float64 // of the rest
	for i, want := range target {
		rest[i] = want - image[i]
		along[i] = rest[i]
		norm += float64(rest[i] * rest[i])
		start += float64(want * want)
	}
	for range maxRefits {
		if norm <= float64(refitted*start) {
			break
		}
		g.times(image, along)
		var bend float64
		for i, v := range along {
			bend += float64(v * image[i])
		}
		if !(bend > 0) {
			break // rounding has the last word
		}
		step := norm / bend
		was := norm
		norm = 0
		for i := range coef {
			coef[i] += float64(step * along[i])
			rest[i] -= float64(step * image[i])
			norm += float64(rest[i] * rest[i])
		}
		for i := range along {
			along[i] = rest[i] + float64(norm/was*along[i])
		}
	}
}
