package pegasos

import (
	"math"

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
)

// Regression reports whether labels are numbers to predict.
func (l Loss) Regression() bool { return l == EpsInsensitive }

// A cost is a loss as a function of one number m: the margin y*z, or, where labels are numbers, z -
// y. All are convex, and none is negative.
type cost struct {
	loss    lossKind
	epsilon float64
}

type lossKind uint8

const (
	hingeCost lossKind = iota
	logCost
	squaredHingeCost
	epsCost
)

func (cfg Config) cost() cost {
	switch cfg.Loss {
	case Log:
		return cost{loss: logCost}
	case SquaredHinge:
		return cost{loss: squaredHingeCost}
	case EpsInsensitive:
		return cost{epsCost, cfg.Epsilon}
	}
	return cost{loss: hingeCost}
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
	}
	return max(0, 1-m)
}

// coefficient returns minus a sub-gradient of the loss at m: what its row is multiplied by in an
// update. At a kink it is 0.
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
	}
	if m < 1 {
		return 1
	}
	return 0
}

// clamp returns the coefficient that is nearest to b of those that the loss can have.
func (c cost) clamp(b float32) float32 {
	switch c.loss {
	case squaredHingeCost:
		return max(0, b)
	case epsCost:
		return max(-1, min(b, 1))
	}
	return max(0, min(b, 1))
}

// least returns the least of at(m) + b*m over all m, for a b that clamp leaves as it is: minus the
// loss's conjugate at -b.
func (c cost) least(b float64) float64 {
	switch c.loss {
	case logCost: // the entropy of b
		return -xlogx(b) - xlogx(1-b)
	case squaredHingeCost:
		return b - float64(b*b)/4
	case epsCost:
		return -float64(c.epsilon * math.Abs(b))
	}
	return b
}

func xlogx(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return float64(x * elementary.Log(x))
}
