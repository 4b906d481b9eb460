package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// ROCAUC returns the area under the ROC curve: the share of pairs of a positive row (whose truth is
// true) and a negative row in which the positive row has the higher score. Pairs with equal scores
// count half, and each pair counts by the product of its rows' weights. It is NaN if a score is
// NaN, or if there is no positive or no negative row.
func ROCAUC(truth []bool, scores []float64, weights []float32) float64 {
	auc, _ := Ranking(truth, scores, weights)
	return auc
}

// AveragePrecision returns a sum over the distinct scores, from the highest down. The term of a
// score is the recall gained by the positive rows with that score, times the precision of all rows
// with at least that score; nothing is interpolated. AveragePrecision is NaN if a score is NaN, or
// if there is no positive row; without negative rows it is 1.
func AveragePrecision(truth []bool, scores []float64, weights []float32) float64 {
	_, averagePrecision := Ranking(truth, scores, weights)
	return averagePrecision
}

// Ranking returns both [ROCAUC] and [AveragePrecision], and sorts the scores only once.
func Ranking(truth []bool, scores []float64, weights []float32) (rocAUC, averagePrecision float64) {
	checkLengths(len(truth), len(scores), weights)
	type row struct {
		score    float64
		weight   float32
		positive bool
	}
	rows := make([]row, 0, len(scores))
	for i, s := range scores {
		if w := weightOf(weights, i); w > 0 {
			rows = append(rows, row{s, float32(w), truth[i]})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.score, a.score) })
	if n := len(rows); n > 0 && math.IsNaN(rows[n-1].score) {
		return math.NaN(), math.NaN()
	}
	var positive, negative float64
	// sum of the weights of pairs of a positive and a negative row: twice if the positive score is
	// higher, once if the scores are equal
	var above float64
	// the average precision, times the weight of the positive rows
	var sum float64
	for start := 0; start < len(rows); {
		end := start
		var p, n float64
		for ; end < len(rows) && rows[end].score == rows[start].score; end++ {
			if w := float64(rows[end].weight); rows[end].positive {
				p += w
			} else {
				n += w
			}
		}
		above += float64(n * (float64(2*positive) + p))
		positive += p
		negative += n
		sum += float64(p * (positive / (positive + negative)))
		start = end
	}
	return above / float64(float64(2*positive)*negative), sum / positive
}

// MinProbability is the least probability in [LogLoss]. Lower probabilities are raised to it, as
// scikit-learn does for float64: a probability of 0 has a loss of about 36, not infinity.
const MinProbability = 0x1p-52

// LogLoss returns the mean of -log p[i] over the rows. p[i] is the probability that was predicted
// for the true class of row i.
func LogLoss(p []float64, weights []float32) float64 {
	checkLengths(len(p), len(p), weights)
	return mean(len(p), weights, func(i int) float64 {
		return -floats.Log(max(p[i], MinProbability))
	})
}
