// Package metrics measures how good predictions are: accuracy, precision, recall, F1, the area
// under the ROC curve, average precision, log loss, RMSE, MAE and R^2, as scikit-learn defines
// them.
//
//	accuracy := metrics.Accuracy(truth, predicted)
//	classes := metrics.Classes(metrics.Confusion(truth, predicted, 3))   // precision, recall, F1
//
// The true values come first, as in scikit-learn. Classes are positions from 0 to classes-1. A
// measure that the data leave undefined is NaN: the precision of a class that was never predicted,
// the area under the ROC curve where all rows have one label, every mean over no rows.
//
// Sums are in float64, in the order of the rows or of the scores, and products are rounded before
// they are added, so that the results have the same bits on every machine. Functions panic if the
// lengths of their arguments differ.
package metrics

import "github.com/pegasimd/pegasimd/internal/misuse"

func checkLengths(truth, predicted int) {
	if truth != predicted {
		panic(misuse.Lengths("len(truth)", truth, "len(predicted)", predicted))
	}
}
