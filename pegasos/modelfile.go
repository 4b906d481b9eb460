package pegasos

import (
	"errors"
	"fmt"
	"io"
	"math"

	"encoding/json"

	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/proof"
)

// A model file is one of package modelfile, of the kind Linear. Its header has the lines of
// header, and its numbers are
//
//	weights   (float32, one vector after the other)
//	biases    (float64, one for each vector; only if "bias" is true)
//	shifts    (float32, one for each feature; only if there is a "scaling" that has them)
//	factors   (float32, likewise)
//	state     (float32; only if there is a "state": its arrays, see session.arrays)

// header is what a model file has beside the numbers.
type header struct {
	Features    int             `json:"features"`
	Classes     []float32       `json:"classes" most:"classes"`
	Names       []string        `json:"names,omitempty" most:"classes"`
	Bias        bool            `json:"bias"`
	IndexBase   int             `json:"index_base"`
	Scaler      json.RawMessage `json:"scaler,omitempty"`
	HashBits    int             `json:"hash_bits,omitempty"`
	Table       json.RawMessage `json:"table,omitempty"`
	Calibration []Sigmoid       `json:"calibration,omitempty"`
	Lambda      float64         `json:"lambda"`
	Prior       string          `json:"prior,omitempty"`
	Hash        string          `json:"hash,omitempty"` // only with Data
	Data        string          `json:"data,omitempty"`
	Config      Config          `json:"config"`
	Result      *headerResult   `json:"result"`
	Scaling     *Scaling        `json:"scaling,omitempty"`
	State       *saved          `json:"state,omitempty"`
}

// headerResult is a Result in which what was not measured is left out: JSON has no NaN.
type headerResult struct {
	Steps      int64   `json:"steps"`
	Epochs     float64 `json:"epochs"`
	Violations int64   `json:"violations"`
	Replaced   int     `json:"replaced,omitempty"`
	Weight     float64 `json:"weight,omitempty"`
	R2         float64 `json:"r2"`
	T0         float64 `json:"t0"`
	modelfile.Bounds
	Gap      *float64            `json:"gap,omitempty"`
	PerClass []headerClassResult `json:"per_class,omitempty"`
}

type headerClassResult struct {
	modelfile.Bounds
	Violations int64   `json:"violations"`
	Steps      int64   `json:"steps,omitempty"`
	Lambda     float64 `json:"lambda,omitempty"`
	Width      float64 `json:"width,omitempty"`
}

// Write writes the model, in a form that is the same on every machine.
func (m *Model) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	mw := modelfile.NewWriter(w, modelfile.Linear)
	if err := mw.Header(modelfile.FieldsOf(m.header())); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	for _, v := range m.Weights {
		modelfile.WriteNumbers(mw, v)
	}
	modelfile.WriteNumbers(mw, m.Bias)
	if m.Scaling != nil {
		modelfile.WriteNumbers(mw, m.Scaling.Shift)
		modelfile.WriteNumbers(mw, m.Scaling.Factor)
	}
	if m.State != nil {
		for _, a := range m.State.arrays {
			modelfile.WriteNumbers(mw, a)
		}
	}
	return mw.Close()
}

func (m *Model) header() *header {
	h := &header{
		Features: m.Cols(), Classes: m.Classes, Names: m.Names, Bias: m.Bias != nil,
		IndexBase: m.IndexBase, Scaler: m.Scaler, HashBits: m.HashBits, Table: m.Table,
		Calibration: m.Calibration, Lambda: m.Lambda, Prior: m.Prior, Config: m.Config,
		Result: m.Result.header(), Scaling: m.Scaling,
	}
	if h.Classes == nil {
		h.Classes = []float32{} // not null
	}
	if h.Data = m.Data; h.Data != "" {
		h.Hash = m.Hash()
	}
	if m.State != nil {
		h.State = &m.State.saved
	}
	return h
}

func (r *Result) header() *headerResult {
	h := &headerResult{
		Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations, Replaced: r.Replaced,
		Weight: r.Weight, R2: r.R2, T0: r.T0,
		Bounds: modelfile.BoundsOf(r.Objective, r.DualObjective), Gap: modelfile.Finite(r.Gap),
	}
	for _, c := range r.PerClass {
		bounds := modelfile.BoundsOf(c.Objective, c.DualObjective)
		h.PerClass = append(h.PerClass,
			headerClassResult{bounds, c.Violations, c.Steps, c.Lambda, c.Width})
	}
	return h
}

// Read reads a model that Write has written, to the end of r. It checks all there is to check, and
// takes no more memory than a few times what r turns out to hold, whatever the header says.
func Read(r io.Reader) (*Model, error) { return modelfile.Read(r, modelfile.Linear, readModel) }

