package newton

import "math"

const (
	slopeTol     = 0.1 // a search ends at this fraction of the initial slope
	maxLineSteps = 40
)

// search returns the step length s along the search direction that nearly minimizes the smoothed
// objective, a convex function of s. It uses Newton's method with bisection. slope is the
// derivative at 0. Without convergence, the result is the largest s tried with a negative
// derivative. search returns false if there is none or if a derivative is not finite.
func (n *Method) search(slope float64) (s float64, ok bool) {
	var vp, pp float64
	for j, p := range n.line.p[:n.dim()] {
		vp += float64(n.v[j] * p)
		pp += float64(p * p)
	}
	s, low, high := 1.0, 0.0, math.Inf(1)
	for range maxLineSteps {
		f, second := n.slope(s)
		f += float64(n.p.Lambda * (vp + float64(s*pp)))
		second += float64(n.p.Lambda * pp)
		next := s - f/second
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return 0, false
		case f < 0:
			low = s
		default:
			high = s
		}
		// Past the minimum, where few rows may have curvature, the slope may be small although the
		// objective is above its value at 0. A next far below s indicates this.
		if math.Abs(f) <= float64(slopeTol*-slope) && (f <= 0 || next >= 0.75*s) {
			return s, true
		}
		if !(next > low && next < high) {
			if next = (low + high) / 2; math.IsInf(high, 1) {
				next = 2 * low
			}
		}
		s = min(next, 64)
		if s == low {
			break
		}
	}
	return low, low > 0
}

// addSlope adds to v the first and second derivative at s of the rows' weighted smoothed losses.
func (n *Method) addSlope(v *[2]float64, s float64, first, end int) {
	var a, second [blockRows]float64
	for from := first; from < end; from += blockRows {
		margins, q := n.m[from:min(from+blockRows, end)], n.line.q[from:]
		for k, m := range margins {
			a[k] = m + float64(s*float64(q[k]))
		}
		n.p.Loss.Derivatives(a[:], second[:], a[:len(margins)], 1/n.h)
		for k := range margins {
			q := float64(q[k])
			cq := float64(n.p.weightOf(from+k) * q)
			v[0] -= float64(cq * a[k])
			v[1] += float64(float64(cq*q) * second[k])
		}
	}
}

func (n *Method) slope(s float64) (slope, second float64) {
	all := n.line.q
	sums := mapChunks(n, func(from, to int) (v [2]float64) {
		if n.hinge {
			v[0], v[1] = hingeSlope(n.m[from:to], all[from:to], s, 1/n.h)
			if !math.IsNaN(v[0]) {
				return v
			}
			v = [2]float64{}
		}
		n.addSlope(&v, s, from, to)
		return v
	})
	for _, v := range sums {
		slope += v[0]
		second += v[1]
	}
	rows := float64(len(n.p.Rows))
	return slope / rows, second / rows
}
