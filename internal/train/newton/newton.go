package newton

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// begin initializes n for the given weights. exact selects float64 dot products, and no shrinking.
func (n *Method) begin(w []float32, bias float64, exact bool) {
	rows := len(n.p.Rows)
	n.hinge = n.p.Weight == nil && n.p.Target == nil && n.p.Loss.Kind == loss.Hinge
	n.nonzeros = n.nonzerosReader()
	n.pixels = n.newPixels()
	n.v = floats.Float64s(w)
	if n.p.Beta > 0 {
		n.v = append(n.v, bias/n.p.Beta)
	}
	n.m, n.a, n.bestA = make([]float64, rows), make([]float32, rows), make([]float32, rows)
	n.sums[0] = make([]float64, len(n.v))
	if n.p.Free {
		n.sums[1] = make([]float64, len(n.v))
	}
	if n.setMargins(exact); !exact {
		n.shrink()
	}
	n.h, n.minH = n.firstWidth()
	n.bestP, n.bestD, n.stall.Falling = math.Inf(1), math.Inf(-1), math.Inf(1)
	n.bestV = slices.Clone(n.v)
}

// shrink scales down weights that are no better than w = 0. Pegasos steps can leave weights of a
// good direction that are far too long.
func (n *Method) shrink() {
	zero := n.p.AtZero()
	if n.objective(1) < zero {
		return
	}
	by := n.shrinkFactor(zero)
	for j := range n.v {
		n.v[j] *= by
	}
	n.setMargins(false)
}

// shrinkFactor searches for the power of two below 1 that, times the weights, gives the least P, a
// convex function of the factor. It returns 0 if it finds no P below zero, the P of w = 0.
func (n *Method) shrinkFactor(zero float64) float64 {
	const (
		sample   = 2048
		maxShift = 100
	)
	rows := len(n.p.Rows)
	step := max(1, rows/sample)
	sampled := func(times float64) float64 {
		return n.penalty(times) + n.losses(times, 0, rows, step)/float64((rows+step-1)/step)
	}
	best, least := 0, zero
	if step > 1 {
		least = sampled(0)
	}
	for k := 1; k <= maxShift; k++ {
		f := sampled(math.Ldexp(1, -k))
		if best > 0 && f > least {
			break
		}
		if f < least {
			best, least = k, f
		}
	}
	if step > 1 && best > 0 {
		least = n.objective(math.Ldexp(1, -best))
		for _, to := range [2]int{-1, 1} {
			for k := best + to; k > 0 && k <= maxShift; k += to {
				f := n.objective(math.Ldexp(1, -k))
				if !(f < least) {
					break
				}
				best, least = k, f
			}
		}
	}
	if best == 0 || !(least < zero) {
		return 0
	}
	return math.Ldexp(1, -best)
}

// computeDirection leaves n.line nil if the iterations end, restart, or are interrupted.
func (n *Method) computeDirection() {
	n.Ready()
	n.threads = min(n.threads, n.p.usefulThreads())
	if n.state != works {
		return
	}
	n.buffers = n.pool.get()
	n.fitBuffers()
	defer func() {
		n.pool.put(n.buffers)
		n.buffers = nil
	}()
	n.past.Iterations++
	for {
		at := n.evaluate()
		switch {
		case n.over():
		case !floats.IsFinite(at.p) || !floats.IsFinite(at.d):
			n.state = stuck
		case proof.Gap(n.bestP, n.bestD) <= n.target:
			n.state = done
		case n.narrow(at):
			continue
		case n.stall.Over(n.bestP-n.bestD, n.past.Iterations, Patience) || !n.findDirection(at):
			n.recoverOrStop()
		}
		return
	}
}

func (n *Method) narrow(at evaluation) bool {
	if !TooWide(at.optimization, at.smoothing) || n.h <= n.minH {
		return false
	}
	by := math.Sqrt(at.smoothing / float64(n.target/2*at.p))
	for by > 4 {
		by = math.Sqrt(by)
	}
	n.h /= max(1.4, by)
	return true
}

func (n *Method) recoverOrStop() {
	switch {
	case n.over():
	case n.recomputed:
		n.state = stuck
	default:
		n.recomputed = true
		n.restart()
	}
}

// Retry must be called if the proven gap of the result is too large. It halves the target gap and
// restarts from the best weights; after Retries calls it makes the Method stuck instead. A Method
// that is stuck or interrupted does not restart.
func (n *Method) Retry() {
	n.Ready()
	n.past.Retries = append(n.past.Retries, n.past.Iterations)
	switch {
	case n.over() || n.state == stuck:
	case len(n.past.Retries) > Retries:
		n.state = stuck
	default:
		n.target /= 2
		n.state = works
		n.restart()
	}
}

