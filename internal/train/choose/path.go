package choose

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file plans the choice of lambda by cross-validation, and training up to a proof, if these
// are predicted to be cheap.

// factors are the lambdas that a Path may list, as multiples of the default lambda.
var factors = []float64{10, 1, 0.1, 0.01, 1e-3, 1e-4}

const (
	// Parts is the number of folds into which the rows are dealt; one at a time is held out.
	Parts = 5

	minLambdas = 3    // least number of lambdas in a path
	minRows    = 40   // least number of rows of a run that tries lambdas
	pathTol    = 0.05 // relative gap to which each model of a path is trained

	maxModelBytes = 1 << 30 // largest memory of all models of a path, with their buffers, in bytes

	budgetPasses = 3    // largest cost of a path plus a proof, in costs of the plain run
	minBudget    = 20e6 // nanoseconds that a path and a proof together may always cost
	problemCost  = 2e5  // nanoseconds that a problem costs independently of its rows
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

// work describes the problems that the run trains, as input of the cost model.
func (c *Choice) work() Work {
	w := Work{Loss: c.Kind(), Problems: 1, Rows: float64(c.columns.Rows),
		Columns: float64(c.Cols()), R2: c.Scale.R2 + float64(c.BiasScale*c.BiasScale),
		Density: store.DensityOf(c.Rows.X, c.Rows.Counted()),
		Newton:  c.CanNewton() && c.newtonFits(), Descent: c.CanDescend()}
	k := float64(len(c.shares))
	switch {
	case c.Pairwise(len(c.shares)):
		w.Problems, w.Rows = k*(k-1)/2, 2*w.Rows/k
	case k > 2 || c.Joint():
		w.Problems = k
	}
	return w
}

// newtonFits reports whether the number of columns, including empty ones, and the memory allow
// Newton's method.
func (c *Choice) newtonFits() bool {
	s := c.Settings
	s.Finish = settings.FinishNewton
	return c.width <= newton.MaxColumns && c.fits(s)
}

// budget returns the nanoseconds that trying the lambdas of a Path and training up to a proof may
// cost together.
func (c *Choice) budget(w *Work) float64 {
	pass := CostOf(w.Loss, w.Rows, w.Columns, w.Density).Epoch
	return max(minBudget, budgetPasses*float64(c.passes())*float64(w.Problems*pass))
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

// addNote appends a note to Scale.Note, which the model keeps.
func (c *Choice) addNote(note string) {
	if c.Scale.Note != "" {
		note = c.Scale.Note + "; " + note
	}
	c.Scale.Note = note
}

// End chooses how the run ends, and sets the settings that are still unset and have a constant
// default to that default.
func (c *Choice) End() {
	c.finish(c.passes())
	c.Settings = c.Plain()
}

// prove sets the solver, the tolerance and the epochs so that the run ends with a proof of a
// relative gap of ProofTol, if the proof is predicted to be cheap and fits in memory. If the cost
// is the only obstacle, prove adds a note with the predicted time. The argument is the least number
// of epochs.
func (c *Choice) prove(passes int) {
	s := c.Settings
	if !s.MayProve() {
		return
	}
	s.Finish, s.Tol = settings.FinishAuto, ProofTol
	if s.Validate() != nil || !c.fits(s) {
		return
	}
	w := c.work()
	lambda, _ := options.LambdaFor(c.Lambda, c.C, c.Rows.Total())
	plan := w.To(ProofTol, lambda)
	if plan.Cost > c.budget(&w) {
		c.addNote(fmt.Sprintf("not up to a proof: tol %g would take about %.2g s", ProofTol,
			plan.Cost/1e9))
		return
	}
	c.Finish, c.Tol = s.Finish, s.Tol
	c.Epochs = max(passes, int(min(MaxPasses, 4*plan.Passes)))
}
