package kernelsvm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/sparse"
)

// A kernel model's file is one of package modelfile, of the kind Kernel. Its numbers are
//
//	support rows   dense:  float32, row after row
//	               sparse: the rows' numbers of nonzeros (uint32), their columns (uint32),
//	                       their values (float32)
//	coefficients   float32: class after class, of each problem of the class, of each of its
//	               support rows
//
// The header's "support" has the number of support rows of each class.

type header struct {
	Features  int             `json:"features"`
	Classes   []float32       `json:"classes"`
	Names     []string        `json:"names"` // may be missing
	IndexBase int             `json:"index_base"`
	Table     json.RawMessage `json:"table"` // may be missing
	Lambda    float64         `json:"lambda"`
	Config    Config          `json:"config"`
	Layout    string          `json:"layout"` // dense or sparse
	Support   []int           `json:"support"`
	Result    *headerResult   `json:"result"`
}

type headerResult struct {
	Steps         int64    `json:"steps"`
	Epochs        float64  `json:"epochs"`
	Passes        int      `json:"passes"`
	Violations    int64    `json:"violations"`
	R2            float64  `json:"r2"`
	T0            float64  `json:"t0"`
	Objective     *float64 `json:"objective,omitempty"`
	DualObjective *float64 `json:"dual_objective,omitempty"`
	Gap           *float64 `json:"gap,omitempty"`

	PerProblem []headerProblem `json:"per_problem,omitempty"`
}

type headerProblem struct {
	Objective     *float64 `json:"objective,omitempty"`
	DualObjective *float64 `json:"dual_objective,omitempty"`
}

func (r Result) header() *headerResult {
	h := &headerResult{
		Steps: r.Steps, Epochs: r.Epochs, Passes: r.Passes, Violations: r.Violations, R2: r.R2,
		T0: r.T0, Objective: modelfile.Known(r.Objective),
		DualObjective: modelfile.Known(r.DualObjective), Gap: modelfile.Finite(r.Gap),
	}
	for _, p := range r.PerProblem {
		h.PerProblem = append(h.PerProblem,
			headerProblem{modelfile.Known(p.Objective), modelfile.Known(p.DualObjective)})
	}
	return h
}

func (h *headerResult) result() Result {
	r := Result{
		Steps: h.Steps, Epochs: h.Epochs, Passes: h.Passes, Violations: h.Violations, R2: h.R2,
		T0: h.T0, Objective: modelfile.OrNaN(h.Objective),
		DualObjective: modelfile.OrNaN(h.DualObjective),
	}
	r.Gap = proof.Gap(r.Objective, r.DualObjective) // older programs wrote (P-D)/P
	for _, p := range h.PerProblem {
		r.PerProblem = append(r.PerProblem,
			ProblemResult{modelfile.OrNaN(p.Objective), modelfile.OrNaN(p.DualObjective)})
	}
	return r
}

func (h *header) fields() []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("features", &h.Features),
		modelfile.Required("classes", &h.Classes),
		modelfile.Optional("names", &h.Names),
		modelfile.Required("index_base", &h.IndexBase),
		modelfile.Optional("table", &h.Table),
		modelfile.Required("lambda", &h.Lambda),
		modelfile.Required("config", &h.Config),
		modelfile.Required("layout", &h.Layout),
		modelfile.Required("support", &h.Support),
		modelfile.Required("result", &h.Result),
	}
}

// Write writes the model, in a form that is the same on every machine.
func (m *Model) Write(w io.Writer) error {
	if m.Names != nil && len(m.Names) != len(m.Classes) {
		return fmt.Errorf("pegasos: model can't be written: %d names for %d classes", len(m.Names),
			len(m.Classes))
	}
	h := &header{
		Features: m.Cols(), Classes: m.Classes, Names: m.Names, IndexBase: m.IndexBase,
		Table: m.Table, Lambda: m.Lambda, Config: m.Config,
		Layout: m.Layout(), Support: m.counts,
		Result: m.Result.header(),
	}
	mw := modelfile.NewWriter(w, modelfile.Kernel)
	if err := mw.Header(h.fields()); err != nil {
		return fmt.Errorf("pegasos: model can't be written: %w", err)
	}
	m.writeBody(mw)
	return mw.Close()
}

// writeBody writes the support rows and the coefficients. It is for writers that keep their first
// error.
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
	for _, slots := range m.coef {
		for _, coef := range slots {
			modelfile.WriteNumbers(w, coef)
		}
	}
}

// Read reads a model that [Model.Write] has written, to the end of r. It checks all there is to
// check, and takes no more memory than a few times what r turns out to hold, whatever the header
// says.
func Read(r io.Reader) (*Model, error) { return modelfile.Read(r, modelfile.Kernel, readModel) }

// ReadFile reads a model from a file, which may be compressed with gzip.
func ReadFile(name string) (*Model, error) { return modelfile.ReadFile(name, Read) }

// WriteFile writes the model to a file. The file is either written in full or left as it was,
// whatever happens. If the name ends in .gz it is compressed with gzip.
func (m *Model) WriteFile(name string) error { return modelfile.WriteFile(name, m.Write) }

