package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCSVByTable(t *testing.T) {
	named := &Table{Columns: []string{"a", "b"}, Label: "y", LabelAt: 0}
	plain, first := &Table{LabelAt: -1}, &Table{LabelAt: 0}
	const want = "7 1:1 2:2\n8 1:3 2:4\n"
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string // as svmlight text
		others     string // Set.Others, separated by |
		without    bool   // Set.Unlabelled
	}{
		{"as it was", "y,a,b\n7,1,2\n8,3,4\n", Options{Table: named}, want, "", false},
		{"another order", "b,y,a\n2,7,1\n4,8,3\n", Options{Table: named}, want, "", false},
		{"more columns", "id,b,name,a,y\nx,2,\"p,q\",1,7\n,4,,3,8\n", Options{Table: named}, want,
			"id|name", false},
		{"no header", "7,1,2\n8,3,4\n", Options{Table: named}, want, "", false},
		{"no header, it says", "7,1,2\n8,3,4\n", Options{Table: named, Header: HeaderNo}, want, "",
			false},
		{"other label by name", "b,y,a,z\n2,0,1,7\n4,0,3,8\n",
			Options{Table: named, LabelColumn: "z"}, want, "y", false},
		{"other label by number", "z,b,a\n7,2,1\n8,4,3\n",
			Options{Table: named, LabelColumn: "0"}, want, "", false},
		{"names that are numbers", "1,y,0\n2,7,1\n4,8,3\n",
			Options{Table: &Table{Columns: []string{"0", "1"}, Label: "y", LabelAt: -1}}, want, "",
			false},
		{"label first, no header", "7,1,2\n8,3,4\n", Options{Table: first}, want, "", false},
		{"label last after all", "1,2,7\n3,4,8\n", Options{Table: first, LabelColumn: "last"}, want,
			"", false},
		{"header without names in the table", "b,a,y\n1,2,7\n3,4,8\n", Options{Table: plain}, want,
			"", false},

		{"unlabelled, another order", "b,a\n2,1\n4,3\n", Options{Table: named, Labels: LabelsAuto},
			"0 1:1 2:2\n0 1:3 2:4\n", "", true},
		{"unlabelled, more columns", "b,a,z\n2,1,9\n4,3,9\n",
			Options{Table: named, Labels: LabelsAuto}, "0 1:1 2:2\n0 1:3 2:4\n", "z", true},
		{"unlabelled, no header", "1,2\n3,4\n", Options{Table: first, Labels: LabelsAuto},
			"0 1:1 2:2\n0 1:3 2:4\n", "", true},
		{"unlabelled, no table", "1,2\n3,4\n", Options{Labels: LabelsAuto},
			"0 1:1 2:2\n0 1:3 2:4\n", "", true},
		{"unlabelled, it says, and the label is there", "b,y,a\n2,7,1\n4,8,3\n",
			Options{Table: named, Labels: LabelsNo}, "0 1:1 2:2\n0 1:3 2:4\n", "", true},
		{"labelled, though it might not be", "1,2,7\n3,4,8\n",
			Options{Table: plain, Labels: LabelsAuto}, want, "", false},
		{"labelled by name, though it might not be", "b,y,a\n2,7,1\n4,8,3\n",
			Options{Table: named, Labels: LabelsAuto}, want, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opt.Features = 2
			got, err := readCSVText(c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if want := mustText(t, c.want, Options{}); !equal(examples(got), examples(want)) {
				t.Errorf("%v, want %v", examples(got), examples(want))
			}
			if others := strings.Join(got.Others, "|"); others != c.others ||
				got.Unlabelled != c.without {
				t.Errorf("others %q, unlabelled %t", others, got.Unlabelled)
			}
		})
	}
}

