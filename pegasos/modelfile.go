package pegasos

import (
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// A model file is one of package modelfile, of the kind Linear. Its header has the lines of
// header.fields, and its numbers are
//
//	weights   (float32, one vector after the other; sparse as in package modelfile, if it says so)
//	biases    (float64, one for each vector; only if "bias" is true)
//	shifts    (float32, one for each feature; only if there is a "scaling" that has them)
//	factors   (float32, the same)
//	state     (float32; only if there is a "state": its arrays, see package checkpoint)

// A header is what a model's header has in another form than the model.
type header struct {
	features int
	sparse   bool      // The zeros among the weights are not there.
	classes  []float32 // not nil
	bias     bool
	hash     string // only with Model.Data
	result   *result.Header
	state    *checkpoint.Head // nil for none
}

// fields returns the header's lines.
func (h *header) fields(m *Model) []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("features", &h.features), modelfile.Optional("sparse", &h.sparse),
		modelfile.Required("classes", &h.classes).UpTo(labels.MaxClasses),
		modelfile.Optional("names", &m.Names).UpTo(labels.MaxClasses),
		modelfile.Required("bias", &h.bias), modelfile.Required("index_base", &m.IndexBase),
		modelfile.Optional("scaler", &m.Scaler), modelfile.Optional("hash_bits", &m.HashBits),
		modelfile.Optional("table", &m.Table), modelfile.Optional("calibration", &m.Calibration),
		modelfile.Required("lambda", &m.Lambda), modelfile.Optional("prior", &m.Prior),
		modelfile.Optional("start", &m.Start), modelfile.Optional("hash", &h.hash),
		modelfile.Optional("data", &m.Data), modelfile.Optional("command", &m.Command),
		modelfile.Required("config", &m.Config), modelfile.Required("result", &h.result),
		modelfile.Optional("scaling", &m.Scaling), modelfile.Optional("state", &h.state),
	}
}

// Write writes the model, in a form that is the same on every machine.
func (m *Model) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	h := header{features: m.Cols(), classes: append([]float32{}, m.Classes...),
		bias: m.Bias != nil, result: m.Result.room().Header()}
	if m.Data != "" {
		h.hash = m.Hash()
	}
	if m.State != nil {
		h.state = &m.State.state.Head
	}
	mw := modelfile.NewWriter(w, modelfile.Linear)
	h.sparse = mw.Sparse(m.Weights, matrices.Room(len(m.Weights), h.features))
	if err := mw.Header(h.fields(m)); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	mw.Vectors(m.Weights, h.sparse)
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

// Read reads a model that Write has written, to the end of r. It checks all there is to check, and
// takes no more memory than a few times what r turns out to hold, whatever the header says.
func Read(r io.Reader) (*Model, error) { return modelfile.Read(r, modelfile.Linear, readModel) }

// ReadFile reads a model from a file, which may be compressed with gzip.
func ReadFile(name string) (*Model, error) { return modelfile.ReadFile(name, Read) }

// readModel reads what follows the first line of a model file.
func readModel(r *modelfile.Reader) (*Model, error) {
	h, m := new(header), new(Model)
	if err := r.Header(h.fields(m)); err != nil {
		return nil, err
	}
	vectors, err := h.fill(m)
	if err != nil {
		return nil, err
	}
	// Read in full before anything of the claimed size is made.
	room := matrices.Room(vectors, h.features)
	weights, err := r.Vectors(vectors*h.features, h.sparse, room)
	if err != nil {
		return nil, err
	}
	if h.bias {
		if m.Bias, err = r.Doubles(vectors); err != nil {
			return nil, err
		}
	}
	if s := m.Scaling; s != nil {
		shifts, factors := s.room().Numbers(h.features)
		if s.Shift, err = r.Floats(shifts); err != nil {
			return nil, err
		}
		if s.Factor, err = r.Floats(factors); err != nil {
			return nil, err
		}
	}
	if h.state != nil {
		state, err := checkpoint.Read(r, h.state)
		if err != nil {
			return nil, err
		}
		m.State = &State{*state}
	}
	if err := r.End(); err != nil {
		return nil, err
	}
	if err := r.Take(24 * vectors); err != nil { // for slices, which may have no weights
		return nil, fmt.Errorf("%d weight vectors of %d features: %w", vectors, h.features, err)
	}
	m.Weights = matrices.Vectors(vectors, h.features)
	for _, w := range m.Weights {
		weights.Next(w)
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
	if h.hash == "" {
		return nil
	}
	if have := m.Hash(); have != h.hash {
		return fmt.Errorf("header: hash: what makes the predictions has the hash %s, not %s", have,
			h.hash)
	}
	return nil
}

// fill gives the model what the header has of it, and returns how many vectors there are to be.
func (h *header) fill(m *Model) (vectors int, err error) {
	if vectors, err = m.Config.settings().Vectors(len(h.classes)); err != nil {
		return 0, err
	}
	if h.features < 0 || h.features > math.MaxInt/8/vectors {
		return 0, fmt.Errorf("%d classes and %d features", len(h.classes), h.features)
	}
	if len(h.classes) > 0 {
		m.Classes = h.classes
	}
	m.Result, m.wrongGap = resultOf(h.result.Result()), h.result.CheckGap(h.result.Gap)
	return vectors, nil
}

// WriteFile writes the model to a file in full, or leaves that as it was. With a name that ends in
// .gz it is compressed with gzip.
func (m *Model) WriteFile(name string) error { return modelfile.WriteFile(name, m.Write) }

// A State is what a run needs to go on where it was left off, beside the data and the Config: see
// Trainer.KeepState and Trainer.Resume. It is part of the model's file.
type State struct{ state checkpoint.State }

// Steps returns how many the run had taken, as in [Progress].
func (st *State) Steps() int64 { return st.state.Steps() }
