package pegasos

import (
	"errors"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/calibrate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// Decision writes the scores of row i of x to dst, one for each weight vector, and returns dst, or
// a new slice if dst is too short. It panics unless x has Cols columns: see [Model.WithCols].
func (m *Model) Decision(x Examples, i int, dst []float64) []float64 {
	if x.Cols() != m.Cols() {
		panic(misuse.Lengths("x.Cols()", x.Cols(), "m.Cols()", m.Cols()))
	}
	dst = sized(dst, len(m.Weights))
	if m.scalesRows() {
		index, values := store.ReaderOf(x).Row(i)
		return m.scoreScaled(index, values, dst)
	}
	for k, w := range m.Weights {
		dst[k] = float64(x.Dot(i, w)) + m.bias(k)
	}
	return dst
}

// Class returns the position in Classes of the class with the highest [Model.ClassScores], the
// first of those that are equal, or -1 if a score is not finite: a sum that float32 can't hold
// speaks for no class. It panics for a model that predicts numbers.
func (m *Model) Class(scores []float64) int {
	if m.Classes == nil {
		panic(misuse.Of("the model predicts numbers, not classes"))
	}
	scores = m.checkScores(scores)
	switch {
	case floats.FirstNotFinite(scores) >= 0:
		return -1
	case len(scores) == 1 && scores[0] > 0:
		return 1
	case len(scores) == 1:
		return 0
	case m.Config.Multiclass == OneVsOne:
		var space [32]float64
		return labels.Highest(m.ClassScores(scores, space[:]))
	}
	return labels.Highest(scores) // they are those of the classes
}

// checkScores returns the score of each weight vector. It panics if one, or the vectors, are
// missing.
func (m *Model) checkScores(scores []float64) []float64 {
	if len(m.Weights) == 0 {
		panic(misuse.Of("the model has no weights: it was not trained or read"))
	}
	if len(scores) < len(m.Weights) {
		panic(misuse.Lengths("len(scores)", len(scores), "len(m.Weights)", len(m.Weights)))
	}
	return scores[:len(m.Weights)]
}

// ClassScores writes a score for each class to dst, in the order of Classes, and returns dst, or a
// new slice if dst is too short. For two classes with one score z they are -z and z. With
// one-vs-one a class has a vote of each pair that speaks for it and, to break ties, s/(3(|s|+1)) of
// the sum s of its pairs' scores, positive where they do. Otherwise they are the scores themselves.
func (m *Model) ClassScores(scores, dst []float64) []float64 {
	pairs := m.Config.Multiclass == OneVsOne
	return labels.ClassScores(scores[:len(m.Weights)], dst, len(m.Classes), pairs)
}

// label returns what the scores predict: NaN if they predict nothing.
func (m *Model) label(scores []float64) float32 {
	if m.Classes == nil {
		if z := float32(m.checkScores(scores)[0]); floats.IsFinite(z) {
			return z
		}
		return float32(math.NaN())
	}
	return labels.At(m.Classes, m.Class(scores))
}

// Predict returns the label of row i of x, or NaN if a score is not finite because products of
// features and weights are too large for float32. It panics if x and the model differ in Cols.
func (m *Model) Predict(x Examples, i int) float32 {
	var space [fewOutputs]float64
	return m.label(m.Decision(x, i, space[:]))
}

// DecisionAll returns the scores of all rows of x: those of row i start at i*len(m.Weights).
// Features that the model lacks are ignored; those that x lacks count as 0.
func (m *Model) DecisionAll(x Examples) []float64 {
	m = m.fit(x)
	n := len(m.Weights)
	scores := make([]float64, n*x.Rows())
	for i := range x.Rows() {
		m.Decision(x, i, scores[i*n:][:n])
	}
	return scores
}

// fit returns a model over the columns of x. It panics if x claims impossible columns or rows.
func (m *Model) fit(x Examples) *Model {
	if err := store.Given(x); err != nil {
		panic(misuse.Of("%v", err))
	}
	return m.WithCols(x.Cols())
}

// PredictAll returns [Model.Predict] for all rows of x, with other Cols as in [Model.DecisionAll].
func (m *Model) PredictAll(x Examples) []float32 {
	m = m.fit(x)
	predicted := make([]float32, x.Rows())
	scores := make([]float64, len(m.Weights))
	for i := range predicted {
		predicted[i] = m.label(m.Decision(x, i, scores))
	}
	return predicted
}

// Score writes the scores of one row, of Cols features, to dst, one for each weight vector, and
// returns dst, or a new slice if dst is shorter than [Model.Outputs]. The bits are those of
// [Model.Decision]. [Model.Class] and [Model.Probabilities] take the scores. Any number of
// goroutines may score at once. Nothing else is allocated, unless a Scaling is not folded: then the
// row is scaled in new memory. A model with a Scaler, HashBits or a Table takes rows that have been
// scaled, hashed or ordered like its training data. It panics if x has another length.
func (m *Model) Score(x []float32, dst []float64) []float64 {
	if len(x) != m.Cols() {
		panic(misuse.Lengths("len(x)", len(x), "m.Cols()", m.Cols()))
	}
	dst = sized(dst, len(m.Weights))
	if m.scalesRows() {
		return m.scoreScaled(nil, x, dst)
	}
	for k, w := range m.Weights {
		dst[k] = float64(asm.Dot(x, w)) + m.bias(k)
	}
	return dst
}

// ScoreSparse is [Model.Score] for a row of a sparse matrix: val[k] is the value of feature idx[k],
// counted from 0; the others are 0. Features from Cols on are ignored. It panics if idx and val
// differ in length, or idx is not ascending or begins below 0.
func (m *Model) ScoreSparse(idx []int32, val []float32, dst []float64) []float64 {
	store.CheckRow(idx, val)
	dst = sized(dst, len(m.Weights))
	if m.scalesRows() {
		return m.scoreScaled(idx, val, dst)
	}
	n := len(idx)
	for n > 0 && int(idx[n-1]) >= m.Cols() {
		n--
	}
	for k, w := range m.Weights {
		dst[k] = float64(asm.DotSparse(idx[:n], val[:n], w)) + m.bias(k)
	}
	return dst
}

// sized returns the first n elements of dst, or a new slice if dst is too short.
func sized(dst []float64, n int) []float64 {
	if len(dst) < n {
		return make([]float64, n)
	}
	return dst[:n]
}

// fewOutputs is the most weight vectors with which a single row is predicted without allocating.
const fewOutputs = 64

// PredictDense returns the label of one row of Cols features, or NaN if a score is not finite. In a
// model of up to 64 weight vectors it allocates no more than [Model.Score].
func (m *Model) PredictDense(x []float32) float32 {
	var space [fewOutputs]float64
	return m.label(m.Score(x, space[:]))
}

// PredictSparse is [Model.PredictDense] for a row of a sparse matrix, as in [Model.ScoreSparse].
func (m *Model) PredictSparse(idx []int32, val []float32) float32 {
	var space [fewOutputs]float64
	return m.label(m.ScoreSparse(idx, val, space[:]))
}

// Calibrate gives the model probabilities: it fits Platt's sigmoids, one for each weight vector, to
// scores that [Model.DecisionAll] gave of rows with the labels y, which should not be those of the
// training. weights, if not nil, has a weight for each row, as in Trainer.Weights: a row of weight
// 2 counts as two rows, in Platt's targets as well, a row of weight 0 is ignored, and weights with
// a mean below 1 are multiplied to a mean of 1. The probabilities are then those of the weighted
// rows. Calibrate fails if the arguments do not fit the model, a number is not finite, or no
// sigmoid fits.
func (m *Model) Calibrate(scores []float64, y, weights []float32) error {
	if m.Classes == nil {
		return errors.New("pegasos: a model that predicts numbers has no probabilities")
	}
	vectors := len(m.Weights)
	if len(scores) != vectors*len(y) {
		return fmt.Errorf("pegasos: %d scores for %d rows and %d weight vectors",
			len(scores), len(y), vectors)
	}
	weight, err := rows.Weigh(y, weights, nil)
	if err != nil {
		return publicError(err)
	}
	_, classes, err := labels.Classify(y, weight, m.Classes, rowError)
	if err != nil {
		return err
	}
	for i := range y {
		row := scores[i*vectors:][:vectors]
		if bad := floats.FirstNotFinite(row); bad >= 0 && (weight == nil || weight[i] > 0) {
			return rowError(i, fmt.Sprintf("the score is %v", row[bad]))
		}
	}
	calibration := make([]Sigmoid, vectors)
	for k := range calibration {
		z, positive, weight := m.scoresOf(k, scores, classes, weight)
		calibration[k] = Sigmoid(calibrate.Fit(z, positive, weight))
		if !calibration[k].isFinite() {
			return fmt.Errorf("pegasos: no sigmoid fits the scores of weight vector %d", k)
		}
	}
	m.Calibration = calibration
	return nil
}

// HasProbabilities reports whether the model was trained with the loss Log, or calibrated.
func (m *Model) HasProbabilities() bool {
	loss := m.Config.Loss
	if loss == "" { // a file may leave out the default; Plain allocates
		loss = m.Config.Plain().Loss
	}
	return m.Classes != nil && (m.Calibration != nil || loss.LogOdds())
}

// Probabilities writes the probability of each class to dst, for the scores of one row, and returns
// dst, or a new slice if dst is too short. They add up to 1: of one-vs-rest they are those of the
// classes' own problems, divided by their sum, of Multinomial e^z, divided by the sum, and of
// one-vs-one those that agree best with the pairs' (Wu, Lin and Weng, JMLR 5, 2004, the second
// method). It panics unless the model [Model.HasProbabilities].
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

// scoreScaled writes the scores of a row, of all values if index is nil, which it scales first.
func (m *Model) scoreScaled(index []int32, values []float32, dst []float64) []float64 {
	m.Scaling.room().Dots(index, values, m.Weights, func(k int, z float64) {
		dst[k] = z + m.bias(k)
	})
	return dst
}
