package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/predictions"
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
	weights bool // rows count by their weights
	kernels bool // predicted labels are enough
	proba   bool // of probabilities

	of func(*foldPredictions) float64 // NaN where it is not defined
}

// cvMetrics are all there are. The first of classes, and the first of numbers, is the default.
var cvMetrics = []cvMetric{
	{name: "accuracy", heading: "accuracy, %", percent: true, weights: true, kernels: true,
		of: (*foldPredictions).accuracy},
	{name: "balanced-accuracy", heading: "balanced accuracy, %", percent: true, kernels: true,
		of: func(p *foldPredictions) float64 { return metrics.BalancedAccuracy(p.each()) }},
	{name: "f1", heading: "F1", kernels: true, of: (*foldPredictions).f1},
	{name: "roc-auc", heading: "ROC-AUC", of: func(p *foldPredictions) float64 {
		return p.ranked(metrics.ROCAUC)
	}},
	{name: "average-precision", heading: "average precision", of: func(p *foldPredictions) float64 {
		return p.ranked(metrics.AveragePrecision)
	}},
	{name: "log-loss", heading: "log loss", least: true, proba: true,
		of: func(p *foldPredictions) float64 { return metrics.LogLoss(p.own) }},
	{name: "rmse", heading: "RMSE", numbers: true, least: true, weights: true,
		of: (*foldPredictions).rmse},
	{name: "r2", heading: "R^2", numbers: true,
		of: func(p *foldPredictions) float64 { return metrics.R2(p.y, p.values) }},
}

// metricUsage lists them for the help.
func metricUsage() string {
	var names []string
	for _, m := range cvMetrics {
		names = append(names, m.name)
	}
	return "`" + strings.Join(names, "|") + "` what settings are compared by, as in eval (default " +
		"accuracy, or rmse of numbers to predict)"
}

// metricOfNumbers reports whether -metric names one that only numbers to predict have.
func (f *cvFlags) metricOfNumbers() bool {
	return slices.ContainsFunc(cvMetrics, func(m cvMetric) bool {
		return m.numbers && m.name == f.metric
	})
}

// metricFor returns the metric that the flags name for a problem of numbers or of classes.
func (f *cvFlags) metricFor(numbers bool) (*cvMetric, error) {
	var names []string
	for i := range cvMetrics {
		m := &cvMetrics[i]
		if m.numbers != numbers {
			continue
		}
		names = append(names, m.name)
		if f.metric != m.name && f.metric != "" {
			continue
		}
		switch {
		case f.weights != "" && !m.weights:
			return nil, usagef("-metric: %s takes all rows for the same, and -weights does not",
				m.name)
		case f.kernel.wanted() && !m.kernels:
			return nil, usagef("-metric: %s goes by scores, and with -kernel there are labels alone",
				m.name)
		case m.proba && !f.set.cfg.Loss.LogOdds() && f.set.cfg.Multiclass != pegasos.Multinomial:
			return nil, usagef("-metric: %s needs probabilities: -loss log", m.name)
		}
		return m, nil
	}
	of := "of classes"
	if numbers {
		of = "of numbers to predict"
	}
	return nil, usagef("-metric: have %q, want %s: -loss says what labels are, here those %s",
		f.metric, strings.Join(names, ", "), of)
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

// undefined is the error of a fold for which there is no such number.
func (m *cvMetric) undefined() error {
	return fmt.Errorf("-metric %s is not defined for its rows: they are of one class, or all the "+
		"same; fewer -folds help", m.name)
}

// foldPredictions are what a model makes of the rows of a fold.
type foldPredictions struct {
	y      []float32
	weight []float64
	values []float64 // of numbers

	classes          int // with one for all labels that the model does not know
	truth, predicted []int
	scores           []float64 // of each row those of all classes
	own              []float64 // the probability of the true class; nil without any
}

// predictFold predicts the rows of a fold.
func (v *search) predictFold(m *pegasos.Model, fold int) (*foldPredictions, error) {
	p := &foldPredictions{}
	x := v.set.Examples()
	if n := len(m.Classes); n > 0 {
		p.classes = n + 1
	}
	var scores []float64
	for i, f := range v.fold {
		if f != fold {
			continue
		}
		scores = m.Decision(x, i, scores)
		if bad := floats.FirstNotFinite(scores); bad >= 0 {
			return nil, predictions.RowOverflows(i, scores[bad])
		}
		p.y = append(p.y, v.set.Y[i])
		p.weight = append(p.weight, float64(v.weight(i)))
		if m.Classes == nil {
			p.values = append(p.values, float64(float32(scores[0])))
			continue
		}
		own := slices.Index(m.Classes, v.set.Y[i])
		if own < 0 {
			own = len(m.Classes)
		}
		p.truth = append(p.truth, own)
		p.predicted = append(p.predicted, m.Class(scores))
		p.scores = append(p.scores, m.ClassScores(scores, nil)...)
		if m.HasProbabilities() {
			p.own = append(p.own, append(m.Probabilities(scores, nil), 0)[own])
		}
	}
	return p, nil
}

func (p *foldPredictions) accuracy() float64 {
	var sum, all float64
	for i, k := range p.truth {
		if p.predicted[i] == k {
			sum += p.weight[i]
		}
		all += p.weight[i]
	}
	return sum / all
}

func (p *foldPredictions) rmse() float64 {
	var sum, all float64
	for i, y := range p.y {
		d := p.values[i] - float64(y)
		sum += float64(p.weight[i] * float64(d*d))
		all += p.weight[i]
	}
	return math.Sqrt(sum / all)
}

// each returns the figures of each class.
func (p *foldPredictions) each() []metrics.Class {
	return metrics.Classes(metrics.Confusion(p.truth, p.predicted, p.classes))
}

func (p *foldPredictions) f1() float64 {
	classes := p.each()
	if len(classes) == 3 && classes[2].Support == 0 {
		return classes[1].F1
	}
	return metrics.Macro(classes).F1
}

// ranked returns what of makes of how the scores of a class put its rows before the others: of the
// second of two classes, or the mean over those for which it is defined.
func (p *foldPredictions) ranked(of func(truth []bool, scores []float64) float64) float64 {
	n := p.classes - 1
	truth, scores := make([]bool, len(p.truth)), make([]float64, len(p.truth))
	var over mean
	for k := range n {
		if n == 2 && k == 0 {
			continue
		}
		for i, c := range p.truth {
			truth[i], scores[i] = c == k, p.scores[i*n+k]
		}
		over.add(of(truth, scores))
	}
	return float64(over.value())
}
