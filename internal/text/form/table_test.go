package form

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestTableCheck(t *testing.T) {
	long := strings.Repeat("x", maxTableBytes)
	for want, c := range map[string]struct {
		table    Table
		features int
	}{
		"": {Table{[]string{"a", ""}, "y", -1, false}, 2},
		"dataset: the LabelAt of a table is -2, want -1 or more": {Table{nil, "", -2, false}, 2},
		"dataset: a table of 1 name for 2 features": {
			Table{[]string{"a"}, "y", -1, false}, 2},
		`dataset: two columns are called "a"`: {Table{[]string{"a", "a"}, "", 0, false}, 2},
		`dataset: two columns are called "y"`: {Table{[]string{"y", "a"}, "y", 0, false}, 2},
		"dataset: the names of the columns take 4194308 bytes, counting one more for each, want at most " +
			"4194304": {Table{[]string{long, "a"}, "", 0, false}, 2},
	} {
		err := c.table.Check(c.features)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestNewTable(t *testing.T) {
	for _, c := range []struct {
		names          []string
		label, columns int
		want           *Table
		at             []int // the file's column of each feature
	}{
		{nil, 2, 3, nil, nil},
		{nil, 0, 3, &Table{LabelAt: 0}, []int{1, 2}},
		{nil, 1, 3, &Table{LabelAt: 1}, []int{0, 2}},
		{nil, -1, 3, nil, nil},
		{[]string{"a", "b", "y"}, 2, 3, &Table{Columns: []string{"a", "b"}, Label: "y", LabelAt: -1},
			[]int{0, 1}},
		{[]string{"a", "y\xff", "b\xe9"}, 1, 3,
			&Table{Columns: []string{"a", "b\ufffd"}, Label: "y\ufffd", LabelAt: 1}, []int{0, 2}},
		{[]string{"a", "b"}, -1, 2, &Table{Columns: []string{"a", "b"}, LabelAt: -1}, []int{0, 1}},
		{[]string{"y"}, 0, 1, &Table{Columns: []string{}, Label: "y", LabelAt: -1}, nil},
	} {
		have := NewTable(c.names, c.label, c.columns)
		if !reflect.DeepEqual(have, c.want) {
			t.Errorf("%q, label in %d: %+v, want %+v", c.names, c.label, have, c.want)
		}
		if have == nil {
			continue
		}
		for i, want := range c.at {
			if at := have.FileColumn(i); at != want {
				t.Errorf("%+v: feature %d in column %d, want %d", have, i, at, want)
			}
		}
		text, err := json.Marshal(have)
		if err != nil {
			t.Fatal(err)
		}
		var read Table
		if err := json.Unmarshal(text, &read); err != nil || read.Label != have.Label ||
			read.LabelAt != have.LabelAt || !slices.Equal(read.Columns, have.Columns) {
			t.Errorf("%s: %+v, %v", text, read, err)
		}
	}
	var read Table
	if err := json.Unmarshal([]byte(`{"columns":["a"]}`), &read); err != nil || read.LabelAt != -1 {
		t.Errorf("%+v, %v", read, err)
	}
	if json.Unmarshal([]byte(`{"columns":7}`), &read) == nil {
		t.Error("a number is read as names")
	}
}
