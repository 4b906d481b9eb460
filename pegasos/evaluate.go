package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// FormatLabel returns the shortest text that reads as the same float32.
func FormatLabel(label float32) string { return labels.Format(label) }

// ClassName returns the name of a class, or its label as text if the classes have no names.
func (m *Model) ClassName(class int) string { return labels.Name(m.Classes, m.Names, class) }

// Objective returns the sum of [Model.Penalty] and [Model.MeanLoss]: P for these rows.
func (m *Model) Objective(scores []float64, y []float32) float64 {
	return m.Penalty() + m.MeanLoss(scores, y)
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
// two classes. All rows have the same weight and all mistakes the same cost, whatever they had in
// training. It is NaN if a label is none of the model's, or a pair has no rows.
func (m *Model) MeanLoss(scores []float64, y []float32) float64 {
	c, loss := m.Config.settings().Cost(), 0.0
	if m.Classes == nil {
		spread := m.Scaling.room().Unit()
		c.Epsilon /= spread
		for i, v := range y {
			loss += c.At((scores[i] - float64(v)) / spread)
		}
		return loss / float64(len(y))
	}
	_, classes, err := labels.Classify(y, nil, m.Classes, rowError)
	if err != nil {
		return math.NaN()
	}
	if m.Config.Multiclass.Joint() {
		j := objective.Joint{Log: m.Config.Multiclass == Multinomial}
		for i, class := range classes {
			loss += j.Loss(scores[i*len(m.Weights):][:len(m.Weights)], int(class))
		}
		return loss / float64(len(classes))
	}
	for k := range m.Weights {
		z, positive := m.scoresOf(k, scores, classes)
		sum := 0.0
		for i, margin := range z {
			if !positive[i] {
				margin = -margin
			}
			sum += c.At(margin)
		}
		loss += sum / float64(len(z))
	}
	return loss / float64(len(m.Weights))
}

// scoresOf returns the scores by vector k of the rows of its problem, and which should be above 0.
func (m *Model) scoresOf(k int, scores []float64, classes []int32) (z []float64, positive []bool) {
	no, yes := m.sides(k)
	for i, class := range classes {
		if c := int(class); c == yes || no < 0 || c == no {
			z, positive = append(z, scores[i*len(m.Weights)+k]), append(positive, c == yes)
		}
	}
	return z, positive
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
