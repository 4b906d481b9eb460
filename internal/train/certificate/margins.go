package certificate

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// This file makes dual variables of the scores that weights give, whoever has found them. Those of
// a smooth loss are its derivatives. A loss with a kink, where the derivative leaps, is smoothed
// over a width h: of the hinge
//
//	a = clip(1/2 + (1-m)/h, 0, 1)
//
// which is the mean of the derivatives between m - h/2 and m + h/2. All are feasible, so that
// Bound makes one of them, whatever h is; the best of some is kept. It is close where
// w is nearly the optimum of the smoothed problem.

func (p binary) fromScores(w [][]float64, b []float64) (
	a []float32, smooth func(h float64), far []float64,
) {
	a = make([]float32, p.X.Rows())
	margins := make([]float64, len(a))
	for _, i := range p.All() {
		side, target := p.Label(uint32(i))
		z := p.X.WideDot(i, w[0]) + b[0]
		if !floats.IsFinite(z) {
			z = 0 // any feasible number will do
		}
		margins[i] = float64(float64(side)*z) - target
		if p.Cost.Kind.Traits().Kinks {
			far = append(far, p.Cost.FromKink(margins[i]))
		}
	}
	return a, func(h float64) {
		for _, i := range p.All() {
			a[i] = p.Cost.Clamp(float32(p.Cost.Smoothed(margins[i], h)))
		}
	}, far
}

// fromScores is like that of one vector. The hinge is smoothed by taking half the square of the
// a_r times h off its maximum.
func (j joint) fromScores(w [][]float64, b []float64) (
	a []float32, smooth func(h float64), far []float64,
) {
	k := len(w)
	a = make([]float32, k*j.X.Rows())
	scores := make([]float64, len(a)) // with the costs
	for _, i := range j.All() {
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
			if !j.Log {
				z[r] += j.Cost(y, r)
			}
			if z[r] -= own; r != y {
				top = max(top, z[r])
			}
		}
		if !j.Log {
			far = append(far, math.Abs(top))
		}
	}
	to, sorted := make([]float64, k), make([]float64, k)
	return a, func(h float64) {
		for _, i := range j.All() {
			if row := scores[i*k:][:k]; j.Log {
				Softmax(row, to)
			} else {
				Nearest(row, h, to, sorted)
			}
			for r, v := range to {
				a[i*k+r] = float32(v)
			}
			a[i*k+int(j.Class[i])] = 0
		}
	}, far
}

// bestWidth returns the best bound that at makes of some widths, and the width. Rows are so far
// from their kinks.
func bestWidth(far []float64, at func(h float64) float64) (best, width float64) {
	slices.Sort(far)
	width = 2 * far[len(far)*15/100] // some 15 % of the rows between 0 and 1
	if !(width > 0) {
		width = 1
		if i := slices.IndexFunc(far, func(d float64) bool { return d > 0 }); i >= 0 {
			width = far[i]
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

// Softmax writes e^(z_r), divided by their sum, to b.
func Softmax(z, b []float64) {
	zero := objective.LogSumExp(z, 0) // of at least the own class's 0
	for r, v := range z {
		b[r] = floats.Exp(v - zero)
	}
}

// Nearest writes to b the a_r >= 0 with the sum 1 that are nearest to z/h, or the first of the
// largest z if h is 0. sorted is a buffer.
func Nearest(z []float64, h float64, b, sorted []float64) {
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
