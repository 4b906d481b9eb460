package pegasos

import "github.com/pegasimd/pegasimd/internal/train/loss"

// A Loss is what a row costs, as a function of its score z.
type Loss string

const (
	// Hinge is max(0, 1 - y*z), that of the support vector machine.
	Hinge Loss = "hinge"
	// Log is log(1 + e^(-y*z)), that of logistic regression. The model's scores are log-odds.
	Log Loss = "log"
	// SquaredHinge is max(0, 1 - y*z)^2, as liblinear has it.
	SquaredHinge Loss = "squared-hinge"
	// EpsInsensitive is max(0, |y - z| - Epsilon), that of support vector regression. Labels are
	// numbers to predict, of which the score is an estimate.
	EpsInsensitive Loss = "eps-insensitive"
	// Squared is (y - z)^2/2, that of ridge regression, for labels that are numbers to predict:
	// scikit-learn's Ridge with alpha = lambda*rows has the same optimum.
	Squared Loss = "squared"
)

// Losses returns all losses, the default first.
func Losses() (names []Loss) {
	for _, name := range loss.Names(nil) {
		names = append(names, Loss(name))
	}
	return names
}

// traits returns those of the loss, or of the hinge if there is no such loss: Validate refuses it.
func (l Loss) traits() *loss.Traits {
	kind, _ := loss.KindOf(string(l))
	return kind.Traits()
}

// Regression reports whether labels are numbers to predict.
func (l Loss) Regression() bool { return l.traits().Numbers }

// LogOdds reports whether the scores are log-odds, so that they make probabilities.
func (l Loss) LogOdds() bool { return l.traits().LogOdds }
