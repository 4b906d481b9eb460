package sgd

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/sparse"
)

// Group takes the steps of several one-vs-rest problems together, so that each row is read once for
// all of them. The dot products of a row with all vectors together have the same bits as a separate
// dot product with each vector.
type Group struct {
	problems     []*Binary
	x            store.Rows
	scores       []float32 // dot product of the current row with each problem's vector
	coefficients []float32 // multiple of a sparse row to add to each vector; 0 for no violation

	// For dense rows: the vector of problem k is row first+k of vectors.
	vectors *dense.Matrix
	first   int

	// For sparse rows: mixed has the vectors' elements for the first column, then those for the
	// second, and so on, so that a nonzero finds its elements side by side. The number of vectors
	// is rounded up to a multiple of 8. interleaved reads the rows; it is nil for dense rows.
	interleaved *sparse.Matrix
	mixed       []float32
}

// minGroup is the smallest number of problems that share sparse rows. They share a buffer that has
// space for at least 8 vectors; with fewer problems, most of that space would be unused.
const minGroup = 3

// NewGroup returns a Group of the problems. The vector of problem k is row first+k of the matrix
// vectors. NewGroup returns nil if a problem has a projection or is no PlainHinge, or if sharing
// sparse rows would not pay; the problems must then take their steps one by one.
func NewGroup(problems []*Binary, vectors *dense.Matrix, first int) *Group {
	for _, p := range problems {
		if !p.PlainHinge() || p.Radius > 0 {
			return nil
		}
	}
	n := len(problems)
	x := problems[0].X
	g := &Group{problems: problems, x: x, scores: make([]float32, n)}
	if x.FastBatches() {
		g.vectors, g.first = vectors, first
		return g
	}
	g.interleaved = x.Interleaved()
	if g.interleaved == nil || n < minGroup || x.Rows() == 0 {
		return nil
	}
	// Interleaving copies all vectors. It pays if a segment reads at least 8 nonzeros per column.
	if g.interleaved.NNZ()/x.Rows()*Segment(x.Cols()) < 8*x.Cols() {
		return nil
	}
	k := (n + 7) / 8 * 8
	g.mixed = dense.New(1, k*x.Cols()).Row(0)
	g.scores, g.coefficients = make([]float32, k), make([]float32, k)
	return g
}

// Steps takes a step of each problem with each of the rows idx, and samples w where a sample is
// due. It stops at a score that is not finite.
func (g *Group) Steps(idx []uint32) {
	lead := g.problems[0] // all problems have taken the same number of steps
	distance := lead.PrefetchDistance()
	g.interleave(false)
	for len(idx) > 0 {
		n := lead.BeforeSample(len(idx))
		for k, i := range idx[:n] {
			if distance > 0 && k+distance < n {
				g.x.Prefetch(int(idx[k+distance]))
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
			g.interleave(true)
			for _, p := range g.problems {
				p.Sample()
			}
		}
	}
}

// step takes a step of each problem with row i. It reports false if a score is not finite.
func (g *Group) step(i uint32) bool {
	changed := false
	for k, p := range g.problems {
		dot := g.scores[k]
		// Before the first step without an offset w is 0 by definition, and violates.
		if !p.satisfied(i, dot) || p.Scale() == 0 {
			a, ok := p.violation(i, dot)
			if !ok {
				return false
			}
			if g.interleaved == nil {
				g.x.Axpy(int(i), a, p.V)
			} else {
				g.coefficients[k], changed = a, true
			}
		}
		p.T++
	}
	if changed {
		// A coefficient of 0 adds 0, which changes no bit because no element is -0.
		g.interleaved.AxpyK(int(i), g.coefficients, g.mixed)
		clear(g.coefficients)
	}
	return true
}

// interleave copies the vectors to mixed or, if restore is set, from mixed back to the vectors. For
// dense rows it does nothing.
func (g *Group) interleave(restore bool) {
	if g.interleaved == nil {
		return
	}
	n := len(g.scores)
	for k, p := range g.problems {
		for j := range p.V {
			if own, common := &p.V[j], &g.mixed[j*n+k]; restore {
				*own = *common
			} else {
				*common = *own
			}
		}
	}
}

// Segment returns the number of steps that a run takes between two checks whether its context is
// done: 1024 to 8192, for vectors with cols elements.
func Segment(cols int) int { return min(max(1<<24/max(cols, 1), 1024), 8192) }
