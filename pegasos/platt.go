package pegasos

import (
	"context"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/train/calibrate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
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
		calibration[k] = Sigmoid(calibrate.Fit(m.scoresOf(k, scores, classes)))
		if !calibration[k].isFinite() {
			return fmt.Errorf("pegasos: no sigmoid fits the scores of weight vector %d", k)
		}
	}
	m.Calibration = calibration
	return nil
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
	scores = scores[:len(m.Weights)]
	if m.Calibration == nil && m.Config.Multiclass == Multinomial {
		calibrate.Softmax(dst, scores)
		return dst
	}
	var space [fewOutputs]float64
	each := sized(space[:], len(scores)) // of the problems
	for k, z := range scores {
		s := calibrate.Sigmoid{A: -1} // z is the logarithm of the odds
		if m.Calibration != nil {
			s = calibrate.Sigmoid(m.Calibration[k])
		}
		each[k] = s.At(z)
	}
	switch {
	case len(each) == 1:
		dst[0], dst[1] = 1-each[0], each[0]
	case m.Config.Multiclass == OneVsOne:
		calibrate.Couple(dst, each)
	default:
		copy(dst, each)
		calibrate.Normalise(dst)
	}
	return dst
}

// calibrate fits sigmoids to the scores that models of the same settings give for rows they have
// not been trained on: there is one for each fold, trained on the others. Rows without weight have
// no part in it.
func (t *task) calibrate(ctx context.Context, m *Model, set *rows.Set) error {
	folds, labels := t.Calibrate, set.Y
	fold := Folds(labels, t.Weights, folds, t.Seed)
	inner := *t
	inner.Calibrate, inner.KeepState, inner.Resume, inner.Pause = 0, false, nil, 0
	inner.classes = m.Classes
	var scores []float64
	var held []float32 // the labels
	z := make([]float64, len(m.Weights))
	for f := range folds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		inner.Weights = calibrate.Outside(t.Weights, fold, f)
		others, err := inner.newSet(set.X, labels)
		var part *Model
		if err == nil {
			part, err = inner.trainOnce(ctx, others, false)
		}
		if err != nil {
			err = fmt.Errorf("pegasos: calibration, fold %d of %d: %w", f+1, folds, err)
			return firstError(ctx.Err(), err)
		}
		for i, label := range labels {
			if fold[i] == f {
				scores, held = append(scores, part.Decision(set.X, i, z)...), append(held, label)
			}
		}
	}
	return m.Calibrate(scores, held)
}

// Folds deals the rows of each label of y out to so many folds, in random order: stratified, as for
// cross-validation. The same labels and seed give the same folds on every machine. It returns the
// number of each row's fold, -1 for rows whose weight is 0; weights may be nil.
func Folds(y, weights []float32, folds int, seed uint64) []int {
	return calibrate.Folds(y, weights, folds, seed)
}
