package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// usable returns the table of a set as other data can be read by it: without its names if they
// can't tell columns apart. why says so.
func usable(set *dataset.Set) (t *dataset.Table, why error) {
	if t = set.Table; t == nil {
		return nil, nil
	}
	if why = t.Check(set.Cols()); why != nil {
		t = t.Plain()
	}
	return t, why
}

// tableOf returns the set's for a model, nil for none.
func tableOf(set *dataset.Set) (json.RawMessage, error) {
	t, _ := usable(set)
	if t == nil {
		return nil, nil
	}
	return json.Marshal(t)
}

// printColumns says which column has the labels, and why the names of the others are not kept, if
// that is so.
func printColumns(w io.Writer, set *dataset.Set) {
	t, why := usable(set)
	switch {
	case t == nil:
	case set.Table.Columns != nil && t.LabelAt < 0:
		fmt.Fprintf(w, "the label is the last column, %s\n", visible.Name(set.Table.Label))
	case set.Table.Columns != nil:
		fmt.Fprintf(w, "the label is column %d, %s\n", t.LabelAt, visible.Name(set.Table.Label))
	default:
		fmt.Fprintf(w, "the label is column %d\n", t.LabelAt)
	}
	if warning := numbered(set); warning != "" {
		fmt.Fprintln(w, "warning:", warning)
	}
	if why != nil {
		fmt.Fprintf(w, "the columns' names are not kept, and go by their places: %s\n",
			visible.Text(strings.TrimPrefix(why.Error(), "dataset: ")))
	}
}

// fewNumbered is from how many rows on a first column that counts them does so on purpose.
const fewNumbered = 10

// numbered warns of a first column that only numbers the rows: the values ascend by 1, or its name
// says so. It returns nothing if there is none.
func numbered(set *dataset.Set) string {
	if set.Mapped() || set.Rows() < fewNumbered || set.Cols() < 2 {
		return ""
	}
	name, help, isID := "the first feature", "", false
	if t := set.Table; t != nil && t.Columns != nil {
		name = "column " + visible.Name(t.Columns[0])
		if t.LabelAt != 0 {
			help = ", such as by cut -d , -f 2-"
		}
		isID = slices.Contains([]string{"id", "rowid", "row_id"}, strings.ToLower(t.Columns[0]))
	}
	first := firstFeature(set, 0)
	for i := 1; i < set.Rows() && !isID; i++ {
		if firstFeature(set, i) != first+float32(i) {
			return ""
		}
	}
	return name + " seems to number the rows, which tells nothing of others, but is trained on: " +
		"leave it out" + help
}

// firstFeature returns the value of row i in the first column of features.
func firstFeature(set *dataset.Set, i int) float32 {
	if set.Dense != nil {
		return set.Dense.Row(i)[0]
	}
	for j, v := range set.Sparse.Nonzeros(i) {
		if j == 0 {
			return v
		}
		break // columns ascend
	}
	return 0
}

// printOthers says which columns were left out.
func printOthers(w io.Writer, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "ignored columns that the model does not have: %s\n", firstNames(names))
}

// firstNames lists a few of the names.
func firstNames(names []string) string {
	const most = 5
	list := strings.Join(visible.Names(names[:min(most, len(names))]), ", ")
	if n := len(names) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return list
}
