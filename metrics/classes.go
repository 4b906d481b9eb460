package metrics

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Accuracy returns the share of rows whose prediction is correct.
func Accuracy[T comparable](truth, predicted []T, weights []float32) float64 {
	checkLengths(len(truth), len(predicted), weights)
	return mean(len(truth), weights, func(i int) float64 {
		if predicted[i] == truth[i] {
			return 1
		}
		return 0
	})
}

// Confusion returns the confusion matrix: counts[t][p] is the total weight of the rows of class t
// that were predicted as class p, or their number if weights is nil.
func Confusion(truth, predicted []int, weights []float32, classes int) (counts [][]float64) {
	if classes < 0 {
		panic(misuse.Of("%d classes", classes))
	}
	counts = make([][]float64, classes)
	for i := range counts {
		counts[i] = make([]float64, classes)
	}
	eachRow(truth, predicted, weights, classes, func(t, p int, w float64) { counts[t][p] += w })
	return counts
}

func eachRow(truth, predicted []int, weights []float32, classes int, f func(t, p int, w float64)) {
	checkLengths(len(truth), len(predicted), weights)
	for i, t := range truth {
		p, w := predicted[i], weightOf(weights, i)
		if w == 0 {
			continue
		}
		if uint(t) >= uint(classes) || uint(p) >= uint(classes) {
			panic(misuse.Of("row %d: class %d, predicted as class %d, want classes from 0 and below %d",
				i, t, p, classes))
		}
		f(t, p, w)
	}
}

// Class holds the measures of how well one class was separated from the others.
type Class struct {
	// Precision is the share of rows of the class among the rows predicted as the class; NaN if there
	// are none.
	Precision float64
	// Recall is the share of the class's rows that were predicted as the class; NaN if it has no rows.
	Recall float64
	// F1 is the harmonic mean of precision and recall; NaN only if the class has no rows and was
	// not predicted.
	F1 float64
	// Support is the number of rows of the class, or their total weight.
	Support float64
}

// Classes returns the measures of each class of a confusion matrix.
func Classes(confusion [][]float64) []Class {
	classes := make([]Class, len(confusion))
	for k, row := range confusion {
		if len(row) != len(confusion) {
			panic(misuse.Of("row %d of the matrix has the length %d, want %d", k, len(row),
				len(confusion)))
		}
	}
	for k := range classes {
		right, predicted, support := confusion[k][k], 0.0, 0.0
		for j := range confusion {
			predicted += confusion[j][k]
			support += confusion[k][j]
		}
		classes[k] = newClass(right, predicted, support)
	}
	return classes
}

// ByClass returns the measures of each class, like [Classes], without the memory of a confusion
// matrix. Sums of weights may be rounded differently.
func ByClass(truth, predicted []int, weights []float32, classes int) []Class {
	if classes < 0 {
		panic(misuse.Of("%d classes", classes))
	}
	right, support := make([]float64, classes), make([]float64, classes)
	predictedAs := make([]float64, classes)
	eachRow(truth, predicted, weights, classes, func(t, p int, w float64) {
		support[t] += w
		predictedAs[p] += w
		if t == p {
			right[t] += w
		}
	})
	all := make([]Class, classes)
	for k := range all {
		all[k] = newClass(right[k], predictedAs[k], support[k])
	}
	return all
}

// The arguments are total weights: of the class's correctly predicted rows, of all rows predicted
// as the class, and of all rows of the class.
func newClass(right, predicted, support float64) Class {
	return Class{
		Precision: right / predicted,
		Recall:    right / support,
		F1:        2 * right / (predicted + support),
		Support:   support,
	}
}

// Macro returns the unweighted means over the classes that have rows or were predicted, and their
// total support. As in scikit-learn, a measure that is undefined for one of these classes counts as
// 0.
func Macro(classes []Class) Class {
	var mean Class
	n := 0
	for _, c := range classes {
		if math.IsNaN(c.F1) {
			continue
		}
		n++
		mean.Precision += zeroIfNaN(c.Precision)
		mean.Recall += zeroIfNaN(c.Recall)
		mean.F1 += c.F1
		mean.Support += c.Support
	}
	mean.Precision /= float64(n)
	mean.Recall /= float64(n)
	mean.F1 /= float64(n)
	return mean
}

func zeroIfNaN(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// BalancedAccuracy returns the mean recall over the classes that have rows, like scikit-learn's
// balanced_accuracy_score, or NaN if no class has rows.
func BalancedAccuracy(classes []Class) float64 {
	var sum, n float64
	for _, c := range classes {
		if c.Support > 0 {
			sum += c.Recall
			n++
		}
	}
	return sum / n
}
