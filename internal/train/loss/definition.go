package loss

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

type Traits struct {
	Name    string
	Formula string // the loss in terms of the label y and the score z
	Numbers bool   // labels are regression targets
	LogOdds bool   // scores are log-odds
	Epsilon bool   // the loss has a width, Func.Epsilon
	Kinks   bool   // the derivative jumps somewhere

	// Low and High limit minus the derivative of the loss, and so the dual variable of a row. They
	// may be infinite.
	Low, High float64
	// Curvature is the largest second derivative, or 0: it must be 0 for a loss with kinks, and
	// above 0 if Low or High is infinite.
	Curvature float64
	// Linear and Quadratic are s and q in DualTerm(b) = s*b - q*b^2. With Epsilon, s*b becomes
	// -Func.Epsilon*|b|. With Entropy, they have no meaning.
	Linear, Quadratic float64
	// Entropy reports whether DualTerm(b) is the entropy of b and 1-b.
	Entropy bool
	// Flat is the only nonzero second derivative of the smoothed loss, times the smoothing width
	// for a loss with kinks; 0 if there are several.
	Flat float64
	// MeanResidual reports whether the best constant prediction gives residuals with the mean 0.
	MeanResidual bool
}

// Slope returns the largest magnitude of the loss's derivative, or +Inf.
func (t *Traits) Slope() float64 { return max(-t.Low, t.High) }

type definition struct {
	Traits

	at          func(m, epsilon float64) float64
	coefficient func(m, epsilon float64) float64
	best        func(d *definition, a, m, q, epsilon float64) (to, gap float64)
	smooth      func(m, epsilon, inverse float64) (a, curvature float64)
	kink        func(m, epsilon float64) float64 // nil for a loss without kinks

	low, high float64 // Traits.Low and High, limited to float32
}

func (d *definition) prepare() error {
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"Name", d.Name == ""}, {"Formula", d.Formula == ""}, {"at", d.at == nil},
		{"coefficient", d.coefficient == nil},
		{"best", d.best == nil}, {"smooth", d.smooth == nil},
		{"kink, but has Kinks", d.Kinks && d.kink == nil},
		{"Kinks, but has kink", !d.Kinks && d.kink != nil},
		{"Low below High", !(d.Low < d.High)},
	} {
		if f.missing {
			return fmt.Errorf("the definition %q has no %s", d.Name, f.name)
		}
	}
	switch {
	case d.Kinks && d.Curvature != 0:
		return fmt.Errorf("the definition %q has both Kinks and a Curvature", d.Name)
	case d.Curvature == 0 && math.IsInf(d.Slope(), 1):
		return fmt.Errorf("the definition %q needs a Curvature, because Low or High is infinite",
			d.Name)
	case d.Entropy && (d.Quadratic != 0 || d.Low != 0 || d.High != 1):
		return fmt.Errorf("the definition %q has Entropy, which requires Low 0, High 1 and Quadratic 0",
			d.Name)
	}
	d.low, d.high = max(d.Low, -math.MaxFloat32), min(d.High, math.MaxFloat32)
	return nil
}

func (d *definition) least(b, epsilon float64) float64 {
	if d.Entropy {
		return -XLogX(b) - XLogX(1-b)
	}
	return d.linear(b, epsilon) - float64(d.Quadratic*float64(b*b))
}

func (d *definition) gap(a, m, epsilon float64) float64 {
	return max(0, d.at(m, epsilon)-d.least(a, epsilon)+float64(a*m))
}

// bestOfParabola implements Func.DualStep for a loss with DualTerm(b) = Linear*b - Quadratic*b^2.
func bestOfParabola(d *definition, a, m, q, epsilon float64) (to, gap float64) {
	curve := 2 * d.Quadratic
	slope, curvature := d.Linear-m-float64(curve*a), curve+q
	switch {
	case curvature > 0:
		to = max(d.low, min(a+slope/curvature, d.high))
	case slope < 0:
		to = d.low
	default:
		to = d.high
	}
	return to, d.gap(a, m, epsilon)
}

func (d *definition) linear(b, epsilon float64) float64 {
	if d.Epsilon {
		return -float64(epsilon * math.Abs(b))
	}
	return float64(d.Linear * b)
}

// ramp returns u + 1/2, clipped to [0, 1], and inverse, or 0 if clipped. u is the signed distance
// of the margin from a kink, times inverse.
func ramp(u, inverse float64) (a, curvature float64) {
	u += 0.5
	switch {
	case u <= 0:
		return 0, 0
	case u >= 1:
		return 1, 0
	}
	return u, inverse
}

// XLogX returns x log x, and 0 for x <= 0.
func XLogX(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return float64(x * floats.Log(x))
}
