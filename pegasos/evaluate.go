package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// FormatLabel returns the shortest text that reads as the same float32.
func FormatLabel(label float32) string { return labels.Format(label) }

// ClassName returns the name of a class, or its label as text if the classes have no names.
func (m *Model) ClassName(class int) string { return labels.Name(m.Classes, m.Names, class) }

// Objective returns the sum of [Model.Penalty] and [Model.MeanLoss]: P for these rows.
func (m *Model) Objective(scores []float64, y, weights []float32) float64 {
	return m.Penalty() + m.MeanLoss(scores, y, weights)
}

// Penalty returns lambda/2 |w|^2, or the mean over the problems; NaN for a model that had a prior.
func (m *Model) Penalty() float64 {
	if m.Prior != "" {
		return math.NaN() // the model does not keep it
	}
	total := 0.0
	for k, v := range m.Weights {
		w, b := floats.Wide(v), m.bias(k)
		if s := m.Scaling; s != nil {
			w, b = s.Exact(m, k)
		}
		if m.Config.Bias != BiasAugmented {
			b = 0 // a bias of another kind costs nothing
		}
		total += objective.Penalty(w, nil, b, m.lambda(k), m.Config.BiasScale)
	}
	if m.Config.Multiclass.Joint() {
		return total
	}
	return total / float64(len(m.Weights))
}

// MeanLoss returns the mean loss, as in training, of rows with the labels y whose scores
// [Model.DecisionAll] gave, or the mean over the problems, which with one-vs-one have the rows of
// two classes. weights, if not nil, has a weight for each row, as in Trainer.Weights; class weights
// and costs of mistakes do not count. It is NaN if a weight can't be used, a label is none of the
// model's, or a pair has no rows. It panics if y and weights differ in length.
func (m *Model) MeanLoss(scores []float64, y, weights []float32) float64 {
	if weights != nil && len(weights) != len(y) {
		panic(misuse.Lengths("len(weights)", len(weights), "len(y)", len(y)))
	}
	weight, err := rows.Weigh(y, weights, nil)
	if err != nil {
		return math.NaN()
	}
	c := m.Config.settings().Cost()
	if m.Classes == nil {
		spread := m.Scaling.room().Unit()
		c.Epsilon /= spread
		return weightedMean(weight, len(y), func(i int) float64 {
			return c.At((scores[i] - float64(y[i])) / spread)
		})
	}
	_, classes, err := labels.Classify(y, weight, m.Classes, rowError)
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
		z, positive, weight := m.scoresOf(k, scores, classes, weight)
		loss += weightedMean(weight, len(z), func(i int) float64 {
			if positive[i] {
				return c.At(z[i])
			}
			return c.At(-z[i])
		})
	}
	return loss / float64(len(m.Weights))
}

// weightedMean returns the mean of value(i) for i below n, by the weights; nil for ones. Values of
// weight 0 are not asked for.
func weightedMean(weight []float64, n int, value func(i int) float64) float64 {
	sum, all := 0.0, 0.0
	for i := range n {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		if w > 0 {
			sum += float64(w * value(i))
			all += w
		}
	}
	return sum / all
}

// scoresOf returns the scores by vector k of the rows of its problem whose weight is above 0, which
// of them should be above 0, and the rows' weights. Both weights are nil for ones.
func (m *Model) scoresOf(k int, scores []float64, classes []int32, all []float64) (z []float64,
	positive []bool, weight []float64) {
	no, yes := m.sides(k)
	for i, class := range classes {
		c := int(class)
		if all != nil && all[i] == 0 || c != yes && no >= 0 && c != no {
			continue
		}
		z, positive = append(z, scores[i*len(m.Weights)+k]), append(positive, c == yes)
		if all != nil {
			weight = append(weight, all[i])
		}
	}
	return z, positive, weight
}

// sides returns the class that vector k scores below 0, or -1 for all others, and the one above.
func (m *Model) sides(k int) (negative, positive int) {
	switch {
	case len(m.Weights) == 1:
		return 0, 1
	case m.Config.Multiclass == OneVsOne:
		return m.Pair(k)
	}
	return -1, k
}
