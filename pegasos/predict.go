package pegasos

import (
	"errors"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/calibrate"
)

// Decision stores the scores of row i of x in dst, one for each weight vector, and returns dst[:n]
// for n = [Model.Outputs], or a new slice if dst is shorter. It panics unless x has Cols columns:
// see [Model.WithCols].
func (m *Model) Decision(x Examples, i int, dst []float64) []float64 {
	misuse.CheckEqual("x.Cols()", x.Cols(), "m.Cols()", m.Cols())
	dst = resize(dst, len(m.Weights))
	if m.scalesRows() {
		index, values := store.Of(x).Row(i)
		return m.scoreScaled(index, values, dst)
	}
	for k, w := range m.Weights {
		dst[k] = float64(x.Dot(i, w)) + m.bias(k)
	}
	return dst
}

// Class returns the index in Classes of the class with the highest score by [Model.ClassScores], or
// of the first class in a tie. It returns -1 if a score is NaN or infinite. It panics for a
// regression model, and if there are fewer scores than weight vectors.
func (m *Model) Class(scores []float64) int {
	if m.Classes == nil && len(m.Weights) > 0 {
		panic(misuse.Of("a regression model has no classes"))
	}
	scores = m.checkScores(scores)
	switch {
	case floats.FirstNotFinite(scores) >= 0:
		return -1
	case len(scores) == 1 || m.Config.Multiclass == OneVsOne:
		var buf [32]float64
		return labels.Highest(m.ClassScores(scores, buf[:]))
	}
	return labels.Highest(scores)
}

func (m *Model) checkScores(scores []float64) []float64 {
	if len(m.Weights) == 0 {
		panic(misuse.Of("the model has no weights: it was not trained or read"))
	}
	if len(scores) < len(m.Weights) {
		panic(misuse.Lengths("len(scores)", len(scores), "len(m.Weights)", len(m.Weights)))
	}
	return scores[:len(m.Weights)]
}

// ClassScores stores a score for each class in dst, given the scores of one row, and returns dst
// cut to the number of classes, or a new slice if dst is shorter. For two classes with one score z
// the class scores are -z and z. With one-vs-one the score of a class is its number of votes plus,
// to break ties, s/(3(|s|+1)), where s is the sum of the scores of the class's pairs, negated where
// the class is the first of the pair. In all other models the class scores are the given scores.
func (m *Model) ClassScores(scores, dst []float64) []float64 {
	pairs := m.Config.Multiclass == OneVsOne
	return labels.ClassScores(scores[:len(m.Weights)], dst, len(m.Classes), pairs)
}

// label returns NaN if a score is not finite.
func (m *Model) label(scores []float64) float32 {
	if m.Classes == nil {
		if z := float32(m.checkScores(scores)[0]); floats.IsFinite(z) {
			return z
		}
		return float32(math.NaN())
	}
	return labels.At(m.Classes, m.Class(scores))
}

// Predict returns the predicted label of row i of x; for regression, the predicted target. It is
// NaN if a score is not finite, or a target exceeds float32. Predict panics unless x has Cols
// columns.
func (m *Model) Predict(x Examples, i int) float32 {
	var buf [maxStackOutputs]float64
	return m.label(m.Decision(x, i, buf[:]))
}

// DecisionAll returns the scores of all rows of x, [Model.Outputs] for each row, row by row.
// Features that the model lacks are ignored, except in the row's norm with ScaleUnit; features that
// x lacks count as 0.
func (m *Model) DecisionAll(x Examples) []float64 {
	m = m.matchCols(x)
	d, n := m.newDecider(x), len(m.Weights)
	scores := make([]float64, n*x.Rows())
	for i := range x.Rows() {
		d.decide(i, scores[i*n:][:n])
	}
	return scores
}

type decider struct {
	*Model
	x     store.Rows
	mixed *store.Mixed // interleaved weight vectors; nil if they save no time
}

