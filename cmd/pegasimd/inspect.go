package main

import (
	"fmt"
	"io"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
)

var inspectCommand = command{
	name:      "inspect",
	arguments: "MODEL|DATA",
	summary:   "print what is in a model or a data file",
	help: `Inspect checks a model, and prints its classes and sizes, how it was trained, and the weights
of each class that matter most. They are ranked by weight x the spread of the column, if the model's
scaling has that, and for one-vs-one by their mean absolute value over the pairs. Positive weights
speak for the class, or for the second of two classes.

Or it reads data and prints their size, the labels, and the range and the zeros of each feature. For
a table with words or gaps it prints the kind of each column, and the reason. It checks all of a
.pgsm file, its checksums too.

Examples:
  pegasimd inspect a9a.model
  pegasimd inspect -top 3 -json - digits.model
  pegasimd inspect a9a.svm.gz
  pegasimd inspect train.pgsm`,
	common: "top data json " + usualDataFlags,
	flags:  func() commandFlags { return new(inspectFlags) },
}

func (f *inspectFlags) run(c *call, args []string) error {
	jsonOut := c.writes("-json", f.json, reportKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	model, err := holdsModel(args[0], &f.data)
	if err != nil {
		return err
	}
	if model {
		return inspectModel(c, f, args[0], jsonOut)
	}
	return inspectData(c, f, args[0], jsonOut)
}

// inspectData prints what a data file has.
func inspectData(c *call, f *inspectFlags, name string, out *output) error {
	reader := c.reader(f.data)
	reader.tables = &f.tables
	set, loading, err := reader.read(name, nil)
	if err != nil {
		return err
	}
	defer set.Close()
	r := inspectReport{
		Rows: set.Rows(), Features: set.Cols(), NNZ: set.NNZ(), Layout: string(set.Layout()),
		IndexBase: set.IndexBase, HashBits: set.HashBits, Mapped: set.Mapped(),
		Fill: set.Fill(), Seconds: loading.Seconds(),
	}
	r.countLabels(set)
	if r.Table = reader.encoder; r.Table == nil {
		r.measureColumns(set)
	}
	r.Table = withoutBuckets(r.Table)
	r.Warnings = reader.warnings(name, set)
	if err := set.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := out.writeJSON(r); err != nil || out.toStdout() {
		return err
	}
	r.print(c)
	return nil
}

func (r *inspectReport) countLabels(set *dataset.Set) {
	labels, rows := labelCounts(set)
	if r.Distinct = len(labels); r.Distinct > 1000 {
		return
	}
	for i, y := range labels {
		r.Labels = append(r.Labels, labelCount{labelName(set, y), rows[i]})
	}
}

// measureColumns finds the range of each column, and how many zeros it has.
func (r *inspectReport) measureColumns(set *dataset.Set) {
	from, to := make([]float32, r.Features), make([]float32, r.Features)
	others := make([]int, r.Features) // than zeros
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
		if j < mostColumns {
			r.Columns = append(r.Columns, at)
		}
	}
}

// mostColumns is how many columns are in the report.
const mostColumns = 1000

func (r *inspectReport) printColumns(w io.Writer) {
	const most = 20
	for _, at := range r.Columns[:min(most, len(r.Columns))] {
		fmt.Fprintf(w, "feature %-8d %v to %v", at.Feature, at.From, at.To)
		if at.From == at.To {
			fmt.Fprint(w, ", constant")
		} else if at.Zeros > 0 {
			fmt.Fprintf(w, ", %.3g %% zeros", 100*float64(at.Zeros)/float64(r.Rows))
		}
		if at.Name != "" {
			fmt.Fprintf(w, "  %s", escape.Name(at.Name))
		}
		fmt.Fprintln(w)
	}
	if n := r.Features - most; n > 0 && r.Columns != nil {
		fmt.Fprintf(w, "... and %d more: -json has %d\n", n, len(r.Columns))
	}
	if r.Constant > 0 {
		fmt.Fprintf(w, "%s of one value in all rows\n", count(r.Constant, "feature"))
	}
}

func (r *inspectReport) print(c *call) {
	w := c.stdout
	fmt.Fprintf(w, "%s, %s", count(r.Rows, "row"),
		describeFeatures(r.Features, r.IndexBase, r.HashBits))
	fmt.Fprintf(w, "\n%s (%.4g %%), %s layout", count(r.NNZ, "nonzero"), 100*r.Fill, r.Layout)
	if r.Mapped {
		fmt.Fprintf(w, ", mapped")
	}
	fmt.Fprintln(w)
	if len(r.Labels) == 0 || len(r.Labels) > 40 {
		fmt.Fprintf(w, "%s\n", count(r.Distinct, "distinct label"))
	} else {
		for _, l := range r.Labels {
			fmt.Fprintf(w, "label %s: %s\n", escape.Name(l.Label), count(l.Rows, "row"))
		}
	}
	if r.Table != nil {
		fmt.Fprintf(w, "a table with words or gaps: of its %s train makes these features\n",
			count(len(r.Table.Columns), "column"))
		printTable(w, r.Table)
		fmt.Fprintln(w, overruled)
	}
	r.printColumns(w)
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
}
