package pegasos

import (
	"cmp"
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
)

// A Model is what training gives and prediction takes.
//
// For two classes it has one weight vector, and a score above 0 speaks for the second class. For
// more, and for joint problems of two, it has one a class, and the highest score wins. With
// [OneVsOne] it has one for each pair of classes, whose score above 0 is a vote for the second of
// the two. If it predicts numbers it has no classes, and the score of its one vector is the number.
type Model struct {
	Classes []float32   // the labels, ascending; nil for numbers
	Names   []string    // of the classes, if they have any: Train leaves it nil
	Weights [][]float32 // each has Cols elements
	Bias    []float64   // one for each weight vector, added to its scores; nil for none
	// The caller sets these four and uses them before the model predicts, as the command does with
	// package dataset. The first and the third are JSON.
	Scaler    json.RawMessage // how rows have to be scaled before that: a dataset.Scaler; or nil
	HashBits  int             // the features are 2^HashBits buckets, as in dataset.Options; or 0
	Table     json.RawMessage // what the columns of the data were: a dataset.Table; or nil
	IndexBase int             // the number of the first feature in the file of the data

	Calibration []Sigmoid // one for each weight vector; nil for none
	Lambda      float64   // in force, also where C was given
	Config      Config    // defaults filled in
	Prior       string    // the Hash of the prior; empty without one
	Start       string    // the Hash of the Trainer.Start of the run; empty without one
	// Data is a fingerprint of the rows, labels, weights and prior that Result is about, and of how
	// the rows were held, if Trainer.Fingerprint asked for it: see Trainer.Verify.
	Data string
	// Command has the flags of pegasimd train that give this model without any detection, as a shell
	// reads them; names of files are left out. The caller sets it; the Hash does not depend on it.
	Command string
	Result  Result
	State   *State // of the run, if Trainer.KeepState asked for it
	Proof   *Proof // of Result's bound, if Trainer.KeepProof asked for it: it has a file of its own
	// Scaling is how the rows were scaled for training; nil if they were not. Unlike the Scaler,
	// the model uses it by itself: predictions take rows as they are.
	Scaling *Scaling

	wrongGap string // error message about the gap in the model's file; see modelfile.Bounds
}

func (m *Model) stepsOf(k int) int64  { return m.resultOf(k).Steps }
func (m *Model) lambda(k int) float64 { return m.resultOf(k).Lambda }

// A Head has the fields of a [Model] that say what rows and labels it is about.
type Head struct {
	Features  int
	IndexBase int
	Scaler    json.RawMessage
	HashBits  int
	Table     json.RawMessage
	Classes   []float32
	Names     []string
}

// Head returns what rows and labels the model is about.
func (m *Model) Head() Head {
	return Head{m.Cols(), m.IndexBase, m.Scaler, m.HashBits, m.Table, m.Classes, m.Names}
}

// Outputs returns the number of scores of a row: one for each weight vector.
func (m *Model) Outputs() int { return len(m.Weights) }

// Cols returns the number of features.
func (m *Model) Cols() int {
	if len(m.Weights) == 0 {
		return 0 // a zero Model
	}
	return len(m.Weights[0])
}

// bias returns that of vector k.
func (m *Model) bias(k int) float64 {
	if m.Bias == nil {
		return 0
	}
	return m.Bias[k]
}

// Validate returns an error unless training could give the model: it has as many weight vectors as
// its classes and settings ask for, all of one length, finite numbers, ascending classes, and
// settings that can be used. Models that are read are valid; call it for one made by hand.
func (m *Model) Validate() error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model: %w", err)
	}
	return m.checkSettings()
}

// checkSettings returns an error unless the settings can be used.
func (m *Model) checkSettings() error {
	return cmp.Or(m.Config.Validate(), publicError(options.Positive("Lambda", m.Lambda).Err()))
}

// checkFinite returns an error unless the vectors are of one length and all numbers finite.
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

