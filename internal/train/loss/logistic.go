package loss

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
)

var logistic = definition{
	Traits: Traits{Name: "log", Formula: "log(1 + e^-yz)", LogOdds: true, High: 1, Linear: 1,
		Entropy: true},
	at:          func(m, _ float64) float64 { return floats.Log1pExp(-m) },
	coefficient: func(m, _ float64) float64 { return floats.Sigmoid(-m) },
	best:        bestOfEntropy,
	smooth: func(m, _, _ float64) (a, curvature float64) {
		s := floats.Sigmoid(-m)
		return s, float64(s * (1 - s))
	},
}

// logLosses gives the same bits as logistic.at.
func logLosses(dst, m []float64) {
	negate(dst, m)
	asm.Log1pExp(dst, dst)
}

// logDerivatives gives the same bits as logistic.smooth.
func logDerivatives(a, curvature, m []float64) {
	negate(a, m)
	asm.Sigmoid(a, a)
	for i, s := range a {
		curvature[i] = float64(s * (1 - s))
	}
}

// dst may be m.
func negate(dst, m []float64) {
	for i, v := range m {
		dst[i] = -v
	}
}

// The logit t of the best dual variable solves
//
//	t + m + q (sigmoid(t) - a) = 0
//
// whose left side has a derivative between 1 and 1 + q/4. Newton steps could oscillate: a bisection
// replaces a step that leaves the bounds of t, or is more than half as long as the step before. If
// t exceeds log q, q (1 - sigmoid(t)) is less than 1: the solution is at most the larger of log q
// and 1 - m. Likewise, it is at least the smaller of -log q and -1 - m.
func bestOfEntropy(_ *definition, a, m, q, _ float64) (next, gap float64) {
	t, low, high := -m, -m-float64(q*(1-a)), -m+float64(q*a)
	if q > 16 {
		far := floats.Log(q)
		low, high = max(low, min(-far, -m-1)), min(high, max(far, 1-m))
	}
	next = floats.Sigmoid(t)
	off := next - a
	curvature := float64(next * (1 - next))
	if math.Abs(off) > curvature {
		gap = max(0, floats.Log1pExp(-m)+XLogX(a)+XLogX(1-a)+float64(a*m))
	} else if curvature > 0 { // second-order estimate of the relative entropy of a and next
		gap = float64(off*off) / (2 * curvature)
	}
	last := math.Inf(1)
	for range 32 {
		f := t + m + float64(q*(next-a))
		if f > 0 {
			high = t
		} else {
			low = t
		}
		step := -f / (1 + float64(q*curvature))
		if f != 0 && !(t+step > low && t+step < high && math.Abs(step) <= last/2) {
			step = low + float64((high-low)/2) - t
		}
		last = math.Abs(step)
		if steep := float64(q*curvature) > 1; steep && last <= smallLogit {
			// Solving for next divides an error of t by q instead of multiplying it by curvature.
			next = a - float64((t+step+m)/q)
			break
		} else if !steep && last <= 16*smallLogit {
			// second-order term over first-order term of the sigmoid's expansion
			half := float64(step * (0.5 - next))
			next += float64(float64(step*curvature) * (1 + half))
			break
		}
		t += step
		next = floats.Sigmoid(t)
		curvature = float64(next * (1 - next))
	}
	return max(0, min(next, 1)), gap
}

// bestOfEntropy ends after a step of at most smallLogit, or 16*smallLogit if q*curvature <= 1.
const smallLogit = 1. / 64
