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

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// Model is a trained linear model.
//
// A joint model, and a [OneVsRest] model of more than two classes, has a weight vector for each
// class, and the highest score wins. A [OneVsOne] model of more than two classes has a weight
// vector for each pair of classes; a score above 0 is a vote for the second class of the pair. Any
// other model of two classes has one weight vector; a score above 0 means the second class. A
// regression model has no classes and one weight vector, whose score is the prediction.
//
// Any number of goroutines may use a Model as long as none of them changes it.
type Model struct {
	Classes []float32 // distinct labels, ascending; nil for regression
	Names   []string  // names of the classes, set by the caller; nil if they have none
	// Weights holds the weight vectors. Each has an element for each feature, and then for each
	// term of Scaling.Expansion.
	Weights [][]float32
	Bias    []float64 // constant term of each weight vector's score; nil if the model has none

	// HashBits, Table and IndexBase describe how rows are made from a file. The caller sets them,
	// and makes the rows to score accordingly.
	HashBits  int             // features are 2^HashBits hash buckets; 0 if they are not hashed
	Table     json.RawMessage // JSON of a dataset.Table, or encoder of package table; nil if none
	IndexBase int             // number of the first feature in the data's file, such as 0 or 1

	Calibration []Sigmoid // Platt's sigmoid of each weight vector; nil if not calibrated
	// Lambda is the weight of the penalty; with OneVsOne and Config.C, of the first pair that has
	// rows. Result.PerClass then has the weight of each pair.
	Lambda float64
	Config Config // settings of the run, after zero fields were filled in
	Prior  string // Hash of Trainer.Prior; empty if there was none
	Start  string // Hash of Trainer.Start; empty if there was none
	// Data is a fingerprint of the training rows, their layout, the labels, weights and prior, for
	// Trainer.Verify. It is empty unless Trainer.Fingerprint or KeepProof was set.
	Data string
	// Command holds flags of pegasimd train, quoted for a shell and without file names, that
	// reproduce this model. The caller sets it.
	Command string
	Result  Result // objective, its lower bound, and length of the run
	State   *State // state for Trainer.Resume; nil unless Trainer.KeepState was set
	Proof   *Proof // dual variables of the bound; nil without KeepProof and in a model from Read
	// Scaling is the scaling of the rows for training; nil if they were not scaled. The model's
	// methods take unscaled rows.
	Scaling *Scaling

	inputs      int    // number of features if WithCols reduced it but kept their weights; else 0
	gapMismatch string // error for a wrong gap in the model's file; else empty
}

func (m *Model) lambda(k int) float64 { return m.vectorResult(k).Lambda }

// Head holds the fields of a [Model] that describe its rows and labels: see Model.
type Head struct {
	Features  int // number of features, as Model.Cols returns
	IndexBase int
	HashBits  int
	Table     json.RawMessage
	Classes   []float32
	Names     []string
}

// Head returns the Head of the model.
func (m *Model) Head() Head {
	return Head{m.Cols(), m.IndexBase, m.HashBits, m.Table, m.Classes, m.Names}
}

// Outputs returns the number of scores of a row: one for each weight vector.
func (m *Model) Outputs() int { return len(m.Weights) }

// Cols returns the number of features, 0 for a zero Model.
func (m *Model) Cols() int {
	if m.inputs > 0 {
		return m.inputs
	}
	return m.trainedCols()
}

func (m *Model) trainedCols() int {
	if len(m.Weights) == 0 {
		return 0
	}
	return max(0, len(m.Weights[0])-m.Scaling.internal().Terms())
}

func (m *Model) bias(k int) float64 { return floats.At(m.Bias, k, 0) }

func (m *Model) scalesRows() bool {
	s := m.Scaling
	return s != nil && !s.Folded && (s.Kind != ScaleNone || s.Expansion != nil)
}

// Validate returns an error if the classes, names, weights, biases, sigmoids, scaling, settings,
// Table or Data are invalid or do not fit together. [Read] returns valid models only; call Validate
// for models made by hand.
func (m *Model) Validate() error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model: %w", err)
	}
	return m.checkSettings()
}

// checkSettings allows the Order Permutation, which Partial sets but Config.Validate rejects.
func (m *Model) checkSettings() error {
	cfg := m.Config
	if cfg.Order == Permutation {
		cfg.Order = Sequential
	}
	return cmp.Or(cfg.Validate(), publicError(options.Positive("Lambda", m.Lambda).Err()))
}

func (m *Model) checkFinite() error {
	for k, w := range m.Weights {
		if len(w) != len(m.Weights[0]) {
			return fmt.Errorf("weight vector %d has %s, but the first has %d", k,
				plural.Count(len(w), "weight"), len(m.Weights[0]))
		}
		if j := floats.FirstNotFinite(w); j >= 0 {
			return fmt.Errorf("weight %d of vector %d is %v, want a finite number", j, k, w[j])
		}
		if b := m.bias(k); !floats.IsFinite(b) {
			return fmt.Errorf("bias %d is %v, want a finite number", k, b)
		}
	}
	return nil
}

