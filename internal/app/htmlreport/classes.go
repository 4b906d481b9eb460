package htmlreport

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/app/chart"
	"github.com/pegasimd/pegasimd/internal/base/floats"
)

func (v *view) classes() {
	m := &v.Measures
	largest, all := 0, 0.0
	for k, c := range m.Classes {
		all += c.Rows
		if c.Rows > m.Classes[largest].Rows {
			largest = k
		}
	}
	share := m.Classes[largest].Rows / all
	v.Tiles = append(v.claims("accuracy", percent(m.Accuracy)), tile{"Without a model", percent(share),
		"", "accuracy of always predicting " + v.Classes[largest] + ", on the measured rows"})
	if floats.IsFinite(m.ROCAUC) {
		note := "area under the ROC curve, on the measured rows"
		if v.Known > 2 {
			note = "area under the ROC curve, mean over the classes that have rows, on the measured rows"
		}
		v.Tiles = append(v.Tiles, tile{"ROC-AUC", fmt.Sprintf("%.3f", m.ROCAUC), "", note})
	}
	v.confusion()
	v.byClass()
	if v.ClassScores == nil {
		v.Missing = "There are no curves: the data have labels that the model does not know."
		return
	}
	v.rankings()
	if v.Probability == nil {
		v.Missing = "There is no calibration curve: this model gives scores and no probabilities. A " +
			"linear model trained with <code>-proba</code> or <code>-loss log</code> gives probabilities."
		v.scores()
		return
	}
	v.calibrated()
}

func (v *view) confusion() {
	counts := map[[2]int]float64{}
	rows := make([]float64, len(v.Classes))
	for i, t := range v.Truth {
		w := float64(floats.At(v.Weights, i, 1))
		counts[[2]int{t, v.Predicted[i]}] += w
		rows[t] += w
	}
	if n := len(v.Classes); n <= maxMatrix {
		v.Matrix = &matrix{Caption: "Rows: the true class. Columns: the predicted class.",
			Across: v.Classes[:v.Known]}
		for t, name := range v.Classes {
			row := matrixRow{Name: name}
			for p := range v.Known {
				c := counts[[2]int{t, p}]
				of := cell{Text: amount(c), Right: t == p}
				if c > 0 {
					of.Shade = template.CSS(fmt.Sprintf("--s:%.3f", c/rows[t]))
				}
				row.Cells = append(row.Cells, of)
			}
			v.Matrix.Rows = append(v.Matrix.Rows, row)
		}
	}
	if len(v.Classes) <= 3 {
		return
	}
	mistakes := slices.DeleteFunc(slices.Collect(maps.Keys(counts)),
		func(k [2]int) bool { return k[0] == k[1] })
	slices.SortFunc(mistakes, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	if len(mistakes) == 0 {
		return
	}
	v.Mistakes = &table{Caption: "The most frequent mistakes", Texts: 2,
		Head: []string{"True class", "Predicted class", "Rows", "Share of the true class"}}
	for i, k := range mistakes {
		if i == maxMistakes {
			v.Mistakes.Note = fmt.Sprintf("Not shown: %s of mistakes.",
				count(len(mistakes)-maxMistakes, "more kind"))
			break
		}
		v.Mistakes.Rows = append(v.Mistakes.Rows, []string{v.Classes[k[0]], v.Classes[k[1]],
			amount(counts[k]), percent(counts[k] / rows[k[0]])})
	}
}

func (v *view) byClass() {
	v.ByClass = &table{Caption: "Each class against the rest", Texts: 1, Head: []string{"Class",
		"Precision", "Recall", "F1", "ROC-AUC", "Average precision", "Rows"}}
	order := make([]int, len(v.Measures.Classes))
	for i := range order {
		order[i] = i
	}
	if n := len(order); n > maxClasses {
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(v.Measures.Classes[a].F1, v.Measures.Classes[b].F1)
		})
		order = order[:maxClasses]
		v.ByClass.Note = fmt.Sprintf("The %d of %s classes with the smallest F1. pegasimd eval -json "+
			"prints all classes.", maxClasses, thousands(n))
	}
	for _, k := range order {
		c := v.Measures.Classes[k]
		v.ByClass.Rows = append(v.ByClass.Rows, []string{v.Classes[k], share(c.Precision),
			share(c.Recall), share(c.F1), share(c.ROCAUC), share(c.AveragePrecision), amount(c.Rows)})
	}
}

func (v *view) isClass(k int) []bool {
	is := make([]bool, len(v.Truth))
	for i, t := range v.Truth {
		is[i] = t == k
	}
	return is
}

var (
	unit     = &[2]float64{0, 1}
	diagonal = chart.Series{Style: chart.Limit, Points: []chart.Point{{}, {X: 1, Y: 1}}}
)

