package choose

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file has the second try of a run whose settings the data chose, where the first one did
// hardly better than a constant: a signal in small differences of columns that go together needs a
// smaller lambda than others, and Newton's method, which reaches the optimum whatever their scales.

const (
	hardlyBetter  = 0.9  // of a constant's loss: an objective above that is of no use
	smallerLambda = 1e-3 // of that of the first try
	fewerMistakes = 0.7  // of those of the first try, or that is kept
	rowsToTry     = 100  // the least, for the mistakes to tell something
)

// HeldOut says that one part of so many has the rows on which the mistakes of a second try are
// counted.
const HeldOut = 4

// SecondTry says in the model that it is from one.
const SecondTry = "a second try, with a thousandth of the lambda: the first did hardly better " +
	"than a constant"

// MayTryAgain reports whether the data chose all that a second try changes: asked are the settings
// as they were before.
func (c *Choice) MayTryAgain(asked settings.Settings) bool {
	return !c.Numbers() && len(settings.Beyond(asked, settings.Kept)) == 0 && !c.Start && !c.Prior &&
		!c.Costs && c.Cols() <= fewColumns && c.columns.Rows >= rowsToTry &&
		Again(asked, c.Settings).Validate() == nil
}

// Again returns the settings of the second try: those that were asked for, but for what it takes
// from those that were chosen for the first, and changes.
func Again(asked, chosen settings.Settings) settings.Settings {
	s := asked
	s.Scale, s.Bias, s.BiasScale = chosen.Scale, chosen.Bias, chosen.BiasScale
	s.Multiclass, s.Loss = chosen.Multiclass, chosen.Loss
	if s.Joint() {
		s.Multiclass = settings.OneVsOne
	}
	s.Lambda = float64(smallerLambda * chosen.Lambda)
	s.Finish = settings.FinishNewton
	return s
}

// HardlyBetter reports whether an objective is hardly less than the mean loss of the best constant,
// for classes with these shares of the rows: of pairs of classes, that of the pairs.
func HardlyBetter(s settings.Settings, shares []float64, objective float64) bool {
	if s.Multiclass != settings.OneVsOne {
		return objective > float64(hardlyBetter*constantLoss(s.Kind(), shares))
	}
	sum, pairs := 0.0, 0.0
	for b, p := range shares {
		for _, q := range shares[:b] {
			if p+q > 0 {
				sum += constantLoss(s.Kind(), []float64{p / (p + q), q / (p + q)})
				pairs++
			}
		}
	}
	return objective > float64(hardlyBetter*(sum/pairs))
}

// constantLoss returns the loss of the best constant for classes with these shares of the rows.
func constantLoss(k loss.Kind, shares []float64) float64 {
	most := slices.Max(shares)
	switch k {
	case loss.Log:
		entropy := 0.0
		for _, p := range shares {
			if p > 0 {
				entropy -= float64(p * floats.Log(p))
			}
		}
		return entropy
	case loss.SquaredHinge:
		return min(1, float64(4*most*(1-most)))
	}
	return min(1, 2*(1-most))
}

// Fewer reports whether the second try makes so few mistakes on the rows that were held out that
// its model is to be taken, although the first one's was trained on them.
func Fewer(second, first int) bool { return float64(second) < float64(fewerMistakes*float64(first)) }
