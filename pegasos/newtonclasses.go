package pegasos

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// This file has the second half of an iteration of Newton's method: the step along the direction
// that the first half has found. The problems of one-vs-rest take theirs together, so that each row
// is read once for all of them: a product of the row with all directions gives the same bits as one
// with each.

// A newtonLine is a direction.
type newtonLine struct {
	p     []float64
	step  []float32 // p, without what is for the bias
	slope float64   // of the smoothed objective along p
	q     []float32 // what a unit along p adds to the margin of each row
}

// newtonTogether is the most problems that have directions at the same time: a few are enough for
// the time that is saved, and each takes memory.
var newtonTogether = 16 // a variable for the sake of tests

// lineFor returns a direction for n, whose elements may be anything.
func (l *newtonPool) lineFor(n *newton) *newtonLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := &newtonLine{}
	if k := len(l.lines); k > 0 {
		line, l.lines = l.lines[k-1], l.lines[:k-1]
	}
	if len(line.p) != len(n.v) || len(line.q) < len(n.rows) {
		*line = newtonLine{p: make([]float64, len(n.v)), step: make([]float32, len(n.p.v)),
			q: make([]float32, len(n.rows))}
	}
	return line
}

// leaveLine gives the direction back.
func (n *newton) leaveLine() {
	n.pool.mu.Lock()
	defer n.pool.mu.Unlock()
	n.pool.lines = append(n.pool.lines, n.line)
	n.line = nil
}

// multiply finds the direction's product with each row.
func (n *newton) multiply() {
	n.inChunks(func(_, from, to int) {
		dots := n.line.q[from:to]
		n.x.ForWorker().DotMany(dots, n.at[from:to], n.line.step)
		for j, dot := range dots {
			n.setProduct(from+j, dot)
		}
	})
}

// setProduct takes over the product of row j.
func (n *newton) setProduct(j int, dot float32) {
	n.line.q[j] = float32(float64(n.side[j]) * (float64(dot) + n.biasOf(n.line.p)))
}

// move is the last part of an iteration, when the products are known.
func (n *newton) move() {
	if !n.over() && !n.follow() && !n.over() {
		n.renew()
	}
	n.leaveLine()
}

// follow goes along the direction to where the smoothed objective is least. It reports false if
// there is no such place.
func (n *newton) follow() bool {
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

// iterate takes an iteration of each of the problems, which are over the same rows, with so many
// goroutines.
func (r *run) iterate(problems []*newton, threads int) {
	for len(problems) > 0 {
		some := problems[:min(len(problems), newtonTogether)]
		problems = problems[len(some):]
		each := max(1, threads/len(some))
		parallel.For(threads, len(some), func(_, k int) {
			some[k].threads = each
			some[k].aim()
		})
		r.multiply(some, threads)
		parallel.For(threads, len(some), func(_, k int) {
			if some[k].line != nil {
				some[k].move()
			}
		})
	}
}

// multiply finds the products of each row with the directions of those of the problems that have
// one.
func (r *run) multiply(problems []*newton, threads int) {
	var aimed []*newton
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
	parallel.For(threads, (len(lead.rows)+newtonChunk-1)/newtonChunk, func(_, c int) {
		if lead.over() {
			return
		}
		x, dots := lead.x.ForWorker(), make([]float32, len(aimed))
		for j := c * newtonChunk; j < min((c+1)*newtonChunk, len(lead.rows)); j++ {
			x.DotVectors(dots, int(lead.at[j]), directions, 0)
			for k, n := range aimed {
				n.setProduct(j, dots[k])
			}
		}
	})
}
