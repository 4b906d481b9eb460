package choose

import (
	"fmt"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

const (
	budgetPasses = 3    // largest cost of a proof, as a multiple of the plain run's cost
	minBudget    = 20e6 // least budget of a proof, in nanoseconds
)

// End chooses how the run ends, and fills in the constant defaults.
func (c *Choice) End() {
	c.finish(c.passes())
	c.Settings = c.Plain()
}

func (c *Choice) passes() int {
	least := float64(settings.DefaultEpochs)
	if c.wide() {
		least = MinPasses
	}
	return int(max(least, min(MaxPasses, plannedVisits/max(c.nonzero, 1))))
}

// passes is the number of passes for a run that does not end with a proof.
func (c *Choice) finish(passes int) {
	if c.Finish == "" && !c.Resumed {
		s := c.Settings
		switch {
		case c.Tol > 0:
			if s.Finish = settings.FinishAuto; s.Validate() == nil {
				c.Finish = settings.FinishAuto
			}
		case c.Regression() && !c.Kind().Traits().MeanResidual && !c.moved:
			// The engine would not center the residuals of a run with a solver and a Tol.
		case s.Epochs == 0 && s.Steps == 0 && !c.Prior:
			if costsOf(c.Kind()).newton && c.Cols() <= maxNarrow && c.newtonFits() {
				s.Finish = settings.FinishNewton // the dual descent is slow on correlated columns
				if s.Validate() == nil {
					c.Finish = settings.FinishNewton
					return
				}
			}
			c.prove(passes)
		}
	}
	switch {
	case c.Epochs != 0 || c.Steps != 0 || c.Finish == settings.FinishNewton:
	case c.Tol > 0:
		c.Epochs = MaxPasses
	default:
		c.Epochs = passes
		if c.Epochs > maxUncheckedPasses && c.MayProve() {
			c.Tol = ProofTol
			options.Fill(&c.Finish, settings.FinishNone) // with a Tol, an unset Finish would be auto
		}
	}
}

// prove lets the run end with a proof of the gap ProofTol if the settings allow it, the memory
// suffices, and the predicted cost is low. passes is the least number of epochs.
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
		seconds, _ := strconv.ParseFloat(fmt.Sprintf("%.2g", plan.Cost/1e9), 64)
		c.addNote(fmt.Sprintf("not up to a proof: tol %g is estimated to take %s s", ProofTol,
			strconv.FormatFloat(seconds, 'f', -1, 64))) // 1200, not 1.2e+03
		return
	}
	c.Finish, c.Tol = s.Finish, s.Tol
	c.Epochs = max(passes, int(min(MaxPasses, 4*plan.Passes)))
}

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

func (c *Choice) newtonFits() bool {
	s := c.Settings
	s.Finish = settings.FinishNewton
	return c.width <= newton.MaxColumns && c.fits(s)
}

// in nanoseconds
func (c *Choice) budget(w *Work) float64 {
	pass := CostOf(w.Loss, w.Rows, w.Columns, w.Density).Epoch
	return max(minBudget, budgetPasses*float64(c.passes())*float64(w.Problems*pass))
}

func (c *Choice) addNote(note string) {
	if c.Scale.Note != "" {
		note = c.Scale.Note + "; " + note
	}
	c.Scale.Note = note
}
