// Package metrics tells how good predictions are. What the data leave undefined is NaN: the precision of a class that
// was never predicted, or the area under the ROC curve where all rows have one label.
//
// Sums are in float64, in the order of the rows or of the scores, and products are rounded before they are added, so
// that the results have the same bits on every machine.
package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/elementary"
)

// Confusion counts predictions: by true class and by predicted class, both given as positions from 0 to classes-1.
func Confusion(truth, predicted []int, classes int) [][]int {
	counts := make([][]int, classes)
	for i := range counts {
		counts[i] = make([]int, classes)
	}
	for i, t := range truth {
		counts[t][predicted[i]]++
	}
	return counts
}

// A Class says how well the rows of one class were told from the others.
type Class struct {
	Precision float64 // the share of the rows predicted to be of the class that are; NaN if there are none
	Recall    float64 // the share of the rows of the class that were predicted to be; NaN if there are none
	F1        float64 // the harmonic mean of the two; NaN only if the class is neither in the data nor predicted
	Support   int     // rows of the class
}

// Classes returns the figures of each class of a confusion matrix.
func Classes(confusion [][]int) []Class {
	classes := make([]Class, len(confusion))
	for k := range classes {
		right, predicted, support := confusion[k][k], 0, 0
		for j := range confusion {
			predicted += confusion[j][k]
			support += confusion[k][j]
		}
		classes[k] = Class{
			Precision: ratio(right, predicted),
			Recall:    ratio(right, support),
			F1:        ratio(2*right, predicted+support),
			Support:   support,
		}
	}
	return classes
}

// ratio returns a/b, which is NaN if both are 0.
func ratio(a, b int) float64 { return float64(a) / float64(b) }

// Macro returns the plain means over the classes that are in the data or were predicted, and the number of rows. As in
// scikit-learn, what is undefined for one of these classes counts as 0.
func Macro(classes []Class) Class {
	var mean Class
	n := 0
	for _, c := range classes {
		if math.IsNaN(c.F1) {
			continue
		}
		n++
		mean.Precision += zero(c.Precision)
		mean.Recall += zero(c.Recall)
		mean.F1 += c.F1
		mean.Support += c.Support
	}
	mean.Precision /= float64(n)
	mean.Recall /= float64(n)
	mean.F1 /= float64(n)
	return mean
}

func zero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// A Scored is a row's score and whether the row is one of those that should score high.
type Scored struct {
	Score    float64
	Positive bool
}

// Ranking returns two measures of how well scores, the order of which it changes, put positive rows before the others.
//
// The area under the ROC curve is the probability that a positive row has a higher score than a negative one, where
// equal scores count half: a ratio of two whole numbers.
//
// The average precision is the sum, over the distinct scores from the highest down, of the recall gained at the score
// times the precision of all rows down to it: rows of equal scores are taken in together, and nothing is interpolated.
//
// Both are NaN if a score is NaN, and without a row of either kind; the average precision is defined without negative
// rows (it is 1). Fewer than 2^32 rows are allowed.
func Ranking(rows []Scored) (auc, averagePrecision float64) {
	slices.SortFunc(rows, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	if n := len(rows); n > 0 && math.IsNaN(rows[n-1].Score) { // sorted behind all others
		return math.NaN(), math.NaN()
	}
	var positive, negative uint64 // rows so far
	var above uint64              // twice the pairs in which the positive row is ahead, and once those with equal scores
	var sum float64
	for start := 0; start < len(rows); {
		end := start
		var p, n uint64
		for ; end < len(rows) && rows[end].Score == rows[start].Score; end++ {
			if rows[end].Positive {
				p++
			} else {
				n++
			}
		}
		above += n * (2*positive + p)
		positive += p
		negative += n
		sum += float64(float64(p) * (float64(positive) / float64(end)))
		start = end
	}
	return float64(above) / float64(2*positive*negative), sum / float64(positive)
}

// MinProbability is the least that [LogLoss] takes a probability for, as scikit-learn does: a row that was held to be
// impossible costs 36 and not infinitely much.
const MinProbability = 0x1p-52

// LogLoss returns the mean of -log p, p being the probability that was given to a row's true class.
func LogLoss(p []float64) float64 {
	var sum float64
	for _, v := range p {
		sum -= elementary.Log(max(v, MinProbability))
	}
	return sum / float64(len(p))
}

// Numbers tells how far predicted numbers are from the true ones.
type Numbers struct {
	RMSE float64 // root of the mean squared error
	MAE  float64 // mean absolute error
	R2   float64 // 1 - squared error / that of predicting the true numbers' mean; NaN if these are all equal
}

// Errors compares predicted numbers with the true ones.
func Errors(predicted []float64, truth []float32) Numbers {
	n := float64(len(truth))
	var mean, squares, absolute, spread float64
	for _, y := range truth {
		mean += float64(y)
	}
	mean /= n
	for i, y := range truth {
		d := predicted[i] - float64(y)
		squares += float64(d * d)
		absolute += math.Abs(d)
		d = float64(y) - mean
		spread += float64(d * d)
	}
	r2 := math.NaN()
	if slices.ContainsFunc(truth, func(y float32) bool { return y != truth[0] }) {
		r2 = 1 - squares/spread
	}
	return Numbers{RMSE: math.Sqrt(squares / n), MAE: absolute / n, R2: r2}
}
