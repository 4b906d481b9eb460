package newton

import (
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// This file has the second half of an iteration: the step along the direction that the first half
// computed. One-vs-rest problems take their steps together, so that each row is read once for all
// of them. The product of a row with all directions has the same bits as one product with each.

// direction is the search direction of an iteration.
type direction struct {
	p     []float64 // direction of the weights, then of the weight of the bias's feature
	step  []float32 // direction of the weights as float32, without the bias
	slope float64   // derivative of the smoothed objective along p, below 0
	q     []float32 // derivative of each row's margin along p
}

// MaxTogether is the largest number of problems that have directions at the same time, because
// directions take memory. Only tests change it.
var MaxTogether = 16

// Iterate takes one iteration of each of the problems, in the given number of goroutines. All
// problems must have the same rows. An iteration includes a step, unless the problem's iterations
// end or restart in it.
func Iterate(problems []*Method, threads int) {
	for some := range slices.Chunk(problems, MaxTogether) {
		inParallel(some, threads, (*Method).computeDirection)
		moving := slices.Clone(some)
		moving = slices.DeleteFunc(moving, func(n *Method) bool { return n.line == nil })
		if len(moving) > 0 {
			multiply(moving, threads)
			inParallel(moving, threads, (*Method).move)
		}
	}
}

// inParallel calls f for each problem in parallel, and divides the goroutines among the problems.
func inParallel(problems []*Method, threads int, f func(n *Method)) {
	each := max(1, threads/len(problems))
	parallel.For(threads, len(problems), func(_, k int) {
		problems[k].threads = each
		f(problems[k])
	})
}

// multiply computes direction.q of each problem: the derivatives of the rows' margins along the
// search direction. It reads each row once for all problems.
func multiply(problems []*Method, threads int) {
	lead := problems[0]
	directions := dense.New(len(problems), len(lead.line.step))
	for k, n := range problems {
		copy(directions.Row(k), n.line.step)
	}
	lead.threads = min(threads, len(problems)*lead.p.usefulThreads())
	lead.forChunks(func(from, to int) {
		x, dots := lead.p.X.Clone(), make([]float32, len(problems))
		if len(problems) == 1 { // DotMany is faster and gives the same bits
			x.DotMany(lead.line.q[from:to], lead.p.At[from:to], lead.line.step)
		}
		for j := from; j < to; j++ {
			if dots[0] = lead.line.q[j]; len(problems) > 1 {
				x.DotVectors(dots, int(lead.p.At[j]), directions, 0)
			}
			for k, n := range problems {
				n.line.q[j] = float32(float64(n.p.Side[j]) *
					(float64(dots[k]) + n.biasOf(n.line.p)))
			}
		}
	})
}

// move does the last part of an iteration: it moves the weights and the margins along the search
// direction, to about the minimum of the smoothed objective. If the line search fails, it calls
// recoverOrStop.
func (n *Method) move() {
	n.threads = min(n.threads, n.p.usefulThreads())
	if s, ok := n.search(n.line.slope); !ok || n.over() {
		n.recoverOrStop()
	} else {
		for j, p := range n.line.p {
			n.v[j] += float64(s * p)
		}
		n.forChunks(func(from, to int) {
			for j := from; j < to; j++ {
				n.m[j] += float64(s * float64(n.line.q[j]))
			}
		})
	}
	n.line = nil
}

// Bound returns the best lower bound that the dual variables of up to 8 iterations prove, or 0 if
// all the lower bounds are below 0. The iterations start from the given weights and bias. A width
// above 0 is the initial width of the zone. The iterations end early when a lower bound is at least
// wanted. The function bound must return the lower bound that the dual variables a prove; a is
// indexed by row number.
func (n *Method) Bound(w []float32, bias, width, wanted float64, threads int,
	bound func(a []float32) float64) (best float64) {
	const iterations = 8
	n.threads, n.p = threads, n.load()
	n.begin(w, bias, true)
	if width > 0 {
		n.h = width
	}
	n.target = proof.Gap(n.objective(1), wanted) / 2
	a := make([]float32, n.p.X.Rows())
	for range iterations {
		Iterate([]*Method{n}, threads)
		n.Duals(a)
		if best = max(best, bound(a)); best >= wanted || n.state == stuck {
			break
		}
		if n.state == done { // bound(a) is below D, because it allows for rounding errors
			n.target, n.state = n.target/4, works
		}
	}
	return best
}
