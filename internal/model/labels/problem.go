package labels

// Problem is one binary problem of a classifier. A score above 0 by its weight vector predicts the
// positive class, any other score the negative class.
type Problem struct {
	Vector  int
	Vectors int
	Classes int
	Pairs   bool // the model has a vector for each pair of classes
}

// sides returns the two classes of the problem. A negative class of -1 stands for all other
// classes.
func (p Problem) sides() (negative, positive int) {
	switch {
	case p.Vectors == 1:
		return 0, 1
	case p.Pairs:
		return Pair(p.Vector, p.Classes)
	}
	return -1, p.Vector
}

// Pair returns the classes of pair k in the order (0,1), (0,2), ..., (1,2), ....
func Pair(k, classes int) (first, second int) {
	for first = 0; k >= classes-1-first; first++ {
		k -= classes - 1 - first
	}
	return first, first + 1 + k
}

// Rows returns, for each row of the problem whose weight is not 0, the score by the problem's
// weight vector, whether the row is of the positive class, and the weight: nil if weights is nil.
// scores has shape rows x Vectors.
func (p Problem) Rows(scores []float64, class []int32, weights []float64) (
	z []float64, positive []bool, weight []float64,
) {
	no, yes := p.sides()
	for i, class := range class {
		c := int(class)
		if weights != nil && weights[i] == 0 || c != yes && no >= 0 && c != no {
			continue
		}
		z, positive = append(z, scores[i*p.Vectors+p.Vector]), append(positive, c == yes)
		if weights != nil {
			weight = append(weight, weights[i])
		}
	}
	return z, positive, weight
}
