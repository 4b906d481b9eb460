package choose

import (
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

// Expanded returns the choice for rows expanded by terms of the given kind; nil if the rows can't
// be expanded, if there are no terms, or if Stopped reports true.
func (c *Choice) Expanded(kind curves.Kind) *Choice {
	if reason, _ := c.noCurves(); reason != "" {
		return nil
	}
	e := *c.unsettled
	e.unsettled = c.unsettled
	terms := scale.Terms(kind, e.Rows.X, e.CurveColumns, e.weight, e.Stopped)
	if e.Stopped() || terms == nil {
		return nil
	}
	x := scale.FitTerms(terms, e.Rows.X, e.weight, e.Threads, e.Stopped)
	if x == nil || e.Stopped() {
		return nil
	}
	e.expand(x)
	e.settle()
	return &e
}

func (c *Choice) expand(e *curves.Expansion) {
	rows, s := *c.Rows, *c.Scale
	rows.X = store.Expand(rows.X, e, c.termRoom())
	s.Expansion, s.Folded = e, false
	c.Rows, c.Scale, c.Curves = &rows, &s, e.Kind
	c.width += e.Len()
	s.R2 = c.mean(func(i int) float64 { return float64(rows.X.SumSquares(i)) })
}

// in bytes
func (c *Choice) termRoom() float64 { return float64(c.memory()) / 2 }

// noCurves returns why the rows can't be expanded, as a format and its arguments, or "".
func (c *Choice) noCurves() (format string, args []any) {
	switch kind := c.Scale.Kind; {
	case c.userDefined:
		return "the rows are of a user-defined type", nil
	case c.Start:
		return "the run starts from a model", nil
	case c.Prior:
		return "the run has a prior model", nil
	case kind != scale.Standard && (kind != scale.None || c.CurveColumns == nil):
		return "%s is %q: want %q", []any{options.Name("Scale"), kind, scale.Standard}
	case c.CurveColumns == nil && !c.notSparse:
		return "the rows are sparse", nil
	}
	return "", nil
}
