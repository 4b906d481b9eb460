package main

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func predictAll(m *pegasos.Model, x pegasos.Examples, threads int) []float32 {
	rows := make([]uint32, x.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	predicted := make([]float32, len(rows))
	threads = parallel.Threads(threads)
	part := (len(rows) + threads - 1) / threads
	parallel.For(threads, threads, func(_, k int) {
		first, end := min(k*part, len(rows)), min((k+1)*part, len(rows))
		own := store.Subset(store.Of(x).Clone(), rows[first:end])
		copy(predicted[first:], m.PredictAll(own))
	})
	return predicted
}

func fit(m *pegasos.Model, d *pegasos.Labelled, threads int) float64 {
	predicted := predictAll(m.WithCols(d.X.Cols()), d.X, threads)
	if m.Classes == nil {
		return metrics.RMSE(d.Y, floats.Float64s(predicted), d.Weights)
	}
	return metrics.Accuracy(d.Y, predicted, d.Weights)
}

func newFitReport(m *pegasos.Model, d *pegasos.Labelled, threads int) *fitReport {
	predicted := predictAll(m, d.X, threads)
	counted := len(d.Y)
	for _, w := range d.Weights {
		if w == 0 {
			counted--
		}
	}
	if m.Classes == nil {
		r2 := metrics.R2(d.Y, floats.Float64s(predicted), d.Weights)
		return &fitReport{counted: counted, R2: new(number(r2)),
			notFinite: floats.FirstNotFinite(predicted) >= 0}
	}
	weights, all, largest := map[float32]float64{}, 0.0, 0
	rows, seen := map[float32]int{}, map[float32]bool{}
	for i, label := range d.Y {
		w := 1.0
		if d.Weights != nil {
			w = float64(d.Weights[i])
		}
		weights[label] += w
		all += w
		if w > 0 {
			rows[label]++
			seen[predicted[i]] = true
		}
	}
	accuracy := metrics.Accuracy(d.Y, predicted, d.Weights)
	r := &fitReport{counted: counted, Accuracy: new(number(accuracy))}
	for k, label := range m.Classes {
		if r.rows += rows[label]; rows[label] > 0 && !seen[label] {
			r.Never = append(r.Never, m.ClassName(k))
			r.neverRows += rows[label]
		}
	}
	for k, label := range m.Classes {
		if weights[label] > weights[m.Classes[largest]] {
			largest = k
		}
	}
	r.Constant, r.Largest = new(number(weights[m.Classes[largest]]/all)), m.ClassName(largest)
	return r
}

func (r *fitReport) String() string {
	if r.R2 != nil && math.IsNaN(float64(*r.R2)) && r.notFinite {
		return "training R^2 NaN; a prediction is not finite"
	}
	if r.R2 != nil && math.IsNaN(float64(*r.R2)) {
		return "training R^2 NaN; it is not defined for equal targets"
	}
	if r.R2 != nil {
		return fmt.Sprintf("training R^2 %.4f; predicting the mean for every row reaches 0",
			float64(*r.R2))
	}
	return fmt.Sprintf("training accuracy %.2f %%; predicting %s for every row reaches %.2f %%",
		100*float64(*r.Accuracy), escape.Name(r.Largest), 100*float64(*r.Constant))
}

const (
	fewRows = 100
	// A model is hardly better than a constant prediction if its lead in accuracy is at most
	// hardlyMore or, if that is smaller, half of the constant prediction's error rate.
	hardlyMore = 0.001
	rareRows   = 0.2
)

func (r *fitReport) warnings(m *pegasos.Model) (warnings []string) {
	switch {
	case r.R2 != nil && *r.R2 <= 0:
		warnings = append(warnings, "the model is no better than predicting the mean for every row: "+
			"try "+betterFit(m, "a smaller lambda (a larger C)"))
	case len(r.Never) > 0 && m.Config.ClassWeight == "" && r.neverIsNews(len(m.Classes)):
		class := "class"
		if len(r.Never) > 1 {
			class = "classes"
		}
		warnings = append(warnings, fmt.Sprintf("no training row is predicted as %s (the %s of %d of "+
			"%s): try -class-weight balanced",
			firstNames(r.Never), class, r.neverRows, count(r.rows, "row")))
	case r.Accuracy != nil && *r.Constant < 1 && m.Config.ClassWeight == "" &&
		!(*r.Accuracy > *r.Constant+min(hardlyMore, (1-*r.Constant)/2)):
		// Class weights may lower the accuracy.
		lead := "hardly"
		if *r.Accuracy <= *r.Constant {
			lead = "no"
		}
		other := "a smaller lambda (a larger C), or -kernel rbf without the flags of linear models"
		if *r.Constant >= 1-rareRows {
			other += ", or -class-weight balanced"
		}
		warnings = append(warnings, "the model is "+lead+" better than predicting "+
			escape.Name(r.Largest)+" for every row: try "+betterFit(m, other))
	}
	if r.counted < fewRows {
		warnings = append(warnings, count(r.counted, "row")+": too few to tell from them how well the "+
			"model predicts other rows")
	}
	return warnings
}

// betterFit returns flags that may fit m better to its training rows: -bias augmented if m can get
// a bias, else longer training if the gap is large, else other.
func betterFit(m *pegasos.Model, other string) string {
	switch {
	case m.Config.Bias == pegasos.BiasNone && m.Start == "" && m.Prior == "":
		return "-bias augmented"
	case m.Result.Gap > largeGap:
		return longer(m.Config.Steps)
	}
	return other
}

func (r *fitReport) neverIsNews(classes int) bool {
	return len(r.Never) < classes-1 || float64(r.neverRows) <= float64(rareRows*float64(r.rows))
}

type fitReport struct {
	Accuracy *number  `json:"training_accuracy,omitempty"`
	Constant *number  `json:"largest_class,omitempty"` // weighted share
	Largest  string   `json:"-"`
	Never    []string `json:"never_predicted,omitempty"`

	counted         int // rows of a weight above 0
	rows, neverRows int // rows of a weight above 0: of all classes, and of the classes in Never

	R2        *number `json:"training_r2,omitempty"`
	notFinite bool    // a prediction is not finite
}
