package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

// fewOfAll is the share of the rows below which a class is a minority.
const fewOfAll = 0.05

// predictAll predicts all rows, on several threads.
func predictAll(m *pegasos.Model, x pegasos.Examples, threads int) []float32 {
	predicted := make([]float32, x.Rows())
	const block = 1024
	parallel.For(parallel.Threads(threads), (len(predicted)+block-1)/block, func(_, b int) {
		for i := b * block; i < min((b+1)*block, len(predicted)); i++ {
			predicted[i] = m.Predict(x, i)
		}
	})
	return predicted
}

// fit returns the accuracy on some rows, or the root mean square error.
func fit(m *pegasos.Model, d *pegasos.Labelled, threads int) float64 {
	predicted := predictAll(m.WithCols(d.X.Cols()), d.X, threads)
	if m.Classes == nil {
		return metrics.RMSE(d.Y, wide(predicted))
	}
	right := 0
	for i, label := range predicted {
		if label == d.Y[i] {
			right++
		}
	}
	return float64(right) / float64(len(predicted))
}

func wide(values []float32) []float64 {
	z := make([]float64, len(values))
	for i, v := range values {
		z[i] = float64(v)
	}
	return z
}

// newFitReport predicts the rows of the set, all of which count once.
func newFitReport(m *pegasos.Model, set *dataset.Set, weights []float32, threads int) *fitReport {
	y, predicted := set.Y, predictAll(m, set.Examples(), threads)
	if weights != nil {
		y, predicted = counted(y, weights), counted(predicted, weights)
	}
	if m.Classes == nil {
		return &fitReport{R2: numberOf(metrics.R2(y, wide(predicted)))}
	}
	return newClassFit(m, y, predicted)
}

// counted returns the values of the rows with a weight above 0.
func counted(of, weights []float32) (kept []float32) {
	for i, v := range of {
		if weights[i] > 0 {
			kept = append(kept, v)
		}
	}
	return kept
}

func numberOf(v float64) *number {
	n := number(v)
	return &n
}

// newClassFit is newFitReport of classes.
func newClassFit(m *pegasos.Model, y, predicted []float32) *fitReport {
	truth, guess := make([]int, len(y)), make([]int, len(y))
	for i := range y { // a label that is no class counts as one more
		truth[i] = indexOr(m.Classes, y[i], len(m.Classes))
		guess[i] = indexOr(m.Classes, predicted[i], len(m.Classes))
	}
	classes := metrics.Classes(metrics.Confusion(truth, guess, len(m.Classes)+1))
	n, most, least := float64(len(y)), 0, -1
	for k, c := range classes[:len(m.Classes)] {
		if c.Support > classes[most].Support {
			most = k
		}
		if c.Support > 0 && (least < 0 || c.Support < classes[least].Support) {
			least = k
		}
	}
	r := &fitReport{Accuracy: numberOf(metrics.Accuracy(truth, guess)),
		Constant: numberOf(float64(classes[most].Support) / n), Largest: m.ClassName(most)}
	if least >= 0 && float64(classes[least].Support) < fewOfAll*n && len(m.Classes) == 2 {
		r.Balanced = numberOf(metrics.BalancedAccuracy(classes))
		r.Recall = numberOf(classes[least].Recall)
		r.Minority, r.share = m.ClassName(least), float64(classes[least].Support)/n
	}
	return r
}

// indexOr returns the position of a label among ascending classes, or other if it is none.
func indexOr(classes []float32, label float32, other int) int {
	if k, found := slices.BinarySearch(classes, label); found {
		return k
	}
	return other
}

func (r *fitReport) String() string {
	if r.R2 != nil {
		return fmt.Sprintf("training R^2 %.4f; the mean alone reaches 0", float64(*r.R2))
	}
	text := fmt.Sprintf("training accuracy %.2f %%; predicting %s for every row reaches %.2f %%",
		100*float64(*r.Accuracy), escape.Name(r.Largest), 100*float64(*r.Constant))
	if r.Balanced != nil {
		text += fmt.Sprintf("; balanced accuracy %.2f %%, recall of %s %.2f %%",
			100*float64(*r.Balanced), escape.Name(r.Minority), 100*float64(*r.Recall))
	}
	return text
}

const (
	fewRows    = 100
	largeGap   = 0.2
	hardlyMore = 0.001 // of all rows
)

// warnings says what speaks against trusting the model, and which flag helps.
func (r *fitReport) warnings(m *pegasos.Model, rows int) (warnings []string) {
	cfg := m.Config
	switch {
	case r.R2 != nil && !(float64(*r.R2) > 0):
		warnings = append(warnings, "the model is no better than the mean of the numbers: try a "+
			"smaller -lambda, another -scale, or -kernel rbf of classes")
	case r.Balanced != nil && cfg.ClassWeight != "" && *r.Balanced > 0.5+hardlyMore:
		// It gives up accuracy for the class that weighs more, as it was told to.
	case r.Accuracy != nil && *r.Constant < 1 && !(*r.Accuracy > *r.Constant+hardlyMore):
		help := "a smaller -lambda, or -kernel rbf"
		if r.Minority != "" && cfg.ClassWeight == "" {
			help = "-class-weight balanced, or a smaller -lambda"
		}
		warnings = append(warnings, "the model is hardly better than predicting "+
			escape.Name(r.Largest)+" for every row: try "+help)
	case r.Minority != "" && float64(*r.Recall) < 0.5 && cfg.ClassWeight == "":
		warnings = append(warnings, fmt.Sprintf("%s has %.2g %% of the rows, and most of them are "+
			"predicted to be others: -class-weight balanced finds more of them",
			escape.Name(r.Minority), 100*r.share))
	}
	if gap := m.Result.Gap; gap > largeGap && proof.Useful(gap) && !math.IsNaN(gap) {
		warnings = append(warnings, fmt.Sprintf("the objective may be %s above the optimum: %s "+
			"would bring it closer", proof.Percent(gap), advice(m)))
	}
	if rows < fewRows {
		warnings = append(warnings, fmt.Sprintf("%s: few, so that what is measured on them says "+
			"little of other rows; see cv", count(rows, "row")))
	}
	return warnings
}
