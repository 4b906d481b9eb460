package newton

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// This file has the second half of an iteration: the step along the direction that the first half
// has found. The problems of one-vs-rest take theirs together, so that each row
// is read once for all of them: a product of the row with all directions gives the same bits as one
// with each.

// A direction is where a step goes.
type direction struct {
	p     []float64
	step  []float32 // p, without what is for the bias
	slope float64   // of the smoothed objective along p
	q     []float32 // what a unit along p adds to the margin of each row
}

// Together is the most problems that have directions at the same time: a few are enough for
// the time that is saved, and each takes memory.
var Together = 16 // a variable for the sake of tests

// lineFor returns a direction for n, whose elements may be anything.
func (l *Pool) lineFor(n *Method) *direction {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := &direction{}
	if k := len(l.lines); k > 0 {
		line, l.lines = l.lines[k-1], l.lines[:k-1]
	}
	if len(line.p) != len(n.v) || len(line.q) < len(n.p.Rows) {
		*line = direction{p: make([]float64, len(n.v)), step: make([]float32, n.p.Cols),
			q: make([]float32, len(n.p.Rows))}
	}
	return line
}

// leaveLine gives the direction back.
func (n *Method) leaveLine() {
	n.pool.mu.Lock()
	defer n.pool.mu.Unlock()
	n.pool.lines = append(n.pool.lines, n.line)
	n.line = nil
}

// multiply finds the direction's product with each row.
func (n *Method) multiply() {
	n.inChunks(func(_, from, to int) {
		dots := n.line.q[from:to]
		n.p.X.ForWorker().DotMany(dots, n.p.At[from:to], n.line.step)
		for j, dot := range dots {
			n.setProduct(from+j, dot)
		}
	})
}

// setProduct takes over the product of row j.
func (n *Method) setProduct(j int, dot float32) {
	n.line.q[j] = float32(float64(n.p.Side[j]) * (float64(dot) + n.biasOf(n.line.p)))
}

// move is the last part of an iteration, when the products are known.
func (n *Method) move() {
	if !n.over() && !n.follow() && !n.over() {
		n.renew()
	}
	n.leaveLine()
}

// follow goes along the direction to where the smoothed objective is least. It reports false if
// there is no such place.
func (n *Method) follow() bool {
	s, ok := n.search(n.line.slope)
	if !ok || n.over() {
		return false
	}
	for j, p := range n.line.p {
		n.v[j] += float64(s * p)
	}
	n.inChunks(func(_, from, to int) {
		for j := from; j < to; j++ {
			n.m[j] += float64(s * float64(n.line.q[j]))
		}
	})
	return true
}

// Iterate takes an iteration of each of the problems, which are over the same rows, with so many
// goroutines.
func Iterate(problems []*Method, threads int) {
	for len(problems) > 0 {
		some := problems[:min(len(problems), Together)]
		problems = problems[len(some):]
		each := max(1, threads/len(some))
		parallel.For(threads, len(some), func(_, k int) {
			some[k].threads = each
			some[k].aim()
		})
		multiply(some, threads)
		parallel.For(threads, len(some), func(_, k int) {
			if some[k].line != nil {
				some[k].move()
			}
		})
	}
}

// multiply finds the products of each row with the directions of those of the problems that have
// one.
func multiply(problems []*Method, threads int) {
	var aimed []*Method
	for _, n := range problems {
		if n.line != nil {
			aimed = append(aimed, n)
		}
	}
	if len(aimed) == 0 {
		return
	}
	lead := aimed[0]
	if len(aimed) == 1 {
		lead.threads = threads
		lead.multiply()
		return
	}
	directions := dense.New(len(aimed), len(lead.line.step))
	for k, n := range aimed {
		copy(directions.Row(k), n.line.step)
	}
	parallel.For(threads, (len(lead.p.Rows)+chunkRows-1)/chunkRows, func(_, c int) {
		if lead.over() {
			return
		}
		x, dots := lead.p.X.ForWorker(), make([]float32, len(aimed))
		for j := c * chunkRows; j < min((c+1)*chunkRows, len(lead.p.Rows)); j++ {
			x.DotVectors(dots, int(lead.p.At[j]), directions, 0)
			for k, n := range aimed {
				n.setProduct(j, dots[k])
			}
		}
	})
}
