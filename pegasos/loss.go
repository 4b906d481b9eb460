package pegasos

import "github.com/pegasimd/pegasimd/internal/train/loss"

// Loss names the loss of a row with the label y and the score z. In classification y is -1 or +1,
// in regression y is the target and z the prediction.
type Loss string

const (
	// Hinge is max(0, 1 - y*z), as in support vector machines.
	Hinge Loss = "hinge"
	// Log is log(1 + e^(-y*z)), the loss of logistic regression. Scores are log-odds.
	Log Loss = "log"
	// SquaredHinge is max(0, 1 - y*z)^2, as in liblinear.
	SquaredHinge Loss = "squared-hinge"
	// EpsInsensitive is max(0, |y - z| - Epsilon), the loss of support vector regression.
	EpsInsensitive Loss = "eps-insensitive"
	// Squared is (y - z)^2/2, the loss of ridge regression. With unscaled rows and targets, equal
	// row weights and BiasUnregularised, scikit-learn's Ridge with alpha = lambda * number of rows
	// has the same optimum.
	Squared Loss = "squared"
)

// Losses returns the names of all losses, the default first.
func Losses() (names []Loss) {
	for _, name := range loss.Names() {
		names = append(names, Loss(name))
	}
	return names
}

func (l Loss) traits() *loss.Traits {
	kind, _ := loss.KindOf(string(l))
	return kind.Traits()
}

// Regression reports whether labels are regression targets instead of classes.
func (l Loss) Regression() bool { return l.traits().Numbers }

// LogOdds reports whether scores are log-odds.
func (l Loss) LogOdds() bool { return l.traits().LogOdds }
