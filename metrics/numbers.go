package metrics

import "math"

// RMSE returns the root mean squared error of the predictions of a regression.
func RMSE(truth []float32, predicted []float64, weights []float32) float64 {
	sum, all := squaredError(truth, predicted, weights)
	return math.Sqrt(sum / all)
}

// MAE returns the mean absolute error of the predictions of a regression.
func MAE(truth []float32, predicted []float64, weights []float32) float64 {
	checkLengths(len(truth), len(predicted), weights)
	return mean(len(truth), weights, func(i int) float64 {
		return math.Abs(predicted[i] - float64(truth[i]))
	})
}

// R2 returns the coefficient of determination, 1 - e/e0. Here e is the squared error of the
// predictions, and e0 is the squared error of predicting the mean of the true values for every row.
// R2 is NaN if there are no rows or all true values are equal.
func R2(truth []float32, predicted []float64, weights []float32) float64 {
	checkLengths(len(truth), len(predicted), weights)
	least, most := float32(math.Inf(1)), float32(math.Inf(-1))
	for i, y := range truth {
		if weightOf(weights, i) > 0 {
			least, most = min(least, y), max(most, y)
		}
	}
	if !(least < most) {
		return math.NaN()
	}
	center := mean(len(truth), weights, func(i int) float64 { return float64(truth[i]) })
	total, _ := sums(len(truth), weights, func(i int) float64 {
		d := float64(truth[i]) - center
		return float64(d * d)
	})
	sum, _ := squaredError(truth, predicted, weights)
	return 1 - sum/total
}

func squaredError(truth []float32, predicted []float64, weights []float32) (sum, all float64) {
	checkLengths(len(truth), len(predicted), weights)
	return sums(len(truth), weights, func(i int) float64 {
		d := predicted[i] - float64(truth[i])
		return float64(d * d)
	})
}
