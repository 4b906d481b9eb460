package proof

import (
	"fmt"
	"math"
)

// Claim is the objective P and the lower bound D of one problem, or their means over all problems.
// DualObjective is NaN if there is no lower bound.
type Claim struct{ Objective, DualObjective float64 }

func (c Claim) Gap() float64 { return Gap(c.Objective, c.DualObjective) }

func (c Claim) AsGood(other Claim) bool {
	return c.DualObjective >= other.DualObjective && c.Gap() <= other.Gap()
}

// Factors of Claim.Tolerance.
const (
	GapTolerance       = 0.01 // of P - D
	ObjectiveTolerance = 1e-4 // of P, if there is no lower bound
)

// Tolerance returns the largest error that float32 dot products may leave in c.Objective.
func (c Claim) Tolerance() float64 {
	if math.IsNaN(c.DualObjective) {
		return float64(ObjectiveTolerance * c.Objective)
	}
	return float64(GapTolerance * (c.Objective - max(0, c.DualObjective)))
}

// ClaimHeader is the form of a Claim in the headers of files. nil stands for NaN.
type ClaimHeader struct {
	P *float64 `json:"objective,omitempty"`
	D *float64 `json:"dual_objective,omitempty"`
}

func (c Claim) Header() ClaimHeader {
	return ClaimHeader{orNil(c.Objective), orNil(c.DualObjective)}
}

func (h ClaimHeader) Claim() Claim { return Claim{orNaN(h.P), orNaN(h.D)} }

// Gap returns nil if the gap is NaN or infinite.
func (h ClaimHeader) Gap() *float64 {
	gap := h.Claim().Gap()
	if math.IsInf(gap, 0) {
		return nil
	}
	return orNil(gap)
}

// CheckGap returns "" if gap, from a header, equals Gap, and an error message if not.
func (h ClaimHeader) CheckGap(gap *float64) string {
	want := h.Gap()
	switch {
	case gap == nil && want == nil || gap != nil && want != nil && *gap == *want:
		return ""
	case gap == nil:
		return fmt.Sprintf("the file has no gap; it is %v by the objective and the bound in the file",
			*want)
	case h.P == nil || h.D == nil:
		return fmt.Sprintf("the gap is %v in the file, which lacks its objective or its bound", *gap)
	}
	return fmt.Sprintf("the gap is %v in the file, but %v by the objective and the bound beside it",
		*gap, h.Claim().Gap())
}

func orNil(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
