package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// FormatLabel returns a numeric label as it is printed: the shortest text that reads as the same
// float32.
func FormatLabel(label float32) string { return labels.Format(label) }

// ClassName returns the name of a class, or its label as text if the classes have no names.
func (m *Model) ClassName(class int) string {
	return labels.Name(m.Classes, m.Names, class)
}

// Objective returns P for rows whose scores [Model.DecisionAll] gave and whose labels are y: the
// sum of [Model.Penalty] and [Model.MeanLoss].
func (m *Model) Objective(scores []float64, y []float32) float64 {
	return m.Penalty() + m.MeanLoss(scores, y)
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

// MeanLoss returns the mean loss, as in training, of rows with the labels y whose scores are given,
// as in [Model.Objective], and of more than one problem the mean over them. With one-vs-one a
// problem has the rows of its two classes. All rows have the same weight, also where they had not
// in training, and so have all mistakes. It is NaN if a label is none of the model's, or a pair has
// no rows.
func (m *Model) MeanLoss(scores []float64, y []float32) float64 {
	c := m.Config.cost()
	if m.Classes == nil {
		var loss float64
		spread := m.Scaling.spread()
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
	vectors := len(m.Weights)
	if m.Config.Multiclass.Joint() {
		j := objective.Joint{Log: m.Config.Multiclass == Multinomial}
		var loss float64
		for i, class := range classes {
			loss += j.Loss(scores[i*vectors:][:vectors], int(class))
		}
		return loss / float64(len(classes))
	}
	var total float64
	for k := range m.Weights {
		negative, positive := m.sides(k)
		var loss float64
		rows := 0
		for i, class := range classes {
			z := scores[i*vectors+k]
			if int(class) != positive {
				if negative >= 0 && int(class) != negative {
					continue
				}
				z = -z
			}
			loss += c.At(z)
			rows++
		}
		total += loss / float64(rows)
	}
	return total / float64(vectors)
}

func (m *Model) penalty(k int) float64 {
	if m.Prior != "" {
		return math.NaN()
	}
	if s := m.Scaling; s != nil {
		w, b := s.Exact(m, k)
		if m.Config.Bias != BiasAugmented {
			return objective.Penalty(w, nil, 0, m.lambda(k), 1)
		}
		return objective.Penalty(w, nil, b, m.lambda(k), m.Config.BiasScale)
	}
	if m.Config.Bias != BiasAugmented {
		return objective.Penalty(m.Weights[k], nil, 0, m.lambda(k), 1) // a bias of another kind costs nothing
	}
	return objective.Penalty(m.Weights[k], nil, m.bias(k), m.lambda(k), m.Config.BiasScale)
}
