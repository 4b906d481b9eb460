package certificate

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// In a binary problem the dual variables are minus the derivatives of the loss at the margins. A
// loss with kinks is first smoothed to a width h. For the hinge loss,
//
//	a = clip(1/2 + (1-m)/h, 0, 1)
//
// is the mean of minus the derivative of the hinge loss between the margins m - h/2 and m + h/2.
// The bound is tight if h is small and w nearly optimal for the smoothed loss.

func (p binary) fromScores(w [][]float64, b []float64) (
	a []float32, smooth func(h float64), far []float64,
) {
	a = make([]float32, p.X.Rows())
	margins := make([]float64, len(a))
	for _, i := range p.All() {
		side, target := p.Label(uint32(i))
		z := p.X.Dot64(i, w[0]) + b[0]
		if !floats.IsFinite(z) {
			z = 0 // any margin gives a feasible dual variable
		}
		margins[i] = float64(float64(side)*z) - target
		if p.Cost.Kind.Traits().Kinks {
			far = append(far, p.Cost.KinkDistance(margins[i]))
		}
	}
	return a, func(h float64) {
		for _, i := range p.All() {
			a[i] = p.Cost.Clamp(float32(p.Cost.SmoothedCoefficient(margins[i], h)))
		}
	}, far
}

// The loss of Crammer and Singer is the maximum of a linear function of the a_r over the simplex.
// To smooth it, fromScores subtracts h/2 times the sum of the a_r^2 from that function.
func (j joint) fromScores(w [][]float64, b []float64) (
	a []float32, smooth func(h float64), far []float64,
) {
	k := len(w)
	a = make([]float32, k*j.X.Rows())
	scores := make([]float64, len(a)) // cost(y, r) + z_r - z_y, without costs for the log loss
	for _, i := range j.All() {
		y := int(j.Class[i])
		z := scores[i*k:][:k]
		for r := range z {
			z[r] = j.X.Dot64(i, w[r]) + b[r]
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
				ProjectSimplex(row, h, to, sorted)
			}
			for r, v := range to {
				a[i*k+r] = float32(v)
			}
			a[i*k+int(j.Class[i])] = 0
		}
	}, far
}

// bestWidth searches for the smoothing width h with the largest lower bound at(h). best is that
// bound, or 0 if it is negative. bestWidth sorts far.
func bestWidth(far []float64, at func(h float64) float64) (best, width float64) {
	slices.Sort(far)
	width = 2 * far[len(far)*15/100] // aims at 15 % of the dual variables between their limits
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

// Softmax stores the softmax of z in b. One of the z_r must be 0.
func Softmax(z, b []float64) {
	zero := objective.LogSumExp(z, 0) // at least 0
	for r, v := range z {
		b[r] = floats.Exp(v - zero)
	}
}

// ProjectSimplex stores in b the Euclidean projection of z/h onto the simplex. If h is 0, b is 1 at
// the first of the largest elements of z, and 0 elsewhere. sorted is a buffer for len(z) elements.
func ProjectSimplex(z []float64, h float64, b, sorted []float64) {
	top := slices.Max(z)
	if h == 0 {
		clear(b)
		b[slices.Index(z, top)] = 1
		return
	}
	sorted = sorted[:0]
	for _, v := range z {
		if v >= top-h { // smaller elements become 0, because level is at least top-h
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	var sum, level float64
	for n := range sorted {
		v := sorted[len(sorted)-1-n]
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
