package pegasos

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
)

// A Model is what training gives and prediction takes.
//
// For two classes there is one weight vector, and a score above 0 speaks for the second class. For
// more there is one a class, and the highest score wins; with [OneVsOne] there is one for each pair
// of classes, whose score above 0 is a vote for the second of the two. Joint problems have one a
// class even of two. A model that predicts numbers has no classes and one weight vector, whose
// score is the prediction.
type Model struct {
	Classes []float32   // the labels, ascending; nil for numbers
	Names   []string    // of the classes, if they have any: Train leaves it nil
	Weights [][]float32 // each has Cols elements
	Bias    []float64   // one for each weight vector, added to its scores; nil for none

	// Scaler, if not nil, says in JSON how the features were scaled. The caller sets it and uses
	// it, as the command does with a dataset.Scaler: data have to be scaled likewise before the
	// model predicts them.
	Scaler json.RawMessage

	// HashBits, if not 0, says that the features are 2^HashBits buckets, as dataset.Options has it.
	// The caller sets it and uses it.
	HashBits int

	// Table, if not nil, says in JSON what the columns of the data were, their names for instance.
	// The caller sets it and uses it, as the command does with a dataset.Table.
	Table json.RawMessage

	Calibration []Sigmoid // one for each weight vector; nil for none

	Lambda float64 // in force, also where C was given
	Config Config  // defaults filled in
	Prior  string  // the Hash of the prior; empty without one
	// Data is a fingerprint of the rows, labels, weights and prior that Result is about, and of how
	// the rows were held, if Trainer.Fingerprint asked for it: see Trainer.Verify.
	Data string

	// IndexBase is the number of the first feature in the file that the data came from. The caller
	// sets it and uses it.
	IndexBase int

	Result Result
	State  *State // of the run, if Trainer.KeepState asked for it
	Proof  *Proof // of Result's bound, if Trainer.KeepProof asked for it: it has a file of its own

	// Scaling is how the rows were scaled for training; nil if they were not. Unlike the Scaler,
	// the model uses it by itself: predictions take rows as they are.
	Scaling *Scaling
}

// A Result says how a run went.
type Result struct {
	// Steps is the largest number that a weight vector has taken. It includes the steps of the
	// model that the run started from.
	Steps      int64
	Epochs     float64 // of the run
	Violations int64   // steps that changed the weights, over all classes

	// Replaced is the number of problems whose result had an objective above that of w = 0 (the
	// prior, if there is one) or of the start: their weights are the best of these and the last
	// iterate. Nothing is replaced with OffsetNone, whose steps are the paper's, nor with Patience.
	Replaced int

	Weight float64 // sum of the rows' weights; 0 if there were none, and all weighed 1

	// R2 is the mean squared norm of the rows, the appended feature included. With one-vs-one it is
	// that of the first pair's rows, and so is T0.
	R2 float64
	T0 float64

	// Objective is P, the mean over the classes' problems; DualObjective is a lower bound on the
	// least P there is, which carries all roundings, also those of Objective. Gap is the most by
	// which P is above that least, as a share of it: (Objective-DualObjective)/DualObjective. It is
	// 0 where the two are the same, and +Inf where DualObjective is 0 and Objective is not. Without
	// a certificate the latter two are NaN, and all three are NaN in the model of a run that was
	// interrupted.
	Objective     float64
	DualObjective float64
	Gap           float64

	// PerClass has the parts of the above, for each weight vector. Joint problems have none. A pair
	// of one-vs-one whose classes are those of Start or Prior, and have no rows, is left as it was
	// there, and is not measured: it has NaN.
	PerClass []ClassResult
}

// A ClassResult is the part of one weight vector in a [Result].
type ClassResult struct {
	Objective, DualObjective float64
	Violations               int64
	Steps                    int64   // 0 in models of former versions: as many as in all
	Lambda                   float64 // 0 there, too; with one-vs-one and C each pair has its own

	// Width is that of the zone over which Newton's method had smoothed the kink of the loss when
	// it found the dual variables of the bound, in terms of the margins; 0 where it did not. Verify
	// needs it to make nearly the same dual variables of the weights.
	Width float64
}

