package pegasos

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/sparse"
)

// A kernel model's file is like a model's (modelfile.go), with
//
//	pegasimd kernel model 1
//
// as its first line, and between the header and the checksum, all little-endian:
//
//	support rows   dense:  float32, row after row
//	               sparse: the rows' numbers of nonzeros (uint32), their columns (uint32), their values (float32)
//	coefficients   float32: class after class, of each problem of the class, of each of its support rows
//
// The header's "support" has the number of support rows of each class.
const (
	kernelMagic   = "pegasimd kernel model "
	kernelVersion = 1
)

type kernelHeader struct {
	Features  int                 `json:"features"`
	Classes   []float32           `json:"classes"`
	Names     []string            `json:"names"` // may be missing
	IndexBase int                 `json:"index_base"`
	Lambda    float64             `json:"lambda"`
	Config    KernelConfig        `json:"config"`
	Layout    string              `json:"layout"` // dense or sparse
	Support   []int               `json:"support"`
	Result    *kernelHeaderResult `json:"result"`
}

type kernelHeaderResult struct {
	Steps         int64    `json:"steps"`
	Epochs        float64  `json:"epochs"`
	Passes        int      `json:"passes"`
	Violations    int64    `json:"violations"`
	R2            float64  `json:"r2"`
	T0            float64  `json:"t0"`
	Objective     *float64 `json:"objective,omitempty"`
	DualObjective *float64 `json:"dual_objective,omitempty"`
	Gap           *float64 `json:"gap,omitempty"`
}

func (h *kernelHeader) fields() []field {
	return []field{
		{"features", &h.Features, true},
		{"classes", &h.Classes, true},
		{"names", &h.Names, false},
		{"index_base", &h.IndexBase, true},
		{"lambda", &h.Lambda, true},
		{"config", &h.Config, true},
		{"layout", &h.Layout, true},
		{"support", &h.Support, true},
		{"result", &h.Result, true},
	}
}

// Write writes the model, in a form that is the same on every machine.
func (m *KernelModel) Write(w io.Writer) error {
	if m.Names != nil && len(m.Names) != len(m.Classes) {
		return fmt.Errorf("pegasos: model can't be written: %d names for %d classes", len(m.Names), len(m.Classes))
	}
	r := m.Result
	h := &kernelHeader{
		Features: m.Cols(), Classes: m.Classes, Names: m.Names, IndexBase: m.IndexBase, Lambda: m.Lambda, Config: m.Config,
		Layout: "dense", Support: m.counts,
		Result: &kernelHeaderResult{
			r.Steps, r.Epochs, r.Passes, r.Violations, r.R2, r.T0, known(r.Objective), known(r.DualObjective), known(r.Gap),
		},
	}
	if _, ok := m.rows.(*sparse.Matrix); ok {
		h.Layout = "sparse"
	}
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	fmt.Fprintf(b, "%s%d\n", kernelMagic, kernelVersion)
	for _, f := range h.fields() {
		if f.name == "names" && h.Names == nil {
			continue
		}
		text, err := json.Marshal(f.value)
		if err != nil {
			return fmt.Errorf("pegasos: model can't be written: %s: %w", f.name, err)
		}
		fmt.Fprintf(b, "%s: %s\n", f.name, text)
	}
	b.WriteByte('\n')
	m.writeBody(b)
	if err := b.Flush(); err != nil { // has the first error of all the above
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// writeBody writes the support rows and the coefficients. It is for writers that keep their first error.
func (m *KernelModel) writeBody(w io.Writer) {
	var buf []byte
	floats := func(values []float32) {
		for len(values) > 0 {
			n := min(len(values), 1<<14)
			buf = appendFloats(buf[:0], values[:n])
			w.Write(buf)
			values = values[n:]
		}
	}
	switch rows := m.rows.(type) {
	case *dense.Matrix:
		for i := range rows.Rows() {
			floats(rows.Row(i))
		}
	case *sparse.Matrix:
		for i := range rows.Rows() {
			index, _ := rows.Row(i)
			buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(len(index)))
			w.Write(buf)
		}
		for i := range rows.Rows() {
			index, _ := rows.Row(i)
			buf = buf[:0]
			for _, j := range index {
				buf = binary.LittleEndian.AppendUint32(buf, uint32(j))
			}
			w.Write(buf)
		}
		for i := range rows.Rows() {
			_, values := rows.Row(i)
			floats(values)
		}
	}
	for _, slots := range m.coef {
		for _, coef := range slots {
			floats(coef)
		}
	}
}

// ErrNotKernelModel is what [ReadKernelModel] returns for what starts as a file of another kind.
var ErrNotKernelModel = errors.New("not a kernel model of pegasimd")

// ReadKernelModel reads a model that [KernelModel.Write] has written, to the end of r. It checks all there is to check, and takes
// no more memory than a few times what r turns out to hold, whatever the header says.
func ReadKernelModel(r io.Reader) (*KernelModel, error) {
	m, err := (&modelReader{r: bufio.NewReaderSize(r, 1<<16), sum: sha256.New()}).readKernel()
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("cut short")
		}
		return nil, fmt.Errorf("pegasos: model file: %w", err)
	}
	return m, nil
}

