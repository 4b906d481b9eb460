package main

import (
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

type cvMetric struct {
	name    string
	heading string
	percent bool
	numbers bool // for regression; false for classes
	least   bool // the smallest value is the best
	kernels bool // needs only predicted labels
	proba   bool

	of func(*scored) float64 // NaN if undefined
}

// The first metric for classes and the first for regression are the defaults.
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

func metricOfNumbers(name string) bool {
	return slices.ContainsFunc(cvMetrics, func(m cvMetric) bool {
		return m.numbers && m.name == name
	})
}

func metricFor(f *flags.Set, numbers bool) (*cvMetric, error) {
	var names []string
	for i := range cvMetrics {
		m := &cvMetrics[i]
		if m.numbers != numbers {
			continue
		}
		proba := f.Loss.LogOdds() || f.Multiclass == pegasos.Multinomial
		if (m.kernels || !f.UsesKernel()) && (proba || !m.proba) {
			names = append(names, m.name)
		}
		if f.Metric != m.name && f.Metric != "" {
			continue
		}
		switch {
		case f.UsesKernel() && !m.kernels:
			return nil, flags.Usagef("-metric: cv -kernel has no %s: want accuracy, balanced-accuracy or f1",
				m.name)
		case m.proba && !proba:
			return nil, flags.Usagef("-metric: %s needs probabilities, which in cv only "+
				"-loss log or -multiclass multinomial gives",
				m.name)
		}
		return m, nil
	}
	of := "classes"
	if numbers {
		of = "regression targets"
	}
	return nil, flags.Usagef("-metric: have %q, want %s: the labels are taken for %s",
		f.Metric, strings.Join(names, ", "), of)
}

func (m *cvMetric) better(a, b number) bool {
	if m.least {
		a, b = b, a
	}
	return a > b
}

func (m *cvMetric) text(v number) string {
	switch {
	case m.percent:
		return (100 * v).format("%.3f")
	case m.name == "rmse":
		return v.String()
	}
	return v.format("%.5f")
}
