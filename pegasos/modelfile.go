package pegasos

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/replace"
)

// A model file is
//
//	pegasimd model 1
//	key: value           (value in JSON; one line each, in the order of writeHeader)
//	...
//	                     (an empty line)
//	weights              (float32, little-endian, one vector after the other)
//	biases               (float64, little-endian, one for each vector; only if "bias" is true)
//	state                (float32, little-endian; only if there is a "state": its arrays, see session.arrays)
//	SHA-256              (32 bytes, of all that stands before them)
//
// Lines end with a single newline. Nothing follows the checksum.
const (
	magic   = "pegasimd model "
	version = 1
)

// maxHeader bounds the length of a header line, which has to be in memory as a whole: names of 65,536 classes fit.
const maxHeader = 1 << 26

// header is what stands in a model file beside the numbers.
type header struct {
	Features    int             `json:"features"`
	Classes     []float32       `json:"classes"`
	Names       []string        `json:"names"` // may be missing
	Bias        bool            `json:"bias"`
	IndexBase   int             `json:"index_base"`
	Scaler      json.RawMessage `json:"scaler"`      // may be missing
	HashBits    int             `json:"hash_bits"`   // likewise
	Calibration []Sigmoid       `json:"calibration"` // may be missing
	Lambda      float64         `json:"lambda"`
	Prior       string          `json:"prior"` // may be missing
	Config      Config          `json:"config"`
	Result      *headerResult   `json:"result"`
	State       *saved          `json:"state"` // may be missing
}

// headerResult is a Result in which what was not measured is left out: JSON has no NaN.
type headerResult struct {
	Steps         int64               `json:"steps"`
	Epochs        float64             `json:"epochs"`
	Violations    int64               `json:"violations"`
	Weight        float64             `json:"weight,omitempty"`
	R2            float64             `json:"r2"`
	T0            float64             `json:"t0"`
	Objective     *float64            `json:"objective,omitempty"`
	DualObjective *float64            `json:"dual_objective,omitempty"`
	Gap           *float64            `json:"gap,omitempty"`
	PerClass      []headerClassResult `json:"per_class,omitempty"`
}

type headerClassResult struct {
	Objective     *float64 `json:"objective,omitempty"`
	DualObjective *float64 `json:"dual_objective,omitempty"`
	Violations    int64    `json:"violations"`
	Steps         int64    `json:"steps,omitempty"`
	Lambda        float64  `json:"lambda,omitempty"`
}

func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// fields returns the header's lines: names, and where the values are.
func (h *header) fields() []field {
	return []field{
		{"features", &h.Features, true},
		{"classes", &h.Classes, true},
		{"names", &h.Names, false},
		{"bias", &h.Bias, true},
		{"index_base", &h.IndexBase, true},
		{"scaler", &h.Scaler, false},
		{"hash_bits", &h.HashBits, false},
		{"calibration", &h.Calibration, false},
		{"lambda", &h.Lambda, true},
		{"prior", &h.Prior, false},
		{"config", &h.Config, true},
		{"result", &h.Result, true},
		{"state", &h.State, false},
	}
}

type field struct {
	name     string
	value    any
	required bool
}

