package choose

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// This file has what a choice goes on to where it is cheap by prediction: lambda by rows that are
// held out, and a proof.

// The lambdas that are tried are the rule's times these.
var factors = []float64{10, 1, 0.1, 0.01, 1e-3, 1e-4}

const (
	// Parts is how many the rows are dealt out to, to hold out one at a time.
	Parts = 5

	fewestLambdas = 3
	fewestRows    = 40
	pathTol       = 0.05 // what models are proven to before they are judged

	mostModels = 1 << 30 // bytes of the models that are tried, with what trains them

	timesPasses = 3    // what choice and proof may cost, in costs of the passes without them
	freely      = 20e6 // what they may cost in any case
	ofAProblem  = 2e5  // what a problem costs beside its rows
)

// A Path is the lambdas that are to be tried, and on what.
type Path struct {
	Lambdas []float64 // in descending order
	Rule    int       // the place of the rule's
	Folds   int       // how many of the Parts are held out
	Tol     float64   // what models are proven to
}

// Note says in the model what its lambda was chosen by.
func (p *Path) Note() string {
	folds := fmt.Sprintf("%d folds", p.Folds)
	if p.Folds == 1 {
		folds = "one fold of five"
	}
	return fmt.Sprintf("lambda of %d, by %s", len(p.Lambdas), folds)
}

// work returns what is to be trained, but for its number of rows.
func (c *Choice) work() Work {
	w := Work{Loss: c.Kind(), Problems: 1, Rows: float64(c.columns.Rows),
		Columns: float64(c.Cols()), R2: c.Scale.R2 + float64(c.BiasScale*c.BiasScale),
		Density: store.DensityOf(c.Rows.X, c.Rows.Counted()),
		Newton:  c.CanNewton() && c.roomForNewton(), Descent: c.CanDescend()}
	k := float64(len(c.shares))
	switch {
	case c.Pairwise(len(c.shares)):
		w.Problems, w.Rows = k*(k-1)/2, 2*w.Rows/k
	case k > 2 || c.Joint():
		w.Problems = k
	}
	return w
}

// roomForNewton reports whether there is memory for Newton's method.
func (c *Choice) roomForNewton() bool {
	s := c.Settings
	s.Finish = settings.FinishNewton
	return c.width <= newton.MostColumns && c.fits(s)
}

// budget returns what the choice of lambda and the proof may cost, all in all.
func (c *Choice) budget(w *Work) float64 {
	pass := CostOf(w.Loss, w.Rows, w.Columns, w.Density).Epoch
	return max(freely, timesPasses*float64(c.passes())*float64(w.Problems*pass))
}

// Path returns what is to be tried, nil if nothing is open or nothing is cheap enough.
func (c *Choice) Path() *Path {
	n := c.columns.Rows
	if !c.byRule || c.foreign || c.Resumed || c.Start || c.Prior || c.Costs || n < fewestRows ||
		c.Shards > 1 || !(c.Scale.R2 > 0) {
		return nil
	}
	w := c.work()
	if Parts*40*w.Problems*float64(c.width) > mostModels {
		return nil
	}
	s := c.Settings
	if s.Finish, s.Tol = settings.FinishAuto, pathTol; !c.fits(s) {
		return nil
	}
	budget := c.budget(&w)
	left := budget - min(budget/timesPasses, w.To(enoughProof, c.Lambda).Cost)
	w.Rows *= 1 - 1.0/Parts
	for lambdas := factors; len(lambdas) >= fewestLambdas; lambdas = lambdas[:len(lambdas)-1] {
		p := &Path{Tol: pathTol}
		cost := 0.0
		for k, f := range lambdas {
			if f == 1 {
				p.Rule = k
			}
			p.Lambdas = append(p.Lambdas, float64(f*c.Lambda))
			cost += w.To(pathTol, p.Lambdas[k]).Cost + ofAProblem*w.Problems
		}
		if p.Folds = min(Parts, int(left/cost)); p.Folds > 0 {
			return p
		}
	}
	return nil
}

// Take makes lambda one of a path.
func (c *Choice) Take(p *Path, lambda float64) {
	c.moved = lambda != c.Lambda
	c.Lambda = lambda
	c.addNote(p.Note())
}

// addNote adds to what the model says of the choice.
func (c *Choice) addNote(note string) {
	if c.Scale.Note != "" {
		note = c.Scale.Note + "; " + note
	}
	c.Scale.Note = note
}

// End fills in how the run ends, by what is chosen so far.
func (c *Choice) End() {
	c.finish(c.passes())
	c.Settings = c.Plain()
}

// prove makes the run go on to a proof, if that is cheap enough, and else says what it would cost.
func (c *Choice) prove(passes int) {
	s := c.Settings
	if !s.MayProve() {
		return
	}
	s.Finish, s.Tol = settings.FinishAuto, enoughProof
	if s.Validate() != nil || !c.fits(s) {
		return
	}
	w := c.work()
	lambda, _ := options.LambdaFor(c.Lambda, c.C, c.Rows.Total())
	way := w.To(enoughProof, lambda)
	if way.Cost > c.budget(&w) {
		c.addNote(fmt.Sprintf("not up to a proof: tol %g would take about %.2g s", enoughProof,
			way.Cost/1e9))
		return
	}
	c.Finish, c.Tol = s.Finish, s.Tol
	c.Epochs = max(passes, int(min(mostPasses, 4*way.Passes)))
}
