package pegasos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/modelfile"
)

// As JSON a model is an object with the lines of a model file's header as fields, but for the state, and with:
//
//	"format": "pegasimd model"
//	"version": 1
//	"hash": of Model.Hash; may be missing when it is read
//	"biases": a number for each vector, if "bias" is true
//	"weights": an array for each vector, with a number for each feature
//
// Numbers have the fewest digits that read as the same float32, those of biases as the same float64.
const jsonFormat = "pegasimd model"

// jsonFields are those of the object, in the order in which they are written.
type jsonFields struct {
	format  string
	version int
	hash    string
	header  *header
	biases  []float64
	weights [][]float32
}

func (j *jsonFields) fields() []modelfile.Field {
	all := []modelfile.Field{modelfile.Required("format", &j.format), modelfile.Required("version", &j.version), modelfile.Optional("hash", &j.hash)}
	for _, f := range j.header.fields() {
		if f.Name != "state" {
			all = append(all, f)
		}
	}
	return append(all, modelfile.Optional("biases", &j.biases), modelfile.Required("weights", &j.weights))
}

// WriteJSON writes the model as JSON, which ReadJSON reads as the same model: all but its State.
func (m *Model) WriteJSON(w io.Writer) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	j := &jsonFields{jsonFormat, modelfile.Linear.Version, m.Hash(), m.header(), m.Bias, nil}
	b.WriteByte('{')
	for _, f := range j.fields() {
		if f.Name == "weights" {
			break
		}
		if reflect.ValueOf(f.Value).Elem().IsZero() && !f.Required {
			continue
		}
		text, err := json.Marshal(f.Value)
		if err != nil {
			return fmt.Errorf("pegasos: model can't be written: %s: %w", f.Name, err)
		}
		if f.Name != "format" {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "\n  %q: %s", f.Name, text)
	}
	b.WriteString(",\n  \"weights\": [")
	for k, v := range m.Weights {
		if k > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("pegasos: model can't be written: %w", err)
		}
		b.WriteString("\n    ")
		b.Write(text)
	}
	b.WriteString("\n  ]\n}\n")
	return b.Flush()
}

// ReadJSON reads a model that WriteJSON, or someone else, has written, to the end of r. The fields may have any order. It
// checks all there is to check, and takes no more memory than a few times what r turns out to hold.
func ReadJSON(r io.Reader) (*Model, error) {
	d := json.NewDecoder(r)
	m, err := readJSON(d)
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return m, nil
		} else if err == nil {
			err = errors.New("something follows the model")
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("cut short")
	}
	return nil, fmt.Errorf("pegasos: model in JSON: byte %d: %w", d.InputOffset(), err)
}

func readJSON(d *json.Decoder) (*Model, error) {
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, errors.New("want an object")
	}
	j := &jsonFields{header: new(header)}
	seen := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value any
		for _, f := range j.fields() {
			if f.Name == name && !seen[f.Name] {
				value, seen[f.Name] = f.Value, true
			}
		}
		if value == nil {
			return nil, fmt.Errorf("%.40q is unknown or twice there", name)
		}
		if name == "weights" || name == "biases" || name == "classes" {
			err = withoutNull(d, value)
		} else {
			err = d.Decode(value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == "format" && j.format != jsonFormat {
			return nil, fmt.Errorf("format: %.40q is not %q", j.format, jsonFormat)
		}
		if name == "version" && j.version != modelfile.Linear.Version {
			return nil, fmt.Errorf("version %d: this program knows %d", j.version, modelfile.Linear.Version)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for _, f := range j.fields() {
		if f.Required && !seen[f.Name] {
			return nil, fmt.Errorf("%s is missing", f.Name)
		}
	}
	if j.header.Result == nil {
		return nil, errors.New("result: want an object")
	}
	m, vectors, err := j.header.model()
	if err != nil {
		return nil, err
	}
	if len(j.weights) != vectors {
		return nil, fmt.Errorf("weights: %d vectors, want %d", len(j.weights), vectors)
	}
	for k, w := range j.weights {
		if len(w) != j.header.Features {
			return nil, fmt.Errorf("weights: %d in vector %d, want %d", len(w), k, j.header.Features)
		}
	}
	if n := len(j.biases); j.header.Bias != (n > 0) || n > 0 && n != vectors {
		return nil, fmt.Errorf("biases: %d of %d vectors, with bias %t", n, vectors, j.header.Bias)
	}
	w := dense.New(vectors, j.header.Features)
	for k := range j.weights {
		copy(w.Row(k), j.weights[k])
		m.Weights = append(m.Weights, w.Row(k))
	}
	if j.header.Bias {
		m.Bias = j.biases
	}
	if err := m.checkRead(); err != nil {
		return nil, err
	}
	if have := m.Hash(); j.hash != "" && j.hash != have {
		return nil, fmt.Errorf("hash: the model has %s: leave the field out if it was edited", have)
	}
	return m, nil
}

// withoutNull decodes a value in which null, which encoding/json leaves as 0, is an error.
func withoutNull(d *json.Decoder, value any) error {
	var text json.RawMessage
	if err := d.Decode(&text); err != nil {
		return err
	}
	if bytes.Contains(text, []byte("null")) {
		return errors.New("null is not a number")
	}
	return json.Unmarshal(text, value)
}