// Write writes the model, in a form that is the same on every machine.
func (m *Model) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	fmt.Fprintf(b, "%s%d\n", magic, version)
	h := m.header()
	for _, f := range h.fields() {
		if reflect.ValueOf(f.value).Elem().IsZero() && !f.required {
			continue
		}
		text, err := json.Marshal(f.value)
		if err != nil {
			return fmt.Errorf("pegasos: model can't be written: %s: %w", f.name, err)
		}
		fmt.Fprintf(b, "%s: %s\n", f.name, text)
	}
	b.WriteByte('\n')
	var buf []byte
	write := func(vectors [][]float32) {
		for _, v := range vectors {
			for len(v) > 0 {
				n := min(len(v), 1<<14)
				buf = appendFloats(buf[:0], v[:n])
				b.Write(buf)
				v = v[n:]
			}
		}
	}
	write(m.Weights)
	b.Write(appendDoubles(nil, m.Bias))
	if m.State != nil {
		write(m.State.arrays)
	}
	if err := b.Flush(); err != nil { // has the first error of all the above
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

func (m *Model) header() *header {
	h := &header{
		Features: m.Cols(), Classes: m.Classes, Names: m.Names, Bias: m.Bias != nil,
		IndexBase: m.IndexBase, Scaler: m.Scaler, HashBits: m.HashBits, Calibration: m.Calibration, Lambda: m.Lambda, Prior: m.Prior, Config: m.Config,
		Result: m.Result.header(),
	}
	if h.Classes == nil {
		h.Classes = []float32{} // not null
	}
	if m.State != nil {
		h.State = &m.State.saved
	}
	return h
}

func (r *Result) header() *headerResult {
	h := &headerResult{
		Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations, Weight: r.Weight, R2: r.R2, T0: r.T0,
		Objective: known(r.Objective), DualObjective: known(r.DualObjective), Gap: known(r.Gap),
	}
	for _, c := range r.PerClass {
		h.PerClass = append(h.PerClass, headerClassResult{known(c.Objective), known(c.DualObjective), c.Violations, c.Steps, c.Lambda})
	}
	return h
}

// Read reads a model that Write has written, to the end of r. It checks all there is to check, and takes no more memory
// than a few times what r turns out to hold, whatever the header says.
func Read(r io.Reader) (*Model, error) {
	m, err := (&modelReader{r: bufio.NewReaderSize(r, 1<<16), sum: sha256.New()}).read()
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("cut short")
		}
		return nil, fmt.Errorf("pegasos: model file: %w", err)
	}
	return m, nil
}

type modelReader struct {
	r   *bufio.Reader
	sum hash.Hash
}

func (mr *modelReader) read() (*Model, error) {
	start, err := mr.r.Peek(len(magic))
	if err != nil && len(start) == 0 {
		return nil, err
	}
	if !strings.HasPrefix(magic, string(start)) {
		return nil, errors.New("not a model of pegasimd")
	}
	line, err := mr.line()
	if err != nil {
		return nil, err
	}
	if v, err := strconv.Atoi(line[len(magic):]); err != nil || v < 1 {
		return nil, fmt.Errorf("version %.20q", line[len(magic):])
	} else if v > version {
		return nil, fmt.Errorf("version %d is newer than this program, which knows %d", v, version)
	}
	h, err := mr.header()
	if err != nil {
		return nil, err
	}
	m, vectors, err := h.model()
	if err != nil {
		return nil, err
	}
	// Checked in full before anything of the claimed size is made.
	weights, err := mr.floats(vectors * h.Features)
	if err != nil {
		return nil, err
	}
	if h.Bias {
		b := make([]byte, 8*vectors)
		if err := mr.full(b); err != nil {
			return nil, err
		}
		for k := range vectors {
			m.Bias = append(m.Bias, math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:])))
		}
	}
	if h.State != nil {
		m.State = &State{saved: *h.State}
		if err := mr.stateArrays(m.State); err != nil {
			return nil, err
		}
	}
	want := mr.sum.Sum(nil)
	have := make([]byte, len(want))
	if _, err := io.ReadFull(mr.r, have); err != nil {
		return nil, err
	}
	if !bytes.Equal(have, want) {
		return nil, errors.New("wrong checksum: the file is damaged")
	}
	if _, err := mr.r.ReadByte(); err != io.EOF {
		if err == nil {
			err = errors.New("something follows the checksum")
		}
		return nil, err
	}
	w := dense.New(vectors, h.Features)
	for k := range vectors {
		copy(w.Row(k), weights[k*h.Features:])
		m.Weights = append(m.Weights, w.Row(k))
	}
	return m, m.checkRead()
}

