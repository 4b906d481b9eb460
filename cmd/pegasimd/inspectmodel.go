package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Reading the model verifies its checksum.
func inspectModel(c *call, name string, out *output) error {
	m, err := readPredictor(name, c.flags.Data.Stdin)
	if err != nil {
		return err
	}
	r := &modelReport{
		File: inputName(name), Hash: m.Hash(), Labels: predictions.ClassNames(m),
		Features: m.Cols(), IndexBase: m.Head().IndexBase, runReport: m.run(),
	}
	if info, err := os.Stat(name); err == nil && name != "-" {
		r.Bytes = info.Size()
	}
	if err := r.nameColumns(m.Head()); err != nil {
		return fmt.Errorf("%s: %w", inputName(name), err)
	}
	switch m := m.(type) {
	case linearModel:
		r.addLinear(m, c.flags.Top)
	case kernelModel:
		r.addKernel(m)
	}
	var text *dataReader
	if name := c.flags.TextData; name != "" {
		text = c.reader(name)
	}
	if err := r.nameWeights(text); err != nil {
		return err
	}
	if err := out.writeJSON(r); err != nil || out.toStdout() {
		return err
	}
	return r.print(c.stdout)
}

func (r *modelReport) nameColumns(head pegasos.Head) (err error) {
	if r.Table, err = predictions.Encoder(head); err != nil {
		return err
	}
	if r.Table == nil {
		t, err := predictions.Table(head.Table, head.Features)
		if t != nil {
			r.Columns, r.Label = t.Columns, t.Label
		}
		return err
	}
	if r.Label = r.Table.Label.Name; r.Table.Raw { // the encoder does not scale its columns
		r.Columns = r.Table.Names()
		return nil
	}
	if r.spread = r.Table.Spreads(); len(r.spread) <= maxColumns {
		r.Columns = r.Table.Names()
	}
	return nil
}

func hasText(c tables.Column) bool { return c.Text != nil }

// nameWeights takes n-grams from the data that text reads or, if text is nil, from the model.
func (r *modelReport) nameWeights(text *dataReader) error {
	var all []*weight
	for i := range r.Means {
		all = append(all, &r.Means[i])
	}
	for _, v := range r.Vectors {
		for i := range v.Heaviest {
			all = append(all, &v.Heaviest[i])
		}
	}
	if text != nil {
		if r.Table == nil || !slices.ContainsFunc(r.Table.Columns, hasText) {
			return flags.Usagef("-data: the model has no text features to name")
		}
		var features []int // without the terms of curves, which have no n-grams
		for _, h := range all {
			if j := h.Feature - r.IndexBase; j < r.Features {
				features = append(features, j)
			}
		}
		if err := text.nameGrams(r.Table, features); err != nil {
			return err
		}
	}
	for _, h := range all {
		if j := h.Feature - r.IndexBase; j < r.Features {
			h.Name = r.nameOf(j)
		} else {
			h.Name = r.scaling.Expansion.Name(j-r.Features, func(j int) string {
				return cmp.Or(r.nameOf(j), fmt.Sprint("feature ", j+r.IndexBase))
			}, unscaled(r.scaling, r.Table))
		}
	}
	r.Table = withoutBuckets(r.Table)
	return nil
}

// j counts from 0.
func (r *modelReport) nameOf(j int) string {
	switch {
	case r.Table != nil:
		return r.Table.Feature(j).Name
	case r.Columns != nil:
		return r.Columns[j]
	}
	return ""
}