func (m *Model) newDecider(x Examples) *decider {
	d := &decider{Model: m, x: store.Of(x)}
	// Interleaving weight vectors costs as much time as their dot products with rows that have
	// perColumn nonzeros per column.
	const perColumn = 2
	if len(m.Weights) > 2 && !m.scalesRows() && store.MixingPays(d.x, x.Rows(), perColumn) {
		d.mixed = store.NewMixed(d.x, len(m.Weights))
		d.mixed.Load(m.Weights)
	}
	return d
}

func (d *decider) decide(i int, dst []float64) {
	if d.mixed == nil {
		d.Decision(d.x, i, dst)
		return
	}
	for k, z := range d.mixed.Dots(i) {
		dst[k] = float64(z) + d.bias(k)
	}
}

func (m *Model) matchCols(x Examples) *Model {
	if err := store.CheckExamples(x); err != nil {
		panic(misuse.Of("%v", err))
	}
	return m.WithCols(x.Cols())
}

// PredictAll returns the result of [Model.Predict] for each row of x. The numbers of columns of x
// and of the model may differ, as for [Model.DecisionAll].
func (m *Model) PredictAll(x Examples) []float32 {
	m = m.matchCols(x)
	d, scores, predicted := m.newDecider(x), make([]float64, len(m.Weights)),
		make([]float32, x.Rows())
	for i := range predicted {
		d.decide(i, scores)
		predicted[i] = m.label(scores)
	}
	return predicted
}

// Score stores the scores of one row x in dst, one for each weight vector, and returns dst[:n] for
// n = [Model.Outputs], or a new slice if dst is shorter. Pass the scores to [Model.Class] or
// [Model.Probabilities]. Score allocates nothing else, except buffers that later calls reuse. It
// panics unless len(x) is Cols.
func (m *Model) Score(x []float32, dst []float64) []float64 {
	misuse.CheckEqual("len(x)", len(x), "m.Cols()", m.Cols())
	dst = resize(dst, len(m.Weights))
	if m.scalesRows() {
		return m.scoreScaled(nil, x, dst)
	}
	for k, w := range m.Weights {
		dst[k] = float64(asm.Dot(x, w)) + m.bias(k)
	}
	return dst
}

