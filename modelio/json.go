package modelio

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/pegasos"
)

const (
	jsonFormat  = "pegasimd model"
	jsonVersion = 1
)

type jsonModel struct {
	format   string
	version  int
	hash     string // "" if the file has none
	features int
	bias     bool
	biases   []float64   // nil if bias is false
	weights  [][]float32 // by vector: one for each feature, then one for each term
	scaling  *jsonScaling
	model    pegasos.Model // all other fields
}

// A jsonScaling is a Scaling with the slices that pegasos.Scaling does not marshal.
type jsonScaling struct {
	Kind   pegasos.Scale `json:"kind"`
	Folded bool          `json:"folded"`
	Shift  []float32     `json:"shift,omitempty"`
	Factor []float32     `json:"factor,omitempty"`
	Centre float64       `json:"centre,omitempty"`
	Spread float64       `json:"spread,omitempty"`
	R2     float64       `json:"r2"`
	Note   string        `json:"note,omitempty"`

	Expansion  *pegasos.Expansion `json:"expansion,omitempty"`
	TermShift  []float32          `json:"term_shift,omitempty"`
	TermFactor []float32          `json:"term_factor,omitempty"`
}

// features returns the number of features with weights in the valid model m. For a model with an
// Expansion it includes columns that WithCols dropped.
func features(m *pegasos.Model) int {
	n := len(m.Weights[0])
	if m.Scaling != nil {
		n -= m.Scaling.Expansion.Len()
	}
	return n
}

func scalingToJSON(s *pegasos.Scaling) *jsonScaling {
	if s == nil {
		return nil
	}
	j := &jsonScaling{Kind: s.Kind, Folded: s.Folded, Shift: s.Shift, Factor: s.Factor,
		Centre: s.Centre, Spread: s.Spread, R2: s.R2, Note: s.Note, Expansion: s.Expansion}
	if e := s.Expansion; e != nil {
		j.TermShift, j.TermFactor = e.Shift, e.Factor
	}
	return j
}

// scaling leaves out TermShift and TermFactor.
func (j *jsonScaling) scaling() *pegasos.Scaling {
	if j == nil {
		return nil
	}
	if len(j.Shift) == 0 {
		j.Shift = nil
	}
	if len(j.Factor) == 0 {
		j.Factor = nil
	}
	return &pegasos.Scaling{Kind: j.Kind, Folded: j.Folded, Shift: j.Shift, Factor: j.Factor,
		Centre: j.Centre, Spread: j.Spread, R2: j.R2, Note: j.Note, Expansion: j.Expansion}
}

func (j *jsonModel) fields() []modelfile.Field {
	m := &j.model
	return []modelfile.Field{
		modelfile.Required("format", &j.format),
		modelfile.Required("version", &j.version),
		modelfile.Optional("hash", &j.hash),
		modelfile.Required("features", &j.features),
		modelfile.Required("classes", &m.Classes).UpTo(labels.MaxClasses),
		modelfile.Optional("names", &m.Names).UpTo(labels.MaxClasses),
		modelfile.Required("bias", &j.bias),
		modelfile.Required("index_base", &m.IndexBase),
		modelfile.Optional("hash_bits", &m.HashBits),
		modelfile.Optional("table", &m.Table),
		modelfile.Optional("calibration", &m.Calibration),
		modelfile.Required("lambda", &m.Lambda),
		modelfile.Optional("prior", &m.Prior),
		modelfile.Optional("start", &m.Start),
		modelfile.Optional("data", &m.Data),
		modelfile.Optional("command", &m.Command),
		modelfile.Required("config", &m.Config),
		modelfile.Required("result", &m.Result),
		modelfile.Optional("scaling", &j.scaling),
		modelfile.Optional("biases", &j.biases),
		modelfile.Required("weights", &j.weights),
	}
}

// WriteJSON writes the model, without its State and Proof, as JSON that [ReadJSON] reads. It
// returns an error for invalid models.
func WriteJSON(w io.Writer, m *pegasos.Model) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("modelio: model can't be written: %w", err)
	}
	j := &jsonModel{
		format: jsonFormat, version: jsonVersion, hash: m.Hash(),
		features: features(m), bias: m.Bias != nil, biases: m.Bias,
		scaling: scalingToJSON(m.Scaling), model: *m,
	}
	if m.Classes == nil {
		j.model.Classes = []float32{} // written as [], not as null
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteByte('{')
	for _, f := range j.fields() {
		if f.Name == "weights" {
			break
		}
		if !f.Required && reflect.ValueOf(f.Value).Elem().IsZero() {
			continue
		}
		text, err := json.Marshal(f.Value)
		if err != nil {
			return fmt.Errorf("modelio: model can't be written: %s: %w", f.Name, err)
		}
		if f.Name != "format" {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "\n  %q: %s", f.Name, escape.JSON(text))
	}
	if err := writeVectors(b, m.Weights); err != nil {
		return err
	}
	return b.Flush()
}