// If a column of Options.Table first appears in a late line of JSON, an encoder gets empty cells
// for the lines before; without an encoder, these lines are an error.
func TestLateFieldOfTable(t *testing.T) {
	text := strings.Repeat("{\"a\":1,\"y\":3}\n", 30_000) + "{\"a\":22,\"late\":333,\"y\":4}\n"
	path := file(t, "a.jsonl", []byte(text))
	opt := Options{Features: 2,
		Table: &Table{Columns: []string{"a", "late"}, Label: "y", LabelAt: -1}}
	const want = `:1: the field "late" is missing: fill it in or leave the row out`
	if _, err := Read(path, opt); err == nil || err.Error() != path+want {
		t.Errorf("%v, want %s", err, path+want)
	}
	unlabelled, bad := opt, (*SyntaxError)(nil)
	unlabelled.Labels = LabelsNo
	if _, err := Read(path, unlabelled); !errors.As(err, &bad) || !bad.Cell {
		t.Errorf("%+v, want an error in a cell", err)
	}
	opt.Encoder = lengths{columns: 2, table: opt.Table}
	for _, more := range [][]string{nil, {path}} {
		opt.More = more
		s, err := Read(path, opt)
		if err != nil {
			t.Fatal(err)
		}
		last := exampleOf(s, s.Rows()-1)
		if s.Rows() != (1+len(more))*30_001 || !slices.Equal(last.val, []float32{2, 3}) {
			t.Errorf("%d rows, the last is %v", s.Rows(), last)
		}
		var m memory
		if rows, _, err := ConvertCSV(&m, path, opt); err != nil || rows != s.Rows() {
			t.Errorf("%d rows converted, %v", rows, err)
		}
	}
	opt.More = nil
	none := file(t, "none.jsonl", []byte("{\"a\":1,\"y\":3}\n"))
	if _, err := Read(none, opt); !says(err, `no line has the field "late"`) {
		t.Error(err)
	}
}