// WithCols returns the model with cols features: new features have the weight 0, and the weights of
// features from cols on are dropped. A model with an Expansion keeps its weights and scores missing
// features as 0. The result shares memory with m. WithCols panics unless cols is from 0 to 2^31-1.
func (m *Model) WithCols(cols int) *Model {
	if cols < 0 || cols > math.MaxInt32 {
		panic(misuse.Of("%d columns, want 0 to 2^31-1", cols))
	}
	if cols == m.Cols() {
		return m
	}
	c := *m
	if s := m.Scaling; s != nil && s.Expansion != nil {
		return c.expandedWithCols(cols)
	}
	c.Weights = slices.Clone(m.Weights)
	if s := m.Scaling; s != nil {
		c.Scaling = (*Scaling)(s.internal().WithCols(cols))
		if !s.Folded && s.Shift != nil && cols < m.Cols() {
			c.Bias = make([]float64, len(m.Weights))
			for k := range c.Bias { // a 0 in a dropped column j adds -Shift[j]*Factor[j]*w[j]
				c.Bias[k] = m.bias(k) + s.internal().ScoreOfZeros(m.Weights[k], cols)
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

func (m *Model) expandedWithCols(cols int) *Model {
	from := m.trainedCols()
	if m.inputs = 0; cols < from {
		m.inputs = cols
	}
	if cols <= from {
		return m
	}
	s := *m.Scaling.internal().WithCols(cols)
	m.Scaling = (*Scaling)(&s)
	weights := matrices.Vectors(len(m.Weights), cols+s.Terms())
	for k, w := range m.Weights {
		copy(weights[k], w[:from])
		copy(weights[k][cols:], w[from:])
	}
	m.Weights = weights
	return m
}

// Hash returns the SHA-256, in hexadecimal, of the fields that determine predictions: Weights,
// Bias, Classes, Calibration, Names, IndexBase, HashBits, Table and, if the model scales rows or
// appends curves before scoring, Scaling. The section "The hash" of docs/spec.md defines their
// encoding.
func (m *Model) Hash() string {
	h := m.vectorHash()
	for _, s := range m.Calibration {
		modelfile.WriteNumbers(h, []float64{s.A, s.B})
	}
	lines := []modelfile.Field{
		modelfile.Optional("names", &m.Names), modelfile.Optional("index_base", &m.IndexBase),
		modelfile.Optional("hash_bits", &m.HashBits), modelfile.Optional("table", &m.Table),
	}
	if m.scalesRows() {
		lines = append(lines, modelfile.Required("scale", &m.Scaling.Kind))
	}
	modelfile.WriteLines(h, lines) // Write reports the errors
	if m.scalesRows() {
		modelfile.WriteNumbers(h, m.Scaling.Shift)
		modelfile.WriteNumbers(h, m.Scaling.Factor)
		if e := m.Scaling.Expansion; e != nil {
			modelfile.WriteLines(h, []modelfile.Field{modelfile.Required("curves", &e.Kind)})
			for _, t := range e.Terms {
				modelfile.WriteNumbers(h, t[:])
			}
			modelfile.WriteNumbers(h, e.Knots)
			modelfile.WriteNumbers(h, e.Shift)
			modelfile.WriteNumbers(h, e.Factor)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (m *Model) proofHash() string { return hex.EncodeToString(m.vectorHash().Sum(nil)) }

func (m *Model) vectorHash() hash.Hash {
	h := sha256.New()
	for _, w := range m.Weights {
		modelfile.WriteNumbers(h, w)
	}
	modelfile.WriteNumbers(h, m.Bias)
	modelfile.WriteNumbers(h, m.Classes)
	return h
}

// Sigmoid maps a score z to the probability 1/(1 + e^(A*z+B)) (Platt 1999).
type Sigmoid struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func (s Sigmoid) isFinite() bool { return floats.IsFinite(s.A) && floats.IsFinite(s.B) }

// Fold converts m, a model for rows and targets scaled by s, to a model with the Scaling s for
// unscaled rows and targets. It returns m itself if s is nil.
func (s *Scaling) Fold(m *Model) *Model {
	if s == nil {
		return m
	}
	f := *m
	f.Scaling = s
	f.Weights, f.Bias = s.internal().Fold(m.Weights, m.Bias)
	f.Config.Epsilon = float64(m.Config.Epsilon * s.internal().TargetUnit())
	if m.Proof != nil {
		p := *m.Proof.proof
		p.Model = f.proofHash()
		f.Proof = &Proof{&p}
	}
	return &f
}

// Unfold, the inverse of Fold up to rounding, converts m to a model for rows and targets scaled by
// s. It returns m itself if s is nil. The Scaling of m must be nil, be Folded, or scale rows as s
// does.
func (s *Scaling) Unfold(m *Model) *Model {
	if s == nil {
		return m
	}
	u := *m
	u.Weights, u.Bias = s.internal().Unfold(m.Weights, m.Bias, m.Scaling.internal(),
		m.Config.Plain().Bias != BiasNone)
	u.Scaling = nil
	u.Config.Epsilon = m.Config.Epsilon / s.internal().TargetUnit()
	return &u
}

// Exact returns weight vector k of m and its bias in float64, for rows and targets scaled by s. The
// model m must be a result of s.Fold.
func (s *Scaling) Exact(m *Model, k int) (w []float64, b float64) {
	return s.internal().UnfoldExact(m.Weights[k], m.bias(k))
}

// vectorResult returns Result.PerClass[k] or, if there is no such entry or its pair of classes has
// no rows, the Steps and Lambda of the whole model.
func (m *Model) vectorResult(k int) ClassResult {
	if k < len(m.Result.PerClass) && m.Result.PerClass[k].Lambda > 0 {
		return m.Result.PerClass[k]
	}
	return ClassResult{Steps: m.Result.Steps, Lambda: m.Lambda}
}

// check ignores invalid settings: see checkSettings.
func (m *Model) check() error {
	if m == nil {
		return errors.New("the *Model is nil")
	}
	vectors, err := m.Config.settings().Vectors(len(m.Classes))
	if err != nil {
		return err
	}
	if len(m.Weights) != vectors {
		return fmt.Errorf("%s for %d classes, want %d", plural.Count(len(m.Weights), "weight vector"),
			len(m.Classes), vectors)
	}
	if err := labels.CheckClasses(m.Classes, m.Names); err != nil {
		return err
	}
	if m.Bias != nil && len(m.Bias) != vectors {
		return fmt.Errorf("%s for %s, want one for each, or nil", plural.Count(len(m.Bias), "bias"),
			plural.Count(vectors, "weight vector"))
	}
	if err := m.checkFinite(); err != nil {
		return err
	}
	switch {
	case m.Table != nil && !json.Valid(m.Table):
		return errors.New("the table is not valid JSON")
	case m.Calibration != nil && m.Classes == nil:
		return fmt.Errorf("%s for regression, want none", plural.Count(len(m.Calibration), "sigmoid"))
	case m.Calibration != nil && len(m.Calibration) != vectors:
		return fmt.Errorf("%s for %s, want one for each", plural.Count(len(m.Calibration), "sigmoid"),
			plural.Count(vectors, "weight vector"))
	}
	for k, s := range m.Calibration {
		if !s.isFinite() {
			return fmt.Errorf("the sigmoid of weight vector %d is %v, want finite numbers", k, s)
		}
	}
	if s := m.Scaling; s != nil {
		if err := s.internal().Check(m.trainedCols()); err != nil {
			return err
		}
		if s.Spread != 0 && m.Classes != nil {
			return fmt.Errorf("the scaling has the spread %v of targets, want none for classes", s.Spread)
		}
	}
	return modelfile.CheckData(m.Data)
}

// Pair returns the indices in Classes of the two classes of weight vector k of a one-vs-one model.
// It panics if there is no pair k of classes.
func (m *Model) Pair(k int) (first, second int) {
	if n := len(m.Classes); k < 0 || k >= n*(n-1)/2 {
		panic(misuse.Of("pair %d of %s", k, plural.Count(n, "class")))
	}
	return labels.Pair(k, len(m.Classes))
}

// Settings describes the objective and the length of the run in one line for people, such as
//
//	columns standardized, bias, one-vs-one of 9 classes, lambda 0.02 = 0.005 mean |x|^2, 20 passes
//
// where mean |x|^2 is the mean squared norm of the scaled rows. The text may change in later
// versions.
func (m *Model) Settings() string {
	r2, note := 0.0, ""
	if s := m.Scaling; s != nil {
		r2 = s.R2
		if s.Note != "" {
			note = " (" + s.Note + ")"
		}
	}
	return m.Config.settings().Describe(len(m.Classes), m.Lambda, r2) + note
}

// State is the state of a run for Trainer.Resume. It is part of the model's file.
type State struct{ state checkpoint.State }

// Steps returns the number of steps taken, counted as in [Progress].
func (st *State) Steps() int64 { return st.state.Steps() }

// Examples is a matrix of training rows. [dense.Matrix] and [sparse.Matrix] implement it. Methods
// must be safe for concurrent use. If the type also has a method Err() error, training calls it
// after reading all rows and before the first step, and returns the error: see [sparse.Matrix.Err].
type Examples interface {
	Rows() int // number of rows
	Cols() int // number of columns, the features
	// Dot returns the dot product of row i and w. len(w) is Cols.
	Dot(i int, w []float32) float32
	// Axpy adds a times row i to w. len(w) is Cols.
	Axpy(i int, a float32, w []float32)
	// SumSquares returns the squared Euclidean norm of row i.
	SumSquares(i int) float32
}
