package kernelsvm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// A kernel model's file has the format of package modelfile. The numbers after its header are
//
//	support rows   dense:  float32, row after row
//	               sparse: the number of nonzeros of each row (uint32), all columns (uint32),
//	                       all values (float32)
//	coefficients   float32: for each class, for each problem of the class, for each of the
//	               class's support rows

type header struct {
	features int
	hash     string // Model.Hash; empty if Model.Data is empty
	layout   string // dense or sparse
	result   *headerResult
}

func (h *header) fields(m *Model) []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("features", &h.features),
		modelfile.Required("classes", &m.Classes).UpTo(labels.MaxClasses),
		modelfile.Optional("names", &m.Names).UpTo(labels.MaxClasses),
		modelfile.Required("index_base", &m.IndexBase),
		modelfile.Optional("hash_bits", &m.HashBits), modelfile.Optional("table", &m.Table),
		modelfile.Required("lambda", &m.Lambda), modelfile.Optional("hash", &h.hash),
		modelfile.Optional("data", &m.Data), modelfile.Optional("command", &m.Command),
		modelfile.Required("config", &m.Config), modelfile.Required("layout", &h.layout),
		modelfile.Required("support", &m.counts).UpTo(labels.MaxClasses),
		modelfile.Required("result", &h.result),
	}
}

type headerResult struct {
	Result
	proof.ClaimHeader
	Gap        *float64            `json:"gap,omitempty"`
	PerProblem []proof.ClaimHeader `json:"per_problem,omitempty"`
}

func (r Result) header() *headerResult {
	h := &headerResult{Result: r, ClaimHeader: r.claim().Header()}
	h.Gap = h.ClaimHeader.Gap()
	for _, p := range r.PerProblem {
		h.PerProblem = append(h.PerProblem, proof.Claim(p).Header())
	}
	return h
}

func (h *headerResult) result() Result {
	r, all := h.Result, h.Claim()
	r.Objective, r.DualObjective, r.Gap = all.Objective, all.DualObjective, all.Gap()
	for _, p := range h.PerProblem {
		r.PerProblem = append(r.PerProblem, ProblemResult(p.Claim()))
	}
	return r
}

// Hash returns the SHA-256, in hexadecimal, of the support rows and coefficients as in the model's
// file, the kernel, its parameters, Config.Multiclass, the classes, and the fields Names,
// IndexBase, HashBits and Table.
func (m *Model) Hash() string {
	h := sha256.New()
	c := m.Config
	fmt.Fprintf(h, "%s %v %v %d %s\n", c.Kernel, c.Gamma, c.Coef0, c.Degree, c.Multiclass)
	modelfile.WriteNumbers(h, m.Classes)
	m.writeBody(h)
	modelfile.WriteLines(h, []modelfile.Field{
		modelfile.Optional("names", &m.Names), modelfile.Optional("index_base", &m.IndexBase),
		modelfile.Optional("hash_bits", &m.HashBits), modelfile.Optional("table", &m.Table),
	})
	return hex.EncodeToString(h.Sum(nil))
}

// Write writes the model to w in a format that is the same on every machine.
func (m *Model) Write(w io.Writer) error {
	if m == nil || m.rows == nil {
		return errors.New("pegasos: model can't be written: it was neither trained nor read")
	}
	if m.Names != nil && len(m.Names) != len(m.Classes) {
		return fmt.Errorf("pegasos: model can't be written: %s for %d classes",
			plural.Count(len(m.Names), "name"), len(m.Classes))
	}
	h := &header{features: m.Cols(), layout: store.Kind(m.rows.Examples()), result: m.Result.header()}
	if m.Data != "" {
		h.hash = m.Hash()
	}
	mw := modelfile.NewWriter(w, modelfile.Kernel)
	if err := mw.Header(h.fields(m)); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	m.writeBody(mw)
	return mw.Close()
}

// writeBody ignores errors: w must either remember its first error or never fail.
func (m *Model) writeBody(w io.Writer) {
	n := m.rows.Rows()
	if m.rows.Dense() == nil {
		counts := make([]int32, n)
		for i := range counts {
			index, _ := m.rows.Row(i)
			counts[i] = int32(len(index))
		}
		modelfile.WriteNumbers(w, counts)
		for i := range n {
			index, _ := m.rows.Row(i)
			modelfile.WriteNumbers(w, index)
		}
	}
	for i := range n {
		_, values := m.rows.Row(i)
		modelfile.WriteNumbers(w, values)
	}
	for _, coef := range m.coef {
		modelfile.WriteNumbers(w, coef)
	}
}

// Read reads a model from r, which must hold a model written by Write and nothing else.
func Read(r io.Reader) (*Model, error) { return modelfile.Read(r, modelfile.Kernel, readModel) }

// ReadFile reads a model from a file, which may be compressed with gzip.
func ReadFile(name string) (*Model, error) { return modelfile.ReadFile(name, Read) }

// WriteFile writes the model to the named file. A regular file is replaced atomically. If the name
// ends in .gz the file is compressed with gzip.
func (m *Model) WriteFile(name string) error { return modelfile.WriteFile(name, m.Write) }

