package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
)

// ROCAUC returns the area under the ROC curve: the share of the pairs of a positive row, of which
// truth is true, and a negative one in which the positive row has the higher score. Pairs with
// equal scores count half, and every pair by the product of its rows' weights. It is NaN if a score
// is NaN, and without a row of either kind.
func ROCAUC(truth []bool, scores []float64, weights []float32) float64 {
	auc, _ := Ranking(truth, scores, weights)
	return auc
}

// AveragePrecision returns the sum, over the distinct scores from the highest down, of the recall
// gained at the score times the precision of all rows down to it. Rows of equal scores are added
// together, and nothing is interpolated. It is NaN if a score is NaN, and without positive rows;
// without negative rows it is 1.
func AveragePrecision(truth []bool, scores []float64, weights []float32) float64 {
	_, averagePrecision := Ranking(truth, scores, weights)
	return averagePrecision
}

// Ranking returns both [ROCAUC] and [AveragePrecision], for the price of sorting once.
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
	if n := len(rows); n > 0 && math.IsNaN(rows[n-1].score) { // sorted behind all others
		return math.NaN(), math.NaN()
	}
	// The weights are of rows so far. Without weights these sums are exact up to 6e7 rows.
	var positive, negative float64
	var above float64 // 2 for each pair with the positive row first, 1 for equal scores
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

// MinProbability is the least that [LogLoss] takes a probability for, as scikit-learn does: a row
// whose true class had the probability 0 costs 36 and not infinitely much.
const MinProbability = 0x1p-52

// LogLoss returns the mean of -log p over the rows, p being the probability that a row's true class
// was given.
func LogLoss(p []float64, weights []float32) float64 {
	checkLengths(len(p), len(p), weights)
	return mean(len(p), weights, func(i int) float64 {
		return -floats.Log(max(p[i], MinProbability))
	})
}