// ScoreSparse is [Model.Score] for a sparse row: val[k] is the value of feature idx[k], counted
// from 0, and all other features are 0. Features without a weight are ignored, except in the row's
// norm with ScaleUnit. ScoreSparse panics if idx and val differ in length, or if idx is not
// strictly ascending or has a negative element.
func (m *Model) ScoreSparse(idx []int32, val []float32, dst []float64) []float64 {
	store.CheckRow(idx, val)
	dst = resize(dst, len(m.Weights))
	if m.scalesRows() {
		if idx == nil {
			idx = []int32{} // an empty row, not a dense one
		}
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

func resize(dst []float64, n int) []float64 {
	if len(dst) < n {
		return make([]float64, n)
	}
	return dst[:n]
}

const maxStackOutputs = 64 // scores that fit into buffers on the stack

// PredictDense returns the predicted label, or target, of one row x of Cols features; NaN if a
// score is not finite. With up to 64 weight vectors it allocates no more than [Model.Score].
func (m *Model) PredictDense(x []float32) float32 {
	var buf [maxStackOutputs]float64
	return m.label(m.Score(x, buf[:]))
}

// PredictSparse is [Model.PredictDense] for a sparse row: see [Model.ScoreSparse] for idx and val.
func (m *Model) PredictSparse(idx []int32, val []float32) float32 {
	var buf [maxStackOutputs]float64
	return m.label(m.ScoreSparse(idx, val, buf[:]))
}

// Calibrate sets Calibration by Platt's method: it fits a sigmoid for each weight vector to the
// scores that [Model.DecisionAll] returned for rows with the labels y, which should not be training
// rows. weights is as in Trainer.Weights; if the mean of a sigmoid's row weights above 0 is below
// 1, they are scaled to the mean 1. Calibrate sets Config.Calibrate to 0, since no folds are used.
// It returns an error and leaves the model unchanged if an argument is not finite or does not fit
// the model, or no sigmoid fits.
func (m *Model) Calibrate(scores []float64, y, weights []float32) error {
	err := m.fitSigmoids(scores, y, weights)
	if err == nil {
		m.Config.Calibrate = 0
	}
	return err
}

// fitSigmoids implements Calibrate, but keeps Config.Calibrate.
func (m *Model) fitSigmoids(scores []float64, y, weights []float32) error {
	if m.Classes == nil {
		return errors.New("pegasos: a model without classes, as for regression, has no probabilities")
	}
	vectors := len(m.Weights)
	if len(scores) != vectors*len(y) {
		return fmt.Errorf("pegasos: %s for %s, want %d for each", plural.Count(len(scores), "score"),
			plural.Count(len(y), "label"), vectors)
	}
	weight, err := labels.Weigh(y, weights, nil, newRowError)
	if err != nil {
		return err
	}
	_, classes, err := labels.Classify(y, weight, m.Classes, newRowError)
	if err != nil {
		return err
	}
	for i := range y {
		row := scores[i*vectors:][:vectors]
		if bad := floats.FirstNotFinite(row); bad >= 0 && (weight == nil || weight[i] > 0) {
			return newRowError(i, fmt.Sprintf("a score is %v", row[bad]))
		}
	}
	calibration := make([]Sigmoid, vectors)
	for k := range calibration {
		z, positive, weight := m.problemScores(k, scores, classes, weight)
		calibration[k] = Sigmoid(calibrate.Fit(z, positive, weight))
		if !calibration[k].isFinite() {
			return fmt.Errorf("pegasos: no sigmoid fits the scores of weight vector %d", k)
		}
	}
	m.Calibration = calibration
	return nil
}

// HasProbabilities reports whether the model has classes, and the loss Log or a Calibration.
func (m *Model) HasProbabilities() bool {
	loss := m.Config.Loss
	if loss == "" { // Plain allocates
		loss = m.Config.Plain().Loss
	}
	return m.Classes != nil && (m.Calibration != nil || loss.LogOdds())
}

// Probabilities stores the probability of each class for the scores of one row in dst and returns
// dst cut to the number of classes, or a new slice if dst is shorter. Multinomial without a
// Calibration gives the softmax of the scores. In all other models each weight vector has a
// probability of its positive class: the value of its sigmoid in Calibration at its score z, or
// 1/(1 + e^-z) without a Calibration. A model with a weight vector for each class divides these
// probabilities by their sum; a one-vs-one model combines them by the second method of Wu, Lin and
// Weng (JMLR 5, 2004). Probabilities panics unless [Model.HasProbabilities] is true, and if there
// are fewer scores than weight vectors.
func (m *Model) Probabilities(scores, dst []float64) []float64 {
	if !m.HasProbabilities() {
		panic(misuse.Of("the model has no probabilities"))
	}
	scores = m.checkScores(scores)
	dst = resize(dst, len(m.Classes))
	if m.Calibration == nil && m.Config.Multiclass == Multinomial {
		calibrate.Softmax(dst, scores)
		return dst
	}
	var buf [maxStackOutputs]float64
	each := resize(buf[:], len(scores)) // of each weight vector's positive class
	for k, z := range scores {
		s := calibrate.Sigmoid{A: -1} // without a Calibration z is the log-odds
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
		calibrate.Normalize(dst)
	}
	return dst
}

// values has all features if index is nil.
func (m *Model) scoreScaled(index []int32, values []float32, dst []float64) []float64 {
	m.Scaling.internal().Dots(dst, index, values, m.Weights)
	for k := range dst {
		dst[k] += m.bias(k)
	}
	return dst
}
