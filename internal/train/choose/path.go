package choose

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// multiples of the default lambda
var factors = []float64{10, 1, 0.1, 0.01, 1e-3, 1e-4}

const (
	// Parts is the number of parts of the rows; a fold holds out one part.
	Parts = 5

	minFolds   = 2
	minLambdas = 3
	minRows    = 40   // least number of rows for a search
	pathTol    = 0.05 // relative gap of each model of a path

	// PathEpochs is the largest number of epochs or dual passes of each model of a path.
	PathEpochs = 15

	minSample       = 500 // least number of rows of a sample
	minSampleFactor = 64  // least rows of a sample per column

	minSearchBudget = 200e6 // least budget of a search and a proof, in nanoseconds

	maxModelBytes = 1 << 30 // for all models of a path, with their buffers

	problemCost = 2e5 // nanoseconds per problem, independent of its rows
)

// Search lists the choices to compare by cross-validation.
type Search struct {
	// The first of Choices is the default choice.
	Choices []*Choice
	Paths   []*Path
	Rows    int // about the number of rows to use
	Folds   int
	// Factor is the number of all rows divided by Rows. Models of a sample are trained with Factor
	// times each lambda, for about the same C as with all rows.
	Factor float64
	Tol    float64 // relative gap of the models
}

type Path struct {
	Lambdas []float64 // in descending order
	Rule    int       // index of the default lambda in Lambdas
}

// Search returns the choices and the lambdas to try. It sets aside the cost of a proof, up to a
// third of the budget. The rest pays for the first affordable of:
//
//   - all choices on all rows, in Parts folds, with as many lambdas as possible;
//   - the same on a sample of the rows, halved until the budget suffices, as long as the sample has
//     minSample rows and minSampleFactor rows for each column;
//   - the default choice alone, on all rows or a sample, or finally on all rows with fewer folds.
//
// It returns nil if Lambda or C was given, if the run or its rows don't allow cross-validation, or
// if the budget or the memory is too small.
func (c *Choice) Search() *Search {
	n := c.columns.Rows
	if !c.byRule || c.userDefined || c.Resumed || c.Start || c.Prior || c.Costs || n < minRows ||
		!(c.Scale.R2 > 0) || !c.fitsPath() {
		return nil
	}
	w := c.work()
	budget := max(minSearchBudget, c.budget(&w))
	budget -= min(budget/budgetPasses, w.To(ProofTol, c.Lambda).Cost)
	all := append([]*Choice{c}, c.alternatives()...)
	least := max(minSample, int(minSampleFactor*c.used()))
	for _, choices := range [][]*Choice{all, all[:1]} {
		for rows := n; rows == n || rows >= least; rows /= 2 {
			if s := newSearch(choices, rows, Parts, budget); s != nil {
				return s
			}
		}
	}
	for folds := Parts - 1; folds >= minFolds; folds-- {
		if s := newSearch(all[:1], n, folds, budget); s != nil {
			return s
		}
	}
	return nil
}

// newSearch returns nil if the budget, in nanoseconds, is too small.
func newSearch(choices []*Choice, rows, folds int, budget float64) *Search {
	s := &Search{Choices: choices, Rows: rows, Folds: folds, Tol: pathTol}
	share := float64(rows) / float64(choices[0].columns.Rows)
	s.Factor = 1 / share
	for lambdas := factors; len(lambdas) >= minLambdas; lambdas = lambdas[:len(lambdas)-1] {
		s.Paths = nil
		cost := 0.0
		for _, c := range choices {
			p, of := c.path(lambdas, share)
			s.Paths = append(s.Paths, p)
			cost += of
		}
		if float64(s.Folds)*cost <= budget {
			return s
		}
	}
	return nil
}

// cost is the predicted time, in nanoseconds, of trying the lambdas on one fold of a sample with
// the given share of the rows.
func (c *Choice) path(lambdas []float64, share float64) (p *Path, cost float64) {
	p = new(Path)
	w := c.work()
	w.Rows *= share * (1 - 1.0/Parts)
	for k, f := range lambdas {
		if f == 1 {
			p.Rule = k
		}
		p.Lambdas = append(p.Lambdas, float64(f*c.Lambda))
		cost += w.TrialCost(p.Lambdas[k]/share) + problemCost*w.Problems
	}
	return p, cost
}

// TrialCost predicts the cost of one lambda's models, in nanoseconds. It counts at most PathEpochs
// passes: the dual descent then ends, even above pathTol.
func (w *Work) TrialCost(lambda float64) float64 {
	plan := w.To(pathTol, lambda)
	if plan.Newton || plan.Passes <= PathEpochs {
		return plan.Cost
	}
	return float64(plan.Cost * (PathEpochs / plan.Passes))
}

func (c *Choice) fitsPath() bool {
	w := c.work()
	s := c.Settings
	s.Finish, s.Tol = settings.FinishAuto, pathTol
	return Parts*40*w.Problems*float64(c.width) <= maxModelBytes && c.fits(s)
}

func (c *Choice) alternatives() (all []*Choice) {
	if c.unsettled.Multiclass == "" && len(c.shares) > 2 && c.Scale.Expansion == nil &&
		c.Multiclass == settings.CrammerSinger {
		for _, scheme := range []string{settings.OneVsOne, settings.OneVsRest} {
			if a := c.withScheme(scheme); a != nil {
				all = append(all, a)
			}
		}
	}
	if c.curvesOpen {
		for _, kind := range []curves.Kind{curves.Products, curves.Pieces} {
			if a := c.Expanded(kind); a != nil && a.fitsPath() {
				all = append(all, a)
			}
		}
	}
	return all
}

func (c *Choice) withScheme(scheme string) *Choice {
	a := *c.unsettled
	a.unsettled = c.unsettled
	s := *a.Scale
	a.Scale, a.Multiclass, a.Curves = &s, scheme, curves.None
	a.settle()
	if scheme == settings.OneVsOne && !a.pairsFit() || a.Validate() != nil || !a.fitsPath() {
		return nil
	}
	return &a
}

// Use sets the lambda of c to lambda, the best of the search s, and adds a note.
func (c *Choice) Use(s *Search, lambda float64) {
	c.moved = lambda != c.Lambda
	c.Lambda = lambda
	note := fmt.Sprintf("chosen by %d folds", s.Folds)
	if s.Rows < c.columns.Rows {
		note += fmt.Sprintf(" of about %d rows in all", s.Rows)
	}
	note += fmt.Sprintf(": lambda of %d values", len(s.Paths[0].Lambdas))
	schemes, curved := 0, ""
	for _, a := range s.Choices {
		if a.Scale.Expansion == nil {
			schemes++
		} else if s.Choices[0].Scale.Expansion == nil {
			curved = ", curves or none"
		}
	}
	if schemes > 1 {
		note += fmt.Sprintf(", scheme of %d", schemes)
	}
	note += curved
	c.addNote(note)
}
