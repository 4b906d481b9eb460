package sgd

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/store"
)

// A Group is problems of one-vs-rest that take their steps together, so that each row is read once
// for all of them: a product of the row with all vectors gives the same bits as one with each.
type Group struct {
	problems     []*Binary
	x            store.Rows
	scores       []float32 // of a row, for each problem
	coefficients []float32 // that the row is added to the vectors with; 0 for most

	// The vectors of dense rows, a row each from first on.
	vectors *dense.Matrix
	first   int

	// The vectors of sparse rows: the elements of all for the first column, then those for the
	// second and so on, so that a row's nonzero needs all of them from one place. There is space
	// for a multiple of 8. interleaved is nil for dense rows.
	interleaved store.Interleaved
	mixed       []float32
}

// groupFrom is the least number of problems that share sparse rows.
const groupFrom = 3

// NewGroup returns a group of the problems, whose vectors are rows of a matrix from first on, or
// nil if they have to go one by one. A buffer has to be the same zeros each time: groups come and
// go.
func NewGroup(problems []*Binary, vectors *dense.Matrix, first int,
	buffer func(n int) []float32) *Group {
	for _, p := range problems {
		if !p.PlainHinge() || p.Radius > 0 || p.Err != nil {
			return nil
		}
	}
	n := len(problems)
	x := problems[0].X
	g := &Group{problems: problems, x: x, scores: make([]float32, n)}
	if x.Contiguous() {
		g.vectors, g.first = vectors, first
		return g
	}
	g.interleaved = x.Interleaved()
	if g.interleaved == nil || n < groupFrom || x.Rows() == 0 {
		return nil
	}
	// Mixing takes a pass over the vectors. With few of them, most of the space would be for none.
	if g.interleaved.NNZ()/x.Rows()*Segment(x.Cols()) < 8*x.Cols() {
		return nil
	}
	k := (n + 7) / 8 * 8
	g.mixed = buffer(k * x.Cols())
	g.scores, g.coefficients = make([]float32, k), make([]float32, k)
	return g
}

// Steps takes a step of each problem with each of the rows idx, and samples in between.
func (g *Group) Steps(idx []uint32) {
	lead := g.problems[0] // the others are at the same step
	ahead := lead.FetchAhead()
	g.mix(false)
	for len(idx) > 0 {
		n := lead.BeforeSample(len(idx))
		for k, i := range idx[:n] {
			if ahead > 0 && k+ahead < n {
				g.x.Fetch(int(idx[k+ahead]))
			}
			if g.interleaved == nil {
				g.x.DotVectors(g.scores, int(i), g.vectors, g.first)
			} else {
				g.interleaved.DotK(int(i), g.scores, g.mixed)
			}
			if !g.step(i) {
				return
			}
		}
		idx = idx[n:]
		if len(idx) == 0 || lead.Samples() {
			g.mix(true)
			for _, p := range g.problems {
				p.Sample()
			}
		}
	}
}

// step takes a step of each problem with row i. It reports whether its scores are numbers.
func (g *Group) step(i uint32) bool {
	some := false
	for k, p := range g.problems {
		dot := g.scores[k]
		if !p.beyond(i, dot) || p.Scale() == 0 { // at first w is 0 by definition, and violates
			a, ok := p.violation(i, dot)
			if !ok {
				return false
			}
			if g.interleaved == nil {
				g.x.Axpy(int(i), a, p.V)
			} else {
				g.coefficients[k], some = a, true
			}
		}
		p.T++
	}
	if some {
		// A coefficient of 0 adds a zero, which changes no bit: no element is ever -0.
		g.interleaved.AxpyK(int(i), g.coefficients, g.mixed)
		clear(g.coefficients)
	}
	return true
}

// mix copies the problems' own vectors to the common ones, or back.
func (g *Group) mix(back bool) {
	if g.interleaved == nil {
		return
	}
	n := len(g.scores)
	for k, p := range g.problems {
		for j := range p.V {
			if own, common := &p.V[j], &g.mixed[j*n+k]; back {
				*own = *common
			} else {
				*common = *own
			}
		}
	}
}
