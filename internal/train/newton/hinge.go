package newton

import "math"

// Branch-free loops for the hinge loss without weights and targets: branches on the side of the
// kink can be mispredicted. visitHinge returns the same bits as visit, unless a margin is NaN. The
// second result of hingeSlope may round differently from addSlope's, so the choice between them
// must depend on the problem alone.

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// masked returns v if bit is 1 and 0 if bit is 0, even if v is infinite or NaN.
func masked(v float64, bit int) float64 {
	return math.Float64frombits(math.Float64bits(v) & -uint64(bit))
}

// a is u+1/2 clamped to [0, 1]; within is 1 if 0 < a < 1, else 0.
func clampRamp(u float64) (a float64, within int) {
	a = max(0, min(u+0.5, 1))
	return a, bit(math.Float64bits(a)-1 < math.Float64bits(1)-1)
}

// q holds the derivatives of the margins m along the search direction; inverse is 1/h.
func hingeSlope(m []float64, q []float32, s, inverse float64) (slope, second float64) {
	q = q[:len(m)]
	for j, v := range m {
		z := float64(q[j])
		a, within := clampRamp(float64((1 - (v + float64(s*z))) * inverse))
		slope -= float64(a * z)
		second += masked(float64(z*z), within)
	}
	return slope, float64(second * inverse)
}

func (n *Method) visitHinge(first, end int) (s tally) {
	b, inverse := n.buffers, 1/n.h
	margins, dual, sides := n.m[first:end], n.a[first:end], n.p.Side[first:end]
	was, second := b.was[first:end], b.curvature[first:end]
	changed, zone := b.changed[first:end], b.zone[first:end]
	narrow := float32(inverse)
	var loss, smoothing, curvature, ups, downs, ups2, downs2 float64
	var changes, inside int
	for j, m := range margins {
		wide, within := clampRamp(float64((1 - m) * inverse))
		second[j], zone[inside] = narrow, int32(first+j)
		inside += within
		curvature += masked(inverse, within)

		narrowed := float32(wide)
		was[j], dual[j], changed[changes] = dual[j], narrowed, int32(first+j)
		changes += bit(narrowed != was[j])

		a, f := float64(narrowed), max(0, 1-m)
		loss += f
		smoothing += f - a + masked(float64(a*m), bit(a != 0))
		negative := bit(sides[j] < 0)
		up, down := masked(a, 1-negative), masked(a, negative)
		ups += up
		downs += down
		ups2 += float64(up * up)
		downs2 += float64(down * down)
	}
	return tally{loss: loss, smoothing: smoothing, curvature: curvature, changed: changes,
		zone: inside,
		gain: [2]float64{ups, downs}, squares: [2]float64{ups2, downs2},
		bias: [2]float64{ups, -downs}}
}
