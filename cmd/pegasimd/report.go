package main

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
)

// A number is a float64 that JSON has as null if it is not finite: there is none.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if !floats.IsFinite(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// String is for the eye: six digits.
func (n number) String() string { return n.format("%.6g") }

// short is for tables: four decimals.
func (n number) short() string { return n.format("%.4f") }

func (n number) format(format string) string {
	if !floats.IsFinite(float64(n)) {
		return "none"
	}
	return fmt.Sprintf(format, float64(n))
}

// most is standing in the cell of a table.
func most(gap float64) string {
	switch {
	case math.IsNaN(gap):
		return "no bound"
	case !proof.Useful(gap):
		return "not known yet"
	}
	return "at most " + proof.Percent(gap)
}
