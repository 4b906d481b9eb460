package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/pegasimd/pegasimd/internal/files"
	"github.com/pegasimd/pegasimd/internal/predictions"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A modelReport is what inspect prints of a model, as JSON or as text.
type modelReport interface{ print(w io.Writer) error }

// What the reports of all kinds of models have.
type (
	fileReport struct {
		File      string   `json:"file"`
		Bytes     int64    `json:"bytes"`
		Hash      string   `json:"model_hash"`
		Labels    []string `json:"labels"`
		Features  int      `json:"features"`
		IndexBase int      `json:"index_base"`
		Columns   []string `json:"columns,omitempty"`      // the features' names
		Label     string   `json:"label_column,omitempty"` // with Columns: the name of the label's
		Lambda    float64  `json:"lambda"`
	}
	courseReport struct {
		Objective number  `json:"objective"`
		Dual      number  `json:"dual_objective"`
		Gap       number  `json:"gap"`
		Steps     int64   `json:"steps"`
		Epochs    float64 `json:"epochs"`
		worstReport
	}
)

// inspectModel prints what the model in a file holds. That it can be read means that its checksum
// is right.
func inspectModel(c *call, f *inspectFlags, name string, out *output) error {
	if f.top < 0 {
		return usagef("-top: have %d, want 0 or more", f.top)
	}
	stdin := &counting{r: f.data.opt.Stdin}
	m, err := readPredictor(name, stdin)
	if err != nil {
		return err
	}
	size := stdin.n
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		size = info.Size()
	}
	of := fileReport{
		File: inputName(name), Bytes: size, Hash: m.Hash(), Labels: predictions.ClassNames(m),
		Features: m.Cols(), IndexBase: m.Head().IndexBase, Lambda: m.lambda(),
	}
	table, err := predictions.Table(m.Head().Table, m.Cols())
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(name), err)
	}
	if table != nil {
		of.Columns, of.Label = table.Columns, table.Label
	}
	report := m.report(of, f.top)
	if err := out.writeJSON(report); err != nil || out.toStdout() {
		return err
	}
	return report.print(c.stdout)
}

// A counting reader counts the bytes that it has read.
type counting struct {
	r io.Reader
	n int64
}