// WorstGap returns the largest gap of a weight vector's own problem, and the number of that vector.
// They are NaN and -1 where no problem has a gap.
func (r Result) WorstGap() (gap float64, k int) {
	return proof.Worst(len(r.PerClass), func(k int) (objective, bound float64) {
		return r.PerClass[k].Objective, r.PerClass[k].DualObjective
	})
}

// check returns an error if a bound is above its objective.
func (r Result) check() error {
	for k, c := range r.PerClass {
		if err := proof.Check(c.Objective, c.DualObjective); err != nil {
			return fmt.Errorf("pegasos: weight vector %d: %w", k, err)
		}
	}
	if err := proof.Check(r.Objective, r.DualObjective); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	return nil
}

// resultOf returns the result of vector k. In a model of a former version, or without a result of
// each vector, only the steps and the lambda of all are known.
func (m *Model) resultOf(k int) ClassResult {
	if k < len(m.Result.PerClass) && m.Result.PerClass[k].Lambda > 0 {
		return m.Result.PerClass[k]
	}
	return ClassResult{Steps: m.Result.Steps, Lambda: m.Lambda}
}

func (m *Model) stepsOf(k int) int64  { return m.resultOf(k).Steps }
func (m *Model) lambda(k int) float64 { return m.resultOf(k).Lambda }

// A Head says what rows and labels a model is about.
type Head struct {
	Features  int
	IndexBase int // this and what follows are those of the [Model]
	Scaler    json.RawMessage
	HashBits  int
	Table     json.RawMessage
	Classes   []float32
	Names     []string
}

// Head returns that of the model.
func (m *Model) Head() Head {
	return Head{m.Cols(), m.IndexBase, m.Scaler, m.HashBits, m.Table, m.Classes, m.Names}
}

// Outputs returns the number of scores that a row has: one for each weight vector.
func (m *Model) Outputs() int { return len(m.Weights) }

// Cols returns the number of features.
func (m *Model) Cols() int {
	if len(m.Weights) == 0 {
		return 0 // a zero Model
	}
	return len(m.Weights[0])
}

// bias returns what is added to the scores of vector k.
func (m *Model) bias(k int) float64 {
	if m.Bias == nil {
		return 0
	}
	return m.Bias[k]
}

// Validate returns an error unless the model is one that training could give: as many weight
// vectors as its classes and settings ask for, all of one length, finite numbers, ascending
// classes, and settings that can be used. Every reader of models calls it, and so should anybody
// who makes a model by hand.
func (m *Model) Validate() error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model: %w", err)
	}
	return m.checkSettings()
}

// checkSettings returns an error unless the settings can be used.
func (m *Model) checkSettings() error {
	return firstError(m.Config.Validate(), publicError(options.Lambda(m.Lambda).Err()))
}

// check returns an error unless the model is one that training could give.
func (m *Model) check() error {
	if m == nil {
		return errors.New("it is nil")
	}
	vectors, err := m.Config.vectors(len(m.Classes))
	if err != nil {
		return err
	}
	if len(m.Weights) != vectors {
		return fmt.Errorf("%d weight vectors for %d classes", len(m.Weights), len(m.Classes))
	}
	if err := labels.CheckClasses(m.Classes, m.Names); err != nil {
		return err
	}
	if m.Bias != nil && len(m.Bias) != vectors {
		return fmt.Errorf("%d biases for %d weight vectors", len(m.Bias), vectors)
	}
	if err := m.checkFinite(); err != nil {
		return err
	}
	if m.Scaler != nil && !json.Valid(m.Scaler) {
		return fmt.Errorf("the scaler is not JSON")
	}
	if m.Table != nil && !json.Valid(m.Table) {
		return fmt.Errorf("the table is not JSON")
	}
	if m.Calibration != nil && (len(m.Calibration) != vectors || m.Classes == nil) {
		return fmt.Errorf("%d calibrations for %d weight vectors and %d classes",
			len(m.Calibration), vectors, len(m.Classes))
	}
	for k, s := range m.Calibration {
		if !s.isFinite() {
			return fmt.Errorf("calibration %d is %v", k, s)
		}
	}
	if m.Scaling != nil {
		return m.Scaling.room().Check(m.Cols())
	}
	return nil
}

