package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// usable returns a set's table, or nil if there is none. The result has no names if Table.Check
// refuses the names.
func usable(set *dataset.Set) *dataset.Table {
	t := set.Table
	if t != nil && t.Check(set.Cols()) != nil {
		return &dataset.Table{LabelAt: t.LabelAt}
	}
	return t
}

func (d *dataReader) tableOf(set *dataset.Set) (json.RawMessage, error) {
	if d.encoder != nil {
		return json.Marshal(d.encoder)
	}
	if t := usable(set); t != nil {
		return json.Marshal(t)
	}
	return nil, nil
}

func (d *dataReader) printLabel(w io.Writer, set *dataset.Set) {
	e := d.encoder
	if e == nil {
		if t := set.Table; t != nil && t.LabelAt >= 0 {
			fmt.Fprintf(w, "the label is column %d\n", t.LabelAt)
		} else if d.format() == dataset.FormatNPY && !strings.Contains(d.name, ",") { // not a pair
			fmt.Fprintln(w, "the label is the last column")
		}
		return
	}
	names, label := d.names()
	if d.fitter == nil { // the file may have the model's columns in another order
		if label >= 0 && e.Header && d.opt.LabelColumn == "" {
			fmt.Fprintf(w, "the label is the column %s\n", escape.Name(e.Label.Name))
		}
		return
	}
	if label >= 0 {
		how := ""
		if d.opt.LabelColumn == "" && d.opt.Table == nil && d.named {
			_, byName, _ := dataset.ChooseLabel(names)
			if byName && set.Form.Format != form.Lines { // whose columns have no names of their own
				how = ", by its name"
			}
		}
		fmt.Fprintf(w, "the label is %s%s\n", d.columnText(names, label), how)
	}
	if d.named && !e.Header && label >= 0 {
		t := &dataset.Table{Columns: slices.Delete(names, label, label+1), Label: e.Label.Name}
		fmt.Fprintf(w, "the model does not store the columns' names, and finds columns by position: %s\n",
			escape.Text(strings.TrimPrefix(fmt.Sprint(t.Check(len(t.Columns))), "dataset: ")))
	}
}

func (d *dataReader) columnText(names []string, i int) string {
	text := fmt.Sprintf("column %d", i)
	if i == len(names)-1 {
		text = "the last column"
	}
	if name := names[i]; d.named {
		text += ", " + escape.Name(name)
	}
	return text
}

// Names in lower case, without blanks, dashes, dots and underscores.
var likelyLabels = strings.Fields("outcome diagnosis survived species price saleprice quality " +
	"churn churned exited attrition fraud isfraud spam isspam sentiment default defaulted response " +
	"result medv labels targets targetclass classlabel truelabel groundtruth")

func saysLabel(name string) bool {
	plain := strings.NewReplacer("_", "", " ", "", "-", "", ".", "").Replace(strings.ToLower(name))
	return slices.Contains(likelyLabels, plain)
}

func (d *dataReader) doubtLabel(names []string, label int) {
	if d.opt.LabelColumn != "" || !d.named || label < 0 {
		return
	}
	for i, column := range names {
		if i != label && saysLabel(column) {
			d.doubts = append(d.doubts, dataset.Doubt{About: "label", Column: column,
				Flag: "-label-column", Text: "may have the labels, which are taken from column " +
					escape.Name(names[label])})
		}
	}
}
