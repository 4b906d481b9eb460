package htmlreport

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/app/chart"
	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// A curve omits a point, except the last, if |dx| + |dy| from the last point kept is less than
// step, on axes from 0 to 1.
const step = 1. / 300

const mostPoints = 500

// curves returns the points of the ROC and precision-recall curves, or nil if the positive or the
// negative rows have no weight.
func curves(positive []bool, scores []float64, weights []float32) (roc, recall []chart.Point) {
	order := make([]int32, len(scores))
	var p, n float64
	for i := range order {
		order[i] = int32(i)
		if w := float64(floats.At(weights, i, 1)); positive[i] {
			p += w
		} else {
			n += w
		}
	}
	if p == 0 || n == 0 {
		return nil, nil
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	far := func(points []chart.Point, at chart.Point) bool {
		last := points[len(points)-1]
		return math.Abs(at.X-last.X)+math.Abs(at.Y-last.Y) >= step
	}
	roc = []chart.Point{{}}
	var right, wrong float64
	for i, row := range order {
		if w := float64(floats.At(weights, int(row), 1)); positive[row] {
			right += w
		} else {
			wrong += w
		}
		last := i == len(order)-1
		if !last && scores[order[i+1]] == scores[row] || right+wrong == 0 {
			continue
		}
		if at := (chart.Point{X: wrong / n, Y: right / p}); last || far(roc, at) {
			roc = append(roc, at)
		}
		at := chart.Point{X: right / p, Y: right / (right + wrong)}
		if last || recall == nil || far(recall, at) {
			recall = append(recall, at)
		}
	}
	return thin(roc), thin(recall)
}

func thin(points []chart.Point) []chart.Point {
	if len(points) <= mostPoints {
		return points
	}
	some := make([]chart.Point, mostPoints)
	for i := range some {
		some[i] = points[i*(len(points)-1)/(mostPoints-1)]
	}
	return some
}

const (
	mostBins   = 10
	leastInBin = 20 // least mean number of rows in a bin, unless there is only one bin
)

// calibration divides the rows, by ascending probability, into bins. It returns for each bin with
// a positive weight the mean probability as X and the share of hits as Y, and the mean of |X - Y|
// over all rows. Means and shares are weighted.
func calibration(p []float64, hit []bool, weights []float32) (
	bins []chart.Point, distance float64,
) {
	order := make([]int32, len(p))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(p[a], p[b]) })
	n := max(1, min(mostBins, len(p)/leastInBin))
	all := 0.0
	for k, from := 0, 0; k < n; k++ {
		to := (k + 1) * len(order) / n
		for to > from && to < len(order) && p[order[to]] == p[order[to-1]] {
			to++ // keep equal probabilities in one bin
		}
		var weight, sum, hits float64
		for _, row := range order[min(from, to):to] {
			w := float64(floats.At(weights, int(row), 1))
			weight += w
			sum += float64(w * p[row])
			if hit[row] {
				hits += w
			}
		}
		from = max(from, to)
		if weight > 0 {
			bins = append(bins, chart.Point{X: sum / weight, Y: hits / weight})
			distance += math.Abs(sum - hits)
			all += weight
		}
	}
	return bins, distance / all
}

func histogram(values []float64, weights []float32, low, high float64, bins int) []chart.Point {
	width := (high - low) / float64(bins)
	points := make([]chart.Point, bins)
	all := 0.0
	for k := range points {
		points[k].X = low + float64(k)*width
	}
	for i, v := range values {
		k := 0
		if at := (v - low) / width; at > 0 {
			k = int(min(at, float64(bins-1)))
		}
		w := float64(floats.At(weights, i, 1))
		points[k].Y += w
		all += w
	}
	for k := range points {
		points[k].Y *= 100 / all
	}
	return points
}

// quantiles returns for each of the ascending shares the smallest value such that the values up
// to it have at least that share of the weight.
func quantiles(values []float64, weights []float32, shares ...float64) (at []float64) {
	order := make([]int32, len(values))
	all := 0.0
	for i := range order {
		order[i] = int32(i)
		all += float64(floats.At(weights, i, 1))
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
	sum, next := 0.0, 0
	for i, row := range order {
		sum += float64(floats.At(weights, int(row), 1))
		for next < len(shares) && (sum >= shares[next]*all || i == len(order)-1) {
			at = append(at, values[row])
			next++
		}
	}
	return at
}
