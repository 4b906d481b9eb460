package newton

import (
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/proof"
)

// This file has the second half of an iteration: the step along the direction that the first half
// has found. The problems of one-vs-rest take theirs together, so that each row is read once for
// all of them: a product of the row with all directions gives the same bits as one with each.

// A direction is where a step goes.
type direction struct {
	p     []float64
	step  []float32 // p, without what is for the bias
	slope float64   // of the smoothed objective along p
	q     []float32 // what a unit along p adds to the margin of each row
}

// Together is the most problems that have directions at the same time, which take memory. It is a
// variable for the sake of tests.
var Together = 16

// Iterate takes an iteration of each of the problems, which are over the same rows, with the given
// number of goroutines: a step each, unless the gap is small enough.
func Iterate(problems []*Method, threads int) {
	for some := range slices.Chunk(problems, Together) {
		inParallel(some, threads, (*Method).aim)
		aimed := slices.Clone(some)
		aimed = slices.DeleteFunc(aimed, func(n *Method) bool { return n.line == nil })
		if len(aimed) > 0 {
			multiply(aimed, threads)
			inParallel(aimed, threads, (*Method).move)
		}
	}
}

// inParallel calls f for each of the problems, among which the goroutines are divided.
func inParallel(problems []*Method, threads int, f func(n *Method)) {
	each := max(1, threads/len(problems))
	parallel.For(threads, len(problems), func(_, k int) {
		problems[k].threads = each
		f(problems[k])
	})
}

// multiply finds the products of each row with the directions of the problems.
func multiply(problems []*Method, threads int) {
	lead := problems[0]
	directions := dense.New(len(problems), len(lead.line.step))
	for k, n := range problems {
		copy(directions.Row(k), n.line.step)
	}
	lead.threads = min(threads, len(problems)*lead.p.busy())
	lead.inChunks(func(from, to int) {
		x, dots := lead.p.X.ForWorker(), make([]float32, len(problems))
		if len(problems) == 1 { // the same bits, sooner
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

// move is the last part of an iteration: it goes to where the smoothed objective is least.
func (n *Method) move() {
	n.threads = min(n.threads, n.p.busy())
	if s, ok := n.search(n.line.slope); !ok || n.over() {
		n.renew()
	} else {
		for j, p := range n.line.p {
			n.v[j] += float64(s * p)
		}
		n.inChunks(func(from, to int) {
			for j := from; j < to; j++ {
				n.m[j] += float64(s * float64(n.line.q[j]))
			}
		})
	}
	n.line = nil
}

// Bound returns the best bound that some iterations from the given weights on find, up to the one
// that is wanted: bound makes one of dual variables, by the rows' numbers. A width above 0 is the
// first.
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
		n.Shares(a)
		if best = max(best, bound(a)); best >= wanted || n.state == stuck {
			break
		}
		if n.state == done { // but for what the bound's roundings take off
			n.target, n.state = n.target/4, works
		}
	}
	return best
}
