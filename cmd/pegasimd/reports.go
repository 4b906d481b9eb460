package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// A number is a float64 that is null in JSON if it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if !floats.IsFinite(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func (n number) String() string { return n.format("%.6g") }

func (n number) short() string { return n.format("%.4f") }

func (n number) format(format string) string {
	if !floats.IsFinite(float64(n)) {
		return "none"
	}
	return fmt.Sprintf(format, float64(n))
}

func most(gap float64) string {
	switch {
	case math.IsNaN(gap):
		return "no bound"
	case !proof.Useful(gap):
		return "not known yet"
	}
	return "at most " + proof.Percent(gap)
}

type runReport struct {
	Objective     number  `json:"objective"`
	DualObjective number  `json:"dual_objective"`
	Gap           number  `json:"gap"`
	Lambda        float64 `json:"lambda"`
	worstReport
	Steps      int64   `json:"steps"`
	Epochs     float64 `json:"epochs"`
	Violations int64   `json:"violations"`
	Solver     string  `json:"solver,omitempty"`
	R2         float64 `json:"r2"` // mean |x|^2
	T0         float64 `json:"t0"`
}

type worstReport struct {
	WorstGap   *number `json:"worst_gap,omitempty"`
	WorstClass string  `json:"worst_class,omitempty"`
}

func (r worstReport) String() string {
	if r.WorstGap == nil {
		return ""
	}
	return fmt.Sprintf("; worst problem (class or pair) %s, %s", escape.Name(r.WorstClass),
		proof.Standing(float64(*r.WorstGap)))
}

// newWorstReport returns an empty report for a single problem, or if no gap is known.
func newWorstReport(
	of interface{ WorstGap() (gap float64, k int) }, problems int, name func(k int) string,
) (r worstReport) {
	gap, k := of.WorstGap()
	if k < 0 || k >= problems || problems < 2 {
		return r
	}
	return worstReport{new(number(gap)), name(k)}
}

func amount(of float64) string {
	if of == math.Trunc(of) && of < 1e15 {
		return strconv.FormatFloat(of, 'f', 0, 64)
	}
	return fmt.Sprintf("%.6g", of)
}
