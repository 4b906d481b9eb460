package sgd

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Group takes the steps of several one-vs-rest problems together, so that each row is read once.
// The scores have the same bits as separate dot products with each vector.
type Group struct {
	problems     []*Binary
	x            store.Rows
	scores       []float32 // current row's score for each problem
	coefficients []float32 // Coefficients of mixed

	// for dense rows
	vectors *dense.Matrix
	first   int

	// for sparse rows: the problems' vectors, and interleaved copies
	mixed *store.Mixed
	own   [][]float32
}

// Fewer than minGroup problems do not share sparse rows: too much of the buffer, padded to a
// multiple of 8 vectors, would be unused.
const minGroup = 3

// NewGroup returns a Group of the problems. The vector of problem k is row first+k of vectors.
// NewGroup returns nil if a problem has a projection or is not PlainHinge, or if sharing the rows
// would not pay.
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
	if n < minGroup || !store.MixingPays(x, Segment(x.Cols()), 8) {
		return nil
	}
	g.mixed = store.NewMixed(x, n)
	g.coefficients = g.mixed.Coefficients()
	for _, p := range problems {
		g.own = append(g.own, p.V)
	}
	return g
}

// Steps takes a step of each problem with each row, and samples w when a sample is due. It stops at
// a score that is not finite.
func (g *Group) Steps(idx []uint32) {
	lead := g.problems[0] // all problems have taken the same number of steps
	distance := lead.PrefetchDistance()
	if g.mixed != nil {
		g.mixed.Load(g.own)
	}
	for len(idx) > 0 {
		n := lead.BeforeSample(len(idx))
		for k, i := range idx[:n] {
			if distance > 0 && k+distance < n {
				g.x.Prefetch(int(idx[k+distance]))
			}
			if g.mixed == nil {
				g.x.DotVectors(g.scores, int(i), g.vectors, g.first)
			} else {
				g.scores = g.mixed.Dots(int(i))
			}
			if !g.step(i) {
				return
			}
		}
		idx = idx[n:]
		if len(idx) == 0 || lead.Samples() {
			if g.mixed != nil {
				g.mixed.Store(g.own)
			}
			for _, p := range g.problems {
				p.Sample()
			}
		}
	}
}

// step reports false if a score is not finite.
func (g *Group) step(i uint32) bool {
	changed := false
	for k, p := range g.problems {
		dot := g.scores[k]
		// if Scale is 0, w = 0 violates
		if !p.satisfied(i, dot) || p.Scale() == 0 {
			a, ok := p.violation(i, dot)
			if !ok {
				return false
			}
			if g.mixed == nil {
				g.x.Axpy(int(i), a, p.V)
			} else {
				g.coefficients[k], changed = a, true
			}
		}
		p.T++
	}
	if changed {
		g.mixed.Axpy(int(i))
	}
	return true
}

// Segment returns a number of steps, on single rows of the given number of columns, after which a
// run checks its context.
func Segment(cols int) int { return min(max(1<<24/max(cols, 1), 1024), 8192) }