// checkFinite returns an error unless the weights are vectors of one length, and all numbers
// finite.
func (m *Model) checkFinite() error {
	for k, w := range m.Weights {
		if len(w) != len(m.Weights[0]) {
			return fmt.Errorf("%d weights in vector %d, %d in the first", len(w), k,
				len(m.Weights[0]))
		}
		if j := floats.FirstNotFinite(w); j >= 0 {
			return fmt.Errorf("weight %d of vector %d is %v", j, k, w[j])
		}
		if b := m.bias(k); !floats.IsFinite(b) {
			return fmt.Errorf("bias %d is %v", k, b)
		}
	}
	return nil
}

// WithCols returns a model over so many features: further ones have the weight 0, and weights
// beyond them are left out. It shares what it can with m.
func (m *Model) WithCols(cols int) *Model {
	if cols == m.Cols() {
		return m
	}
	c := *m
	c.Weights = slices.Clone(m.Weights)
	if s := m.Scaling; s != nil {
		c.Scaling = fromScale(s.room().WithCols(cols))
		if !s.Folded && s.Shift != nil && cols < m.Cols() {
			c.Bias = make([]float64, len(m.Weights))
			for k := range c.Bias { // zeros in the columns left out score, too
				c.Bias[k] = m.bias(k) + s.room().Rest(m.Weights[k], cols)
			}
		}
	}
	if cols > m.Cols() {
		c.Weights = matrices.Vectors(len(m.Weights), cols)
	}
	for k, w := range m.Weights {
		if cols > len(w) {
			copy(c.Weights[k], w)
		} else {
			c.Weights[k] = w[:cols:cols]
		}
	}
	return &c
}

// Decision writes the scores of row i of x to dst, one for each weight vector, and returns dst. If
// dst is too short, a new slice is made. It panics if x and the model differ in Cols; see
// [Model.WithCols].
func (m *Model) Decision(x Examples, i int, dst []float64) []float64 {
	if x.Cols() != m.Cols() {
		panic(misuse.Lengths("x.Cols()", x.Cols(), "m.Cols()", m.Cols()))
	}
	dst = sized(dst, len(m.Weights))
	if m.scalesRows() {
		index, values := store.ReaderOf(x).Row(i)
		m.scoreScaled(index, values, dst)
		return dst
	}
	for k, w := range m.Weights {
		dst[k] = float64(x.Dot(i, w)) + m.bias(k)
	}
	return dst
}

// Class returns the position in Classes of the class that the scores speak for. For two classes
// with one score it is the second if the score is above 0. For more it is that of the highest
// [Model.ClassScores], the first of those that are equal. It is -1 if a score is not finite,
// because a sum that float32 can't hold speaks for no class. It panics for a model that predicts
// numbers.
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

// checkScores returns the score of each weight vector. It panics if there are fewer, or no weight
// vector.
func (m *Model) checkScores(scores []float64) []float64 {
	if len(m.Weights) == 0 {
		panic(misuse.Of("the model has no weights: it was not trained or read"))
	}
	if len(scores) < len(m.Weights) {
		panic(misuse.Lengths("len(scores)", len(scores), "len(m.Weights)", len(m.Weights)))
	}
	return scores[:len(m.Weights)]
}

// ClassScores writes a score for each class to dst, in the order of Classes, and returns dst. If
// dst is too short, a new slice is made. For two classes with one score z they are -z and z. With
// one-vs-one a class has the votes of its pairs, one for each, and, to break ties, s/(3(|s|+1)),
// which is less than a third of a vote: s is the sum of its pairs' scores, taken so that what
// speaks for the class is positive. Otherwise they are the scores themselves.
func (m *Model) ClassScores(scores, dst []float64) []float64 {
	pairs := m.Config.Multiclass == OneVsOne
	return labels.ClassScores(scores[:len(m.Weights)], dst, len(m.Classes), pairs)
}