func (n *Method) restart() {
	copy(n.v, n.bestV)
	for j, z := range n.v[:n.p.Cols] {
		n.v[j] = float64(float32(z))
	}
	n.setMargins(true)
	n.bestP = math.Inf(1)
	n.stall = Stall{n.past.Iterations, math.Inf(1)}
}

// Result writes the best weights to w and returns their bias, both as differences from the prior's.
func (n *Method) Result(w []float32) (bias float64) {
	n.Ready()
	for j := range w {
		w[j] = float32(n.bestV[j])
	}
	return n.biasOf(n.bestV)
}

// Width returns the width of the zone for the best dual variables; 0 if the loss has no kink.
func (n *Method) Width() float64 {
	n.Ready()
	if !n.p.Loss.Kind.Traits().Kinks {
		return 0
	}
	return n.bestH
}

// Duals writes the best dual variables to a, by row number.
func (n *Method) Duals(a []float32) {
	n.Ready()
	for j, i := range n.p.Rows {
		a[i] = n.bestA[j]
	}
}

func (n *Method) firstWidth() (h, minH float64) {
	if !n.p.Loss.Kind.Traits().Kinks {
		return 1, 1
	}
	const sample = 2048
	rows := len(n.p.Rows)
	step := max(1, rows/sample)
	var distances []float64
	for j := 0; j < rows; j += step {
		distances = append(distances, n.p.Loss.KinkDistance(n.m[j]))
	}
	slices.Sort(distances)
	farthest := distances[len(distances)-1]
	inside := max(0.15*float64(rows), float64(min(3*len(n.v), rows-1)))
	h = 2 * distances[min(len(distances)-1, int(inside/float64(step)))]
	h = max(h, 1e-4*min(farthest, 1))
	if !(h > 0) || math.IsInf(h, 0) {
		h = 1
	}
	return h, 0x1p-40 * h
}

// Ready loads the problem and repeats the history set by Repeat, unless the problem is loaded.
func (n *Method) Ready() {
	if n.p != nil {
		return
	}
	n.p = n.load()
	w, bias := n.p.Start()
	n.begin(w, bias, false)
	past := n.past
	n.past = Past{}
	for !n.over() {
		for _, after := range past.Retries {
			if after == n.past.Iterations {
				n.Retry()
			}
		}
		if n.past.Iterations >= past.Iterations || n.state != works {
			return
		}
		Iterate([]*Method{n}, n.threads)
	}
	n.past = past
}

// maxTogether limits the directions that a call of Iterate holds in memory at a time. Tests change
// it.
var maxTogether = 16

// Iterate runs one iteration of each problem. All must have the same rows.
func Iterate(problems []*Method, threads int) {
	for some := range slices.Chunk(problems, maxTogether) {
		inParallel(some, threads, (*Method).computeDirection)
		moving := slices.Clone(some)
		moving = slices.DeleteFunc(moving, func(n *Method) bool { return n.line == nil })
		if len(moving) > 0 {
			multiply(moving, threads)
			inParallel(moving, threads, (*Method).move)
		}
	}
}

func inParallel(problems []*Method, threads int, f func(n *Method)) {
	each := max(1, threads/len(problems))
	parallel.For(threads, len(problems), func(_, k int) {
		problems[k].threads = each
		f(problems[k])
	})
}

// multiply computes the products of the rows with all directions, reading each row once. The
// products equal those of separate calls, to the bit.
func multiply(problems []*Method, threads int) {
	lead := problems[0]
	directions := dense.New(len(problems), len(lead.line.step))
	for k, n := range problems {
		copy(directions.Row(k), n.line.step)
	}
	lead.threads = min(threads, len(problems)*lead.p.usefulThreads())
	lead.forChunks(func(from, to int) {
		x, dots := lead.p.X.Clone(), make([]float32, len(problems))
		if len(problems) == 1 { // the same bits as DotVectors
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
	n.pool.giveBack(n.line.q)
	n.line = nil
}

// Bound runs a few iterations from the given weights and bias, and returns the largest lower bound
// that their dual variables prove, at least 0. A width above 0 is the initial width of the zone. A
// lower bound of wanted ends the iterations. bound must return the lower bound of the dual
// variables a, indexed by row number.
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
