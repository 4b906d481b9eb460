package newton

import "math"

// This file has the loops of Newton's method over rows once more for the hinge without weights,
// which is what most runs have. Which side of its kink a row is on is as good as random, and a
// processor that guesses it wrong loses more time than the row takes: these loops have no branches.
// The sums of visitHinge are the same bits as those of visit. hingeSlope multiplies the sum of the
// second derivative by 1/h once, and slope each of its addends: the two differ by roundings unless
// h is a power of two. Which of them runs is decided by the settings, never by the machine.

// bit is 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// masked returns v where the bit is 1, and 0 where it is 0, whatever v is.
func masked(v float64, bit int) float64 {
	return math.Float64frombits(math.Float64bits(v) & -uint64(bit))
}

// onRamp returns what ramp does, without the second derivative, and whether it is between its ends.
func onRamp(u float64) (a float64, within int) {
	a = max(0, min(u+0.5, 1))
	return a, bit(math.Float64bits(a)-1 < math.Float64bits(1)-1) // neither 0 nor 1
}

// hingeSlope is the part of slope of some rows. It is NaN where a product is beyond float32.
func hingeSlope(m []float64, q []float32, s, inverse float64) (slope, bend float64) {
	q = q[:len(m)]
	for j, v := range m {
		z := float64(q[j])
		a, within := onRamp(float64((1 - (v + float64(s*z))) * inverse))
		slope -= float64(a * z)
		bend += masked(float64(z*z), within)
	}
	return slope, float64(bend * inverse)
}

// visitHinge is visit for the hinge without weights.
func (n *Method) visitHinge(first, end int) (s tally) {
	b, inverse := n.buffers, 1/n.h
	margins, dual, sides := n.m[first:end], n.a[first:end], n.p.Side[first:end]
	was, bends := b.was[first:end], b.bend[first:end]
	changed, zone := b.changed[first:end], b.zone[first:end]
	narrow := float32(inverse)
	var loss, smoothing, bend, ups, downs, ups2, downs2 float64 // in registers
	var changes, inside int
	for j, m := range margins {
		wide, within := onRamp(float64((1 - m) * inverse))
		bends[j], zone[inside] = narrow, int32(first+j)
		inside += within
		bend += masked(inverse, within)

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
	return tally{loss: loss, smoothing: smoothing, bend: bend, changed: changes, zone: inside,
		gain: [2]float64{ups, downs}, squares: [2]float64{ups2, downs2},
		bias: [2]float64{ups, -downs}}
}