// ReadKernelModelFile reads a kernel model from a file.
func ReadKernelModelFile(name string) (*KernelModel, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("pegasos: %w", err)
	}
	defer f.Close()
	m, err := ReadKernelModel(f)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, name)
	}
	return m, nil
}

// WriteFile writes the model to a file. The file is either written in full or left as it was, whatever happens.
func (m *KernelModel) WriteFile(name string) error {
	if err := replace.File(name, m.Write); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	return nil
}

func (mr *modelReader) readKernel() (*KernelModel, error) {
	start, err := mr.r.Peek(len(kernelMagic))
	if err != nil && len(start) == 0 {
		return nil, err
	}
	if !strings.HasPrefix(kernelMagic, string(start)) {
		return nil, ErrNotKernelModel
	}
	line, err := mr.line()
	if err != nil {
		return nil, err
	}
	if v, err := strconv.Atoi(line[len(kernelMagic):]); err != nil || v < 1 {
		return nil, fmt.Errorf("version %.20q", line[len(kernelMagic):])
	} else if v > kernelVersion {
		return nil, fmt.Errorf("version %d is newer than this program, which knows %d", v, kernelVersion)
	}
	h := new(kernelHeader)
	if err := mr.fields(h.fields()); err != nil {
		return nil, err
	}
	rows, err := h.check()
	if err != nil {
		return nil, err
	}
	m := &KernelModel{
		Classes: h.Classes, Names: h.Names, IndexBase: h.IndexBase, Lambda: h.Lambda, Config: h.Config, counts: h.Support,
	}
	r := h.Result
	m.Result = KernelResult{
		r.Steps, r.Epochs, r.Passes, r.Violations, r.R2, r.T0, orNaN(r.Objective), orNaN(r.DualObjective), orNaN(r.Gap),
	}
	if m.rows, err = mr.supportRows(h, rows); err != nil {
		return nil, err
	}
	slots := h.Config.slots(len(h.Classes))
	for _, count := range h.Support {
		var coef [][]float32 // stays nil for a class without support rows: nothing in the file would pay for it
		for range slots {
			if count == 0 {
				break
			}
			c, err := mr.floats(count)
			if err != nil {
				return nil, err
			}
			coef = append(coef, c)
		}
		m.coef = append(m.coef, coef)
	}
	if err := mr.end(); err != nil {
		return nil, err
	}
	return m, m.checkCoefficients()
}

