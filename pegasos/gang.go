package pegasos

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// A gang is problems of one-vs-rest that take their steps together, so that each row is read once for all of them: a product
// of the row with all vectors gives the same bits as one with each.
type gang struct {
	problems  []*problem
	scattered bool
	scores    []float32 // of a row, for each problem
	pulls     []float32 // and what it is to be added to the vectors times; 0 for most

	dense denseRows
	all   *dense.Matrix // the vectors, a row each
	first int           // of its rows

	// The vectors for sparse rows: the elements of all for the first column, then those for the second and so on, so that a row's
	// nonzero meets all of them in one place. There is room for a multiple of 8.
	sparse *sparse.Matrix
	mixed  []float32
}

// newGang returns one for the problems from first to end-1, or nil if they have to go one by one.
func (r *run) newGang(first, end int) *gang {
	if r.matrix == nil || end-first < 2 || r.cfg.Shards > 1 {
		return nil
	}
	for _, p := range r.problems[first:end] {
		if p.cost.loss != hingeCost || p.ahead != nil || p.free || p.radius > 0 || p.ascent != nil || p.err != nil {
			return nil
		}
	}
	n := end - first
	g := &gang{problems: r.problems[first:end], scattered: r.scattered, scores: make([]float32, n), pulls: make([]float32, n)}
	switch x := r.problems[first].x.(type) {
	case denseRows:
		g.dense, g.all, g.first = x, r.matrix, first
		return g
	case *sparse.Matrix:
		// Mixing takes a pass over the vectors. With few of them, most of the room would be for none.
		if n < gangFrom || x.Rows() == 0 || x.NNZ()/x.Rows()*segment(x.Cols()) < 8*x.Cols() {
			return nil
		}
		room := (n + 7) / 8 * 8
		g.sparse, g.mixed = x, r.room(first, room*x.Cols())
		g.scores, g.pulls = make([]float32, room), make([]float32, room)
		return g
	}
	return nil
}

// gangFrom is the least number of problems that share sparse rows.
const gangFrom = 3

// room returns zeros for the gang whose first problem is given: always the same ones, for gangs come and go.
func (r *run) room(first, n int) []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rooms == nil {
		r.rooms = make(map[int][]float32)
	}
	if len(r.rooms[first]) != n {
		r.rooms[first] = dense.New(1, n).Row(0)
	}
	return r.rooms[first]
}

// steps takes a step of each problem with each of the rows idx, and samples on the way.
func (g *gang) steps(idx []uint32) {
	lead := g.problems[0] // the others are at the same step
	g.mix()
	for len(idx) > 0 {
		n := int64(len(idx))
		if lead.avg != nil {
			n = min(n, (lead.total-lead.t-1)%lead.period+1)
		}
		for k, i := range idx[:n] {
			if g.dense != nil {
				if g.scattered && k+1 < int(n) {
					g.dense.Prefetch(int(idx[k+1]))
				}
				g.all.DotRows(g.scores, g.first, g.dense.Row(int(i)))
			} else {
				if g.scattered && k+rowsAhead < int(n) {
					g.sparse.Prefetch(int(idx[k+rowsAhead]))
				}
				g.sparse.DotK(int(i), g.scores, g.mixed)
			}
			if !g.step(i) {
				return
			}
		}
		idx = idx[n:]
		if len(idx) == 0 || lead.avg != nil && (lead.total-lead.t)%lead.period == 0 {
			g.part()
			for _, p := range g.problems {
				p.sample()
			}
		}
	}
}

// step takes a step of each problem with row i, whose scores are known. It reports whether all of them are numbers.
func (g *gang) step(i uint32) bool {
	some := false
	for k, p := range g.problems {
		dot := g.scores[k]
		if !p.beyond(i, dot) || p.scale() == 0 { // at first w is 0 by definition, and violates
			a, ok := p.note(i, dot)
			if !ok {
				return false
			}
			if g.dense != nil {
				g.dense.Axpy(int(i), a, p.v)
			} else {
				g.pulls[k], some = a, true
			}
		}
		p.t++
	}
	if some {
		// Where nothing pulls a zero is added, which changes no bit: no element is ever -0.
		g.sparse.AxpyK(int(i), g.pulls, g.mixed)
		clear(g.pulls)
	}
	return true
}

// mix makes the common vectors of the problems' own.
func (g *gang) mix() {
	if g.sparse == nil {
		return
	}
	room := len(g.scores)
	for k, p := range g.problems {
		for j, v := range p.v {
			g.mixed[j*room+k] = v
		}
	}
}

// part is mix the other way round.
func (g *gang) part() {
	if g.sparse == nil {
		return
	}
	room := len(g.scores)
	for k, p := range g.problems {
		for j := range p.v {
			p.v[j] = g.mixed[j*room+k]
		}
	}
}
