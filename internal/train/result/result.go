// Package result provides Result, the report on a training run: the length of the run, and the
// objective and lower bound of its model. It converts a Result to and from the header of a model
// file.
package result

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// Result is the report on a training run. pegasos.Result documents the fields.
type Result struct {
	Run

	Objective     float64
	DualObjective float64
	Gap           float64

	PerClass []Problem // results for each weight vector; nil for a joint problem
}

// Run is the part of a Result that Unmeasure keeps, because it is known even if the objectives are
// not. Model files store it under these JSON keys.
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

// Problem is the part of a Result for one weight vector. pegasos.ClassResult documents the fields.
type Problem struct {
	Objective, DualObjective float64
	Violations               int64
	Steps                    int64
	Lambda                   float64
	Width                    float64
}

// Unknown returns n problems that are not measured: their objectives and bounds are NaN.
func Unknown(n int) []Problem {
	return slices.Repeat([]Problem{{Objective: math.NaN(), DualObjective: math.NaN()}}, n)
}

// Unmeasure sets all objectives, lower bounds and gaps of r to NaN, which means that they are
// unknown.
func (r *Result) Unmeasure() {
	r.Objective, r.DualObjective, r.Gap = math.NaN(), math.NaN(), math.NaN()
	for k := range r.PerClass {
		c := &r.PerClass[k]
		c.Objective, c.DualObjective = math.NaN(), math.NaN()
	}
}

// Check returns an error if a lower bound exceeds the objective of the same problem.
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

// Header is the form of a Result in files. It omits unknown objectives, bounds and gaps, because
// JSON has no NaN.
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

// Header returns r in the form for a file's header. The gap is computed from the objective and the
// lower bound.
func (r *Result) Header() *Header {
	h := &Header{Run: r.Run, Bounds: modelfile.BoundsOf(r.Objective, r.DualObjective),
		Gap: modelfile.Finite(proof.Gap(r.Objective, r.DualObjective))}
	for _, c := range r.PerClass {
		h.PerClass = append(h.PerClass, headerProblem{
			modelfile.BoundsOf(c.Objective, c.DualObjective), c.Violations, c.Steps, c.Lambda, c.Width})
	}
	return h
}

// Result returns the Result that the header stores, with NaN for omitted numbers. The gap is
// computed from the objective and the lower bound.
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