func readModel(mr *modelfile.Reader) (*Model, error) {
	h, m := new(header), new(Model)
	if err := mr.Header(h.fields(m)); err != nil {
		return nil, err
	}
	rows, err := h.check(m)
	if err != nil {
		return nil, err
	}
	m.Result, m.wrongGap = h.result.result(), h.result.CheckGap(h.result.Gap)
	x, err := readSupport(mr, h, rows)
	if err != nil {
		return nil, err
	}
	m.rows, _ = store.MatrixOf(x)
	if err := m.readCoefficients(mr); err != nil {
		return nil, err
	}
	if err := mr.End(); err != nil {
		return nil, err
	}
	for c, coef := range m.coef {
		if i := floats.FirstNotFinite(coef); i >= 0 {
			n := m.counts[c]
			return nil, fmt.Errorf("coefficient %d of class %d in problem %d is %v, want a finite "+
				"number", i%n, c, m.Config.problem(len(m.Classes), c, i/n), coef[i])
		}
	}
	if have := m.Hash(); h.hash != "" && h.hash != have {
		return nil, fmt.Errorf("header: hash: the file says %s, but the model's hash is %s",
			h.hash, have)
	}
	return m, nil
}

// readCoefficients allocates memory in proportion to the file's bytes.
func (m *Model) readCoefficients(mr *modelfile.Reader) (err error) {
	n := len(m.Classes)
	slots := m.Config.slots(n)
	m.coef = make([][]float32, n)
	for class, count := range m.counts {
		if count > math.MaxInt/8/slots {
			return fmt.Errorf("header: support: %d rows of one class are too many", count)
		}
		if m.coef[class], err = mr.Floats(count * slots); err != nil {
			return err
		}
	}
	return nil
}

func (h *header) check(m *Model) (rows int, err error) {
	n := len(m.Classes)
	if n < 2 || n > labels.MaxClasses {
		return 0, fmt.Errorf("header: classes: have %d, want 2 to %d", n, labels.MaxClasses)
	}
	if err := labels.CheckClasses(m.Classes, m.Names); err != nil {
		return 0, err
	}
	if err := cmp.Or(modelfile.CheckData(m.Data), m.Config.Validate(),
		publicError(options.Positive("Lambda", m.Lambda).Err())); err != nil {
		return 0, fmt.Errorf("header: %w", err)
	}
	switch {
	case m.Config != m.Config.WithDefaults():
		return 0, errors.New("header: config: defaults are not filled in")
	case m.Config.hasGamma() && m.Config.Gamma == 0:
		return 0, errors.New("header: config: gamma is missing")
	case m.Config.problems(n) > maxProblems:
		return 0, fmt.Errorf("header: classes: %d classes make more than %d pairs", n, maxProblems)
	}
	return h.checkSizes(m)
}

func (h *header) checkSizes(m *Model) (rows int, err error) {
	switch {
	case h.layout != "dense" && h.layout != "sparse":
		return 0, fmt.Errorf("header: layout: have %.20q, want dense or sparse", h.layout)
	case h.features < 0 || h.features > math.MaxInt32:
		return 0, fmt.Errorf("header: features: have %d, want 0 to 2^31-1", h.features)
	case len(m.counts) != len(m.Classes):
		return 0, fmt.Errorf("header: support: %s for %d classes",
			plural.Count(len(m.counts), "number"), len(m.Classes))
	}
	for _, count := range m.counts {
		if count < 0 || count > maxRows-rows {
			return 0, fmt.Errorf("header: support: have %d rows for a class, want 0 or more, and at "+
				"most %d in all", count, maxRows)
		}
		rows += count
	}
	if h.layout == "dense" && rows > 0 && h.features > math.MaxInt/8/rows {
		return 0, fmt.Errorf("header: %d dense rows of %d features are too large", rows, h.features)
	}
	return rows, nil
}

// readSupport allocates memory in proportion to the bytes read, not to sizes in the header.
func readSupport(mr *modelfile.Reader, h *header, rows int) (pegasos.Examples, error) {
	if h.layout == "dense" {
		if h.features == 0 && rows > 1<<20 { // no bytes of the file account for the rows
			return nil, fmt.Errorf("header: support: %d rows with no features are too many", rows)
		}
		values, err := readValues(mr, rows*h.features)
		if err != nil {
			return nil, err
		}
		return dense.FromSlice(rows, h.features, values)
	}
	counts, err := mr.Ints(rows)
	if err != nil {
		return nil, err
	}
	starts := make([]int64, 1, rows+1)
	for i, n := range counts {
		if n < 0 || int(n) > h.features {
			return nil, fmt.Errorf("support row %d has %s, want at most the number of features, %d", i,
				plural.Count(int64(uint32(n)), "nonzero"), h.features)
		}
		starts = append(starts, starts[i]+int64(n))
	}
	nonzeros := starts[rows]
	if nonzeros > math.MaxInt/16 {
		return nil, fmt.Errorf("support rows: %d nonzeros are too many", nonzeros)
	}
	index, err := mr.Ints(int(nonzeros))
	if err != nil {
		return nil, err
	}
	values, err := readValues(mr, int(nonzeros))
	if err != nil {
		return nil, err
	}
	x, err := sparse.NewShared(h.features, starts, index, values)
	if err != nil {
		return nil, fmt.Errorf("support rows: %w", err)
	}
	return x, nil
}

func readValues(mr *modelfile.Reader, n int) ([]float32, error) {
	values, err := mr.Floats(n)
	if i := floats.FirstNotFinite(values); err == nil && i >= 0 {
		err = fmt.Errorf("support rows: a value is %v, not finite", values[i])
	}
	return values, err
}