// ReadFile reads a model from a file, which may be compressed with gzip.
func ReadFile(name string) (*Model, error) { return modelfile.ReadFile(name, Read) }

// readModel reads what follows the first line of a model file.
func readModel(r *modelfile.Reader) (*Model, error) {
	h := new(header)
	if err := r.Header(modelfile.FieldsOf(h)); err != nil {
		return nil, err
	}
	if h.Result == nil {
		return nil, errors.New("header: result: want an object")
	}
	m, vectors, err := h.model()
	if err != nil {
		return nil, err
	}
	// Read in full before anything of the claimed size is made.
	weights, err := r.Floats(vectors * h.Features)
	if err != nil {
		return nil, err
	}
	if h.Bias {
		if m.Bias, err = r.Doubles(vectors); err != nil {
			return nil, err
		}
	}
	if s := m.Scaling; s != nil {
		shifts, factors := s.numbers(h.Features)
		if s.Shift, err = r.Floats(shifts); err != nil {
			return nil, err
		}
		if s.Factor, err = r.Floats(factors); err != nil {
			return nil, err
		}
	}
	if h.State != nil {
		if m.State, err = readState(r, h.State); err != nil {
			return nil, err
		}
	}
	if err := r.End(); err != nil {
		return nil, err
	}
	if err := r.Take(vectors * sliceSize); err != nil { // nothing pays for vectors of no weights
		return nil, fmt.Errorf("%d weight vectors of %d features: %w", vectors, h.Features, err)
	}
	m.Weights = matrices.Vectors(vectors, h.Features)
	for k, w := range m.Weights {
		copy(w, weights[k*h.Features:])
	}
	if err := m.checkRead(); err != nil {
		return nil, err
	}
	return m, h.checkHash(m)
}

// checkHash returns an error if the header's hash is not that of what follows it.
func (h *header) checkHash(m *Model) error {
	if h.Hash == "" {
		return nil
	}
	if err := m.CheckHash(h.Hash); err != nil {
		return fmt.Errorf("header: hash: %w", err)
	}
	return nil
}

// sliceSize is what a slice takes besides its elements, in bytes.
const sliceSize = 24

// readState reads the arrays of a state. Whether they fit a run is found out when there is one.
func readState(r *modelfile.Reader, from *saved) (*State, error) {
	st := &State{saved: *from}
	if err := r.Take(len(from.Arrays) * sliceSize); err != nil {
		return nil, fmt.Errorf("header: state: %d arrays: %w", len(from.Arrays), err)
	}
	for _, n := range from.Arrays {
		if n < 0 {
			return nil, errors.New("header: state: an array of negative length")
		}
		a, err := r.Floats(n)
		if err != nil {
			return nil, err
		}
		st.arrays = append(st.arrays, a)
	}
	return st, nil
}

// model returns the model that the header describes, without its weights and biases, and how many
// vectors there are to be.
func (h *header) model() (m *Model, vectors int, err error) {
	if vectors, err = weightVectors(h.Config, len(h.Classes)); err != nil {
		return nil, 0, err
	}
	if h.Features < 0 || h.Features > math.MaxInt/8/vectors {
		return nil, 0, fmt.Errorf("%d classes and %d features", len(h.Classes), h.Features)
	}
	if len(h.Classes) == 0 {
		h.Classes = nil
	}
	return &Model{
		Classes: h.Classes, Names: h.Names, Scaler: h.Scaler, HashBits: h.HashBits, Table: h.Table,
		Calibration: h.Calibration, Lambda: h.Lambda, Prior: h.Prior, Config: h.Config,
		Data: h.Data, IndexBase: h.IndexBase, Scaling: h.Scaling,
		Result: h.Result.result(),
	}, vectors, nil
}

// checkRead returns an error unless a model from a file is one that training could give.
func (m *Model) checkRead() error {
	if err := m.check(); err != nil {
		return err
	}
	if err := m.checkSettings(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	return nil
}

func (h *headerResult) result() Result {
	r := Result{
		Steps: h.Steps, Epochs: h.Epochs, Violations: h.Violations, Replaced: h.Replaced,
		Weight: h.Weight, R2: h.R2, T0: h.T0,
	}
	r.Objective, r.DualObjective = h.Values()
	r.Gap = proof.Gap(r.Objective, r.DualObjective)
	if len(h.PerClass) > 0 {
		r.PerClass = make([]ClassResult, len(h.PerClass))
	}
	for k, c := range h.PerClass {
		objective, bound := c.Values()
		r.PerClass[k] = ClassResult{objective, bound, c.Violations, c.Steps, c.Lambda, c.Width}
	}
	return r
}

// WriteFile writes the model to a file. The file is either written in full or left as it was,
// whatever happens. If the name ends in .gz it is compressed with gzip.
func (m *Model) WriteFile(name string) error { return modelfile.WriteFile(name, m.Write) }
