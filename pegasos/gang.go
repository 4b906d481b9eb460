package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
)

// A gang is problems of one-vs-rest that take their steps together, so that each row is read once for all of them: a product
// of the row with all vectors gives the same bits as one with each.
type gang struct {
	x        *dense.Matrix
	all      *dense.Matrix // the vectors, a row each
	first    int           // of its rows
	problems []*problem
	dots     []float32
}

// newGang returns one for the problems from first to end-1, or nil if they have to go one by one.
func (r *run) newGang(first, end int) *gang {
	x, ok := r.x.(*dense.Matrix)
	if !ok || r.matrix == nil || end-first < 2 || r.cfg.Shards > 1 {
		return nil
	}
	for _, p := range r.problems[first:end] {
		if p.cost.loss != hingeCost || p.ahead != nil || p.free || p.radius > 0 || p.ascent != nil || p.err != nil {
			return nil
		}
	}
	return &gang{x: x, all: r.matrix, first: first, problems: r.problems[first:end], dots: make([]float32, end-first)}
}

// steps takes a step of each problem with each of the rows idx, and samples on the way.
func (g *gang) steps(idx []uint32) {
	lead := g.problems[0] // the others are at the same step
	for len(idx) > 0 {
		n := int64(len(idx))
		if lead.avg != nil {
			n = min(n, (lead.total-lead.t-1)%lead.period+1)
		}
		for k, i := range idx[:n] {
			if lead.scattered && k+1 < int(n) {
				g.x.Prefetch(int(idx[k+1]))
			}
			g.all.DotRows(g.dots, g.first, g.x.Row(int(i)))
			for k, p := range g.problems {
				y, scale := p.sign(i), p.scale()
				m := float64(y) * (float64(g.dots[k]) + float64(p.biasScale*p.vb[0]))
				if !(m >= scale && m <= math.MaxFloat64) || scale == 0 { // at first w is 0 by definition, and violates
					if !p.violate(i, y, m) {
						return
					}
				}
				p.t++
			}
		}
		idx = idx[n:]
		for _, p := range g.problems {
			p.sample()
		}
	}
}
