// Package metrics computes measures of the quality of predictions: accuracy, precision, recall, F1,
// the area under the ROC curve, average precision, log loss, RMSE, MAE and R^2, as scikit-learn
// defines them, except that undefined measures are NaN.
//
//	accuracy := metrics.Accuracy(truth, predicted, nil)
//	classes := metrics.Classes(metrics.Confusion(truth, predicted, nil, 3)) // precision, recall, F1
//
// True values come before predictions. Except in Accuracy, classes are integers from 0 to
// classes-1.
//
// weights holds a finite weight of at least 0 for each row; nil means that all weights are 1.
// Functions panic for other weights. A row of weight 2 counts as two rows; a row of weight 0 is
// ignored, whatever its values.
//
// Sums are in float64, in the order of the rows or of the sorted scores, with the same bits on every
// machine. Functions panic if the lengths of their arguments differ.
package metrics

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

func checkLengths(truth, predicted int, weights []float32) {
	misuse.CheckEqual("len(truth)", truth, "len(predicted)", predicted)
	if weights != nil && len(weights) != truth {
		panic(misuse.Lengths("len(truth)", truth, "len(weights)", len(weights)))
	}
	for i, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat32) {
			panic(misuse.Of("weights[%d] = %v, want a finite number of at least 0", i, w))
		}
	}
}

func weightOf(weights []float32, i int) float64 {
	return float64(floats.At(weights, i, 1))
}

func sums(n int, weights []float32, value func(i int) float64) (sum, all float64) {
	for i := range n {
		if w := weightOf(weights, i); w > 0 {
			sum += float64(w * value(i))
			all += w
		}
	}
	return sum, all
}

func mean(n int, weights []float32, value func(i int) float64) float64 {
	sum, all := sums(n, weights, value)
	return sum / all
}
