package modelfile

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// Bounds holds the primal objective P of a model and a lower bound D on the minimum of P. Headers
// store it in JSON, without the unknown values.
type Bounds struct {
	Objective     *float64 `json:"objective,omitempty"`      // P; nil if unknown
	DualObjective *float64 `json:"dual_objective,omitempty"` // D; nil if unknown
}

// BoundsOf returns the Bounds with P = objective and D = bound. NaN means that the value is
// unknown.
func BoundsOf(objective, bound float64) Bounds { return Bounds{Known(objective), Known(bound)} }

// Values returns the objective P and the lower bound D, with NaN in place of an unknown value.
func (b Bounds) Values() (objective, bound float64) {
	return OrNaN(b.Objective), OrNaN(b.DualObjective)
}

// CheckGap returns an empty string if gap, the relative duality gap in a header, is nil or equal to
// proof.Gap(P, D), that is (P-D)/D. Otherwise it returns an error message. Readers compute the gap
// from P and D themselves, but a person may read the gap in the file. Older versions of this
// program wrote (P-D)/P, which is accepted within rounding errors.
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

// Finite returns a pointer to v, or nil if v is NaN or infinite. Use it for values of a header that
// readers can compute from other values of the header.
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
