package pegasos

import (
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/internal/elementary"
)

// A Loss is what a row costs, as a function of its score z.
type Loss string

const (
	// Hinge is max(0, 1 - y*z), that of the support vector machine.
	Hinge Loss = "hinge"
	// Log is log(1 + e^(-y*z)), that of logistic regression. The model's scores are log-odds.
	Log Loss = "log"
	// SquaredHinge is max(0, 1 - y*z)^2, as liblinear has it.
	SquaredHinge Loss = "squared-hinge"
	// EpsInsensitive is max(0, |y - z| - Epsilon), that of support vector regression: labels are
	// numbers to predict, of which the model's score is an estimate. There are no classes.
	EpsInsensitive Loss = "eps-insensitive"
	// Squared is (y - z)^2/2, that of ridge regression, for labels that are numbers to predict:
	// scikit-learn's Ridge with alpha = lambda*rows has the same optimum.
	Squared Loss = "squared"
)

// lossTable has what there is to know of each loss beside the functions below, which its kind, the
// place in the table, tells apart. Adding a loss is told in docs/architecture.md.
var lossTable = []lossTraits{
	hingeCost: {name: Hinge, formula: "max(0, 1 - yz)", ascent: true, kinks: true},
	logCost:   {name: Log, formula: "log(1 + e^-yz)", logOdds: true},
	squaredHingeCost: {name: SquaredHinge, formula: "max(0, 1 - yz)^2", ascent: true, curvature: 2,
		quadratic: 0.25},
	epsCost: {name: EpsInsensitive, formula: "max(0, |y - z| - epsilon)", numbers: true,
		epsilon: true, kinks: true},
	squaredCost: {name: Squared, formula: "(y - z)^2/2", numbers: true, ascent: true, curvature: 1,
		quadratic: 0.5, free: true},
}

type lossKind uint8

const (
	hingeCost lossKind = iota
	logCost
	squaredHingeCost
	epsCost
	squaredCost
)

type lossTraits struct {
	name    Loss
	formula string // of the label y and the score z
	numbers bool   // labels are numbers to predict
	logOdds bool   // scores are log-odds
	epsilon bool   // Config.Epsilon can be set
	ascent  bool   // there is a dual coordinate ascent
	kinks   bool   // the derivative leaps somewhere: see margins.go

	// curvature is the largest second derivative of a loss whose sub-gradient has no bound, and 0
	// for all others: it makes t0.
	curvature float64
	// quadratic is q where least(b) = linear(b) - q*b^2.
	quadratic float64
	// free says that any number is a coefficient, so that the dual variables have no bounds.
	free bool
}

// Losses returns all there are, the default first.
func Losses() (names []Loss) {
	for _, l := range lossTable {
		names = append(names, l.name)
	}
	return names
}

// lossesThat returns the names of those with a trait, as messages have them.
func lossesThat(have func(lossTraits) bool) string {
	var names []string
	for _, l := range lossTable {
		if have(l) {
			names = append(names, string(l.name))
		}
	}
	if n := len(names) - 1; n > 1 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return strings.Join(names, " and ")
}

// kind returns the place in the table. A loss that is not there is the hinge: Validate refuses it.
func (l Loss) kind() lossKind {
	for k, t := range lossTable {
		if t.name == l {
			return lossKind(k)
		}
	}
	return hingeCost
}

func (l Loss) traits() lossTraits { return lossTable[l.kind()] }

// Regression reports whether labels are numbers to predict.
func (l Loss) Regression() bool { return l.traits().numbers }

// Formula returns what a row costs, in terms of its label y and its score z.
func (l Loss) Formula() string { return l.traits().formula }

// LogOdds reports whether the scores are log-odds, so that they make probabilities.
func (l Loss) LogOdds() bool { return l.traits().logOdds }

// A cost is a loss as a function of one number m: the margin y*z, or, where labels are numbers, z -
// y. All are convex, and none is negative.
type cost struct {
	loss    lossKind
	epsilon float64
}

func (cfg Config) cost() cost {
	c := cost{loss: cfg.Loss.kind()}
	if lossTable[c.loss].epsilon {
		c.epsilon = cfg.Epsilon
	}
	return c
}

// at returns the loss.
func (c cost) at(m float64) float64 {
	switch c.loss {
	case logCost:
		return elementary.Log1pExp(-m)
	case squaredHingeCost:
		d := max(0, 1-m)
		return float64(d * d)
	case epsCost:
		return max(0, math.Abs(m)-c.epsilon)
	case squaredCost:
		return float64(m*m) / 2
	}
	return max(0, 1-m)
}

// coefficient returns minus a sub-gradient: what the row, with the sign of its label, is multiplied
// by in an update. At a kink it is 0.
func (c cost) coefficient(m float64) float64 {
	switch c.loss {
	case logCost:
		return elementary.Sigmoid(-m)
	case squaredHingeCost:
		return 2 * max(0, 1-m)
	case epsCost:
		switch {
		case m > c.epsilon:
			return -1
		case m < -c.epsilon:
			return 1
		}
		return 0
	case squaredCost:
		return -m
	}
	if m < 1 {
		return 1
	}
	return 0
}

// clamp returns what is nearest to b of the coefficients that the loss can have.
func (c cost) clamp(b float32) float32 {
	switch c.loss {
	case squaredHingeCost:
		return max(0, b)
	case epsCost:
		return max(-1, min(b, 1))
	case squaredCost:
		return b
	}
	return max(0, min(b, 1))
}

// least returns the least of at(m) + b*m over all m, for a b that clamp leaves as it is: minus the
// loss's conjugate at -b.
func (c cost) least(b float64) float64 {
	if c.loss == logCost { // the entropy of b
		return -xlogx(b) - xlogx(1-b)
	}
	return c.linear(b) - float64(lossTable[c.loss].quadratic*float64(b*b))
}

// linear returns the part of least, of all losses but Log, that s times as large a b makes s times
// as large.
func (c cost) linear(b float64) float64 {
	switch c.loss {
	case epsCost:
		return -float64(c.epsilon * math.Abs(b))
	case squaredCost:
		return 0
	}
	return b
}

// dualShape returns what a row earns in the dual for a coefficient b of a loss that has an ascent,
// beside b times its label: reward*b - curve/2 b^2, for b from low up. Without a curve b is at most
// 1.
func (c cost) dualShape() (reward, curve, low float64) {
	t := lossTable[c.loss]
	if t.free {
		low = math.Inf(-1)
	}
	return c.linear(1), 2 * t.quadratic, low
}

func xlogx(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return float64(x * elementary.Log(x))
}
