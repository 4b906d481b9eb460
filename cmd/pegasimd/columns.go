package main

import (
	"encoding/json"
	"fmt"
	"io"
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
	if why != nil {
		fmt.Fprintf(w, "the columns' names are not kept, and go by their places: %s\n",
			visible.Text(strings.TrimPrefix(why.Error(), "dataset: ")))
	}
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