func (r *modelReport) addLinear(m linearModel, top int) {
	r.Prior, r.Start, r.Command, r.Calibration = m.Prior, m.Start, m.Command, m.Calibration
	r.Config, r.joint = m.Config, m.Config.Multiclass.Joint()
	if m.Result.Steps > 0 { // else the model is another program's
		r.Settings = settingsOf(m.Model, r.Table)
	}
	r.Checkpoint = m.State != nil
	r.CrossValidated, r.HeldOut = m.Result.CrossValidated, m.Result.HeldOut
	spread := m.spread()
	if spread == nil {
		spread = r.spread
	}
	r.scaled = spread != nil
	r.maxAbs = m.Scaling != nil && m.Scaling.Kind == pegasos.ScaleMaxAbs
	if m.Scaling != nil && m.Scaling.Kind == pegasos.ScaleUnit {
		r.before = ", before rows are divided by their length"
	}
	if m.Scaling != nil && m.Scaling.Expansion != nil {
		r.scaling, r.Terms = m.Scaling, m.Scaling.Expansion.Len()
		if spread != nil { // terms of curves are standardized
			spread = append(slices.Clone(spread), slices.Repeat([]float64{1}, r.Terms)...)
		}
	}
	means := make([]float64, m.Cols()+r.Terms)
	for k := range m.Weights {
		v, weights, sum := vectorReport{}, floats.Float64s(m.Weights[k]), 0.0
		v.For, v.Against = m.problem(k)
		for j, w := range weights {
			if w != 0 {
				v.Nonzero++
				sum += float64(w * w)
			}
			means[j] += math.Abs(w) / float64(len(m.Weights))
		}
		v.Norm, v.Heaviest = math.Sqrt(sum), r.heaviest(weights, spread, top)
		if m.Bias != nil {
			v.Bias = &m.Bias[k]
		}
		r.Vectors = append(r.Vectors, v)
	}
	if m.Config.Multiclass == pegasos.OneVsOne && len(m.Weights) > 1 {
		r.Means = r.heaviest(means, spread, top)
		r.pairC, r.first = m.Config.C, ", both of the first pair"
	} else if len(m.Weights) > 1 && !m.Config.Multiclass.Joint() {
		r.first = " of the first class"
	}
}

// spread returns factors that make weights of columns in different units comparable, or nil if the
// model does not scale columns.
func (m linearModel) spread() []float64 {
	if m.Scaling == nil || m.Scaling.Factor == nil {
		return nil
	}
	spread := floats.Float64s(m.Scaling.Factor)
	for j, factor := range spread {
		if spread[j] = 1; m.Scaling.Folded {
			spread[j] = 1 / factor
		}
	}
	return spread
}

// heaviest returns up to top weights other than 0, in descending order of |weight * spread|, or of
// |weight| if spread is nil. Weights whose spread is NaN come last.
func (r *modelReport) heaviest(weights, spread []float64, top int) []weight {
	effect := func(j int) float64 {
		if spread == nil {
			return weights[j]
		}
		return weights[j] * spread[j]
	}
	var order []int
	for j, w := range weights {
		if w != 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(effect(b)), math.Abs(effect(a))),
			cmp.Compare(math.Abs(weights[b]), math.Abs(weights[a])))
	})
	heaviest := []weight{}
	for _, j := range order[:min(top, len(order))] {
		h := weight{Feature: j + r.IndexBase, Weight: weights[j], Effect: number(math.NaN())}
		if spread != nil {
			h.Effect = number(effect(j))
		}
		heaviest = append(heaviest, h)
	}
	return heaviest
}

func (r *modelReport) addKernel(m kernelModel) {
	r.Passes, r.Support, r.Layout = m.Result.Passes, m.SupportRows().Rows(), "sparse"
	if _, is := m.SupportRows().(*dense.Matrix); is {
		r.Layout = "dense"
	}
	r.Config, r.Command = m.Config, m.Command
	if m.Config.Multiclass != pegasos.OneVsRest && m.Problems() > 1 {
		r.pairC = m.Config.C
	}
	for k, name := range m.scoreNames() {
		p := kernelProblem{For: name}
		for _, v := range m.Coefficients(k) {
			if v != 0 {
				p.Support++
				p.Largest = max(p.Largest, math.Abs(float64(v)))
			}
		}
		r.Problems = append(r.Problems, p)
	}
}

const maxParts = 40

