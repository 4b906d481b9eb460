package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/tables"
)

var inspectCommand = command{help.Command{
	Name:      "inspect",
	Arguments: "MODEL|DATA...",
	Summary:   "print what is in a model or a data file",
	Help: `Inspect checks a model, and prints its classes and sizes, how it was trained and, if it
is linear, its most important weights. If the model or its encoder scales columns, weights are
ranked by the magnitude of weight times spread. The spread is about the standard deviation of the
values that the weight multiplies. With -scale max-abs it is their largest magnitude. If nothing is
scaled, weights are ranked by magnitude alone. For one-vs-one, weights are the means of their
absolute values over the pairs. In other classifiers a positive weight is in favor of the class, or
of the second of two classes.

For data other than a table, inspect prints the size, the labels or their number, and the range and
zeros of the first features. For a table it prints how the text is read, and for each column its
kind, the reason and a cell. With -label-column it prints the features that train would compute from
the other columns. A .pgsm file is checked completely, including its checksums.

Examples:
  pegasimd inspect a9a.model
  pegasimd inspect -top 3 -json - digits.model
  pegasimd inspect a9a.svm.gz
  pegasimd inspect train.pgsm`,
}, runInspect}

func runInspect(c *call, args []string) error {
	jsonOut := c.writes("-json", c.flags.JSON, reportKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	model, err := c.holdsModel(args[0])
	if err != nil {
		return err
	}
	if model && len(c.more) > 0 {
		return flags.Usagef("%s is a model: want one model, or data", args[0])
	}
	if model {
		if err := c.refuseDataFlags(args[0]); err != nil {
			return err
		}
	}
	named := isModelName(args[0]) && c.flags.Data.Format == dataset.FormatAuto
	if model || named && len(c.more) == 0 { // reading a file that is no model says so
		return inspectModel(c, args[0], jsonOut)
	}
	for _, name := range []string{"data", "top"} {
		if c.flags.Given(name) {
			return flags.Usagef("-%s is for models, and %s is not a model", name, inputName(args[0]))
		}
	}
	return inspectData(c, args[0], jsonOut)
}

// Without -label-column, inspectData describes a table's label column like the others.
func inspectData(c *call, name string, out *output) error {
	reader := c.fittingReader(name)
	reader.opt.MissingLabels = dataset.MissingKeep
	whole := reader.isTable() && reader.opt.LabelColumn == ""
	if whole {
		reader.opt.Labels = dataset.LabelsNo
	}
	set, loading, err := reader.read(nil)
	if err != nil {
		return err
	}
	defer set.Close()
	r := inspectReport{
		Rows: set.Rows(), Features: set.Cols(), NNZ: set.NNZ(), Layout: string(set.Layout()),
		IndexBase: set.IndexBase, HashBits: set.HashBits, Mapped: set.Mapped(),
		Fill: set.Fill(), Seconds: loading.Seconds(), Form: newFormReport(set.Form),
		reader: reader, set: set, whole: whole,
	}
	if whole {
		r.findLabel()
	} else {
		r.countLabels(set)
	}
	if r.Table = withoutBuckets(reader.encoder); r.Table != nil {
		r.Reports = reader.fitter.Reports[:min(maxColumns, len(reader.fitter.Reports))]
	}
	if r.Table == nil || r.Table.Raw {
		r.measureColumns(set)
	}
	if err := set.Err(); err != nil {
		return fmt.Errorf("%s: %w", reader, err)
	}
	strict := reader.settle(false)
	r.Warnings = append([]string{}, c.warnings...) // not null
	if err := out.writeJSON(r); err != nil || out.toStdout() {
		return cmp.Or(err, strict)
	}
	r.print(c)
	return strict
}

func (r *inspectReport) findLabel() {
	names, _ := r.reader.names()
	n := len(names)
	if f := r.reader.last; f != nil && f.Form != nil {
		n -= f.Form.Trailing
	}
	at, _, err := dataset.ChooseLabel(names[:n])
	if !r.reader.named {
		at, err = n-1, nil
	}
	if open := (*dataset.LabelError)(nil); errors.As(err, &open) {
		r.reader.doubts = append(r.reader.doubts, dataset.Doubt{About: "label", Text: "columns " +
			strings.Join(escape.Names(open.Candidates), ", ") + " may have the labels: train asks which",
			Flag: "-label-column"})
		return
	}
	r.Label, r.label = r.reader.columnWord(names, at, true), r.reader.columnText(names, at)
	r.reader.doubtLabel(names, at)
}

func (r *inspectReport) countLabels(set *dataset.Set) {
	labels, rows := labelCounts(set, nil)
	r.unlabelled = len(set.Y)
	for _, n := range rows {
		r.unlabelled -= n
	}
	if r.Distinct = len(labels); r.Distinct > 1000 {
		return
	}
	for i, y := range labels {
		r.Labels = append(r.Labels, labelCount{labelName(set, y), rows[i]})
	}
}

func (r *inspectReport) measureColumns(set *dataset.Set) {
	from, to := make([]float32, r.Features), make([]float32, r.Features)
	others := make([]int, r.Features) // values other than 0 in each column
	note := func(j int, v float32) {
		if others[j]++; others[j] == 1 {
			from[j], to[j] = v, v
		}
		from[j], to[j] = min(from[j], v), max(to[j], v)
	}
	for i := range r.Rows {
		if set.Sparse != nil {
			for j, v := range set.Sparse.Nonzeros(i) {
				note(j, v)
			}
			continue
		}
		for j, v := range set.Dense.Row(i) {
			if v != 0 {
				note(j, v)
			}
		}
	}
	for j := range from {
		at := columnReport{j + r.IndexBase, "", from[j], to[j], r.Rows - others[j]}
		if at.Zeros > 0 {
			at.From, at.To = min(at.From, 0), max(at.To, 0)
		}
		if at.From == at.To {
			r.Constant++
		}
		if set.Table != nil && set.Table.Columns != nil {
			at.Name = set.Table.Columns[j]
		}
		if j < maxColumns {
			r.Columns = append(r.Columns, at)
		}
	}
}

func (r *inspectReport) printColumns(w io.Writer) {
	const most = 20
	for _, at := range r.Columns[:min(most, len(r.Columns))] {
		fmt.Fprintf(w, "feature %-8d %v to %v", at.Feature, at.From, at.To)
		if at.From == at.To {
			fmt.Fprint(w, ", constant")
		} else if at.Zeros > 0 {
			share := fmt.Sprintf("%.3g", 100*float64(at.Zeros)/float64(r.Rows))
			if share == "100" { // rounded
				share = "over 99.9"
			}
			fmt.Fprintf(w, ", %s %% zeros", share)
		}
		if at.Name != "" {
			fmt.Fprintf(w, "  %s", escape.Name(at.Name))
		}
		fmt.Fprintln(w)
	}
	if n := r.Features - most; n > 0 && r.Columns != nil {
		listed := "all"
		if len(r.Columns) < r.Features {
			listed = fmt.Sprintf("the first %d of %d", len(r.Columns), r.Features)
		}
		fmt.Fprintf(w, "... and %s: -json lists %s\n", count(n, "more feature"), listed)
	}
	if r.Constant > 0 {
		fmt.Fprintf(w, "%s with one value in all rows\n", count(r.Constant, "feature"))
	}
}

func (r *inspectReport) print(c *call) {
	w := c.stdout
	if r.Table != nil && r.whole {
		r.printWhole(w)
		return
	}
	fmt.Fprintf(w, "%s, %s", count(r.Rows, "row"),
		describeFeatures(r.Features, r.IndexBase, r.HashBits))
	fmt.Fprintf(w, "\n%s (%.4g %%), %s layout", count(r.NNZ, "nonzero"), 100*r.Fill, r.Layout)
	if r.Mapped {
		fmt.Fprintf(w, ", mapped")
	}
	fmt.Fprintln(w)
	printForm(w, r.set)
	if len(r.Labels) == 0 || len(r.Labels) > 40 {
		fmt.Fprintf(w, "%s\n", count(r.Distinct, "distinct label"))
	} else {
		for _, l := range r.Labels {
			fmt.Fprintf(w, "label %s: %s\n", escape.Name(l.Label), count(l.Rows, "row"))
		}
	}
	if r.unlabelled > 0 {
		fmt.Fprintf(w, "%s without a label\n", count(r.unlabelled, "row"))
	}
	if r.Table != nil {
		fmt.Fprintf(w, "train makes these features of the %s\n", count(len(r.Table.Columns), "column"))
		printTable(w, r.Table, r.reader.fitter)
	}
	r.printColumns(w)
}

func (r *inspectReport) printWhole(w io.Writer) {
	fmt.Fprintf(w, "%s, %s\n", count(r.Rows, "row"), count(len(r.Table.Columns), "column"))
	printForm(w, r.set)
	printTable(w, r.Table, r.reader.fitter)
	r.printColumns(w)
	if r.label != "" {
		fmt.Fprintf(w, "for a new model, train takes the labels from %s, unless -label-column says "+
			"another\n", r.label)
	}
}

type inspectReport struct {
	Rows      int          `json:"rows"`
	Features  int          `json:"features"`
	NNZ       int          `json:"nnz"`
	Fill      float64      `json:"fill"`
	Layout    string       `json:"layout"`
	IndexBase int          `json:"index_base"`
	HashBits  int          `json:"hash_bits"`
	Mapped    bool         `json:"mapped"`
	Labels    []labelCount `json:"labels"` // null if unknown or more than 1,000
	Distinct  int          `json:"distinct_labels"`
	Constant  int          `json:"constant_features"`
	Warnings  []string     `json:"warnings"`
	Seconds   float64      `json:"load_seconds"`

	Form    *formReport     `json:"form,omitempty"`
	Label   string          `json:"label_column,omitempty"` // the label's column for train
	Table   *tables.Encoder `json:"table,omitempty"`
	Reports []tables.Report `json:"column_reports,omitempty"` // for the first 1,000 columns
	Columns []columnReport  `json:"columns"`                  // at most 1,000

	label      string
	whole      bool // the label's column is described like the others
	unlabelled int  // rows without a label
	reader     *dataReader
	set        *dataset.Set
}

// Separator, Quote and Comment are a character or "none".
type formReport struct {
	Format    string `json:"format"`
	Encoding  string `json:"encoding"`
	Separator string `json:"separator"`
	Quote     string `json:"quote"`
	Comment   string `json:"comment"`
	SkipLines int    `json:"skip_lines"`
	Header    bool   `json:"header"`
	Units     bool   `json:"units"`
	Decimal   string `json:"decimal"`
}

func newFormReport(f *dataset.Form) *formReport {
	if f == nil {
		return nil
	}
	return &formReport{f.Format, f.Encoding, characterWord(f.Separator), characterWord(f.Quote),
		characterWord(f.Comment), f.SkipLines, f.Header, f.Units, string(f.Decimal)}
}

type columnReport struct {
	Feature int     `json:"feature"`
	Name    string  `json:"name,omitempty"`
	From    float32 `json:"from"`
	To      float32 `json:"to"`
	Zeros   int     `json:"zeros"`
}

type labelCount struct {
	Label string `json:"label"`
	Rows  int    `json:"rows"`
}
