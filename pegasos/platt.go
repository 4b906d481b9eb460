package pegasos

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/train/calibrate"
)

// A Sigmoid makes a probability of a score z: 1/(1 + e^(A*z+B)) (Platt 1999).
type Sigmoid struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func (s Sigmoid) isFinite() bool { return floats.IsFinite(s.A) && floats.IsFinite(s.B) }

// Calibrate fits Platt's sigmoids, one for each weight vector, to scores that [Model.DecisionAll]
// gave of rows with the labels y, which should not be those of the training. From then on the model
// has probabilities.
func (m *Model) Calibrate(scores []float64, y []float32) error {
	if m.Classes == nil {
		return fmt.Errorf("pegasos: a model that predicts numbers has no probabilities")
	}
	vectors := len(m.Weights)
	if len(scores) != vectors*len(y) {
		return fmt.Errorf("pegasos: %d scores for %d rows and %d weight vectors",
			len(scores), len(y), vectors)
	}
	_, classes, err := labels.Classify(y, nil, m.Classes, rowError)
	if err != nil {
		return err
	}
	if i := floats.FirstNotFinite(scores); i >= 0 {
		return rowError(i/vectors, fmt.Sprintf("the score is %v", scores[i]))
	}
	calibration := make([]Sigmoid, vectors)
	for k := range calibration {
		negative, positive := m.sides(k)
		var z []float64
		var is []bool
		for i, c := range classes {
			if c := int(c); c == positive || negative < 0 || c == negative {
				z, is = append(z, scores[i*vectors+k]), append(is, c == positive)
			}
		}
		calibration[k] = Sigmoid(calibrate.Fit(z, is))
		if !calibration[k].isFinite() {
			return fmt.Errorf("pegasos: no sigmoid fits the scores of weight vector %d", k)
		}
	}
	m.Calibration = calibration
	return nil
}

// sides returns the class that a score of vector k above 0 speaks for, and the one that it speaks
// against, or -1 for all others.
func (m *Model) sides(k int) (negative, positive int) {
	switch {
	case len(m.Weights) == 1:
		return 0, 1
	case m.Config.Multiclass == OneVsOne:
		return m.Pair(k)
	}
	return -1, k
}

// HasProbabilities reports whether the model can tell probabilities: it was trained with the loss
// Log, or calibrated.
func (m *Model) HasProbabilities() bool {
	return m.Classes != nil && (m.Calibration != nil || m.Config.Loss.LogOdds())
}

// Probabilities writes the probability of each class to dst, for scores of one row, and returns
// dst. If dst is too short, a new slice is made. They add up to 1. Of one-vs-rest they are those of
// the classes' own problems, divided by their sum; of one-vs-one they agree best with those of the
// pairs (Wu, Lin and Weng, JMLR 5, 2004, the second method); of Multinomial they are e^z, divided
// by the sum. It panics if the model has none: see HasProbabilities.
func (m *Model) Probabilities(scores, dst []float64) []float64 {
	if !m.HasProbabilities() {
		panic(misuse.Of("the model has no probabilities"))
	}
	dst = sized(dst, len(m.Classes))
	vectors := len(m.Weights)
	scores = scores[:vectors]
	if m.Calibration == nil && m.Config.Multiclass == Multinomial {
		calibrate.Softmax(dst, scores)
		return dst
	}
	var space [fewOutputs]float64
	each := sized(space[:], vectors) // of the problems
	for k, z := range scores {
		if m.Calibration == nil {
			each[k] = floats.Sigmoid(z)
		} else {
			each[k] = calibrate.Sigmoid(m.Calibration[k]).At(z)
		}
	}
	switch {
	case vectors == 1:
		dst[0], dst[1] = 1-each[0], each[0]
	case m.Config.Multiclass == OneVsOne:
		calibrate.Couple(dst, each)
	default:
		copy(dst, each)
		calibrate.Normalise(dst)
	}
	return dst
}

// Folds deals the rows of each label of y out to so many folds, in random order: stratified, as for
// cross-validation. The same labels and seed give the same folds on every machine. It returns the
// number of each row's fold, -1 for rows whose weight is 0; weights may be nil.
func Folds(y, weights []float32, folds int, seed uint64) []int {
	return calibrate.Folds(y, weights, folds, seed)
}
