package choose

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file plans the choice of lambda by cross-validation, if that is predicted to be cheap.

// factors are the lambdas that a Path may list, as multiples of the default lambda.
var factors = []float64{10, 1, 0.1, 0.01, 1e-3, 1e-4}

const (
	// Parts is the number of folds into which the rows are dealt; one at a time is held out.
	Parts = 5

	minLambdas = 3    // least number of lambdas in a path
	minRows    = 40   // least number of rows of a run that tries lambdas
	pathTol    = 0.05 // relative gap to which each model of a path is trained

	maxModelBytes = 1 << 30 // largest memory of all models of a path, with their buffers, in bytes

	problemCost = 2e5 // nanoseconds that a problem costs independently of its rows
)

// Path lists the lambdas to try by cross-validation, and says how to train the models that try
// them.
type Path struct {
	Lambdas []float64 // lambdas in descending order
	Rule    int       // index of the default lambda in Lambdas
	Folds   int       // number of folds that are held out, one at a time; at most Parts
	Tol     float64   // relative gap to which the models are trained
}

// Note returns a text that says how lambda was chosen; the model stores it.
func (p *Path) Note() string {
	folds := fmt.Sprintf("%d folds", p.Folds)
	if p.Folds == 1 {
		folds = "one fold of five"
	}
	return fmt.Sprintf("lambda of %d, by %s", len(p.Lambdas), folds)
}

// Path returns the lambdas to try, and the number of folds. It sets aside the cost of a proof, up
// to a third of the budget. From the rest it pays for as many lambdas as the rest allows on one
// fold, and then for as many folds as the rest allows with these lambdas. Path returns nil if
//
//   - lambda was given;
//   - the run builds on a model or a checkpoint;
//   - the run has misclassification costs, user-defined rows, fewer than minRows rows or only
//     zeros in its rows;
//   - the models don't fit in memory; or
//   - the budget is too small for minLambdas lambdas.
func (c *Choice) Path() *Path {
	n := c.columns.Rows
	if !c.byRule || c.userDefined || c.Resumed || c.Start || c.Prior || c.Costs || n < minRows ||
		!(c.Scale.R2 > 0) {
		return nil
	}
	w := c.work()
	if Parts*40*w.Problems*float64(c.width) > maxModelBytes {
		return nil
	}
	s := c.Settings
	if s.Finish, s.Tol = settings.FinishAuto, pathTol; !c.fits(s) {
		return nil
	}
	budget := c.budget(&w)
	left := budget - min(budget/budgetPasses, w.To(ProofTol, c.Lambda).Cost)
	w.Rows *= 1 - 1.0/Parts
	for lambdas := factors; len(lambdas) >= minLambdas; lambdas = lambdas[:len(lambdas)-1] {
		p := &Path{Tol: pathTol}
		cost := 0.0
		for k, f := range lambdas {
			if f == 1 {
				p.Rule = k
			}
			p.Lambdas = append(p.Lambdas, float64(f*c.Lambda))
			cost += w.To(pathTol, p.Lambdas[k]).Cost + problemCost*w.Problems
		}
		if p.Folds = min(Parts, int(left/cost)); p.Folds > 0 {
			return p
		}
	}
	return nil
}

// UseLambda sets the lambda of the run to one of the lambdas of the path p, and adds p.Note to the
// notes in the model.
func (c *Choice) UseLambda(p *Path, lambda float64) {
	c.moved = lambda != c.Lambda
	c.Lambda = lambda
	c.addNote(p.Note())
}