// WithCols returns a model over cols features: further ones have the weight 0, and weights
// beyond them are left out. It shares what it can with m. It panics unless cols is from 0 to 2^31-1.
func (m *Model) WithCols(cols int) *Model {
	if cols < 0 || cols > math.MaxInt32 {
		panic(misuse.Of("%d columns, want 0 to 2^31-1", cols))
	}
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

// Hash returns the SHA-256, in hexadecimal, of all that predictions depend on: the weight vectors
// one after the other (float32), the biases if there are any (float64), the classes (float32), and
// A and B of each sigmoid (float64), all little-endian; then the lines of the model's file that say
// how rows and labels are read, without those missing or 0, and a Scaling that is not folded.
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

// A Sigmoid makes a probability of a score z: 1/(1 + e^(A*z+B)) (Platt 1999).
type Sigmoid struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func (s Sigmoid) isFinite() bool { return floats.IsFinite(s.A) && floats.IsFinite(s.B) }

// Fold returns m, which is about scaled rows and numbers, as a model of rows as they are, with s.
func (s *Scaling) Fold(m *Model) *Model {
	if s == nil {
		return m
	}
	f := *m
	f.Scaling = s
	f.Weights, f.Bias = s.room().Fold(m.Weights, m.Bias)
	f.Config.Epsilon = s.epsilon
	if m.Proof != nil {
		proof := *m.Proof
		proof.model = f.proofHash()
		f.Proof = &proof
	}
	return &f
}

// Unfold returns m, of rows as they are or made with s, as a model of rows and numbers scaled by s.
func (s *Scaling) Unfold(m *Model) *Model {
	if s == nil {
		return m
	}
	u := *m
	u.Weights, u.Bias = s.room().Unfold(m.Weights, m.Bias, m.Scaling.room(),
		m.Config.Plain().Bias != BiasNone)
	u.Scaling = nil
	u.Config.Epsilon = m.Config.Epsilon / s.room().Unit()
	return &u
}

// Exact returns vector k of m, which was folded by s, and its bias, for scaled rows and numbers.
func (s *Scaling) Exact(m *Model, k int) (w []float64, b float64) {
	return s.room().Exact(m.Weights[k], m.bias(k))
}

// resultOf returns the result of vector k: in models of former versions, the steps and lambda of
// all.
func (m *Model) resultOf(k int) ClassResult {
	if k < len(m.Result.PerClass) && m.Result.PerClass[k].Lambda > 0 {
		return m.Result.PerClass[k]
	}
	return ClassResult{Steps: m.Result.Steps, Lambda: m.Lambda}
}

// check returns an error unless the model is one that training could give.
func (m *Model) check() error {
	if m == nil {
		return errors.New("it is nil")
	}
	vectors, err := m.Config.settings().Vectors(len(m.Classes))
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
	switch {
	case m.Scaler != nil && !json.Valid(m.Scaler):
		return errors.New("the scaler is not JSON")
	case m.Table != nil && !json.Valid(m.Table):
		return errors.New("the table is not JSON")
	case m.Calibration != nil && (len(m.Calibration) != vectors || m.Classes == nil):
		return fmt.Errorf("%d calibrations for %d weight vectors and %d classes",
			len(m.Calibration), vectors, len(m.Classes))
	}
	for k, s := range m.Calibration {
		if !s.isFinite() {
			return fmt.Errorf("calibration %d is %v", k, s)
		}
	}
	if m.Scaling != nil {
		if err := m.Scaling.room().Check(m.Cols()); err != nil {
			return err
		}
	}
	return modelfile.CheckData(m.Data)
}

// Pair returns the positions in Classes of the two classes of weight vector k of a one-vs-one
// model. A score above 0 speaks for the second.
func (m *Model) Pair(k int) (first, second int) {
	n := len(m.Classes)
	for first = 0; k >= n-1-first; first++ {
		k -= n - 1 - first
	}
	return first, first + 1 + k
}

// Examples are the rows of the data, such as a *dense.Matrix or *sparse.Matrix. Several goroutines
// may call the methods at a time. If there is a method Err() error as well, training calls it once
// it has read all rows, before the first step, and fails with its error: see [sparse.Matrix.Err].
type Examples interface {
	Rows() int
	Cols() int
	// Dot returns the dot product of row i and w, which has Cols elements.
	Dot(i int, w []float32) float32
	// Axpy adds a times row i to w, which has Cols elements.
	Axpy(i int, a float32, w []float32)
	// SumSquares returns the squared Euclidean norm of row i.
	SumSquares(i int) float32
}
