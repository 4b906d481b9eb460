// Package loss provides the losses of one row as functions of one number: the value, the
// derivative, the conjugate, the smoothed derivatives, and the constants that the solvers and the
// bounds need. Each loss is one definition in a file of its own, and Func evaluates it.
// docs/architecture.md says how to add one.
package loss

import "fmt"

// Kind identifies a loss.
type Kind uint8

const (
	Hinge Kind = iota
	Log
	SquaredHinge
	EpsInsensitive
	Squared

	Kinds = iota // number of losses
)

// definitions holds every loss. The package panics at startup if one is missing or incomplete.
var definitions = [Kinds]definition{Hinge: hinge, Log: logistic, SquaredHinge: squaredHinge,
	EpsInsensitive: epsInsensitive, Squared: squared}

func init() {
	for k := range definitions {
		if err := definitions[k].prepare(); err != nil {
			panic(fmt.Sprintf("loss: kind %d: %v", k, err))
		}
	}
}

// Traits are the constants of a loss.
type Traits struct {
	Name    string
	Formula string // in terms of the label y and the score z
	Numbers bool   // labels are regression targets, not classes
	LogOdds bool   // scores are log-odds
	Epsilon bool   // the loss has a width, Func.Epsilon
	Kinks   bool   // the derivative jumps somewhere

	// Low and High bound minus the derivative of the loss, and so a row's dual variable; infinite
	// for none.
	Low, High float64
	// Curvature is the largest second derivative, from which t0 is computed. It is 0 for a loss
	// with kinks, and may be 0 where Low and High are finite.
	Curvature float64
	// Linear and Quadratic are s and q where DualTerm(b) = s*b - q*b^2, or with Epsilon
	// -Func.Epsilon*|b| - q*b^2. They have no meaning with Entropy.
	Linear, Quadratic float64
	// Entropy reports that DualTerm(b) is the entropy of b and 1-b instead.
	Entropy bool
	// Flat is the second derivative of the smoothed loss wherever that is not 0, times the
	// smoothing width for a loss with kinks; 0 if it takes several values.
	Flat float64
	// MeanResidual reports that the residuals of the best constant have the mean 0.
	MeanResidual bool
}

// Slope returns the largest magnitude of the loss's derivative; +Inf if it has no bound.
func (t *Traits) Slope() float64 { return max(-t.Low, t.High) }

// Names returns the names of the losses that have a trait; of all losses if have is nil.
func Names(have func(*Traits) bool) (names []string) {
	for k := range definitions {
		if t := &definitions[k].Traits; have == nil || have(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// KindOf returns the loss with the given name, and whether there is one.
func KindOf(name string) (k Kind, ok bool) {
	for k := range definitions {
		if definitions[k].Name == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// Name returns the loss's name in settings and model files.
func (k Kind) Name() string { return definitions[k].Name }

// Traits returns the loss's constants.
func (k Kind) Traits() *Traits { return &definitions[k].Traits }

// Func is a loss as a function of one number m: the margin y*z or, for regression targets, z - y.
// Every loss is convex and never negative.
type Func struct {
	Kind    Kind
	Epsilon float64 // width of EpsInsensitive; 0 for the other losses
}

// At returns the loss at m.
func (f Func) At(m float64) float64 { return definitions[f.Kind].at(m, f.Epsilon) }

// Coefficient returns minus a sub-gradient of the loss at m: the factor of the row, times the sign
// of its label, in an update. At a kink it is 0.
func (f Func) Coefficient(m float64) float64 {
	return definitions[f.Kind].coefficient(m, f.Epsilon)
}

// Clamp returns the coefficient that is nearest to b among those that the loss can have.
func (f Func) Clamp(b float32) float32 {
	d := &definitions[f.Kind]
	return max(float32(d.Low), min(b, float32(d.High)))
}

// DualTerm returns the minimum of At(m) + b*m over all m, for a b that Clamp does not change: minus
// the loss's conjugate at -b.
func (f Func) DualTerm(b float64) float64 { return definitions[f.Kind].least(b, f.Epsilon) }

// DualLinear returns the part of DualTerm that is proportional to b where b keeps its sign; it has
// no meaning with Traits.Entropy.
func (f Func) DualLinear(b float64) float64 { return definitions[f.Kind].linear(b, f.Epsilon) }

// DualStep returns the value to that maximizes
//
//	DualTerm(to) - to*m - q/2 (to - a)^2
//
// or for Log nearly does: the best step of the dual variable a of a row with the margin m, if m
// rises by q times the change of a. It also returns the row's duality gap At(m) - DualTerm(a) + a*m
// before the step, which is 0 where a is optimal; for Log it is an estimate that is accurate near
// 0.
func (f Func) DualStep(a, m, q float64) (to, gap float64) {
	d := &definitions[f.Kind]
	return d.best(d, a, m, q, f.Epsilon)
}

// DerivativesAt returns minus the derivative, at m, of the loss smoothed to the width h =
// 1/inverse, and its second derivative. Across a zone of width h around a kink the derivative goes
// linearly from one side's value to the other's. The kink is in the middle of the zone, where the
// smoothed loss is h/8 above the true one; at both ends they are equal. With the kink at one end of
// the zone the error would be four times as large.
func (f Func) DerivativesAt(m, inverse float64) (a, curvature float64) {
	return definitions[f.Kind].smooth(m, f.Epsilon, inverse)
}

// SmoothedCoefficient returns the mean of Coefficient over the margins from m-h/2 to m+h/2 for a
// loss with kinks, and Coefficient(m) for other losses.
func (f Func) SmoothedCoefficient(m, h float64) float64 {
	a, _ := f.DerivativesAt(m, 1/h)
	return a
}

// KinkDistance returns the distance of m from the nearest kink of a loss that has kinks.
func (f Func) KinkDistance(m float64) float64 { return definitions[f.Kind].kink(m, f.Epsilon) }

// Flat returns Traits.Flat, and false if the smoothed loss has several second derivatives.
func (f Func) Flat() (unit float64, ok bool) {
	unit = definitions[f.Kind].Flat
	return unit, unit > 0
}

// Losses stores At(v) in dst for each v of m. The slices have equal length and may be the same.
// For Log it takes a fifth of the time of At, with the same bits.
func (f Func) Losses(dst, m []float64) {
	dst = dst[:len(m)]
	if f.Kind == Log { // called by name: through a variable dst and m would escape to the heap
		logLosses(dst, m)
		return
	}
	for i, v := range m {
		dst[i] = f.At(v)
	}
}

// Derivatives stores the two results of DerivativesAt(v, inverse) in a and curvature for each v of
// m. All slices have equal length, and a may be m.
func (f Func) Derivatives(a, curvature, m []float64, inverse float64) {
	a, curvature = a[:len(m)], curvature[:len(m)]
	if f.Kind == Log { // as in Losses
		logDerivatives(a, curvature, m)
		return
	}
	for i, v := range m {
		a[i], curvature[i] = f.DerivativesAt(v, inverse)
	}
}