func (r *modelReport) print(w io.Writer) error {
	config, err := json.Marshal(r.Config)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: the checksum is right\n", escape.Name(r.File))
	fmt.Fprintf(w, "hash      %s\n", r.Hash)
	if len(r.Labels) == 0 {
		fmt.Fprintf(w, "classes   none: it predicts numbers\n")
	} else {
		fmt.Fprintf(w, "classes   %d: %s\n", len(r.Labels), firstNames(r.Labels))
	}
	fmt.Fprintf(w, "features  %d, counted from %d\n", r.Features, r.IndexBase)
	if r.Terms > 0 {
		fmt.Fprintf(w, "curves    %s computed from the features, numbered from %d\n", count(r.Terms, "term"),
			r.IndexBase+r.Features)
	}
	switch {
	case r.Table != nil:
		label := escape.Name(r.Label)
		switch at := r.Table.LabelAt; {
		case r.Label != "" || r.Table.Header:
		case at < 0:
			label = "the last column"
		default:
			label = fmt.Sprintf("column %d", at)
		}
		fmt.Fprintf(w, "columns   %d of a table, besides the label: %s\n", len(r.Table.Columns), label)
		printTable(w, r.Table, nil)
	case r.Columns != nil:
		label := ""
		if r.Label != "" {
			label = "; the label is " + escape.Name(r.Label)
		}
		fmt.Fprintf(w, "columns   %s%s\n", firstNames(r.Columns), label)
	}
	if r.pairC != 0 {
		fmt.Fprintf(w, "C         %.6g in each pair\n", r.pairC)
	} else {
		fmt.Fprintf(w, "lambda    %.6g\n", r.Lambda)
	}
	fmt.Fprintf(w, "config    %s\n", escape.JSON(config))
	if r.Settings != "" {
		fmt.Fprintf(w, "settings  %s\n", escape.Text(r.Settings))
	}
	r.printRun(w)
	if v := float64(r.Objective); !math.IsNaN(v) {
		fmt.Fprintf(w, "objective %.8g, %s%s\n", v, proof.Standing(float64(r.Gap)), r.worstReport)
	}
	if line := estimateLine(r.CrossValidated); line != "" {
		fmt.Fprintf(w, "claims    %s\n", line)
	}
	if e := r.HeldOut; e != nil {
		fmt.Fprintf(w, "claims    held-out: %s on %s\n", estimateText(e, "accuracy "),
			count(e.Rows, "row"))
	}
	if r.Prior != "" {
		fmt.Fprintf(w, "prior     %s\n", escape.Name(r.Prior))
	}
	if r.Start != "" {
		fmt.Fprintf(w, "start     %s\n", escape.Name(r.Start))
	}
	if r.Command != "" {
		fmt.Fprintf(w, "command   %s\n", escape.Text(r.Command))
	}
	if r.Calibration != nil {
		fmt.Fprintf(w, "calibrated: probabilities by Platt's method\n")
	}
	if r.Checkpoint {
		fmt.Fprintln(w, "state     a checkpoint: train -resume continues the run")
	}
	r.printParts(w)
	return nil
}

// printRun prints nothing about another program's model, whose file lacks the run.
func (r *modelReport) printRun(w io.Writer) {
	if r.Steps == 0 {
		return
	}
	inAll, squares := "", "|x|^2"
	if r.Problems != nil {
		squares = "k(x,x)"
	}
	n := len(r.Vectors) + len(r.Problems)
	several := n > 1 && !r.joint
	if several {
		inAll = fmt.Sprintf(" summed over %d problems", n)
	}
	fmt.Fprintf(w, "trained   %s, %s%s, %s%s; mean %s %.6g, t0 %.6g%s\n",
		stepCount(r.Steps, several, r.Start != ""), epochCount(r.Epochs), bySolver(r.Solver),
		count(int(r.Violations), "update"), inAll, squares, r.R2, r.T0, r.first)
}

func (r *modelReport) printParts(w io.Writer) {
	if r.Problems != nil {
		fmt.Fprintf(w, "support   %s after %s, %s\n", count(r.Support, "row"),
			count(r.Passes, "pass"), r.Layout)
	}
	for _, p := range r.Problems[:min(maxParts, len(r.Problems))] {
		fmt.Fprintf(w, "  for %s: %s, coefficients of a magnitude up to %.6g\n",
			escape.Name(p.For), count(p.Support, "support row"), p.Largest)
	}
	if r.Vectors != nil && !r.scaled {
		fmt.Fprintln(w, "weights   largest first; the model has no scaling of columns, so that "+
			"weights of columns in different units can't be compared")
	} else if r.Vectors != nil {
		spread := "about the standard deviation of the values that the weight multiplies"
		if r.maxAbs {
			spread = "the largest magnitude of the values that the weight multiplies"
		}
		fmt.Fprintf(w, "weights   largest first, by weight x spread; the spread is %s%s\n", spread,
			r.before)
	}
	if r.Means != nil {
		fmt.Fprintf(w, "\nmeans of the weights' absolute values over the %d pairs\n", len(r.Vectors))
		printWeights(w, r.Means)
	}
	for _, v := range r.Vectors[:min(maxParts, len(r.Vectors))] {
		v.print(w)
		if r.Means == nil {
			printWeights(w, v.Heaviest)
		}
	}
	if n := len(r.Problems) + len(r.Vectors); n > maxParts {
		fmt.Fprintf(w, "... and %d more: -json has them\n", n-maxParts)
	}
}

