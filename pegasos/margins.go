package pegasos

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// This file makes dual variables of the scores that weights give, whoever has found them. Those of
// a smooth loss are its derivatives. A loss with a kink, where the derivative leaps, is smoothed
// over a width h: of the hinge
//
//	a = clip(1/2 + (1-m)/h, 0, 1)
//
// which is the mean of the derivatives between m - h/2 and m + h/2. All are feasible, so that
// certificate.go makes a bound of them, whatever h is; the best of some is kept. It is close where
// w is nearly the optimum of the smoothed problem.

// marginOptions say which dual variables are tried.
type marginOptions struct {
	width  float64 // one of the widths, if it is above 0
	passes int     // of an ascent from the best of them, where there is one

	// Where that is less than the bound that is wanted, there are more passes, and Newton's method
	// goes on from the weights for some iterations. Without a pool it does not.
	wanted  float64
	pool    *newton.Pool
	threads int
}

// marginBound returns the best bound on P that the scores of the vectors w give.
func (p *problem) marginBound(w [][]float64, b []float64, r2 float64, o marginOptions) float64 {
	margins := make([]float64, p.X.Rows())
	for j := range p.Count() {
		i := p.Row(j)
		side, target := p.of.Label(uint32(i))
		z := p.X.WideDot(i, w[0]) + b[0]
		if !floats.IsFinite(z) {
			z = 0 // any feasible number will do
		}
		margins[i] = float64(float64(side)*z) - target
	}
	a := make([]float32, len(margins))
	at := func(h float64) float64 {
		for j := range p.Count() {
			i := p.Row(j)
			a[i] = p.of.Cost.Clamp(float32(p.of.Cost.Smoothed(margins[i], h)))
		}
		return p.bound(a, r2)
	}
	best := max(0, at(0))
	if p.of.Cost.Kind.Traits().Kinks {
		distance := make([]float64, 0, p.Count())
		for j := range p.Count() {
			distance = append(distance, p.of.Cost.FromKink(margins[p.Row(j)]))
		}
		var width float64
		best, width = bestWidth(distance, at)
		if o.width > 0 {
			if bound := at(o.width); bound > best {
				best, width = bound, o.width
			}
		}
		at(width) // a is what it was there
	}
	best = o.climb(best, func(passes int) float64 { return p.climb(a, passes, r2) })
	if o.pool != nil && best < o.wanted {
		best = max(best, p.newtonBound(w[0], b[0], r2, o))
	}
	return best
}

// newtonBound returns the bound of the dual variables that some iterations of Newton's method find
// from the given weights on.
func (p *problem) newtonBound(w []float64, b, r2 float64, o marginOptions) (best float64) {
	n := newton.New(o.pool, 0, func() *newton.Problem { return p.forNewton(o.pool, 0) })
	u := make([]float32, len(p.v))
	for j, z := range w {
		if p.Prior != nil {
			z -= float64(p.Prior[0][j])
		}
		u[j] = float32(z) // as the margins take it
	}
	return n.Bound(u, b-p.PriorBias[0], o.width, o.wanted, o.threads,
		func(a []float32) float64 { return p.bound(a, r2) })
}

// boundOf returns the bound that given dual variables make.
func (p *problem) boundOf(a []float32, r2 float64) float64 { return p.bound(a, r2) }

func (j *joint) boundOf(a []float32, r2 float64) float64 {
	if j.Free {
		return math.NaN() // see joint.dual
	}
	return j.bound(a, r2)
}

// marginBound is like that of one vector. The hinge is smoothed by taking half the square of the
// a_r times h off its maximum.
func (j *joint) marginBound(w [][]float64, b []float64, r2 float64, o marginOptions) float64 {
	if j.Free {
		return math.NaN()
	}
	k := len(w)
	scores := make([]float64, k*j.X.Rows()) // with the costs
	distance := make([]float64, 0, j.Count())
	for n := range j.Count() {
		i := j.Row(n)
		y := int(j.Class[i])
		z := scores[i*k:][:k]
		for r := range z {
			z[r] = j.X.WideDot(i, w[r]) + b[r]
			if !floats.IsFinite(z[r]) {
				z[r] = 0
			}
		}
		own, top := z[y], math.Inf(-1)
		for r := range z {
			if !j.of.Log {
				z[r] += j.of.Cost(y, r)
			}
			if z[r] -= own; r != y {
				top = max(top, z[r])
			}
		}
		distance = append(distance, math.Abs(top))
	}
	a, sorted := make([]float32, len(scores)), make([]float64, k)
	at := func(h float64) float64 {
		for n := range j.Count() {
			i := j.Row(n)
			row := scores[i*k:][:k]
			if j.of.Log {
				softmax(row, j.b)
			} else {
				nearest(row, h, j.b, sorted)
			}
			for r, v := range j.b {
				a[i*k+r] = float32(v)
			}
			a[i*k+int(j.Class[i])] = 0
		}
		return j.bound(a, r2)
	}
	var best, width float64
	if j.of.Log {
		best = max(0, at(0))
	} else {
		best, width = bestWidth(distance, at)
		at(width) // a is what it was there
	}
	return o.climb(best, func(passes int) float64 { return j.climb(a, passes, r2) })
}

// climb returns the best of a bound and of those after some passes: as many as are asked for, or up
// to morePasses times as many where that is less than is wanted.
func (o *marginOptions) climb(best float64, climb func(passes int) float64) float64 {
	for passes := o.passes; passes > 0 && passes <= morePasses*o.passes; passes *= 4 {
		if best = max(best, climb(passes)); best >= o.wanted {
			break
		}
	}
	return best
}

const morePasses = 16

// bestWidth returns the best bound that at makes of some widths, where each row is so far from its
// kink, and the width.
func bestWidth(distance []float64, at func(h float64) float64) (best, width float64) {
	slices.Sort(distance)
	width = 2 * distance[len(distance)*15/100] // some 15 % of the rows between 0 and 1
	if !(width > 0) {
		i, _ := slices.BinarySearchFunc(distance, 0, func(d, _ float64) int {
			if d > 0 {
				return 1
			}
			return -1
		})
		if width = 1; i < len(distance) {
			width = distance[i]
		}
	}
	best = max(0, at(width))
	for _, factor := range []float64{4, 1. / 4, 2, 1. / 2, math.Sqrt2, math.Sqrt2 / 2} {
		for range 6 {
			next := at(width * factor)
			if !(next > best) {
				break
			}
			best, width = next, width*factor
		}
	}
	return best, width
}

// softmax writes e^(z_r), divided by their sum, to b.
func softmax(z, b []float64) {
	zero := objective.LogSumExp(z, 0) // of at least the own class's 0
	for r, v := range z {
		b[r] = floats.Exp(v - zero)
	}
}

// nearest writes to b the a_r >= 0 with the sum 1 that are nearest to z/h, or the first of the
// largest z if h is 0. sorted is a buffer.
func nearest(z []float64, h float64, b, sorted []float64) {
	top := slices.Max(z)
	if h == 0 {
		clear(b)
		b[slices.Index(z, top)] = 1
		return
	}
	sorted = sorted[:0]
	for _, v := range z {
		if v >= top-h { // the level is no lower
			sorted = append(sorted, v)
		}
	}
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	var sum, level float64
	for n, v := range sorted {
		sum += v
		if next := (sum - h) / float64(n+1); n == 0 || v > next {
			level = next
		} else {
			break
		}
	}
	for r, v := range z {
		b[r] = max(0, (v-level)/h)
	}
}