func writeVectors(b *bufio.Writer, weights [][]float32) error {
	b.WriteString(",\n  \"weights\": [")
	for k, v := range weights {
		if k > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("modelio: model can't be written: %w", err)
		}
		b.WriteString("\n    ")
		b.Write(text)
	}
	_, err := b.WriteString("\n  ]\n}\n")
	return err
}

// ReadJSON reads a model in the form of [WriteJSON], with fields in any order, up to the end of r.
// It validates the model, and the hash if there is one. It allocates at most some MiB and a small
// multiple of the bytes that r holds.
func ReadJSON(r io.Reader) (*pegasos.Model, error) {
	d := modelfile.NewDecoder(r)
	j, err := readJSON(d)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			m, err := j.whole()
			if err != nil {
				return nil, fmt.Errorf("modelio: model in JSON: %w", escape.Error(err))
			}
			return m, nil
		} else if err == nil {
			err = errors.New("something follows the model's object")
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the text ends too early")
	}
	return nil, fmt.Errorf("modelio: model in JSON: byte %d: %w", d.InputOffset(),
		escape.Error(err))
}

func readJSON(d *modelfile.Decoder) (*jsonModel, error) {
	if t, err := d.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, errors.New("want an object")
	}
	j := new(jsonModel)
	missing := j.fields()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		if missing, err = j.readField(d, name, missing); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for _, f := range missing {
		if f.Required {
			return nil, fmt.Errorf("%s is missing", f.Name)
		}
	}
	return j, nil
}

func (j *jsonModel) readField(
	d *modelfile.Decoder, name json.Token, missing []modelfile.Field,
) (rest []modelfile.Field, err error) {
	var field modelfile.Field
	for _, f := range missing {
		if f.Name == name {
			field = f
		} else {
			rest = append(rest, f)
		}
	}
	if field.Value == nil {
		if slices.ContainsFunc(j.fields(), func(f modelfile.Field) bool { return f.Name == name }) {
			return nil, fmt.Errorf("the field %s is there twice", name)
		}
		return nil, fmt.Errorf("unknown field %.40q", name)
	}
	if err = d.Field(field); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if name == "format" && j.format != jsonFormat {
		return nil, fmt.Errorf("format: %.40q is not %q", j.format, jsonFormat)
	}
	if name == "version" && j.version != jsonVersion {
		return nil, fmt.Errorf("version %d: this program reads version %d", j.version, jsonVersion)
	}
	return rest, nil
}

func (j *jsonModel) whole() (*pegasos.Model, error) {
	m, length := &j.model, j.features
	if length < 0 || length > math.MaxInt32 {
		return nil, fmt.Errorf("features: have %d, want 0 to 2^31-1", length)
	}
	if j.scaling != nil && j.scaling.Expansion != nil {
		e := j.scaling.Expansion
		e.Shift, e.Factor = j.scaling.TermShift, j.scaling.TermFactor
		length += e.Len()
	} else if s := j.scaling; s != nil && (s.TermShift != nil || s.TermFactor != nil) {
		return nil, errors.New("scaling: term_shift or term_factor without an expansion")
	}
	for k, w := range j.weights {
		if len(w) != length {
			return nil, fmt.Errorf("weights: %d in vector %d, want %d: one for each feature and term",
				len(w), k, length)
		}
	}
	switch n, vectors := len(j.biases), len(j.weights); {
	case j.bias && n != vectors:
		return nil, fmt.Errorf("biases: have %d, want %d: one for each vector", n, vectors)
	case !j.bias && n > 0:
		return nil, fmt.Errorf("biases: have %d, want none: bias is false", n)
	}
	if len(m.Classes) == 0 {
		m.Classes = nil
	}
	if j.bias {
		m.Bias = j.biases
	}
	m.Scaling, m.Weights = j.scaling.scaling(), j.weights
	if err := m.Validate(); err != nil {
		return nil, err
	}
	// Vectors are aligned for the kernels.
	m.Weights = matrices.Vectors(len(j.weights), length)
	for k, w := range m.Weights {
		copy(w, j.weights[k])
	}
	if j.hash != "" && m.Hash() != j.hash {
		return nil, fmt.Errorf("hash: the file says %.64q, but the model's hash is %s: remove the "+
			"field hash if you edited the model", j.hash, m.Hash())
	}
	return m, nil
}