func (v *view) rankings() {
	var drawn []int
	for k := range v.Known {
		if floats.IsFinite(v.Measures.Classes[k].ROCAUC) && (v.Known > 2 || k == 1) {
			drawn = append(drawn, k)
		}
	}
	slices.SortStableFunc(drawn, func(a, b int) int {
		return cmp.Compare(v.Measures.Classes[a].ROCAUC, v.Measures.Classes[b].ROCAUC)
	})
	all := len(drawn)
	drawn = drawn[:min(maxCurves, all)]
	if all == 0 {
		return
	}
	roc := &chart.Figure{ID: "roc", Title: "ROC curve", Legend: v.Known > 2,
		X: chart.Axis{Label: "false positive rate", Range: unit},
		Y: chart.Axis{Label: "true positive rate", Range: unit}}
	recall := &chart.Figure{ID: "recall", Title: "Precision and recall", Legend: v.Known > 2,
		X: chart.Axis{Label: "recall", Range: unit}, Y: chart.Axis{Label: "precision", Range: unit}}
	named := min(3, all)
	for i := len(drawn) - 1; i >= 0; i-- { // draw the worst classes last, on top
		k := drawn[i]
		style, name := chart.Faint, ""
		if i < named {
			style, name = chart.Lines[i], v.Classes[k]
		}
		left, right := curves(v.isClass(k), v.ClassScores(k), v.Weights)
		roc.Lines = append(roc.Lines, chart.Series{Style: style, Name: name, Points: left})
		recall.Lines = append(recall.Lines, chart.Series{Style: style, Name: name, Points: right})
	}
	roc.Lines = append(roc.Lines, diagonal)
	if m := v.Measures; v.Known == 2 {
		c := m.Classes[1]
		roc.Note = fmt.Sprintf("For %s: the area is %.3f. The dashed line is the curve of random "+
			"guesses.", v.Classes[1], c.ROCAUC)
		recall.Note = fmt.Sprintf("For %s: the average precision is %.3f.", v.Classes[1],
			c.AveragePrecision)
	} else {
		of := fmt.Sprintf("Each class against the rest; the legend names the %d with the smallest areas",
			named)
		if all > len(drawn) {
			of += fmt.Sprintf("; %d of %d classes are drawn", len(drawn), all)
		}
		roc.Note, recall.Note = of+".", fmt.Sprintf("The same classes as in the chart of ROC curves. "+
			"The mean average precision of the classes that have rows is %.3f.", m.AveragePrecision)
	}
	roc.Label, recall.Label = roc.Title+". "+roc.Note, recall.Title+". "+recall.Note
	v.Figures = append(v.Figures, roc, recall)
}

// calibrated draws the share of rows of a class over its predicted probability: the second of two
// classes, or each row's most probable class.
func (v *view) calibrated() {
	p, hit := make([]float64, len(v.Truth)), make([]bool, len(v.Truth))
	of, share := "the probability of "+v.Classes[1], "share of rows of this class"
	dst := make([]float64, v.Known)
	for i, t := range v.Truth {
		all := v.Probability(i, dst)
		if v.Known == 2 {
			p[i], hit[i] = all[1], t == 1
			continue
		}
		best := 0
		for k := range all {
			if all[k] > all[best] {
				best = k
			}
		}
		p[i], hit[i] = all[best], t == best
	}
	if v.Known > 2 {
		of, share = "the probability of a row's most probable class",
			"share of rows whose class it is"
	}
	bins, distance := calibration(p, hit, v.Weights)
	f := &chart.Figure{ID: "calibration", Title: "Calibration",
		X:     chart.Axis{Label: of, Range: unit},
		Y:     chart.Axis{Label: share, Range: unit},
		Lines: []chart.Series{diagonal, {Style: chart.Lines[0], Points: bins}}}
	f.Note = fmt.Sprintf("Rows in %s, by %s. Weighted by rows, the groups' mean "+
		"distance from the dashed line is %s percentage points. Log loss: %s.",
		count(len(bins), "group"), of, digits(100*distance, 2), digits(v.Measures.LogLoss, 3))
	f.Label = f.Title + ". " + f.Note
	v.Figures = append(v.Figures, f)
}