// model returns the model that the header describes, without its weights and biases, and how many vectors there are to be.
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
		Classes: h.Classes, Names: h.Names, Scaler: h.Scaler, HashBits: h.HashBits, Calibration: h.Calibration, Lambda: h.Lambda, Prior: h.Prior, Config: h.Config, IndexBase: h.IndexBase,
		Result: h.Result.result(),
	}, vectors, nil
}

// checkRead returns an error unless a model from a file is one that training could give.
func (m *Model) checkRead() error {
	if err := m.check(); err != nil {
		return err
	}
	if err := first(m.Config.Validate(), checkLambda(m.Lambda)); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	return nil
}

// line reads a line and returns it without its end.
func (mr *modelReader) line() (string, error) {
	var line []byte
	for {
		part, err := mr.r.ReadSlice('\n')
		mr.sum.Write(part)
		line = append(line, part...)
		if err == nil {
			return string(line[:len(line)-1]), nil
		}
		if err != bufio.ErrBufferFull {
			return "", err
		}
		if len(line) > maxHeader {
			return "", errors.New("a line of the header is too long")
		}
	}
}

func (mr *modelReader) header() (*header, error) {
	h := new(header)
	fields := h.fields()
	for {
		line, err := mr.line()
		if err != nil {
			return nil, err
		}
		if line == "" {
			break
		}
		name, text, _ := strings.Cut(line, ": ")
		at := -1
		for i, f := range fields {
			if f.name == name {
				at = i
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("header: %.40q is unknown, twice there, or in the wrong place", name)
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(fields[at].value); err != nil {
			return nil, fmt.Errorf("header: %s: %v", name, err)
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, fmt.Errorf("header: %s: more than one value", name)
		}
		for _, f := range fields[:at] {
			if f.required {
				return nil, fmt.Errorf("header: %s is missing", f.name)
			}
		}
		fields = fields[at+1:]
	}
	for _, f := range fields {
		if f.required {
			return nil, fmt.Errorf("header: %s is missing", f.name)
		}
	}
	if h.Result == nil {
		return nil, errors.New("header: result: want an object")
	}
	return h, nil
}

func (h *headerResult) result() Result {
	r := Result{
		Steps: h.Steps, Epochs: h.Epochs, Violations: h.Violations, Weight: h.Weight, R2: h.R2, T0: h.T0,
		Objective: orNaN(h.Objective), DualObjective: orNaN(h.DualObjective), Gap: orNaN(h.Gap),
	}
	for _, c := range h.PerClass {
		r.PerClass = append(r.PerClass, ClassResult{orNaN(c.Objective), orNaN(c.DualObjective), c.Violations, c.Steps, c.Lambda})
	}
	return r
}

// full fills b.
func (mr *modelReader) full(b []byte) error {
	_, err := io.ReadFull(mr.r, b)
	mr.sum.Write(b)
	return err
}

// floats reads n numbers. The slice grows with what is there.
func (mr *modelReader) floats(n int) ([]float32, error) {
	var values []float32
	buf := make([]byte, 4*min(n, 1<<14))
	for n > 0 {
		part := buf[:4*min(n, len(buf)/4)]
		if err := mr.full(part); err != nil {
			return nil, err
		}
		n -= len(part) / 4
		for ; len(part) > 0; part = part[4:] {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(part)))
		}
	}
	return values, nil
}

// stateArrays reads the arrays of a state. Whether they fit a run is found out when there is one.
func (mr *modelReader) stateArrays(st *State) error {
	for _, n := range st.saved.Arrays {
		if n < 0 {
			return errors.New("header: state: an array of negative length")
		}
		a, err := mr.floats(n)
		if err != nil {
			return err
		}
		st.arrays = append(st.arrays, a)
	}
	return nil
}

// ReadFile reads a model from a file.
func ReadFile(name string) (*Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("pegasos: %w", err)
	}
	defer f.Close()
	m, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, name)
	}
	return m, nil
}

// WriteFile writes the model to a file. The file is either written in full or left as it was, whatever happens.
func (m *Model) WriteFile(name string) error {
	if err := replace.File(name, m.Write); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	return nil
}
