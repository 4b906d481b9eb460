package modelfile

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
)

// Bounds are an objective and a bound on the least there is, as a header has them: one that is not
// known is left out.
type Bounds struct {
	Objective     *float64 `json:"objective,omitempty"`
	DualObjective *float64 `json:"dual_objective,omitempty"`
}

// BoundsOf returns them as values of a header.
func BoundsOf(objective, bound float64) Bounds { return Bounds{Known(objective), Known(bound)} }

// Values are NaN where they are not known.
func (b Bounds) Values() (objective, bound float64) {
	return OrNaN(b.Objective), OrNaN(b.DualObjective)
}

// CheckGap returns an error message if a header's gap differs from the gap of the bounds, else an empty
// string. Readers compute the gap from the bounds, but people may read it in the file. Older programs
// wrote the gap as a share of the objective. gap may be nil: the header has none.
func (b Bounds) CheckGap(gap *float64) string {
	if gap == nil {
		return ""
	}
	objective, bound := b.Values()
	want := proof.Gap(objective, bound)
	former := (objective - bound) / objective
	if *gap == want || math.Abs(*gap-former) <= 0x1p-50*former {
		return ""
	}
	return fmt.Sprintf("the gap is %v in the file, but %v by the objective and the bound beside it",
		*gap, want)
}

// Known returns v as a value of a header, in which what was not measured is left out, for JSON has
// no NaN.
func Known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Finite is Known of a number that may be infinite, and is left out then as well: for what is found
// again from others.
func Finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return Known(v)
}

// OrNaN is the inverse of Known.
func OrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
