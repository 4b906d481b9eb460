package main

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
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

func percent(share float64) string {
	if math.IsNaN(share) {
		return "none"
	}
	return fmt.Sprintf("%.4g %%", 100*share)
}
