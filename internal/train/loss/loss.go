// Package loss has the losses of one number: what each is, its derivative, its conjugate, and what
// else the solvers and the bounds ask of it. To add a loss, see docs/architecture.md.
package loss

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
)

// A Kind tells losses apart.
type Kind uint8

const (
	Hinge Kind = iota
	Log
	SquaredHinge
	EpsInsensitive
	Squared
)

// Traits are what there is to know of a loss beside its functions.
type Traits struct {
	Name    string
	Formula string // of the label y and the score z
	Numbers bool   // labels are numbers to predict
	LogOdds bool   // scores are log-odds
	Epsilon bool   // there is a width to set
	Kinks   bool   // the derivative leaps somewhere

	// Curvature is the largest second derivative of a loss whose sub-gradient has no bound, and 0
	// for all others: it makes t0.
	Curvature float64
	// Quadratic is q where Least(b) = Linear(b) - q*b^2.
	Quadratic float64
	// Free says that any number is a coefficient, so that the dual variables have no bounds.
	Free bool
}

// table has the traits of each kind.
var table = [...]Traits{
	Hinge: {Name: "hinge", Formula: "max(0, 1 - yz)", Kinks: true},
	Log:   {Name: "log", Formula: "log(1 + e^-yz)", LogOdds: true},
	SquaredHinge: {Name: "squared-hinge", Formula: "max(0, 1 - yz)^2", Curvature: 2,
		Quadratic: 0.25},
	EpsInsensitive: {Name: "eps-insensitive", Formula: "max(0, |y - z| - epsilon)", Numbers: true,
		Epsilon: true, Kinks: true},
	Squared: {Name: "squared", Formula: "(y - z)^2/2", Numbers: true, Curvature: 1,
		Quadratic: 0.5, Free: true},
}

// Names returns the names of those that have a trait, of all for nil.
func Names(have func(*Traits) bool) (names []string) {
	for k := range table {
		if t := &table[k]; have == nil || have(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// KindOf returns the kind of that name, and whether there is one.
func KindOf(name string) (k Kind, ok bool) {
	for k := range table {
		if table[k].Name == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// Name returns that of the kind.
func (k Kind) Name() string { return table[k].Name }

// Traits returns those of the kind.
func (k Kind) Traits() *Traits { return &table[k] }

// A Func is a loss as a function of one number m: the margin y*z, or, where labels are numbers, z -
// y. All are convex, and none is negative.
type Func struct {
	Kind    Kind
	Epsilon float64 // of EpsInsensitive, 0 for the others
}

// At returns the loss.
func (f Func) At(m float64) float64 {
	switch f.Kind {
	case Log:
		return floats.Log1pExp(-m)
	case SquaredHinge:
		d := max(0, 1-m)
		return float64(d * d)
	case EpsInsensitive:
		return max(0, math.Abs(m)-f.Epsilon)
	case Squared:
		return float64(m*m) / 2
	}
	return max(0, 1-m)
}

// Coefficient returns minus a sub-gradient: what the row, with the sign of its label, is multiplied
// by in an update. At a kink it is 0.
func (f Func) Coefficient(m float64) float64 {
	switch f.Kind {
	case Log:
		return floats.Sigmoid(-m)
	case SquaredHinge:
		return 2 * max(0, 1-m)
	case EpsInsensitive:
		switch {
		case m > f.Epsilon:
			return -1
		case m < -f.Epsilon:
			return 1
		}
		return 0
	case Squared:
		return -m
	}
	if m < 1 {
		return 1
	}
	return 0
}

// Clamp returns what is nearest to b of the coefficients that the loss can have.
func (f Func) Clamp(b float32) float32 {
	switch f.Kind {
	case SquaredHinge:
		return max(0, b)
	case EpsInsensitive:
		return max(-1, min(b, 1))
	case Squared:
		return b
	}
	return max(0, min(b, 1))
}

// Least returns the least of At(m) + b*m over all m, for a b that Clamp leaves as it is: minus the
// loss's conjugate at -b.
func (f Func) Least(b float64) float64 {
	if f.Kind == Log { // the entropy of b
		return -XLogX(b) - XLogX(1-b)
	}
	return f.Linear(b) - float64(f.Kind.Traits().Quadratic*float64(b*b))
}

// Linear returns the part of Least, of all losses but Log, that s times as large a b makes s times
// as large.
func (f Func) Linear(b float64) float64 {
	switch f.Kind {
	case EpsInsensitive:
		return -float64(f.Epsilon * math.Abs(b))
	case Squared:
		return 0
	}
	return b
}

// XLogX returns x log x, and 0 for 0.
func XLogX(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return float64(x * floats.Log(x))
}
