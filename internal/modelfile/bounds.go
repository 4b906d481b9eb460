package modelfile

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
)

// Bounds is an objective P and a lower bound D on its minimum in the JSON of a header, which leaves
// out unknown values.
type Bounds struct {
	Objective     *float64 `json:"objective,omitempty"`      // P; nil if unknown
	DualObjective *float64 `json:"dual_objective,omitempty"` // D; nil if unknown
}

// BoundsOf returns the Bounds of P and D, which are NaN if they are unknown.
func BoundsOf(objective, bound float64) Bounds { return Bounds{Known(objective), Known(bound)} }

// Values returns P and D, with NaN for unknown values.
func (b Bounds) Values() (objective, bound float64) {
	return OrNaN(b.Objective), OrNaN(b.DualObjective)
}

// CheckGap returns an error message if the gap in a header differs from (P-D)/D, and an empty
// string if it does not or gap is nil. Readers compute the gap themselves, but people may read the
// one in the file. Files of older programs have (P-D)/P, which is accepted within rounding.
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

// Known returns a pointer to v, or nil if v is NaN, which JSON can't express. A nil pointer in a
// header means an unknown value.
func Known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Finite returns a pointer to v, or nil if v is NaN or infinite. It is for values that readers
// compute from others.
func Finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return Known(v)
}

// OrNaN returns the value that v points to, or NaN if v is nil. It is the inverse of Known.
func OrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