func (v *vectorReport) print(w io.Writer) {
	fmt.Fprintf(w, "\nfor %s", escape.Name(v.For))
	if v.Against != "" {
		fmt.Fprintf(w, " and against %s", escape.Name(v.Against))
	}
	fmt.Fprintf(w, ": %s other than 0, norm %.6g", count(v.Nonzero, "weight"), v.Norm)
	if v.Bias != nil {
		fmt.Fprintf(w, ", bias %.6g", *v.Bias)
	}
	fmt.Fprintln(w)
}

func printWeights(w io.Writer, weights []weight) {
	for _, h := range weights {
		fmt.Fprintf(w, "  feature %-8d %+.6g", h.Feature, h.Weight)
		if effect := float64(h.Effect); !math.IsNaN(effect) {
			fmt.Fprintf(w, " x spread = %+.6g", effect)
		}
		if h.Name != "" {
			fmt.Fprintf(w, "  %s", escape.Name(h.Name))
		}
		fmt.Fprintln(w)
	}
}

type modelReport struct {
	File      string   `json:"file"`
	Bytes     int64    `json:"bytes"` // 0 for standard input
	Hash      string   `json:"model_hash"`
	Labels    []string `json:"labels"`
	Features  int      `json:"features"`
	Terms     int      `json:"terms,omitempty"`
	IndexBase int      `json:"index_base"`
	Columns   []string `json:"columns,omitempty"` // names of the features
	Label     string   `json:"label_column,omitempty"`
	runReport
	Prior       string            `json:"prior,omitempty"`
	Start       string            `json:"start,omitempty"`
	Command     string            `json:"command,omitempty"`
	Calibration []pegasos.Sigmoid `json:"calibration,omitempty"`
	Config      any               `json:"config"` // pegasos.Config or kernelsvm.Config
	Settings    string            `json:"settings,omitempty"`
	Checkpoint  bool              `json:"checkpoint"` // train -resume can continue from it
	// CrossValidated and HeldOut are the model's claims: see pegasos.Result.
	CrossValidated *pegasos.Estimate `json:"cross_validated,omitempty"`
	HeldOut        *pegasos.Estimate `json:"held_out,omitempty"`

	Vectors []vectorReport `json:"vectors,omitempty"`
	// Means lists the largest mean magnitudes of weights over the pairs of one-vs-one.
	Means []weight `json:"largest_means,omitempty"`

	Table *tables.Encoder `json:"table,omitempty"`

	pairC  float64 // C of each pair, which gives pairs different lambdas; 0 if unknown
	first  string  // says which problem's r2 and t0 are printed; empty if there is only one
	scaled bool
	joint  bool   // the vectors are one problem
	maxAbs bool   // -scale max-abs
	before string // with -scale unit, says that spreads are of the rows before the division
	// scaling is nil unless it has an Expansion. The weights of the terms follow the weights of
	// the features.
	scaling *pegasos.Scaling
	spread  []float64 // of the features according to the table

	// For kernel machines:
	Passes   int             `json:"passes,omitempty"`
	Support  int             `json:"support_rows,omitempty"`
	Layout   string          `json:"layout,omitempty"`
	Problems []kernelProblem `json:"problems,omitempty"`
}

type vectorReport struct {
	For      string   `json:"for"`               // positive class; "the prediction" for regression
	Against  string   `json:"against,omitempty"` // negative class, if it is a single one
	Nonzero  int      `json:"nonzero"`
	Norm     float64  `json:"norm"`
	Bias     *float64 `json:"bias,omitempty"`
	Heaviest []weight `json:"largest"`
}

type weight struct {
	Feature int     `json:"feature"`
	Name    string  `json:"name,omitempty"`
	Weight  float64 `json:"weight"`
	// Effect is Weight times the feature's spread; null if the spread is unknown.
	Effect number `json:"weight_times_spread"`
}

type kernelProblem struct {
	For     string  `json:"for"` // positive class; for a pair, "b:a" with b the positive class
	Support int     `json:"support_rows"`
	Largest float64 `json:"largest"` // largest magnitude of a coefficient
}
