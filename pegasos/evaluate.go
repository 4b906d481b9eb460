package pegasos

import "strconv"

// FormatLabel returns a numeric label as it is printed: the shortest text that reads as the same float32.
func FormatLabel(label float32) string { return strconv.FormatFloat(float64(label), 'g', -1, 32) }

// ClassName returns the name of a class, or its label as text if the classes have no names.
func (m *Model) ClassName(class int) string {
	if m.Names != nil {
		return m.Names[class]
	}
	return FormatLabel(m.Classes[class])
}

// Objective returns P for rows whose scores [Model.DecisionAll] gave and whose classes, as positions in Classes, are
// known: lambda/2 |w|^2 + the mean loss, as in training, and of more than two classes the mean over their problems.
func (m *Model) Objective(scores []float64, classes []int) float64 {
	vectors := len(m.Weights)
	var total float64
	for k, w := range m.Weights {
		positive := k
		if vectors == 1 {
			positive = 1
		}
		var loss float64
		for i, class := range classes {
			z := scores[i*vectors+k]
			if class != positive {
				z = -z
			}
			loss += max(0, 1-z)
		}
		total += penalty(w, m.bias(k), m.Lambda, m.Config.BiasScale) + loss/float64(len(classes))
	}
	return total / float64(vectors)
}