func (v *view) scores() {
	if v.Known != 2 {
		return
	}
	scores := v.ClassScores(1)
	ends := quantiles(scores, v.Weights, .005, .995)
	low, high := min(ends[0], 0), max(ends[1], 0)
	if !(high > low) {
		return
	}
	f := &chart.Figure{ID: "scores", Title: "Scores", Legend: true, X: chart.Axis{Label: "score"},
		Y: chart.Axis{Label: "rows of the class, %"}}
	for k, name := range v.Classes[:2] {
		var part []float64
		var weights []float32
		for i, t := range v.Truth {
			if t == k {
				part = append(part, scores[i])
				if v.Weights != nil {
					weights = append(weights, v.Weights[i])
				}
			}
		}
		if part == nil {
			continue
		}
		const bins = 30
		f.Lines = append(f.Lines, chart.Series{Style: chart.Lines[k], Name: name,
			Bars: (high - low) / bins, Points: histogram(part, weights, low, high, bins)})
	}
	f.Note = fmt.Sprintf("A row with a score above 0 is predicted as %s. Scores beyond the ends "+
		"count in the outermost bars.", v.Classes[1])
	f.Label = f.Title + ". " + f.Note
	v.Figures = append(v.Figures, f)
}

func (v *view) numbers() {
	m := &v.Measures
	n := len(v.Y)
	errors, truth := make([]float64, n), make([]float64, n)
	var sum, square, bias, weight float64
	for i, y := range v.Y {
		truth[i] = float64(y)
		errors[i] = truth[i] - v.Scores[i]
		w := float64(floats.At(v.Weights, i, 1))
		weight += w
		sum += float64(w * truth[i])
		bias += float64(w * errors[i])
	}
	mean := sum / weight
	for i, y := range truth {
		d := y - mean
		square += float64(float64(floats.At(v.Weights, i, 1)) * float64(d*d))
	}
	v.Tiles = append(v.claims("R²", share(m.R2)),
		tile{"RMSE", digits(m.RMSE, 4), "", "root mean square error, on the measured rows"},
		tile{"Without a model", digits(math.Sqrt(square/weight), 4), "", "RMSE of always predicting " +
			digits(mean, 4) + ", the mean label of the measured rows"})
	size := make([]float64, n)
	for i, e := range errors {
		size[i] = math.Abs(e)
	}
	q := quantiles(size, v.Weights, .5, .9, .99, 1)
	v.Numbers = &table{Caption: "Errors: true value minus prediction", Texts: 1,
		Head: []string{"Measure", "Value"}, Rows: [][]string{
			{"Mean error", signed(bias / weight)}, {"Mean absolute error", digits(m.MAE, 4)},
			{"Median absolute error", digits(q[0], 4)},
			{"90th percentile of absolute errors", digits(q[1], 4)},
			{"99th percentile of absolute errors", digits(q[2], 4)},
			{"Largest absolute error", digits(q[3], 4)}}}
	v.residuals(errors)
}

func (v *view) residuals(errors []float64) {
	n, dots := len(v.Y), min(len(v.Y), maxDots)
	f := &chart.Figure{ID: "predictions", Title: "Predicted and true",
		X: chart.Axis{Label: "predicted"}, Y: chart.Axis{Label: "true"}}
	r := &chart.Figure{ID: "residuals", Title: "Errors and predictions",
		X: chart.Axis{Label: "predicted"}, Y: chart.Axis{Label: "true minus predicted"}}
	low, high := math.Inf(1), math.Inf(-1)
	points := chart.Series{Style: chart.Lines[0], Dots: true}
	off := points
	for k := range dots {
		i := k * n / dots
		p, y := v.Scores[i], float64(v.Y[i])
		points.Add(p, y)
		off.Add(p, errors[i])
		low, high = min(low, p, y), max(high, p, y)
	}
	f.Lines = []chart.Series{points, {Style: chart.Limit, Points: []chart.Point{{X: low, Y: low},
		{X: high, Y: high}}}}
	ends := [2]float64{slices.Min(v.Scores), slices.Max(v.Scores)}
	r.Lines = []chart.Series{off, {Style: chart.Limit,
		Points: []chart.Point{{X: ends[0]}, {X: ends[1]}}}}
	f.Note = "Predictions on the dashed line are exact."
	r.Note = "Errors in an even band around 0 are good; a bent band may show a curve that the " +
		"model misses."
	if dots < n {
		some := fmt.Sprintf(" The chart shows %s of %s rows, evenly spaced.", thousands(dots),
			thousands(n))
		f.Note, r.Note = f.Note+some, r.Note+some
	}
	v.Figures = append(v.Figures, f, r)
	if q := quantiles(errors, v.Weights, .005, .995); q[1] > q[0] {
		const bins = 30
		h := &chart.Figure{ID: "errors", Title: "Errors", X: chart.Axis{Label: "true minus predicted"},
			Y: chart.Axis{Label: "rows, %"}, Note: "Errors beyond the ends count in the outermost bars."}
		h.Lines = []chart.Series{{Style: chart.Lines[0], Bars: (q[1] - q[0]) / bins,
			Points: histogram(errors, v.Weights, q[0], q[1], bins)}}
		v.Figures = append(v.Figures, h)
	}
	for _, f := range v.Figures {
		f.Label = f.Title + ". " + f.Note
	}
}