func TestCSVByTableErrors(t *testing.T) {
	named := &Table{Columns: []string{"a", "b"}, Label: "y", LabelAt: 0}
	const which = ", like the label column of the training data: rename the column that has the " +
		"labels, or name it with -label-column, which applies to all data files"
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string
	}{
		{"missing column", "a,c,y\n1,2,3\n", Options{},
			`a.csv:1: no column is called "b" in the header`},
		{"column twice", "a,b,b,y\n1,2,2,3\n", Options{}, `a.csv:1: two columns are called "b"`},
		{"missing label", "a,b\n1,2\n", Options{},
			`a.csv:1: no column is called "y" in the header` + which},
		{"label twice", "y,a,b,y\n1,1,2,2\n", Options{Labels: LabelsAuto},
			`a.csv:1: two columns are called "y": give the number, from 0, of the one that has ` +
				"the labels with -label-column, which applies to all data files"},
		{"label that is a feature", "a,b\n1,2\n", Options{LabelColumn: "b"},
			`a.csv:1: column "b" can't be both the label and a feature`},
		{"other width, no header", "1,2,3,4\n", Options{},
			`a.csv:1: 4 columns, want 3 with the label column`},
		{"other width, no header, perhaps no label", "1,2,3,4\n", Options{Labels: LabelsAuto},
			`a.csv:1: 4 columns, want 2, or 3 with the label column`},
		{"other width, no label", "1,2,3\n", Options{Labels: LabelsNo},
			`a.csv:1: 3 columns, want 2`},
		{"label of data without", "1,2\n", Options{Labels: LabelsNo, LabelColumn: "0"},
			`dataset: LabelColumn is "0", but Labels is "no"`},
		{"labels", "1,2\n", Options{Labels: "perhaps"},
			`dataset: labels "perhaps": want one of ["yes" "no" "auto"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opt.Features, c.opt.Table = 2, named
			s, err := readCSVText(c.text, c.opt)
			if s != nil || err == nil || err.Error() != c.want {
				t.Errorf("%v, want\n%v", err, c.want)
			}
		})
	}
	if _, err := readCSVText("1,2", Options{Table: named, Features: 1}); !says(err,
		"dataset: Table has 2 columns, but Features is 1") {
		t.Error(err)
	}
}

func TestTableOfSet(t *testing.T) {
	for text, c := range map[string]struct {
		opt  Options
		want *Table
	}{
		"a,b,y\n1,2,3\n":      {Options{}, &Table{Columns: []string{"a", "b"}, Label: "y", LabelAt: -1}},
		"y,b\n1,2\n":          {Options{LabelColumn: "y"}, &Table{Columns: []string{"b"}, Label: "y", LabelAt: 0}},
		",caf\xe9,y\n1,2,3\n": {Options{}, &Table{Columns: []string{"", "café"}, Label: "y", LabelAt: -1}},
		"1,2,3\n":             {Options{}, nil},
		"1,2,3,4\n":           {Options{LabelColumn: "1"}, &Table{Columns: nil, Label: "", LabelAt: 1}},
		"1,2,3,4,5\n":         {Options{LabelColumn: "4"}, nil},
	} {
		s, err := readCSVText(text, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		have := s.Table
		if (have == nil) != (c.want == nil) || have != nil &&
			(!slices.Equal(have.Columns, c.want.Columns) || have.Label != c.want.Label ||
				have.LabelAt != c.want.LabelAt) {
			t.Errorf("%q: %+v, want %+v", text, have, c.want)
		}
	}
}

func TestNPYUnlabelled(t *testing.T) {
	array := func(fortran bool, values ...float64) []byte {
		return npy(1, npyHeader("<f4", fortran, "(2, 2)"), encode("<f4", values...))
	}
	for _, opt := range []Options{{Labels: LabelsAuto, Features: 2}, {Labels: LabelsNo},
		{Labels: LabelsAuto, Features: 2, Table: &Table{LabelAt: 0}}} {
		for _, x := range [][]byte{array(false, 1, 2, 3, 4), array(true, 1, 3, 2, 4)} {
			s, err := readNPYBytes(x, nil, opt)
			if err != nil || !s.Unlabelled ||
				!equal(examples(s), examples(mustText(t, "0 1:1 2:2\n0 1:3 2:4\n", Options{}))) {
				t.Error(s, err)
			}
		}
	}
	s, err := readNPYBytes(array(false, 7, 1, 8, 3), nil,
		Options{Labels: LabelsAuto, Features: 1, Table: &Table{LabelAt: 0}})
	if err != nil || s.Unlabelled || s.Table == nil || s.Table.LabelAt != 0 || s.Y[1] != 8 {
		t.Error(s, err)
	}
	for labels, want := range map[Labels]string{
		LabelsYes:  "a.npy: 2 columns, want 4 with the label column",
		LabelsAuto: "a.npy: 2 columns, want 3, or 4 with the label column",
	} {
		_, err := readNPYBytes(array(false, 1, 2, 3, 4), nil, Options{Labels: labels, Features: 3})
		if !says(err, want) {
			t.Error(err)
		}
	}
}

func TestSvmlightUnlabelled(t *testing.T) {
	const text = "# no labels\n1:1 2:2\n\n  2:3 # c\n# c\n"
	const want = "0 1:1 2:2\n0\n0 2:3\n"
	for _, labels := range []Labels{LabelsAuto, LabelsNo} {
		for _, size := range []int{1, 20, chunkSize} {
			opt, err := Options{Labels: labels}.filled()
			if err != nil {
				t.Fatal(err)
			}
			s, err := readSvmlight(textOf(strings.NewReader(text)), opt, size)
			if err != nil || !s.Unlabelled ||
				!equal(examples(s), examples(mustText(t, want, Options{}))) {
				t.Error(s, err)
			}
		}
	}
	s, err := readText("\n\n1 1:1\n\n2 1:1\n", Options{Labels: LabelsAuto})
	if err != nil || s.Unlabelled || s.Rows() != 2 || s.Y[1] != 2 {
		t.Error(s, err)
	}
	for _, c := range []struct {
		text   string
		labels Labels
		want   string
	}{
		{"1 1:1\n1:1\n", LabelsAuto,
			`a.svm:2:1: token "1:1": a feature where the label should be`},
		{"1:1\n", LabelsYes, `a.svm:1:1: token "1:1": a feature where the label should be`},
		{"1:1\n1 1:1\n", LabelsAuto,
			`a.svm:2:1: token "1": want index:value: the data are read without labels`},
		{"1 1:1\n", LabelsNo, `a.svm:1:1: token "1": want index:value: the data are read without labels`},
	} {
		if s, err := readText(c.text, Options{Labels: c.labels}); s != nil || err == nil ||
			err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	_, err = readText("3:1 1:1 3:2\n", Options{Labels: LabelsNo, Unsorted: UnsortedSort})
	if !says(err, `a.svm:1:9: token "3:2": index 3 twice in a line (-unsorted sum adds`) {
		t.Error(err)
	}
}

func TestLabelNumberThatIsAName(t *testing.T) {
	const text = "1,0,b,\n5,7,9,2\n6,8,9,1\n"
	doubtful := map[string]bool{"0": true, "1": true, "2": false, "b": false, "": false}
	for column, doubted := range doubtful {
		s, err := readCSVText(text, Options{LabelColumn: column, Header: HeaderYes})
		if err != nil {
			t.Errorf("label column %q: %v", column, err)
			continue
		}
		if got := strings.Contains(fmt.Sprint(s.Doubts), "taken from column number "); got != doubted {
			t.Errorf("label column %q: doubts %q, want one about it: %v", column, s.Doubts, doubted)
		}
	}
}