// Packed is what package files asks of a reader that wraps another.
func (c *counting) Packed() (int64, bool) { return files.Packed(c.r) }

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// print writes the lines that come first, with the configuration.
func (r *fileReport) print(w io.Writer, config any) error {
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %d bytes, the checksum is right\n", visible.Name(r.File), r.Bytes)
	fmt.Fprintf(w, "hash      %s\n", r.Hash)
	if len(r.Labels) == 0 {
		fmt.Fprintf(w, "classes   none: it predicts numbers\n")
	} else {
		const most = 20
		fmt.Fprintf(w, "classes   %d:", len(r.Labels))
		for _, l := range r.Labels[:min(most, len(r.Labels))] {
			fmt.Fprintf(w, " %s", visible.Name(l))
		}
		if len(r.Labels) > most {
			fmt.Fprint(w, " ...")
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "features  %d, counted from %d\n", r.Features, r.IndexBase)
	if r.Columns != nil {
		fmt.Fprintf(w, "columns   %s; the label is %s\n", firstNames(r.Columns),
			visible.Name(r.Label))
	}
	fmt.Fprintf(w, "lambda    %.6g\nconfig    %s\n", r.Lambda, visible.JSON(text))
	return nil
}

func (r *courseReport) printObjective(w io.Writer) {
	if v := float64(r.Objective); !math.IsNaN(v) {
		fmt.Fprintf(w, "objective %.8g, %s%s\n", v, proof.Standing(float64(r.Gap)), r.worstReport)
	}
}

// maxParts is how many vectors or problems are printed.
const maxParts = 40

// printMore says how many parts are not printed.
func printMore(w io.Writer, parts int, what string) {
	if parts > maxParts {
		fmt.Fprintf(w, "... and %d %s more: -json has them\n", parts-maxParts, what)
	}
}

// linearReport is what -json writes of a linear model.
type linearReport struct {
	fileReport
	Prior       string            `json:"prior,omitempty"`
	Calibration []pegasos.Sigmoid `json:"calibration,omitempty"`
	courseReport
	Violations int64          `json:"violations"`
	R2         float64        `json:"r2"`
	T0         float64        `json:"t0"`
	Config     pegasos.Config `json:"config"`
	Settings   string         `json:"settings"` // as in the report of training
	State      *stateReport   `json:"state,omitempty"`
	Vectors    []vectorReport `json:"vectors"`
}

type stateReport struct {
	Steps   int64  `json:"steps"`
	Numbers int    `json:"numbers"`
	Data    string `json:"data"`
}

// A vectorReport is about one weight vector.
type vectorReport struct {
	For      string   `json:"for"`               // the class
	Against  string   `json:"against,omitempty"` // the other, if there is just one
	Nonzero  int      `json:"nonzero"`
	Norm     float64  `json:"norm"`
	Bias     *float64 `json:"bias,omitempty"`
	Heaviest []weight `json:"largest"`
}

type weight struct {
	Feature int     `json:"feature"`
	Name    string  `json:"name,omitempty"` // of its column
	Weight  float32 `json:"weight"`
}

func (m linearModel) report(of fileReport, top int) modelReport {
	r := m.Result
	out := &linearReport{
		fileReport: of, Prior: m.Prior, Calibration: m.Calibration,
		courseReport: courseReport{
			number(r.Objective), number(r.DualObjective), number(r.Gap), r.Steps, r.Epochs,
			newWorstReport(r, len(m.Weights), m.problemName),
		},
		Violations: r.Violations, R2: r.R2, T0: r.T0, Config: m.Config, Settings: m.Settings(),
	}
	if m.State != nil {
		out.State = &stateReport{m.State.Steps(), m.State.Size(), m.State.Data()}
	}
	for k := range m.Weights {
		v := describeVector(m.Model, k, top)
		for i := range v.Heaviest {
			if w := &v.Heaviest[i]; of.Columns != nil {
				w.Name = of.Columns[w.Feature-m.IndexBase]
			}
		}
		out.Vectors = append(out.Vectors, v)
	}
	return out
}

func describeVector(m *pegasos.Model, k, top int) vectorReport {
	v := vectorReport{}
	switch {
	case m.Classes == nil:
		v.For = "the prediction"
	case len(m.Weights) == 1:
		v.Against, v.For = m.ClassName(0), m.ClassName(1)
	case m.Config.Multiclass == pegasos.OneVsOne:
		first, second := m.Pair(k)
		v.Against, v.For = m.ClassName(first), m.ClassName(second)
	default:
		v.For = m.ClassName(k)
	}
	var sum float64
	var order []int
	for j, w := range m.Weights[k] {
		if w != 0 {
			order = append(order, j)
			sum += float64(float64(w) * float64(w))
		}
	}
	v.Nonzero, v.Norm = len(order), math.Sqrt(sum)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(float64(m.Weights[k][b])), math.Abs(float64(m.Weights[k][a])))
	})
	v.Heaviest = []weight{}
	for _, j := range order[:min(top, len(order))] {
		v.Heaviest = append(v.Heaviest, weight{Feature: j + m.IndexBase, Weight: m.Weights[k][j]})
	}
	if m.Bias != nil {
		v.Bias = &m.Bias[k]
	}
	return v
}

func (r *linearReport) print(w io.Writer) error {
	if err := r.fileReport.print(w, r.Config); err != nil {
		return err
	}
	fmt.Fprintf(w, "settings  %s\n", visible.Text(r.Settings))
	with := ""
	if r.Config.Bias == pegasos.BiasAugmented {
		with = " with the bias's feature"
	}
	fmt.Fprintf(w, "trained   %d steps, %.4g epochs, %d violations; mean |x|^2%s %.6g, t0 %.6g\n",
		r.Steps, r.Epochs, r.Violations, with, r.R2, r.T0)
	r.printObjective(w)
	if r.Prior != "" {
		fmt.Fprintf(w, "prior     %s\n", visible.Name(r.Prior))
	}
	if r.Calibration != nil {
		fmt.Fprintf(w, "calibrated: probabilities by Platt's method\n")
	}
	if s := r.State; s != nil {
		fmt.Fprintf(w, "state     of a run after %d steps, %d numbers; data %.16s...\n",
			s.Steps, s.Numbers, visible.Name(s.Data))
	}
	for _, v := range r.Vectors[:min(maxParts, len(r.Vectors))] {
		v.print(w)
	}
	printMore(w, len(r.Vectors), "vectors")
	return nil
}

func (v *vectorReport) print(w io.Writer) {
	fmt.Fprintf(w, "\nfor %s", visible.Name(v.For))
	if v.Against != "" {
		fmt.Fprintf(w, " and against %s", visible.Name(v.Against))
	}
	fmt.Fprintf(w, ": %s other than 0, norm %.6g", count(v.Nonzero, "weight"), v.Norm)
	if v.Bias != nil {
		fmt.Fprintf(w, ", bias %.6g", *v.Bias)
	}
	fmt.Fprintln(w)
	for _, h := range v.Heaviest {
		fmt.Fprintf(w, "  feature %-8d %+.6g", h.Feature, h.Weight)
		if h.Name != "" {
			fmt.Fprintf(w, "  %s", visible.Name(h.Name))
		}
		fmt.Fprintln(w)
	}
}
