package main

import (
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A cvMetric is what cross-validation compares settings by.
type cvMetric struct {
	name    string
	heading string
	percent bool
	numbers bool // of numbers to predict, else of classes
	least   bool // the least is the best
	kernels bool // predicted labels are enough
	proba   bool // of probabilities

	of func(*scored) float64 // NaN where it is not defined
}

// cvMetrics are all there are. The first of classes, and the first of numbers, is the default.
var cvMetrics = []cvMetric{
	{name: "accuracy", heading: "accuracy, %", percent: true, kernels: true,
		of: (*scored).accuracy},
	{name: "balanced-accuracy", heading: "balanced accuracy, %", percent: true, kernels: true,
		of: func(s *scored) float64 { return metrics.BalancedAccuracy(s.each()) }},
	{name: "f1", heading: "F1", kernels: true, of: (*scored).f1},
	{name: "roc-auc", heading: "ROC-AUC", of: func(s *scored) float64 {
		_, _, all := s.rankings()
		return float64(all.auc)
	}},
	{name: "average-precision", heading: "average precision", of: func(s *scored) float64 {
		_, _, all := s.rankings()
		return float64(all.precision)
	}},
	{name: "log-loss", heading: "log loss", least: true, proba: true,
		of: (*scored).logLoss},
	{name: "rmse", heading: "RMSE", numbers: true, least: true,
		of: (*scored).rmse},
	{name: "r2", heading: "R^2", numbers: true, of: (*scored).r2},
}

// metricOfNumbers reports whether -metric names one that only numbers to predict have.
func metricOfNumbers(name string) bool {
	return slices.ContainsFunc(cvMetrics, func(m cvMetric) bool {
		return m.numbers && m.name == name
	})
}

// metricFor returns the metric that the flags name for a problem of numbers or of classes.
func metricFor(f *flags.Set, numbers bool) (*cvMetric, error) {
	var names []string
	for i := range cvMetrics {
		m := &cvMetrics[i]
		if m.numbers != numbers {
			continue
		}
		names = append(names, m.name)
		if f.Metric != m.name && f.Metric != "" {
			continue
		}
		switch {
		case f.UsesKernel() && !m.kernels:
			return nil, flags.Usagef("-metric: %s goes by scores, and with -kernel there are labels alone",
				m.name)
		case m.proba && !f.Loss.LogOdds() && f.Multiclass != pegasos.Multinomial:
			return nil, flags.Usagef("-metric: %s needs probabilities: -loss log", m.name)
		}
		return m, nil
	}
	of := "of classes"
	if numbers {
		of = "of numbers to predict"
	}
	return nil, flags.Usagef("-metric: have %q, want %s: -loss says what labels are, here those %s",
		f.Metric, strings.Join(names, ", "), of)
}

// better reports whether a is a better value than b.
func (m *cvMetric) better(a, b number) bool {
	if m.least {
		a, b = b, a
	}
	return a > b
}

// text is how a value is printed.
func (m *cvMetric) text(v number) string {
	switch {
	case m.percent:
		return (100 * v).format("%.3f")
	case m.name == "rmse":
		return v.String()
	}
	return v.format("%.5f")
}

// scoreFold predicts the rows of a fold.
func (v *search) scoreFold(m *pegasos.Model, fold int) (*scored, error) {
	s := &scored{model: linearModel{m}, classes: len(m.Classes)}
	x := v.rows(fold)
	var scores []float64
	for i, f := range v.fold {
		if f != fold {
			continue
		}
		scores = m.Decision(x, i, scores)
		if bad := floats.FirstNotFinite(scores); bad >= 0 {
			return nil, predictions.RowOverflows(i, scores[bad])
		}
		s.y, s.weights = append(s.y, v.set.Y[i]), append(s.weights, v.weight(i))
		if m.Classes == nil {
			s.scores = append(s.scores, float64(float32(scores[0]))) // as Predict has it
			continue
		}
		own := slices.Index(m.Classes, v.set.Y[i])
		if own < 0 { // all labels that the model does not know are one class more
			own, s.classes = len(m.Classes), len(m.Classes)+1
		}
		s.truth, s.predicted = append(s.truth, own), append(s.predicted, m.Class(scores))
		s.scores = append(s.scores, scores...)
	}
	return s, nil
}
