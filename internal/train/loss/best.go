package loss

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
)

// Best returns the coefficient to that makes
//
//	Least(to) - to*m - q/2 (to - a)^2
//
// largest, or nearly: the best step of the dual variable a of a row with the margin m, which rises
// by q times the change of a. It also returns how far At(m) and Least(a) - a*m are apart, which is
// 0 where a is the best already: of Log an estimate, which is good where they are close.
func (f Func) Best(a, m, q float64) (to, apart float64) {
	switch f.Kind {
	case Log:
		return bestShare(a, m, q)
	case EpsInsensitive:
		// The best of those above 0, of those below, or the end where both are none.
		if to = a + float64((-m-f.Epsilon)/q); !(to > 0) {
			to = min(a+float64((-m+f.Epsilon)/q), 0)
		}
		if !(q > 0) {
			to = f.Coefficient(m)
		}
		to = max(-1, min(to, 1))
	default:
		to = f.bestOfParabola(a, m, q)
	}
	return to, max(0, f.At(m)-f.Least(a)+float64(a*m))
}

// bestOfParabola is Best where Least is Linear less Quadratic times the square.
func (f Func) bestOfParabola(a, m, q float64) (to float64) {
	t := f.Kind.Traits()
	low, high, curve := 0.0, 1.0, 2*t.Quadratic
	if curve > 0 {
		high = math.MaxFloat32
	}
	if t.Free {
		low = -high
	}
	slope, bend := f.Linear(1)-m-float64(curve*a), curve+q
	switch {
	case bend > 0:
		return max(low, min(a+slope/bend, high))
	case slope < 0:
		return low
	}
	return high
}

// bestShare is Best of Log. The share is largest where log((1-to)/to) is the margin: with t for
// log(to/(1-to)),
//
//	t + m + q (sigmoid(t) - a) = 0
//
// whose left side rises with t, at a rate between 1 and 1 + q/4. It takes Newton's steps from t =
// -m, between bounds that it keeps, each at most half as long as the one before: else they could go
// to and fro. Where t is above log q, q (1 - sigmoid(t)) is less than 1, so that the upper bound is
// at most the larger one of log q and 1 - m; the lower one is likewise.
func bestShare(a, m, q float64) (to, apart float64) {
	t, low, high := -m, -m-float64(q*(1-a)), -m+float64(q*a)
	if q > 16 { // else they are near enough
		far := floats.Log(q)
		low, high = max(low, min(-far, -m-1)), min(high, max(far, 1-m))
	}
	to = floats.Sigmoid(t)
	off := to - a
	bend := float64(to * (1 - to))
	if math.Abs(off) > bend {
		apart = max(0, floats.Log1pExp(-m)+XLogX(a)+XLogX(1-a)+float64(a*m))
	} else if bend > 0 { // the entropy of a, relative to that of to
		apart = float64(off*off) / (2 * bend)
	}
	last := math.Inf(1)
	for range 32 {
		f := t + m + float64(q*(to-a))
		if f > 0 {
			high = t
		} else {
			low = t
		}
		step := -f / (1 + float64(q*bend))
		if f != 0 && !(t+step > low && t+step < high && math.Abs(step) <= last/2) {
			step = low + float64((high-low)/2) - t
		}
		last = math.Abs(step)
		if steep := float64(q*bend) > 1; steep && last <= near { // the equation says more of it
			to = a - float64((t+step+m)/q)
			break
		} else if !steep && last <= 16*near { // a parabola does
			half := float64(step * (0.5 - to)) // of the second derivative, to the first
			to += float64(float64(step*bend) * (1 + half))
			break
		}
		t += step
		to = floats.Sigmoid(t)
		bend = float64(to * (1 - to))
	}
	return max(0, min(to, 1)), apart
}

// near is a change of a logit up to which no exponential is needed for that of the share.
const near = 1. / 64
