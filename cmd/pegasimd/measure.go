package main

import (
	"math"

	"github.com/pegasimd/pegasimd/metrics"
)

type scored struct {
	model            predictor
	y, weights       []float32 // nil weights mean 1 for each row
	scores           []float64 // row by row
	truth, predicted []int     // indices of classes; nil for regression
	classes          int       // including classes that the model does not know
}

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

// Without maxConfusion, a small file with many unknown labels could exhaust memory.
const maxConfusion = 2048

func (s *scored) confusion() [][]float64 {
	if s.classes > maxConfusion {
		return nil
	}
	return metrics.Confusion(s.truth, s.predicted, s.weights, s.classes)
}

func (s *scored) each() []metrics.Class {
	return metrics.ByClass(s.truth, s.predicted, s.weights, s.classes)
}

func (s *scored) f1() float64 {
	classes := s.each()
	if len(classes) == 2 {
		return classes[1].F1
	}
	return metrics.Macro(classes).F1
}

type ranking struct{ auc, precision number }

// rankings returns the ranking of each of the model's classes, and the means over the classes that
// have a ranking. all is the ranking of the second of two classes, or for more classes the means.
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
	if n == 2 && s.classes == 2 {
		return each, means, each[1]
	}
	return each, means, means
}

// The probability of a class that the model does not know is 0.
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
