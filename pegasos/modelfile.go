package pegasos

import (
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// The section "Model files" of docs/spec.md describes the format.

// header holds the header's values whose form differs from the Model's field.
type header struct {
	features int
	sparse   bool      // weights that are 0 are left out
	classes  []float32 // Model.Classes, but empty instead of nil
	bias     bool
	hash     string // Model.Hash; empty if Model.Data is empty
	result   *proof.ResultHeader
	state    *checkpoint.Head // nil if the model has no State
}

func (h *header) fields(m *Model) []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("features", &h.features), modelfile.Optional("sparse", &h.sparse),
		modelfile.Required("classes", &h.classes).UpTo(labels.MaxClasses),
		modelfile.Optional("names", &m.Names).UpTo(labels.MaxClasses),
		modelfile.Required("bias", &h.bias), modelfile.Required("index_base", &m.IndexBase),
		modelfile.Optional("hash_bits", &m.HashBits), modelfile.Optional("table", &m.Table),
		modelfile.Optional("calibration", &m.Calibration),
		modelfile.Required("lambda", &m.Lambda), modelfile.Optional("prior", &m.Prior),
		modelfile.Optional("start", &m.Start), modelfile.Optional("hash", &h.hash),
		modelfile.Optional("data", &m.Data), modelfile.Optional("command", &m.Command),
		modelfile.Required("config", &m.Config), modelfile.Required("result", &h.result),
		modelfile.Optional("scaling", &m.Scaling), modelfile.Optional("state", &h.state),
	}
}

// Write writes the model to w in the format that [Read] reads, without the Proof: see
// [Proof.Write]. The bytes are the same on every machine.
func (m *Model) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	h := header{features: m.trainedCols(), classes: append([]float32{}, m.Classes...),
		bias: m.Bias != nil, result: proof.Result(m.Result).Header()}
	if m.Data != "" {
		h.hash = m.Hash()
	}
	if m.State != nil {
		h.state = &m.State.state.Head
	}
	mw := modelfile.NewWriter(w, modelfile.Linear)
	h.sparse = mw.Sparse(m.Weights, matrices.VectorsSize(len(m.Weights), len(m.Weights[0])))
	if err := mw.Header(h.fields(m)); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	mw.Vectors(m.Weights, h.sparse)
	modelfile.WriteNumbers(mw, m.Bias)
	if m.Scaling != nil {
		modelfile.WriteNumbers(mw, m.Scaling.Shift)
		modelfile.WriteNumbers(mw, m.Scaling.Factor)
		if e := m.Scaling.Expansion; e != nil {
			modelfile.WriteNumbers(mw, e.Shift)
			modelfile.WriteNumbers(mw, e.Factor)
		}
	}
	if m.State != nil {
		for _, a := range m.State.state.Arrays {
			modelfile.WriteNumbers(mw, a)
		}
	}
	return mw.Close()
}

// Read reads a model from r, which must hold a model written by Write and nothing else. It verifies
// the checksum and returns valid models only. It allocates at most some MiB and a small multiple of
// the bytes that r holds.
func Read(r io.Reader) (*Model, error) { return modelfile.Read(r, modelfile.Linear, readModel) }

// ReadFile reads a model from the named file, which may be compressed with gzip.
func ReadFile(name string) (*Model, error) { return modelfile.ReadFile(name, Read) }

func readModel(r *modelfile.Reader) (*Model, error) {
	h, m := new(header), new(Model)
	if err := r.Header(h.fields(m)); err != nil {
		return nil, err
	}
	vectors, err := h.fill(m)
	if err != nil {
		return nil, err
	}
	// Read the weights before allocating the memory that the header claims.
	length := h.features + m.Scaling.internal().Terms()
	size := matrices.VectorsSize(vectors, length)
	weights, err := r.Vectors(vectors*length, h.sparse, size)
	if err != nil {
		return nil, err
	}
	if h.bias {
		if m.Bias, err = r.Doubles(vectors); err != nil {
			return nil, err
		}
	}
	if s := m.Scaling; s != nil {
		shifts, factors := s.internal().Lengths(h.features)
		if s.Shift, err = r.Floats(shifts); err != nil {
			return nil, err
		}
		if s.Factor, err = r.Floats(factors); err != nil {
			return nil, err
		}
		if e := s.Expansion; e != nil {
			if e.Shift, err = r.Floats(len(e.Terms)); err != nil {
				return nil, err
			}
			if e.Factor, err = r.Floats(len(e.Terms)); err != nil {
				return nil, err
			}
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
	if err := r.Take(24 * vectors); err != nil { // 24 bytes for the slice header of each vector
		return nil, fmt.Errorf("%s of length %d: %w", plural.Count(vectors, "weight vector"), length,
			err)
	}
	m.Weights = matrices.Vectors(vectors, length)
	for _, w := range m.Weights {
		weights.Next(w)
	}
	return m, h.check(m)
}

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
		return fmt.Errorf("header: hash: the file says %s, but the model's hash is %s", h.hash, have)
	}
	return nil
}

// fill stores the header's classes and result in m.
func (h *header) fill(m *Model) (vectors int, err error) {
	if vectors, err = m.Config.settings().Vectors(len(h.classes)); err != nil {
		return 0, err
	}
	if h.features < 0 || h.features > math.MaxInt/8/vectors-m.Scaling.internal().Terms() {
		return 0, fmt.Errorf("header: features: have %d for %d classes, want 0 or more, and few "+
			"enough for memory", h.features, len(h.classes))
	}
	if len(h.classes) > 0 {
		m.Classes = h.classes
	}
	if err := h.result.CheckEstimates(); err != nil {
		return 0, fmt.Errorf("header: result: %w", err)
	}
	m.Result, m.gapMismatch = Result(h.result.Unpack()), h.result.CheckGap(h.result.Gap)
	return vectors, nil
}

// WriteFile writes the model to the named file, compressed with gzip if the name ends in .gz. A
// regular file is replaced atomically.
func (m *Model) WriteFile(name string) error { return modelfile.WriteFile(name, m.Write) }
