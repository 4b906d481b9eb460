package pegasos

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// A model file is one of package modelfile, of the kind Linear. Its header has the lines of
// header, and its numbers are
//
//	weights   (float32, one vector after the other)
//	biases    (float64, one for each vector; only if "bias" is true)
//	shifts    (float32, one for each feature; only if there is a "scaling" that has them)
//	factors   (float32, likewise)
//	state     (float32; only if there is a "state": its arrays, see package checkpoint)

// header is what a model file has beside the numbers. No model has more classes than labels has.
type header struct {
	Features    int              `json:"features"`
	Classes     []float32        `json:"classes" most:"classes"`
	Names       []string         `json:"names,omitempty" most:"classes"`
	Bias        bool             `json:"bias"`
	IndexBase   int              `json:"index_base"`
	Scaler      json.RawMessage  `json:"scaler,omitempty"`
	HashBits    int              `json:"hash_bits,omitempty"`
	Table       json.RawMessage  `json:"table,omitempty"`
	Calibration []Sigmoid        `json:"calibration,omitempty"`
	Lambda      float64          `json:"lambda"`
	Prior       string           `json:"prior,omitempty"`
	Hash        string           `json:"hash,omitempty"` // only with Data
	Data        string           `json:"data,omitempty"`
	Config      Config           `json:"config"`
	Result      *result.Header   `json:"result"`
	Scaling     *Scaling         `json:"scaling,omitempty"`
	State       *checkpoint.Head `json:"state,omitempty"`
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
		for _, a := range m.State.state.Arrays {
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
		Result: m.Result.room().Header(), Scaling: m.Scaling,
	}
	if h.Classes == nil {
		h.Classes = []float32{} // not null
	}
	if h.Data = m.Data; h.Data != "" {
		h.Hash = m.Hash()
	}
	if m.State != nil {
		h.State = &m.State.state.Head
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
		shifts, factors := s.room().Numbers(h.Features)
		if s.Shift, err = r.Floats(shifts); err != nil {
			return nil, err
		}
		if s.Factor, err = r.Floats(factors); err != nil {
			return nil, err
		}
	}
	if h.State != nil {
		state, err := checkpoint.Read(r, h.State)
		if err != nil {
			return nil, err
		}
		m.State = &State{*state}
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
	return m, h.check(m)
}

// check returns an error unless the model of the header is one that training could give.
func (h *header) check(m *Model) error {
	if err := m.check(); err != nil {
		return err
	}
	if err := m.checkSettings(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
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

// model returns the model that the header describes, without its weights and biases, and how many
// vectors there are to be.
func (h *header) model() (m *Model, vectors int, err error) {
	if vectors, err = h.Config.settings().Vectors(len(h.Classes)); err != nil {
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
		Result: resultOf(h.Result.Result()),
	}, vectors, nil
}

// WriteFile writes the model to a file. The file is either written in full or left as it was,
// whatever happens. If the name ends in .gz it is compressed with gzip.
func (m *Model) WriteFile(name string) error { return modelfile.WriteFile(name, m.Write) }

// A State is all that is needed to take up a run where it was left off, beside the data and the
// Config: see Trainer.KeepState and Trainer.Resume. It is part of the model's file.
type State struct{ state checkpoint.State }

// Steps returns how many the run had taken, as in [Progress].
func (st *State) Steps() int64 { return st.state.Steps() }

// Data returns a fingerprint of the rows, labels, weights and prior of the run.
func (st *State) Data() string { return st.state.Data }

// Size returns how many numbers the state has beside those of the model.
func (st *State) Size() int { return st.state.Size() }
