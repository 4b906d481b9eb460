package loss

import "math"

var epsInsensitive = definition{
	Traits: Traits{Name: "eps-insensitive", Formula: "max(0, |y - z| - epsilon)", Numbers: true,
		Epsilon: true, Kinks: true, Low: -1, High: 1},
	at: func(m, epsilon float64) float64 { return max(0, math.Abs(m)-epsilon) },
	coefficient: func(m, epsilon float64) float64 {
		switch {
		case m > epsilon:
			return -1
		case m < -epsilon:
			return 1
		}
		return 0
	},
	best: bestOfAbsolute,
	smooth: func(m, epsilon, inverse float64) (a, curvature float64) {
		above, curvature1 := ramp(float64((m-epsilon)*inverse), inverse)
		below, curvature2 := ramp(float64((-m-epsilon)*inverse), inverse)
		return below - above, curvature1 + curvature2
	},
	kink: func(m, epsilon float64) float64 { return math.Abs(math.Abs(m) - epsilon) },
}

// bestOfAbsolute implements Func.DualStep for a loss with DualTerm(b) = -epsilon*|b|.
func bestOfAbsolute(d *definition, a, m, q, epsilon float64) (to, gap float64) {
	// The maximum may be at b > 0, at b < 0, or at 0.
	if to = a + float64((-m-epsilon)/q); !(to > 0) {
		to = min(a+float64((-m+epsilon)/q), 0)
	}
	if !(q > 0) {
		to = d.coefficient(m, epsilon)
	}
	return max(d.low, min(to, d.high)), d.gap(a, m, epsilon)
}
