package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
)

// labelCounts ignores rows without a label, and rows for which skip, which may be nil, returns
// true. labels ascend.
func labelCounts(set *dataset.Set, skip func(row int) bool) (labels []float32, rows []int) {
	count := map[float32]int{}
	for i, y := range set.Y {
		if y == y && (skip == nil || !skip(i)) { // NaN marks a missing label
			count[y]++
		}
	}
	labels = slices.Sorted(maps.Keys(count))
	for _, y := range labels {
		rows = append(rows, count[y])
	}
	return labels, rows
}

func (d *dataReader) describeSet(set *dataset.Set, numbers bool, took time.Duration) {
	if d.call.flags.Quiet {
		return
	}
	labels, rows := labelCounts(set, nil)
	kind := classesKind(set, labels, rows)
	if numbers && len(labels) > 0 {
		kind = fmt.Sprintf("regression targets from %v to %v", labels[0], labels[len(labels)-1])
	}
	var nonzeros string
	if set.Dense == nil || !set.Mapped() { // counting nonzeros would read the whole mapped file
		nonzeros = fmt.Sprintf("%s (%.4g %%), ", count(set.NNZ(), "nonzero"), 100*set.Fill())
	}
	w := d.call.stderr
	fmt.Fprintf(w, "%s: %s, %s, %s; %s%s layout; read in %.3g s\n",
		escape.Name(shortName(d.String())), count(set.Rows(), "row"),
		describeFeatures(set.Cols(), set.IndexBase, set.HashBits), kind, nonzeros,
		set.Layout(), took.Seconds())
	printForm(w, set)
	if d.encoder != nil && !d.encoder.Raw {
		printTable(w, d.encoder, d.fitter)
	}
	d.printLabel(w, set)
}

const maxColumns = 1000

func printTable(w io.Writer, e *tables.Encoder, fitter *tables.Fitter) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range e.Columns[:min(maxColumns, len(e.Columns))] {
		c, reason, sample := &e.Columns[i], e.Describe(i), ""
		if fitter != nil {
			reason, sample = fitter.Reports[i].Reason, fitter.Reports[i].Sample
		}
		fmt.Fprintf(t, "  %s\t%s\t%s%s", escape.Name(c.Name), c.Kind, escape.Text(reason), valuesOf(e, i))
		if c.Gaps > 0 {
			fmt.Fprintf(t, "; %s", count(c.Gaps, "gap"))
		}
		plain := c.Kind == tables.Category || c.Kind == tables.Number && reason == "numbers"
		if sample != "" && !plain {
			fmt.Fprintf(t, "; such as %s", strconv.Quote(escape.Cut(sample)))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if n := len(e.Columns) - maxColumns; n > 0 {
		fmt.Fprintf(w, "  ... and %s more\n", count(n, "column"))
	}
}

func valuesOf(e *tables.Encoder, i int) string {
	const most = 5
	c := &e.Columns[i]
	switch {
	case c.Kind == tables.Number && (e.Raw || c.Number.Factor == 1): // 1 if all values are equal
		return fmt.Sprintf(": mean %.4g", c.Number.Mean)
	case c.Kind == tables.Number:
		return fmt.Sprintf(": mean %.4g, deviation %.4g", c.Number.Mean, 1/c.Number.Factor)
	case c.Kind == tables.Text:
		return fmt.Sprintf(": %s", count(e.FeaturesOf(i), "feature"))
	case c.Kind == tables.Category && c.Levels == nil && !c.GapFeature:
		return ", no feature: no word is in two training rows"
	case c.Levels == nil:
		return ""
	case c.Levels.HashBits > 0:
		return fmt.Sprintf(", hashed to %d features", 1<<c.Levels.HashBits)
	}
	var b strings.Builder
	before := ": "
	for k := range min(most, len(c.Levels.Names)) {
		fmt.Fprintf(&b, "%s%s %d", before, escape.Name(c.Levels.Names[k]), c.Levels.Counts[k])
		before = ", "
	}
	if len(c.Levels.Names) > most {
		b.WriteString(", ...")
	}
	return b.String()
}

func printForm(w io.Writer, set *dataset.Set) {
	if f := set.Form; f != nil {
		fmt.Fprintf(w, "format: %s\n", formText(f))
	}
}

func formText(f *dataset.Form) string {
	switch f.Format {
	case form.Lines:
		if f.Separator == '\t' {
			return "lines of a label, a tab and a text"
		}
		return "lines of text"
	case form.JSONL:
		return "lines of JSON"
	}
	separators := map[byte]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "pipes"}
	text := separators[f.Separator]
	switch {
	case f.Separator == form.None:
		text = "one column"
	case text == "":
		text = strconv.Quote(string(f.Separator))
	}
	if f.Separator != form.None {
		text += " between cells"
	}
	header := ", no header"
	if f.Header {
		header = ", a header"
	}
	if text += header; f.Units {
		text += " and a row of units below it"
	}
	if f.SkipLines > 0 {
		text += fmt.Sprintf(", %s above the table", count(f.SkipLines, "line"))
	}
	if f.Comment != form.None && f.Comment != 0 {
		text += fmt.Sprintf(", comments after %c", f.Comment)
	}
	if f.Quote == '\'' {
		text += ", single quotes"
	}
	if f.Decimal == ',' {
		text += ", decimal commas"
	}
	if f.Encoding != "utf-8" {
		text += ", " + f.Encoding
	}
	return text
}

func classesKind(set *dataset.Set, labels []float32, rows []int) string {
	const few = 5
	text := count(len(labels), "class")
	switch {
	case len(labels) == 0:
	case len(labels) > few:
		text += " of " + rowRange(rows)
	default:
		var parts []string
		for i, y := range labels {
			name := escape.Name(labelName(set, y))
			parts = append(parts, fmt.Sprintf("%s (%s)", name, count(rows[i], "row")))
		}
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

func withoutBuckets(e *tables.Encoder) *tables.Encoder {
	if e == nil {
		return nil
	}
	shown := *e
	shown.Columns = slices.Clone(e.Columns)
	for i := range shown.Columns {
		if t := shown.Columns[i].Text; t != nil {
			without := *t
			without.Buckets = nil
			shown.Columns[i].Text = &without
		}
	}
	return &shown
}