// readModel reads what follows the first line of a model file.
func readModel(mr *modelfile.Reader) (*Model, error) {
	h := new(header)
	if err := mr.Header(h.fields()); err != nil {
		return nil, err
	}
	rows, err := h.check()
	if err != nil {
		return nil, err
	}
	m := &Model{
		Classes: h.Classes, Names: h.Names, IndexBase: h.IndexBase, Table: h.Table,
		Lambda: h.Lambda, Config: h.Config, counts: h.Support,
	}
	m.Result = h.Result.result()
	if m.rows, err = readSupportRows(mr, h, rows); err != nil {
		return nil, err
	}
	slots := h.Config.slots(len(h.Classes))
	for _, count := range h.Support {
		// stays nil for a class without support rows: nothing in the file would pay for it
		var coef [][]float32
		for range slots {
			if count == 0 {
				break
			}
			c, err := mr.Floats(count)
			if err != nil {
				return nil, err
			}
			coef = append(coef, c)
		}
		m.coef = append(m.coef, coef)
	}
	if err := mr.End(); err != nil {
		return nil, err
	}
	return m, m.checkCoefficients()
}

// check returns the number of support rows, or what is wrong with the header.
func (h *header) check() (rows int, err error) {
	if h.Result == nil {
		return 0, errors.New("header: result: want an object")
	}
	n := len(h.Classes)
	if n < 2 || n > labels.MaxClasses {
		return 0, fmt.Errorf("%d classes, want 2 to %d", n, labels.MaxClasses)
	}
	if err := labels.CheckClasses(h.Classes, h.Names); err != nil {
		return 0, err
	}
	if err := h.checkConfig(n); err != nil {
		return 0, err
	}
	return h.checkSizes(n)
}

func (h *header) checkConfig(classes int) error {
	if err := h.Config.Validate(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if err := options.First(fieldError, []options.Rule{options.Lambda(h.Lambda)}); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if h.Config != h.Config.WithDefaults() {
		return errors.New("header: config: defaults are not filled in")
	}
	if h.Config.hasGamma() && h.Config.Gamma == 0 {
		return errors.New("header: config: no gamma")
	}
	if h.Config.problems(classes) > maxProblems {
		return fmt.Errorf("%d classes make too many pairs", classes)
	}
	return nil
}

// checkSizes returns the number of support rows.
func (h *header) checkSizes(classes int) (rows int, err error) {
	if h.Layout != "dense" && h.Layout != "sparse" {
		return 0, fmt.Errorf("header: layout: have %.20q, want dense or sparse", h.Layout)
	}
	if h.Features < 0 || h.Features > math.MaxInt32 {
		return 0, fmt.Errorf("%d features", h.Features)
	}
	if len(h.Support) != classes {
		return 0, fmt.Errorf("header: support: %d numbers for %d classes", len(h.Support), classes)
	}
	for _, count := range h.Support {
		if count < 0 || count > maxRows-rows {
			return 0, fmt.Errorf("header: support: have %d rows of a class", count)
		}
		rows += count
	}
	if h.Layout == "dense" && rows > 0 && h.Features > math.MaxInt/8/rows {
		return 0, fmt.Errorf("%d rows of %d features", rows, h.Features)
	}
	return rows, nil
}

func readSupportRows(mr *modelfile.Reader, h *header, rows int) (store.Matrix, error) {
	if h.Layout == "dense" {
		return readDense(mr, rows, h.Features)
	}
	return readSparse(mr, rows, h.Features)
}

func readDense(mr *modelfile.Reader, rows, features int) (store.Matrix, error) {
	// Read in full before anything of the claimed size is made.
	values, err := mr.Floats(rows * features)
	if err != nil {
		return nil, err
	}
	if features == 0 && rows > 1<<20 { // which nothing in the file pays for
		return nil, fmt.Errorf("%d rows of no features", rows)
	}
	d := dense.New(rows, features)
	for i := range rows {
		copy(d.Row(i), values[i*features:])
	}
	return supportMatrix(d, values)
}

func readSparse(mr *modelfile.Reader, rows, features int) (store.Matrix, error) {
	counts, err := mr.Ints(rows)
	if err != nil {
		return nil, err
	}
	starts := make([]int64, 1, rows+1)
	for i, n := range counts {
		if n < 0 || int(n) > features {
			return nil, fmt.Errorf("support row %d has %d nonzeros of %d features", i, uint32(n),
				features)
		}
		starts = append(starts, starts[i]+int64(n))
	}
	nonzeros := starts[rows]
	if nonzeros > math.MaxInt/16 {
		return nil, fmt.Errorf("%d nonzeros", nonzeros)
	}
	index, err := mr.Ints(int(nonzeros))
	if err != nil {
		return nil, err
	}
	values, err := mr.Floats(int(nonzeros))
	if err != nil {
		return nil, err
	}
	s, err := sparse.New(features, starts, index, values)
	if err != nil {
		return nil, fmt.Errorf("support rows: %w", err)
	}
	return supportMatrix(s, values)
}

// supportMatrix returns rows of a matrix of ours, whose values must be finite.
func supportMatrix(rows store.Examples, values []float32) (store.Matrix, error) {
	if i := floats.FirstNotFinite(values); i >= 0 {
		return nil, fmt.Errorf("a value of a support row is %v", values[i])
	}
	m, _ := store.MatrixOf(rows)
	return m, nil
}

func (m *Model) checkCoefficients() error {
	for c, slots := range m.coef {
		for s, coef := range slots {
			if i := floats.FirstNotFinite(coef); i >= 0 {
				return fmt.Errorf("coefficient %d of class %d in its problem %d is %v", i, c, s,
					coef[i])
			}
		}
	}
	return nil
}
