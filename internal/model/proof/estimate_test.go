package proof

import (
	"math"
	"testing"
)

func TestEstimateCheck(t *testing.T) {
	good := Estimate{Metric: Accuracy, Value: 0.9, StdErr: 0.1, Rows: 3, Share: 0.2}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	r2 := Estimate{Metric: R2, Value: -7, Rows: 3, Folds: 5}
	if err := r2.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Estimate){
		"metric":   func(e *Estimate) { e.Metric = "auc" },
		"NaN":      func(e *Estimate) { e.Value = math.NaN() },
		"above 1":  func(e *Estimate) { e.Value = 1.01 },
		"below 0":  func(e *Estimate) { e.Value = -0.01 },
		"error":    func(e *Estimate) { e.StdErr = -1 },
		"infinite": func(e *Estimate) { e.StdErr = math.Inf(1) },
		"rows":     func(e *Estimate) { e.Rows = 0 },
		"folds":    func(e *Estimate) { e.Folds = -1 },
		"share":    func(e *Estimate) { e.Share = 1 },
	} {
		bad := good
		if change(&bad); bad.Check() == nil {
			t.Errorf("%s: %+v is accepted", name, bad)
		}
	}
}

// The standard error of an accuracy over n different rows is sqrt(p(1-p)/n).
func TestErrorsEstimate(t *testing.T) {
	var plain, copies, weighted Errors
	for i := range int32(10) {
		plain.Class(i, i < 8, 1)
		weighted.Class(i, i < 8, 2)
		for range 3 {
			copies.Class(i, i < 8, 1)
		}
	}
	want := math.Sqrt(0.8 * 0.2 / 10)
	for name, of := range map[string]*Errors{
		"plain": &plain, "copies": &copies, "weights": &weighted,
	} {
		e, err := of.Estimate()
		if err != nil || e.Value != 0.8 || math.Abs(e.StdErr-want) > 1e-12 {
			t.Errorf("%s: %+v, %v, want a standard error of %v", name, e, err, want)
		}
	}
	var numbers, equal Errors
	for i := range int32(4) {
		numbers.Number(i, float64(i), float64(i)+0.5, 1)
		equal.Number(i, 3, 2, 1)
	}
	// Squared errors .25, sum 1; squared deviations 2.25, .25, .25, 2.25, sum 5.
	if e, err := numbers.Estimate(); err != nil || math.Abs(e.Value-0.8) > 1e-15 ||
		math.Abs(e.StdErr-0.08) > 1e-15 || e.Metric != R2 {
		t.Errorf("%+v, %v", e, err)
	}
	for i := range int32(100) { // with some of the weights, the mean of the targets is rounded
		var equal Errors
		for k := range int32(3) {
			equal.Number(k, 0.7, 0, 1/float64(3*i+k+1))
		}
		if e, err := equal.Estimate(); err == nil {
			t.Errorf("equal targets have the estimate %+v", e)
		}
	}
	var infinite Errors
	infinite.Number(0, math.Inf(1), 0, 1)
	for want, of := range map[string]*Errors{
		"no row has a weight above 0":                       {},
		"R^2 is not defined for rows with equal targets":    &equal,
		"a prediction or target is too large or not finite": &infinite,
	} {
		if e, err := of.Estimate(); err == nil || err.Error() != want {
			t.Errorf("%+v, %v, want %s", e, err, want)
		}
	}
}
