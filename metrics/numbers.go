package metrics

import (
	"math"
	"slices"
)

// RMSE returns the root of the mean squared error of predicted numbers.
func RMSE(truth []float32, predicted []float64) float64 {
	return math.Sqrt(squaredError(truth, predicted) / float64(len(truth)))
}

// MAE returns the mean absolute error of predicted numbers.
func MAE(truth []float32, predicted []float64) float64 {
	checkLengths(len(truth), len(predicted))
	var sum float64
	for i, y := range truth {
		sum += math.Abs(predicted[i] - float64(y))
	}
	return sum / float64(len(truth))
}

// R2 returns 1 - the squared error / that of predicting the mean of the true numbers for every row.
// It is NaN if the true numbers are all equal.
func R2(truth []float32, predicted []float64) float64 {
	checkLengths(len(truth), len(predicted))
	if !slices.ContainsFunc(truth, func(y float32) bool { return y != truth[0] }) {
		return math.NaN()
	}
	var mean, spread float64
	for _, y := range truth {
		mean += float64(y)
	}
	mean /= float64(len(truth))
	for _, y := range truth {
		d := float64(y) - mean
		spread += float64(d * d)
	}
	return 1 - squaredError(truth, predicted)/spread
}

func squaredError(truth []float32, predicted []float64) (sum float64) {
	checkLengths(len(truth), len(predicted))
	for i, y := range truth {
		d := predicted[i] - float64(y)
		sum += float64(d * d)
	}
	return sum
}
