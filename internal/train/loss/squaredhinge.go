package loss

import "math"

var squaredHinge = definition{
	Traits: Traits{Name: "squared-hinge", Formula: "max(0, 1 - yz)^2", High: math.Inf(1), Linear: 1,
		Curvature: 2, Quadratic: 0.25, Flat: 2},
	at: func(m, _ float64) float64 {
		d := max(0, 1-m)
		return float64(d * d)
	},
	coefficient: func(m, _ float64) float64 { return 2 * max(0, 1-m) },
	best:        bestOfParabola,
	smooth: func(m, _, _ float64) (a, curvature float64) {
		if m < 1 {
			return 2 * (1 - m), 2
		}
		return 0, 0
	},
}
