package certificate

import "math"

// If the bias has no penalty, shares make a bound only if the sums of c_i*a_i over both sides, the
// rows whose y_i*a_i is above 0 and those where it is below, are the same: else the least over all
// biases is minus infinity. This file makes them nearly the same: float32 shares seldom are
// exactly. The difference that is left is known up to the roundings of a sum, and moving one row's
// share by that much would make up for it. The bound with the moved share is valid; it differs from
// the computed one by the row's part in it.

// A balance is the loss by the move, or by moves of all shares: nothing if it is zero.
type balance struct {
	slack   float64 // how far each share may have to be moved, as a share of itself
	length  float64 // of the sum of c_i*a_i*y_i*x_i: the most by which it changes
	gain    float64 // the same of the part of D that is added up over the rows
	entropy float64 // likewise, with the loss log
}

// balanceRows is the most rows whose shares are changed to make the sums the same.
const balanceRows = 64

// balance scales the shares of the larger side down, and then changes some so that the sums over
// both sides are nearly the same.
func (p binary) balance(a []float32) balance {
	up, down := p.sideSums(a)
	var inner []int // rows with a share between the bounds
	for _, i := range p.All() {
		side, _ := p.Label(uint32(i))
		switch v := a[i]; {
		case v*side > 0 && up > down:
			a[i] = float32(float64(v) * (down / up))
		case v*side < 0 && down > up:
			a[i] = float32(float64(v) * (up / down))
		}
		if v := a[i]; v != 0 && p.Cost.Clamp(v*(1+0x1p-10)) == v*(1+0x1p-10) &&
			len(inner) < balanceRows {
			inner = append(inner, i)
		}
	}
	up, down = p.sideSums(a)
	left := up - down
	for _, i := range inner {
		if float64(0x1p50*math.Abs(left)) <= up {
			break
		}
		// The rounding of a smaller share is finer: the difference that is left shrinks.
		c, v := p.Share(i), a[i]
		side, _ := p.Label(uint32(i))
		to := float32(float64(v) - float64(side)*left/c)
		next := left + float64(float64(float64(to-v)*float64(side))*c)
		if p.movable(v, to) && math.Abs(next) < math.Abs(left) {
			a[i], left = to, next
		}
	}
	up, down = p.sideSums(a)
	return p.lost(a, inner, math.Abs(up-down)+float64((float64(p.Count())+4)*0x1p-52*(up+down)))
}

// movable reports whether v can be moved as far beyond to, and stay on its side, within its bounds.
func (p binary) movable(v, to float32) bool {
	beyond := to + (to - v)
	return beyond*v > 0 && p.Cost.Clamp(beyond) == beyond
}

// lost returns what it costs to move the sums by missing: with the row of the least costs.
func (p binary) lost(a []float32, inner []int, missing float64) (least balance) {
	least = balance{slack: 0x1p-23 + float64(p.Count())*0x1p-51}
	found := false
	for _, i := range inner {
		step := missing / p.Share(i) * (1 + 0x1p-20)
		v := a[i]
		// Both are float32 numbers beyond it, for step is at least a few units of v's rounding.
		far := max(2*step, math.Abs(float64(v))*0x1p-20)
		if !p.movable(v, float32(float64(v)+far)) || !p.movable(v, float32(float64(v)-far)) {
			continue
		}
		length := float64(missing * math.Sqrt(float64(p.Norms[i])) * 1.001)
		if found && length >= least.length {
			continue
		}
		found = true
		_, target := p.Label(uint32(i))
		linear := 1 + p.Cost.Epsilon + math.Abs(target) + math.Abs(p.WideTarget(i))
		if p.Prior != nil { // the error of that
			linear += float64(p.Sums * (math.Abs(p.PriorBias[0]) +
				float64(p.Longest(p.Prior, 0)*math.Sqrt(float64(p.Norms[i]))*1.001)))
		}
		bent := 2*math.Abs(float64(v)) + step
		least = balance{
			length: length,
			gain:   float64(missing * (linear + bent) * 1.001),
			// An entropy changes by less than e*log(3/e) where its argument does by e.
			entropy: float64(max(missing, 0x1p-60*p.Share(i)) * (64 + linear)),
		}
	}
	return least
}

// sideSums returns the sums of c_i*a_i over both sides.
func (p binary) sideSums(a []float32) (up, down float64) {
	for _, i := range p.All() {
		side, _ := p.Label(uint32(i))
		if b := float64(float64(a[i]*side) * p.Share(i)); b > 0 {
			up += b
		} else {
			down -= b
		}
	}
	return up, down
}
