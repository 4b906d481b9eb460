package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// If the bias has no penalty, the minimum over all biases is minus infinity unless two sums of
// c_i*|a_i| are equal, with the row weights c_i: over the rows with y_i*a_i above 0, and over those
// with y_i*a_i below 0. float32 numbers seldom have equal sums, so this file makes the sums nearly
// equal. Changing one row's dual variable by the remaining difference, divided by the row's weight,
// would make them equal. The bound after this change is valid, and differs from the computed bound
// only by that row's terms in the means and in u.

// balance bounds the changes of the lower bound's terms if the change of one dual variable, or of
// all, makes the sums equal. If all change, only slack is not 0.
type balance struct {
	slack   float64 // largest relative change of a dual variable; 0 if only one changes
	length  float64 // largest change of the norm of the sum of c_i*a_i*y_i*x_i
	gain    float64 // largest change of the sum of the rows' linear and quadratic terms
	entropy float64 // largest change of the sum of the rows' terms for the log loss
}

const balanceRows = 64

// balanceSides scales down one side, and then changes dual variables of both sides one by one. It
// returns the cost of the remaining difference.
func balanceSides(p *objective.Binary, a []float32) balance {
	up, down := sideSums(p, a)
	var inner []int // some rows whose dual variable is not 0 and can grow by the factor 1 + 2^-10
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
	up, down = sideSums(p, a)
	left := up - down
	for _, i := range inner {
		if float64(0x1p50*math.Abs(left)) <= up {
			break
		}
		// Rows with smaller variables can reduce left further, because float32 is finer there.
		c, v := p.RowWeight(i), a[i]
		side, _ := p.Label(uint32(i))
		to := float32(float64(v) - float64(side)*left/c)
		next := left + float64(float64(float64(to-v)*float64(side))*c)
		if movable(p, v, to) && math.Abs(next) < math.Abs(left) {
			a[i], left = to, next
		}
	}
	up, down = sideSums(p, a)
	left = math.Abs(up-down) + float64((float64(p.Count())+4)*0x1p-52*(up+down))
	return moveCost(p, a, inner, left)
}

// movable reports whether a dual variable can change from v to next, and by twice as much, within
// the range of its loss and without losing its sign.
func movable(p *objective.Binary, v, next float32) bool {
	beyond := next + (next - v)
	return beyond*v > 0 && p.Cost.Clamp(beyond) == beyond
}

// moveCost returns the cost of changing the dual variable of one row in inner so that the sum over
// a side changes by difference. It chooses the row with the least balance.length. If no row allows
// the change, the cost is a slack for all dual variables.
func moveCost(p *objective.Binary, a []float32, inner []int, difference float64) (
	least balance,
) {
	least = balance{slack: 0x1p-23 + float64(p.Count())*0x1p-51}
	found := false
	for _, i := range inner {
		step := difference / p.RowWeight(i) * (1 + 0x1p-20)
		v := a[i]
		// far is at least 2*step and a few rounding units of v. v plus or minus step therefore lies
		// between v minus far and v plus far, even if these are rounded to float32.
		far := max(2*step, math.Abs(float64(v))*0x1p-20)
		if !movable(p, v, float32(float64(v)+far)) || !movable(p, v, float32(float64(v)-far)) {
			continue
		}
		length := float64(difference * math.Sqrt(float64(p.Norms[i])) * 1.001)
		if found && length >= least.length {
			continue
		}
		found = true
		_, target := p.Label(uint32(i))
		linear := 1 + p.Cost.Epsilon + math.Abs(target) + math.Abs(p.Target64(i))
		if p.Prior != nil { // the error of the prior's score
			linear += float64(p.SumError * (math.Abs(p.PriorBias[0]) +
				float64(p.MaxNorm(p.Prior, 0)*math.Sqrt(float64(p.Norms[i]))*1.001)))
		}
		bent := 2*math.Abs(float64(v)) + step
		least = balance{
			length: length,
			gain:   float64(difference * (linear + bent) * 1.001),
			// An entropy changes by less than e*log(3/e) if the argument changes by e.
			entropy: float64(max(difference, 0x1p-60*p.RowWeight(i)) * (64 + linear)),
		}
	}
	return least
}

// sums of c_i*|a_i| over the two sides; y_i is 1 for regression
func sideSums(p *objective.Binary, a []float32) (up, down float64) {
	for _, i := range p.All() {
		side, _ := p.Label(uint32(i))
		if b := float64(float64(a[i]*side) * p.RowWeight(i)); b > 0 {
			up += b
		} else {
			down -= b
		}
	}
	return up, down
}
