package main

import (
	"fmt"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

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
		return metrics.RMSE(d.Y, floats.Wide(predicted))
	}
	return metrics.Accuracy(d.Y, predicted)
}

// newFitReport predicts the rows of the set, all of which count once.
func newFitReport(m *pegasos.Model, set *dataset.Set, weights []float32, threads int) *fitReport {
	y, predicted := set.Y, predictAll(m, set.Examples(), threads)
	if weights != nil {
		y, predicted = counted(y, weights), counted(predicted, weights)
	}
	if m.Classes == nil {
		return &fitReport{R2: numberOf(metrics.R2(y, floats.Wide(predicted)))}
	}
	rows, largest := map[float32]int{}, 0
	for _, label := range y {
		rows[label]++
	}
	for k, label := range m.Classes {
		if rows[label] > rows[m.Classes[largest]] {
			largest = k
		}
	}
	return &fitReport{Accuracy: numberOf(metrics.Accuracy(y, predicted)),
		Constant: numberOf(float64(rows[m.Classes[largest]]) / float64(len(y))),
		Largest:  m.ClassName(largest)}
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

func (r *fitReport) String() string {
	if r.R2 != nil {
		return fmt.Sprintf("training R^2 %.4f; the mean alone reaches 0", float64(*r.R2))
	}
	return fmt.Sprintf("training accuracy %.2f %%; predicting %s for every row reaches %.2f %%",
		100*float64(*r.Accuracy), escape.Name(r.Largest), 100*float64(*r.Constant))
}

const (
	fewRows    = 100
	hardlyMore = 0.001 // of all rows
)

// warnings says what speaks against trusting the model, and which flag helps.
func (r *fitReport) warnings(m *pegasos.Model, rows int) (warnings []string) {
	switch {
	case r.R2 != nil && !(float64(*r.R2) > 0):
		warnings = append(warnings, "the model is no better than the mean of the numbers: try a "+
			"smaller -lambda, another -scale, or -kernel rbf of classes")
	case r.Accuracy != nil && *r.Constant < 1 && m.Config.ClassWeight == "" &&
		!(*r.Accuracy > *r.Constant+hardlyMore): // with weights accuracy may be given up
		warnings = append(warnings, "the model is hardly better than predicting "+
			escape.Name(r.Largest)+" for every row: try a smaller -lambda, -kernel rbf, or where "+
			"a class is rare -class-weight balanced")
	}
	if rows < fewRows {
		warnings = append(warnings, fmt.Sprintf("%s: few, so that what is measured on them says "+
			"little of other rows; see cv", count(rows, "row")))
	}
	return warnings
}