// Pair returns the positions in Classes of the two classes that weight vector k of a one-vs-one
// model tells apart. A score above 0 speaks for the second.
func (m *Model) Pair(k int) (first, second int) {
	n := len(m.Classes)
	for first = 0; k >= n-1-first; first++ {
		k -= n - 1 - first
	}
	return first, first + 1 + k
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

// Predict returns the label of row i of x, or NaN if a score is not finite: the products of
// features and weights are too large for float32 then. It panics if x and the model differ in Cols;
// see [Model.WithCols].
func (m *Model) Predict(x Examples, i int) float32 {
	var space [fewOutputs]float64
	return m.label(m.Decision(x, i, space[:]))
}

// DecisionAll returns the scores of all rows of x, one row after the other: those of row i start at
// i*len(m.Weights). If x has more features than the model, the further ones are ignored; if it has
// fewer, the rest count as 0.
func (m *Model) DecisionAll(x Examples) []float64 {
	m = m.WithCols(x.Cols())
	n := len(m.Weights)
	scores := make([]float64, n*x.Rows())
	for i := range x.Rows() {
		m.Decision(x, i, scores[i*n:][:n])
	}
	return scores
}

// PredictAll returns the labels of all rows of x, NaN where [Model.Predict] has it. Features that x
// or the model lacks are as in [Model.DecisionAll].
func (m *Model) PredictAll(x Examples) []float32 {
	m = m.WithCols(x.Cols())
	predicted := make([]float32, x.Rows())
	scores := make([]float64, len(m.Weights))
	for i := range predicted {
		predicted[i] = m.label(m.Decision(x, i, scores))
	}
	return predicted
}

// Hash returns the SHA-256 of all that predictions depend on, in hexadecimal: the weight vectors
// one after the other (float32), the biases if there are any (float64), the classes (float32), and
// A and B of each sigmoid of the Calibration, if there is one (float64), all little-endian. Then
// come the lines of the model's file that say how rows and labels are read, without those that are
// missing or 0, and a Scaling that is not folded.
func (m *Model) Hash() string {
	h := m.vectorHash()
	for _, s := range m.Calibration {
		modelfile.WriteNumbers(h, []float64{s.A, s.B})
	}
	lines := []modelfile.Field{
		modelfile.Optional("names", &m.Names), modelfile.Optional("index_base", &m.IndexBase),
		modelfile.Optional("scaler", &m.Scaler), modelfile.Optional("hash_bits", &m.HashBits),
		modelfile.Optional("table", &m.Table),
	}
	apart := m.scalesRows() && m.Scaling.Kind != ScaleNone
	if apart {
		lines = append(lines, modelfile.Required("scale", &m.Scaling.Kind))
	}
	modelfile.WriteLines(h, lines) // what can't be written has no file
	if apart {
		modelfile.WriteNumbers(h, m.Scaling.Shift)
		modelfile.WriteNumbers(h, m.Scaling.Factor)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// proofHash returns the hash that a proof is bound to: of the weight vectors, biases and classes.
func (m *Model) proofHash() string { return hex.EncodeToString(m.vectorHash().Sum(nil)) }

// vectorHash hashes the weight vectors, the biases and the classes.
func (m *Model) vectorHash() hash.Hash {
	h := sha256.New()
	for _, w := range m.Weights {
		modelfile.WriteNumbers(h, w)
	}
	modelfile.WriteNumbers(h, m.Bias)
	modelfile.WriteNumbers(h, m.Classes)
	return h
}

// CheckHash returns an error if the hash is not the model's: one of the two has been changed.
func (m *Model) CheckHash(hash string) error {
	if have := m.Hash(); have != hash {
		return fmt.Errorf("what makes the predictions has the hash %s, not %s", have, hash)
	}
	return nil
}
