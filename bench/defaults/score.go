package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/metrics"
)

// A score is how good a prediction is: shares, not per cent. What does not apply is NaN.
type score struct {
	Accuracy float64
	Balanced float64 // mean recall of the classes
	ROCAUC   float64 // of two classes
	R2       float64 // of numbers
	Seconds  float64 // of training alone
	Whole    float64 // of the command that reads and trains
	Gap      float64
}

// kinds are the fields of a score, in the order of values.
var kinds = []string{"accuracy", "balanced accuracy", "ROC-AUC", "R^2", "seconds", "whole seconds",
	"gap"}

func (s *score) values() []float64 {
	return []float64{s.Accuracy, s.Balanced, s.ROCAUC, s.R2, s.Seconds, s.Whole, s.Gap}
}

// scoreOf returns the score of the figures by kind; NaN for those that there are not.
func scoreOf(figures map[string]float64) score {
	v := make([]float64, len(kinds))
	for k, kind := range kinds {
		v[k] = math.NaN()
		if f, ok := figures[kind]; ok {
			v[k] = f
		}
	}
	return score{v[0], v[1], v[2], v[3], v[4], v[5], v[6]}
}

// binary reports whether there are two different labels.
func binary(labels []float64) bool {
	least, most := slices.Min(labels), slices.Max(labels)
	return least < most && !slices.ContainsFunc(labels, func(v float64) bool {
		return v != least && v != most
	})
}

// rate holds a prediction against the labels.
func (p *prediction) rate(w *work) (*score, error) {
	truth := w.test.y
	if len(p.labels) != len(truth) {
		return nil, fmt.Errorf("%d predictions for %d rows", len(p.labels), len(truth))
	}
	nan := math.NaN()
	s := &score{nan, nan, nan, nan, p.seconds, p.whole, p.gap}
	if p.whole == 0 {
		s.Whole = nan
	}
	if w.problem.numbers {
		y := make([]float32, len(truth))
		for i, v := range truth {
			y[i] = float32(v)
		}
		s.R2 = metrics.R2(y, p.labels)
		return s, nil
	}
	s.Accuracy = metrics.Accuracy(truth, p.labels)
	classes := slices.Concat(truth, p.labels)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	number := func(labels []float64) (all []int) {
		for _, v := range labels {
			k, _ := slices.BinarySearch(classes, v)
			all = append(all, k)
		}
		return all
	}
	each := metrics.Classes(metrics.Confusion(number(truth), number(p.labels), len(classes)))
	s.Balanced = metrics.BalancedAccuracy(each)
	if binary(truth) && p.scores != nil {
		greater := make([]bool, len(truth))
		for i, v := range truth {
			greater[i] = v == slices.Max(truth)
		}
		s.ROCAUC = metrics.ROCAUC(greater, p.scores)
	}
	return s, nil
}

// A result is a trainer's mean over a problem's splits.
type result struct {
	Problem string
	Trainer string
	Variant string `json:",omitempty"`
	Splits  int
	Rows    int // to train on
	Test    int
	Cols    int
	Classes int // 0 for numbers
	score   `json:"-"`
	Mean    map[string]float64 // score by kind, without what is NaN
	Error   string             `json:",omitempty"`
}

func mean(scores []*score) score {
	var m [7]float64
	for k := range m {
		for _, s := range scores {
			m[k] += s.values()[k] / float64(len(scores))
		}
	}
	return score{m[0], m[1], m[2], m[3], m[4], m[5], m[6]}
}

// median returns the last score with the medians of the seconds: the rest is the same in each.
func median(scores []*score) *score {
	m := *scores[len(scores)-1]
	of := func(seconds func(*score) float64) float64 {
		var all []float64
		for _, s := range scores {
			all = append(all, seconds(s))
		}
		slices.Sort(all)
		return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	}
	m.Seconds = of(func(s *score) float64 { return s.Seconds })
	m.Whole = of(func(s *score) float64 { return s.Whole })
	return &m
}

// good is what a problem's trainers are compared by: the accuracy, or R^2 clipped at -1.
func (r *result) good() float64 {
	if r.Classes == 0 {
		return max(r.R2, -1)
	}
	return r.Accuracy
}
