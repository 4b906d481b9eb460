package proof

import (
	"fmt"
	"math"
	"slices"
)

// Result is the report on a training run: see pegasos.Result. Model files store fields without a
// JSON key as in [ResultHeader].
type Result struct {
	Steps      int64   `json:"steps"`
	Epochs     float64 `json:"epochs"`
	Violations int64   `json:"violations"`
	Solver     string  `json:"solver,omitempty"`
	Replaced   int     `json:"replaced,omitempty"`
	Weight     float64 `json:"weight,omitempty"`
	R2         float64 `json:"r2"`
	T0         float64 `json:"t0"`

	CrossValidated *Estimate `json:"cross_validated,omitempty"`
	HeldOut        *Estimate `json:"held_out,omitempty"`

	Objective     float64       `json:"-"`
	DualObjective float64       `json:"-"`
	Gap           float64       `json:"-"`
	PerClass      []ClassResult `json:"-"` // by weight vector; nil for a joint problem
}

func (r Result) Claim() Claim { return Claim{r.Objective, r.DualObjective} }

func (r *Result) setClaim(c Claim) {
	r.Objective, r.DualObjective, r.Gap = c.Objective, c.DualObjective, c.Gap()
}

// ClassResult is the part of a Result for one weight vector: see pegasos.ClassResult.
type ClassResult struct {
	Objective     float64 `json:"-"`
	DualObjective float64 `json:"-"`
	Violations    int64   `json:"violations"`
	Steps         int64   `json:"steps,omitempty"`
	Lambda        float64 `json:"lambda,omitempty"`
	Width         float64 `json:"width,omitempty"`
}

func (c ClassResult) claim() Claim { return Claim{c.Objective, c.DualObjective} }

// Unknown returns results with NaN objectives and bounds for n weight vectors.
func Unknown(n int) []ClassResult {
	return slices.Repeat([]ClassResult{{Objective: math.NaN(), DualObjective: math.NaN()}}, n)
}

// Unmeasure sets all objectives, lower bounds and gaps of r to NaN.
func (r *Result) Unmeasure() {
	nan := math.NaN()
	r.setClaim(Claim{nan, nan})
	for k := range r.PerClass {
		r.PerClass[k].Objective, r.PerClass[k].DualObjective = nan, nan
	}
}

// Check returns an error if a lower bound exceeds its objective.
func (r Result) Check() error {
	for k, c := range r.PerClass {
		if err := Check(c.Objective, c.DualObjective); err != nil {
			return fmt.Errorf("pegasos: weight vector %d: %w", k, err)
		}
	}
	if err := Check(r.Objective, r.DualObjective); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	return nil
}

func (r Result) CheckEstimates() error {
	if err := r.CrossValidated.Check(); err != nil {
		return fmt.Errorf("cross_validated: %w", err)
	}
	if err := r.HeldOut.Check(); err != nil {
		return fmt.Errorf("held_out: %w", err)
	}
	return nil
}

// ResultHeader is the form of a Result in the headers of files. Fields without a JSON key are 0 in
// the embedded Result and ClassResults.
type ResultHeader struct {
	Result
	ClaimHeader
	Gap      *float64      `json:"gap,omitempty"` // ClaimHeader.Gap
	PerClass []classHeader `json:"per_class,omitempty"`
}

type classHeader struct {
	ClaimHeader
	ClassResult
}

func (r Result) Header() *ResultHeader {
	h := &ResultHeader{ClaimHeader: r.Claim().Header()}
	h.Gap = h.ClaimHeader.Gap()
	for _, c := range r.PerClass {
		claim := c.claim().Header()
		c.Objective, c.DualObjective = 0, 0
		h.PerClass = append(h.PerClass, classHeader{claim, c})
	}
	r.Objective, r.DualObjective, r.Gap, r.PerClass = 0, 0, 0, nil
	h.Result = r
	return h
}

// Unpack is the inverse of Header.
func (h *ResultHeader) Unpack() Result {
	r := h.Result
	r.setClaim(h.ClaimHeader.Claim())
	for _, c := range h.PerClass {
		own, claim := c.ClassResult, c.ClaimHeader.Claim()
		own.Objective, own.DualObjective = claim.Objective, claim.DualObjective
		r.PerClass = append(r.PerClass, own)
	}
	return r
}
