package main

import (
	"math"

	"github.com/pegasimd/pegasimd/metrics"
)

// A scored is rows with their labels and what a model makes of them, for eval and cv to measure.
type scored struct {
	model            predictor
	y, weights       []float32 // weights are nil for ones
	scores           []float64
	truth, predicted []int // classes; the true one may be none of the model's. nil for numbers
	classes          int   // how many there are of these
}

// right returns the weight of the rows whose class is predicted.
func (s *scored) right() (sum float64) {
	for i, t := range s.truth {
		switch {
		case s.predicted[i] != t:
		case s.weights == nil:
			sum++
		default:
			sum += float64(s.weights[i])
		}
	}
	return sum
}

func (s *scored) accuracy() float64 { return metrics.Accuracy(s.truth, s.predicted, s.weights) }
func (s *scored) rmse() float64     { return metrics.RMSE(s.y, s.scores, s.weights) }
func (s *scored) r2() float64       { return metrics.R2(s.y, s.scores, s.weights) }

// maxConfusion is the largest number of classes for which there is a confusion matrix, of 32 MB: a
// small file may have many labels that the model does not know.
const maxConfusion = 2048

// confusion returns the weight of the rows by true and by predicted class, or nil for more than
// maxConfusion classes.
func (s *scored) confusion() [][]float64 {
	if s.classes > maxConfusion {
		return nil
	}
	return metrics.Confusion(s.truth, s.predicted, s.weights, s.classes)
}

// each returns the figures of each class.
func (s *scored) each() []metrics.Class {
	return metrics.ByClass(s.truth, s.predicted, s.weights, s.classes)
}

// f1 is that of the second of two classes, or the mean over the classes.
func (s *scored) f1() float64 {
	classes := s.each()
	if len(classes) == 2 {
		return classes[1].F1
	}
	return metrics.Macro(classes).F1
}

// A ranking says how well scores put the rows of a class before the others.
type ranking struct{ auc, precision number }

// rankings returns those of the model's classes, the means over the classes for which they are
// defined, and that of all: of two classes that of the second, else the means.
func (s *scored) rankings() (each []ranking, means, all ranking) {
	n, outputs := len(s.model.Head().Classes), s.model.Outputs()
	scores := make([]float64, n*len(s.truth))
	for i := range s.truth {
		s.model.ClassScores(s.scores[i*outputs:][:outputs], scores[i*n:][:n])
	}
	of, positive := make([]float64, len(s.truth)), make([]bool, len(s.truth))
	var defined ranking
	for k := range n {
		for i, t := range s.truth {
			of[i], positive[i] = scores[i*n+k], t == k
		}
		auc, precision := metrics.Ranking(positive, of, s.weights)
		each = append(each, ranking{number(auc), number(precision)})
		if !math.IsNaN(auc) {
			means.auc += number(auc)
			defined.auc++
		}
		if !math.IsNaN(precision) {
			means.precision += number(precision)
			defined.precision++
		}
	}
	means = ranking{means.auc / defined.auc, means.precision / defined.precision}
	if n == 2 {
		return each, means, each[1]
	}
	return each, means, means
}

// logLoss is that of a model with probabilities. A class that the model does not know has 0.
func (s *scored) logLoss() float64 {
	p, all := make([]float64, len(s.truth)), make([]float64, s.classes)
	outputs := s.model.Outputs()
	for i, k := range s.truth {
		if known := s.model.Probabilities(s.scores[i*outputs:][:outputs], all); k < len(known) {
			p[i] = known[k]
		}
	}
	return metrics.LogLoss(p, s.weights)
}
