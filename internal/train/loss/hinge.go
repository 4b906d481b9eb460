package loss

import "math"

var hinge = definition{
	Traits: Traits{Name: "hinge", Formula: "max(0, 1 - yz)", Kinks: true, High: 1, Linear: 1, Flat: 1},
	at:     func(m, _ float64) float64 { return max(0, 1-m) },
	coefficient: func(m, _ float64) float64 {
		if m < 1 {
			return 1
		}
		return 0
	},
	best: bestOfParabola,
	smooth: func(m, _, inverse float64) (a, curvature float64) {
		return ramp(float64((1-m)*inverse), inverse)
	},
	kink: func(m, _ float64) float64 { return math.Abs(1 - m) },
}
