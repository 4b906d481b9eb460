package pegasos

import (
	"math"
	"strconv"
)

// FormatLabel returns a numeric label as it is printed: the shortest text that reads as the same
// float32.
func FormatLabel(label float32) string { return strconv.FormatFloat(float64(label), 'g', -1, 32) }

// ClassName returns the name of a class, or its label as text if the classes have no names.
func (m *Model) ClassName(class int) string {
	if m.Names != nil {
		return m.Names[class]
	}
	return FormatLabel(m.Classes[class])
}

// Objective returns P for rows whose scores [Model.DecisionAll] gave and whose classes, as
// positions in Classes, are known: the sum of [Model.Penalty] and [Model.MeanLoss].
func (m *Model) Objective(scores []float64, classes []int) float64 {
	return m.Penalty() + m.MeanLoss(scores, classes)
}

// Penalty returns lambda/2 |w|^2, and of more than one problem the mean over them. It is NaN for a
// model that had a prior, which isn't kept.
func (m *Model) Penalty() float64 {
	var total float64
	for k := range m.Weights {
		total += m.penalty(k)
	}
	if m.Config.Multiclass.Joint() {
		return total
	}
	return total / float64(len(m.Weights))
}

// MeanLoss returns the mean loss, as in training, of rows as in Objective, and of more than one
// problem the mean over them. With one-vs-one a problem has the rows of its two classes; there must
// be some of each pair. All rows have the same weight, also where they did not in training, and so
// do all mistakes.
func (m *Model) MeanLoss(scores []float64, classes []int) float64 {
	vectors := len(m.Weights)
	if m.Config.Multiclass.Joint() {
		j := joint{log: m.Config.Multiclass == Multinomial}
		var loss float64
		for i, class := range classes {
			loss += j.loss(scores[i*vectors:][:vectors], class)
		}
		return loss / float64(len(classes))
	}
	c := m.Config.cost()
	pairs := vectors > 1 && m.Config.Multiclass == OneVsOne
	var total float64
	for k := range m.Weights {
		negative, positive := -1, k
		switch {
		case pairs:
			negative, positive = m.Pair(k)
		case vectors == 1:
			positive = 1
		}
		var loss float64
		rows := 0
		for i, class := range classes {
			z := scores[i*vectors+k]
			if class != positive {
				if pairs && class != negative {
					continue
				}
				z = -z
			}
			loss += c.at(z)
			rows++
		}
		total += loss / float64(rows)
	}
	return total / float64(vectors)
}

// ObjectiveNumbers is like Objective, for a model that predicts numbers, of which y are the true
// ones.
func (m *Model) ObjectiveNumbers(scores []float64, y []float32) float64 {
	return m.Penalty() + m.MeanLossNumbers(scores, y)
}

// MeanLossNumbers is like MeanLoss, for a model that predicts numbers, of which y are the true
// ones.
func (m *Model) MeanLossNumbers(scores []float64, y []float32) float64 {
	c := m.Config.cost()
	var loss float64
	for i, v := range y {
		loss += c.at(scores[i] - float64(v))
	}
	return loss / float64(len(y))
}

func (m *Model) penalty(k int) float64 {
	if m.Prior != "" {
		return math.NaN()
	}
	if m.Config.Bias != BiasAugmented {
		return penalty(m.Weights[k], 0, m.lambda(k), 1) // a bias of another kind costs nothing
	}
	return penalty(m.Weights[k], m.bias(k), m.lambda(k), m.Config.BiasScale)
}

// RMSE returns the root of the mean squared difference between the scores that [Model.DecisionAll]
// gave and the numbers y.
func (m *Model) RMSE(scores []float64, y []float32) float64 {
	var sum float64
	for i, v := range y {
		d := scores[i] - float64(v)
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(y)))
}
