package loss

import "math"

var squared = definition{
	Traits: Traits{Name: "squared", Formula: "(y - z)^2/2", Numbers: true, Low: math.Inf(-1),
		High: math.Inf(1), Curvature: 1, Quadratic: 0.5, Flat: 1, MeanResidual: true},
	at:          func(m, _ float64) float64 { return float64(m*m) / 2 },
	coefficient: func(m, _ float64) float64 { return -m },
	best:        bestOfParabola,
	smooth:      func(m, _, _ float64) (a, curvature float64) { return -m, 1 },
}
