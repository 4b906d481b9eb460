// Package result has what is told of a training: how long it was and how good its model is.
package result

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/proof"
)

// A Result is a pegasos.Result, which says what the fields are.
type Result struct {
	Run

	Objective     float64
	DualObjective float64
	Gap           float64

	PerClass []Problem // none of a joint problem
}

// A Run is the part of a Result that is always known, as it is in files.
type Run struct {
	Steps      int64   `json:"steps"`
	Epochs     float64 `json:"epochs"`
	Violations int64   `json:"violations"`
	Solver     string  `json:"solver,omitempty"`
	Replaced   int     `json:"replaced,omitempty"`
	Weight     float64 `json:"weight,omitempty"`
	R2         float64 `json:"r2"`
	T0         float64 `json:"t0"`
}

// A Problem is a pegasos.ClassResult: the part of one weight vector.
type Problem struct {
	Objective, DualObjective float64
	Violations               int64
	Steps                    int64
	Lambda                   float64
	Width                    float64
}

// Unknown returns n of which nothing is known.
func Unknown(n int) []Problem {
	return slices.Repeat([]Problem{{Objective: math.NaN(), DualObjective: math.NaN()}}, n)
}

// Unmeasure says that the objectives are not known.
func (r *Result) Unmeasure() {
	r.Objective, r.DualObjective, r.Gap = math.NaN(), math.NaN(), math.NaN()
	for k := range r.PerClass {
		c := &r.PerClass[k]
		c.Objective, c.DualObjective = math.NaN(), math.NaN()
	}
}

// Check returns an error if a bound is above its objective.
func (r Result) Check() error {
	for k, c := range r.PerClass {
		if err := proof.Check(c.Objective, c.DualObjective); err != nil {
			return fmt.Errorf("pegasos: weight vector %d: %w", k, err)
		}
	}
	if err := proof.Check(r.Objective, r.DualObjective); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	return nil
}

// A Header is a Result as it is in files: what was not measured is left out, for JSON has no NaN.
type Header struct {
	Run
	modelfile.Bounds
	Gap      *float64        `json:"gap,omitempty"`
	PerClass []headerProblem `json:"per_class,omitempty"`
}

type headerProblem struct {
	modelfile.Bounds
	Violations int64   `json:"violations"`
	Steps      int64   `json:"steps,omitempty"`
	Lambda     float64 `json:"lambda,omitempty"`
	Width      float64 `json:"width,omitempty"`
}

// Header returns r as it is in files, with the gap that the objective and the bound make.
func (r *Result) Header() *Header {
	h := &Header{Run: r.Run, Bounds: modelfile.BoundsOf(r.Objective, r.DualObjective),
		Gap: modelfile.Finite(proof.Gap(r.Objective, r.DualObjective))}
	for _, c := range r.PerClass {
		h.PerClass = append(h.PerClass, headerProblem{
			modelfile.BoundsOf(c.Objective, c.DualObjective), c.Violations, c.Steps, c.Lambda, c.Width})
	}
	return h
}

// Result returns what the header says, with NaN for what is left out.
func (h *Header) Result() Result {
	r := Result{Run: h.Run}
	r.Objective, r.DualObjective = h.Values()
	r.Gap = proof.Gap(r.Objective, r.DualObjective)
	for _, c := range h.PerClass {
		objective, bound := c.Values()
		r.PerClass = append(r.PerClass,
			Problem{objective, bound, c.Violations, c.Steps, c.Lambda, c.Width})
	}
	return r
}
