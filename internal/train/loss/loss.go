// Package loss provides the losses as functions of a row's margin or residual. Each loss is a
// definition in its own file, which Func evaluates. docs/extending.md lists the files that a new
// loss needs.
package loss

import "fmt"

type Kind uint8

const (
	Hinge Kind = iota
	Log
	SquaredHinge
	EpsInsensitive
	Squared

	Kinds = iota // number of losses
)

var definitions = [Kinds]definition{Hinge: hinge, Log: logistic, SquaredHinge: squaredHinge,
	EpsInsensitive: epsInsensitive, Squared: squared}

func init() {
	for k := range definitions {
		if err := definitions[k].prepare(); err != nil {
			panic(fmt.Sprintf("loss: kind %d: %v", k, err))
		}
	}
}

func Names() (names []string) {
	for k := range definitions {
		names = append(names, definitions[k].Name)
	}
	return names
}

func KindOf(name string) (k Kind, ok bool) {
	for k := range definitions {
		if definitions[k].Name == name {
			return Kind(k), true
		}
	}
	return 0, false
}

func (k Kind) Name() string { return definitions[k].Name }

func (k Kind) Traits() *Traits { return &definitions[k].Traits }

// Func is a loss as a function of the margin m = y*z of a row with the label y and the score z or,
// for regression targets y, of the residual m = z - y. Every loss is convex and never negative.
type Func struct {
	Kind    Kind
	Epsilon float64 // width of EpsInsensitive; 0 for the other losses
}

func (f Func) At(m float64) float64 { return definitions[f.Kind].at(m, f.Epsilon) }

// Coefficient returns minus a sub-gradient of the loss at m; 0 at a kink.
func (f Func) Coefficient(m float64) float64 {
	return definitions[f.Kind].coefficient(m, f.Epsilon)
}

// Clamp returns the value nearest to b between Traits.Low and Traits.High.
func (f Func) Clamp(b float32) float32 {
	d := &definitions[f.Kind]
	return max(float32(d.Low), min(b, float32(d.High)))
}

// DualTerm returns the infimum of At(m) + b*m over all m: minus the loss's conjugate at -b. b must
// be between Traits.Low and Traits.High.
func (f Func) DualTerm(b float64) float64 { return definitions[f.Kind].least(b, f.Epsilon) }

// DualLinear returns DualTerm(b) without its quadratic part. It has no meaning for a loss with
// Traits.Entropy.
func (f Func) DualLinear(b float64) float64 { return definitions[f.Kind].linear(b, f.Epsilon) }

// DualStep returns next, the best new value of the dual variable a of a row with the margin m, if m
// rises by q times the change of a. next is the value between Traits.Low and Traits.High that
// maximizes
//
//	DualTerm(next) - next*m - q/2 (next - a)^2
//
// or, for Log, nearly maximizes it. gap is the row's duality gap before the step, At(m) -
// DualTerm(a) + a*m; for Log, it is an estimate that is accurate near 0.
func (f Func) DualStep(a, m, q float64) (next, gap float64) {
	d := &definitions[f.Kind]
	return d.best(d, a, m, q, f.Epsilon)
}

// DerivativesAt returns a, minus the first derivative at m, and curvature, the second derivative at
// m, of the smoothed loss. Its derivative changes linearly over the width 1/inverse around a kink
// instead of jumping; where two such zones overlap, the changes add up. A loss without kinks is not
// smoothed.
func (f Func) DerivativesAt(m, inverse float64) (a, curvature float64) {
	return definitions[f.Kind].smooth(m, f.Epsilon, inverse)
}

// SmoothedCoefficient returns the mean of Coefficient from m-h/2 to m+h/2 for a loss with kinks,
// and Coefficient(m) for other losses.
func (f Func) SmoothedCoefficient(m, h float64) float64 {
	a, _ := f.DerivativesAt(m, 1/h)
	return a
}

// KinkDistance returns the distance of m from the nearest kink. It panics for a loss without kinks.
func (f Func) KinkDistance(m float64) float64 { return definitions[f.Kind].kink(m, f.Epsilon) }

// Losses stores At(v) in dst for each v of m. dst must be at least as long as m, and may be m.
func (f Func) Losses(dst, m []float64) {
	dst = dst[:len(m)]
	if f.Kind == Log { // through a function variable, dst and m would escape to the heap
		logLosses(dst, m)
		return
	}
	for i, v := range m {
		dst[i] = f.At(v)
	}
}

// Derivatives stores the results of DerivativesAt(v, inverse) in a and curvature for each v of m. a
// and curvature must be at least as long as m. a may be m; curvature must not overlap m or a.
func (f Func) Derivatives(a, curvature, m []float64, inverse float64) {
	a, curvature = a[:len(m)], curvature[:len(m)]
	if f.Kind == Log {
		logDerivatives(a, curvature, m)
		return
	}
	for i, v := range m {
		a[i], curvature[i] = f.DerivativesAt(v, inverse)
	}
}
