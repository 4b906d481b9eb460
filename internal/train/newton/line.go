package newton

import "math"

const (
	slopeLeft = 0.1 // the share of the slope at the start of a line at which a search along it ends
	lineSteps = 40  // the most evaluations of the slope in a search
)

// search returns how far to go along p, where the slope at first is given: to the place where the
// smoothed objective, which is convex, has its least, or nearly. It takes Newton's steps on its
// derivative, between bounds that it keeps. It reports false if there is no such place.
func (n *Method) search(slope float64) (s float64, ok bool) {
	var vp, pp float64
	for j, p := range n.line.p[:n.solved()] {
		vp += float64(n.v[j] * p)
		pp += float64(p * p)
	}
	s, low, high := 1.0, 0.0, math.Inf(1)
	for range lineSteps {
		f, bend := n.slope(s)
		f += float64(n.p.Lambda * (vp + float64(s*pp)))
		bend += float64(n.p.Lambda * pp)
		next := s - f/bend
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return 0, false
		case f < 0:
			low = s
		default:
			high = s
		}
		// Beyond the least the slope may be small, and the objective still above that at first,
		// where few rows bend it: then the least is far back.
		if math.Abs(f) <= float64(slopeLeft*-slope) && (f <= 0 || next >= 0.75*s) {
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

// bend adds to v what slope adds up of the rows from first to end-1.
func (n *Method) bend(v *[2]float64, s float64, first, end int) {
	var a, bend [fewRows]float64
	for from := first; from < end; from += fewRows {
		margins, q := n.m[from:min(from+fewRows, end)], n.line.q[from:]
		for k, m := range margins {
			a[k] = m + float64(s*float64(q[k]))
		}
		n.p.Loss.Bends(a[:], bend[:], a[:len(margins)], 1/n.h)
		for k := range margins {
			q := float64(q[k])
			cq := float64(n.p.share(from+k) * q)
			v[0] -= float64(cq * a[k])
			v[1] += float64(float64(cq*q) * bend[k])
		}
	}
}

// slope returns the derivative of the smoothed mean loss at s along p, and the second one.
func (n *Method) slope(s float64) (slope, bend float64) {
	all := n.line.q
	sums := ofChunks(n, func(from, to int) (v [2]float64) {
		if n.quick {
			v[0], v[1] = hingeSlope(n.m[from:to], all[from:to], s, 1/n.h)
			if !math.IsNaN(v[0]) {
				return v
			}
			v = [2]float64{}
		}
		n.bend(&v, s, from, to)
		return v
	})
	for _, v := range sums {
		slope += v[0]
		bend += v[1]
	}
	rows := float64(len(n.p.Rows))
	return slope / rows, bend / rows
}
