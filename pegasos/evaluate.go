package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// FormatLabel returns the decimal text with the fewest digits that parses as the same float32.
func FormatLabel(label float32) string { return labels.Format(label) }

// ClassName returns Names[class], or the label Classes[class] as text if Names is nil.
func (m *Model) ClassName(class int) string { return labels.Name(m.Classes, m.Names, class) }

// Objective returns the primal objective P, the sum of [Model.Penalty] and [Model.MeanLoss].
func (m *Model) Objective(scores []float64, y, weights []float32) float64 {
	return m.Penalty() + m.MeanLoss(scores, y, weights)
}

// Penalty returns the penalty lambda/2 |w|^2, where w includes the weight of an appended feature.
// With several weight vectors it is the sum of their penalties for a joint Multiclass, otherwise
// the mean. It is NaN for a model trained with a Prior.
func (m *Model) Penalty() float64 {
	if m.Prior != "" {
		return math.NaN() // the model does not store the prior's weights
	}
	total := 0.0
	for k, v := range m.Weights {
		w, b := floats.Float64s(v), m.bias(k)
		if s := m.Scaling; s != nil {
			w, b = s.Exact(m, k)
		}
		if m.Config.Bias != BiasAugmented {
			b = 0
		}
		total += objective.Penalty(w, nil, b, m.lambda(k), m.Config.BiasScale)
	}
	if m.Config.Multiclass.Joint() {
		return total
	}
	return total / float64(len(m.Weights))
}

// MeanLoss returns the mean training loss of rows with the labels y and the given scores, from
// [Model.DecisionAll]. For a model of several problems it is the mean of their mean losses, where a
// one-vs-one problem counts only the rows of its two classes. weights is as in Trainer.Weights;
// class weights and Trainer.Costs are not applied. For regression with a TargetScale the loss
// refers to scaled targets. MeanLoss is NaN if a weight is invalid or no weight is above 0, if a
// pair of classes has no rows, or if a classifier's label is not finite or, at a weight above 0,
// not one of its classes. It panics if weights is not nil and not as long as y, or if there are too
// few scores.
func (m *Model) MeanLoss(scores []float64, y, weights []float32) float64 {
	if weights != nil && len(weights) != len(y) {
		panic(misuse.Lengths("len(weights)", len(weights), "len(y)", len(y)))
	}
	weight, err := labels.Weigh(y, weights, nil, newRowError)
	if err != nil {
		return math.NaN()
	}
	c := m.Config.settings().LossFunc()
	if m.Classes == nil {
		spread := m.Scaling.internal().TargetUnit()
		c.Epsilon /= spread
		return weightedMean(weight, len(y), func(i int) float64 {
			return c.At((scores[i] - float64(y[i])) / spread)
		})
	}
	_, classes, err := labels.Classify(y, weight, m.Classes, newRowError)
	if err != nil {
		return math.NaN()
	}
	if m.Config.Multiclass.Joint() {
		j := objective.Joint{Log: m.Config.Multiclass == Multinomial}
		return weightedMean(weight, len(y), func(i int) float64 {
			return j.Loss(scores[i*len(m.Weights):][:len(m.Weights)], int(classes[i]))
		})
	}
	loss := 0.0
	for k := range m.Weights {
		z, positive, weight := m.problemScores(k, scores, classes, weight)
		loss += weightedMean(weight, len(z), func(i int) float64 {
			if positive[i] {
				return c.At(z[i])
			}
			return c.At(-z[i])
		})
	}
	return loss / float64(len(m.Weights))
}

func weightedMean(weight []float64, n int, value func(i int) float64) float64 {
	sum, all := 0.0, 0.0
	for i := range n {
		if w := floats.At(weight, i, 1); w > 0 {
			sum += float64(w * value(i))
			all += w
		}
	}
	return sum / all
}

func (m *Model) problemScores(k int, scores []float64, classes []int32,
	weights []float64) (z []float64, positive []bool, weight []float64) {
	p := labels.Problem{Vector: k, Vectors: len(m.Weights), Classes: len(m.Classes),
		Pairs: m.Config.Multiclass == OneVsOne}
	return p.Rows(scores, classes, weights)
}
