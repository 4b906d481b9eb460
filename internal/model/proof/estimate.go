package proof

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Estimate is an estimate of how well a model predicts rows that it was not trained on.
type Estimate struct {
	Metric string  `json:"metric"` // "accuracy" or "r2"
	Value  float64 `json:"value"`  // weighted by the rows' weights
	StdErr float64 `json:"std_err"`
	Rows   int     `json:"rows"`
	Folds  int     `json:"folds,omitempty"` // 0 for held-out rows
	// Share is the requested share of held-out rows; 0 for a cross-validation, and for rows that the
	// caller held out.
	Share float64 `json:"share,omitempty"`
}

// Metrics of an Estimate.
const (
	Accuracy = "accuracy"
	R2       = "r2"
)

// Check accepts a nil e.
func (e *Estimate) Check() error {
	switch {
	case e == nil:
		return nil
	case e.Metric != Accuracy && e.Metric != R2:
		return fmt.Errorf("the metric is %.20q, want %s or %s", e.Metric, Accuracy, R2)
	case !floats.IsFinite(e.Value) || e.Value > 1 || e.Metric == Accuracy && e.Value < 0:
		return fmt.Errorf("the %s is %v, which is not possible", e.Metric, e.Value)
	case !floats.IsFinite(e.StdErr) || e.StdErr < 0:
		return fmt.Errorf("the standard error is %v, want a finite number, 0 or more", e.StdErr)
	case e.Rows < 1:
		return fmt.Errorf("an estimate from %d rows, want 1 or more", e.Rows)
	case e.Folds < 0:
		return fmt.Errorf("an estimate from %d folds, want 0 or more", e.Folds)
	case e.Share != 0 && !GoodShare(e.Share):
		return fmt.Errorf("the held-out share is %v, want 0 or more and less than 1", e.Share)
	}
	return nil
}

func GoodShare(share float64) bool { return share > 0 && share < 1 }

// Errors collects the predictions of rows for an Estimate. The standard error counts the rows of a
// group as one observation.
type Errors struct {
	weight, wrong, target []float64
	group                 []int32
	regression            bool
}

func (s *Errors) Class(group int32, right bool, weight float64) {
	wrong := 1.0
	if right {
		wrong = 0
	}
	s.add(group, wrong, 0, weight)
}

// Number adds a row with the regression target y.
func (s *Errors) Number(group int32, y, predicted, weight float64) {
	d := predicted - y
	s.Square(group, y, float64(d*d), weight)
}

// Square is Number for a given squared error of the prediction.
func (s *Errors) Square(group int32, y, square, weight float64) {
	s.regression = true
	s.add(group, square, y, weight)
}

func (s *Errors) add(group int32, wrong, target, weight float64) {
	if weight > 0 {
		s.group, s.wrong = append(s.group, group), append(s.wrong, wrong)
		s.target, s.weight = append(s.target, target), append(s.weight, weight)
	}
}

// Estimate returns the accuracy of the rows added, or R^2 for regression. The standard error of R^2
// is a first-order approximation. Estimate returns an error if no row has a weight above 0, if all
// regression targets are equal, or if a prediction or target is too large or not finite.
func (s *Errors) Estimate() (*Estimate, error) {
	if len(s.weight) == 0 {
		return nil, errors.New("no row has a weight above 0")
	}
	var all, right, wrong, mean, squares float64
	for i, w := range s.weight {
		all += w
		right += float64(w * (1 - s.wrong[i]))
		wrong += float64(w * s.wrong[i])
		mean += float64(w * s.target[i])
	}
	mean /= all
	e := &Estimate{Metric: Accuracy, Value: right / all, Rows: len(s.weight)}
	unit := 1.0 // weighted variance of the targets; 1 for classes
	if s.regression {
		for i, w := range s.weight {
			d := s.target[i] - mean
			squares += float64(w * float64(d*d))
		}
		// Rounding may make squares of equal targets positive. Infinite targets are reported below.
		if y := slices.Min(s.target); y == slices.Max(s.target) && floats.IsFinite(y) {
			return nil, errors.New("R^2 is not defined for rows with equal targets")
		}
		unit = squares / all
		e.Metric, e.Value = R2, 1-wrong/squares
	}
	sums := map[int32]float64{}
	for i, w := range s.weight {
		constant := 1.0
		if s.regression {
			d := s.target[i] - mean
			constant = float64(d * d)
		}
		d := (s.wrong[i] - float64((1-e.Value)*constant)) / unit
		sums[s.group[i]] += float64(w * d)
	}
	variance := 0.0
	for _, g := range s.group { // the random order of a map would change the rounding
		sum := sums[g]
		delete(sums, g)
		variance += float64(sum * sum)
	}
	if e.StdErr = math.Sqrt(variance) / all; !floats.IsFinite(e.Value) || !floats.IsFinite(e.StdErr) {
		return nil, errors.New("a prediction or target is too large or not finite")
	}
	return e, nil
}