// fields reads the lines of a header.
func (mr *modelReader) fields(fields []field) error {
	for {
		line, err := mr.line()
		if err != nil {
			return err
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
			return fmt.Errorf("header: %.40q is unknown, twice there, or in the wrong place", name)
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(fields[at].value); err != nil {
			return fmt.Errorf("header: %s: %v", name, err)
		}
		if _, err := d.Token(); err != io.EOF {
			return fmt.Errorf("header: %s: more than one value", name)
		}
		for _, f := range fields[:at] {
			if f.required {
				return fmt.Errorf("header: %s is missing", f.name)
			}
		}
		fields = fields[at+1:]
	}
	if len(fields) > 0 {
		return fmt.Errorf("header: %s is missing", fields[0].name)
	}
	return nil
}

// check returns the number of support rows.
func (h *kernelHeader) check() (rows int, err error) {
	if h.Result == nil {
		return 0, errors.New("header: result: want an object")
	}
	n := len(h.Classes)
	if n < 2 || n > maxClasses {
		return 0, fmt.Errorf("%d classes, want 2 to %d", n, maxClasses)
	}
	for i, c := range h.Classes {
		if c-c != 0 || i > 0 && c <= h.Classes[i-1] {
			return 0, fmt.Errorf("classes must be finite and ascending, have %v", c)
		}
	}
	if h.Names != nil && len(h.Names) != n {
		return 0, fmt.Errorf("%d names for %d classes", len(h.Names), n)
	}
	if err := first(h.Config.Validate(), checkLambda(h.Lambda)); err != nil {
		return 0, fmt.Errorf("header: %w", err)
	}
	if h.Config != h.Config.WithDefaults() {
		return 0, errors.New("header: config: defaults are not filled in")
	}
	switch h.Config.Kernel {
	case RBF, Polynomial, SigmoidKernel:
		if h.Config.Gamma == 0 {
			return 0, errors.New("header: config: no gamma")
		}
	}
	if h.Config.problems(n) > maxKernelProblems {
		return 0, fmt.Errorf("%d classes make too many pairs", n)
	}
	if h.Layout != "dense" && h.Layout != "sparse" {
		return 0, fmt.Errorf("header: layout: have %.20q, want dense or sparse", h.Layout)
	}
	if h.Features < 0 || h.Features > math.MaxInt32 {
		return 0, fmt.Errorf("%d features", h.Features)
	}
	if len(h.Support) != n {
		return 0, fmt.Errorf("header: support: %d numbers for %d classes", len(h.Support), n)
	}
	for _, count := range h.Support {
		if count < 0 || count > maxKernelRows-rows {
			return 0, fmt.Errorf("header: support: have %d rows of a class", count)
		}
		rows += count
	}
	if h.Layout == "dense" && rows > 0 && h.Features > math.MaxInt/8/rows {
		return 0, fmt.Errorf("%d rows of %d features", rows, h.Features)
	}
	return rows, nil
}

func (mr *modelReader) supportRows(h *kernelHeader, rows int) (Examples, error) {
	if h.Layout == "dense" {
		// Checked in full before anything of the claimed size is made.
		values, err := mr.floats(rows * h.Features)
		if err != nil {
			return nil, err
		}
		if h.Features == 0 && rows > 1<<20 { // which nothing in the file pays for
			return nil, fmt.Errorf("%d rows of no features", rows)
		}
		d := dense.New(rows, h.Features)
		for i := range rows {
			copy(d.Row(i), values[i*h.Features:])
		}
		return d, checkSupport(values)
	}
	counts, err := mr.ints(rows)
	if err != nil {
		return nil, err
	}
	starts := make([]int64, 1, rows+1)
	for i, n := range counts {
		if n < 0 || int(n) > h.Features {
			return nil, fmt.Errorf("support row %d has %d nonzeros of %d features", i, uint32(n), h.Features)
		}
		starts = append(starts, starts[i]+int64(n))
	}
	nonzeros := starts[rows]
	if nonzeros > math.MaxInt/16 {
		return nil, fmt.Errorf("%d nonzeros", nonzeros)
	}
	index, err := mr.ints(int(nonzeros))
	if err != nil {
		return nil, err
	}
	values, err := mr.floats(int(nonzeros))
	if err != nil {
		return nil, err
	}
	s, err := sparse.New(h.Features, starts, index, values)
	if err != nil {
		return nil, fmt.Errorf("support rows: %w", err)
	}
	return s, checkSupport(values)
}

func checkSupport(values []float32) error {
	for _, v := range values {
		if v-v != 0 {
			return fmt.Errorf("a value of a support row is %v", v)
		}
	}
	return nil
}

func (m *KernelModel) checkCoefficients() error {
	for c, slots := range m.coef {
		for s, coef := range slots {
			for i, v := range coef {
				if v-v != 0 {
					return fmt.Errorf("coefficient %d of class %d in its problem %d is %v", i, c, s, v)
				}
			}
		}
	}
	return nil
}

// ints reads n numbers. The slice grows with what is there.
func (mr *modelReader) ints(n int) ([]int32, error) {
	var values []int32
	buf := make([]byte, 1<<16)
	for n > 0 {
		part := buf[:4*min(n, len(buf)/4)]
		if err := mr.full(part); err != nil {
			return nil, err
		}
		n -= len(part) / 4
		for ; len(part) > 0; part = part[4:] {
			values = append(values, int32(binary.LittleEndian.Uint32(part)))
		}
	}
	return values, nil
}

// end reads the checksum and makes sure that nothing follows.
func (mr *modelReader) end() error {
	want := mr.sum.Sum(nil)
	have := make([]byte, len(want))
	if _, err := io.ReadFull(mr.r, have); err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return errors.New("wrong checksum: the file is damaged")
	}
	if _, err := mr.r.ReadByte(); err != io.EOF {
		if err == nil {
			err = errors.New("something follows the checksum")
		}
		return err
	}
	return nil
}
