package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// usable returns the table of a set as other data can be read by it: without its names if they
// can't tell columns apart. why says so.
func usable(set *dataset.Set) (t *dataset.Table, why error) {
	if t = set.Table; t == nil {
		return nil, nil
	}
	if why = t.Check(set.Cols()); why != nil {
		t = &dataset.Table{LabelAt: t.LabelAt}
	}
	return t, why
}

// tableOf returns the encoder, or the table of the set, for a model; nil for none.
func (d *dataReader) tableOf(set *dataset.Set) (json.RawMessage, error) {
	if d.encoder != nil {
		return json.Marshal(d.encoder)
	}
	t, _ := usable(set)
	if t == nil {
		return nil, nil
	}
	return json.Marshal(t)
}

// file returns the table of the set's file, which is not that of the features where an encoder made
// them, and why its names are not kept, if that is so.
func (d *dataReader) file(set *dataset.Set) (t *dataset.Table, why error) {
	if d.encoder == nil {
		_, why = usable(set)
		return set.Table, why
	}
	t = d.encoder.Table()
	t.Label = d.encoder.Label
	if !d.encoder.Header { // or two columns have the same name
		for _, c := range d.encoder.Columns {
			t.Columns = append(t.Columns, c.Name)
		}
		if why = t.Check(len(t.Columns)); why == nil {
			t.Columns = nil
		}
	}
	return t, why
}

// printColumns says which column has the labels, and why the names of the others are not kept, if
// that is so.
func (d *dataReader) printColumns(w io.Writer, set *dataset.Set) {
	t, why := d.file(set)
	switch {
	case t == nil || t.Columns == nil && t.LabelAt < 0:
	case t.Columns != nil && t.LabelAt < 0:
		fmt.Fprintf(w, "the label is the last column, %s\n", escape.Name(t.Label))
	case t.Columns != nil:
		fmt.Fprintf(w, "the label is column %d, %s\n", t.LabelAt, escape.Name(t.Label))
	default:
		fmt.Fprintf(w, "the label is column %d\n", t.LabelAt)
	}
	if why != nil {
		fmt.Fprintf(w, "the columns' names are not kept, and go by their places: %s\n",
			escape.Text(strings.TrimPrefix(why.Error(), "dataset: ")))
	}
}

// warnings says what may be otherwise with data than was meant.
func (d *dataReader) warnings(name string, set *dataset.Set) (all []string) {
	first, numbers := "the first feature", d.encoder == nil && numbered(set)
	var names []string
	t, _ := d.file(set)
	if t != nil {
		names = t.Columns
	}
	switch {
	case len(names) > 0:
		first = "column " + escape.Name(names[0])
		numbers = numbers ||
			d.encoder == nil && slices.Contains(idNames, strings.ToLower(names[0]))
		for _, column := range names {
			if slices.Contains(labelNames, strings.ToLower(column)) {
				all = append(all, fmt.Sprintf("column %s is called as labels are, but the label is "+
					"%s, unless -label-column says another", escape.Name(column),
					escape.Name(t.Label)))
			}
		}
	case d.isTable(name) && !d.call.given("header") && d.encoder == nil && numbersAsHeader(set):
		all = append(all, "the first row, whose numbers ascend, looks like a header, but is read "+
			"as data: -header yes if it is one, no if not")
	}
	if numbers && set.Rows() > 0 {
		all = append(all, first+" seems to number the rows, which tells nothing of others, but is "+
			"trained on: leave it out (-ignore)")
	}
	if head, err := headOf(name); err == nil && name != "-" && qidLine.Match(head) {
		all = append(all, "qid is left out: every row counts for itself, nothing is ranked")
	}
	return all
}

var (
	labelNames = []string{"y", "label", "class", "target"}
	idNames    = []string{"id", "rowid", "row_id"}
	qidLine    = regexp.MustCompile(`(?m)^[-+.\d][-+.\w]* +qid:`)
)

// numbersAsHeader reports whether the first row alone has whole numbers that ascend: by 1, as
// programs number columns and years do, or more than a few.
func numbersAsHeader(set *dataset.Set) bool {
	const few, rows = 5, 10
	for i := range min(rows, set.Rows()) {
		row := rowOf(set, i)
		ascend, byOne := len(row) > 2, true
		for j := 1; j < len(row); j++ {
			whole := math.Trunc(float64(row[j])) == float64(row[j])
			ascend = ascend && whole && row[j] > row[j-1]
			byOne = byOne && row[j] == row[j-1]+1
		}
		if is := ascend && (byOne || len(row) >= few); is != (i == 0) {
			return false
		}
	}
	return set.Rows() > 1
}

// rowOf returns row i with its zeros.
func rowOf(set *dataset.Set, i int) []float32 {
	if set.Dense != nil {
		return set.Dense.Row(i)
	}
	row := make([]float32, set.Cols())
	for j, v := range set.Sparse.Nonzeros(i) {
		row[j] = v
	}
	return row
}

// numbered reports whether the first column only numbers the rows: whether the first thousand of its
// values ascend by 1.
func numbered(set *dataset.Set) bool {
	n := min(set.Rows(), 1000)
	ascends := n >= 10 && set.Cols() > 1 // fewer may do so by chance
	for i := 1; i < n && ascends; i++ {
		ascends = rowOf(set, i)[0] == rowOf(set, 0)[0]+float32(i)
	}
	return ascends
}

// firstNames lists a few of the names.
func firstNames(names []string) string {
	const most = 5
	list := strings.Join(escape.Names(names[:min(most, len(names))]), ", ")
	if n := len(names) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return list
}
