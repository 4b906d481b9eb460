package main

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const tricky = "\ufeffid,\"note, \"\"quoted\"\"\",\"two\nlines\",age,kind\n" +
	"007,\"a, b\",\"one\n\ntwo\",20,young\n" +
	"008,\"say \"\"hi\"\"\",\" \",30,young\n" +
	"009,\"tab\there\",-,60,old\n" +
	"010,,\"x;y\",,\n" +
	"1e5,żółw,NA,70,old\n" +
	"012,\"\"\"\",#no,25,young\n" +
	"013,it's,=1+1,80,old\n"

func cellsOf(t *testing.T, text string, separator rune) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.Comma = separator
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for i, c := range row {
			row[i] = strings.TrimSpace(c)
		}
	}
	return rows
}

func trainTricky(t *testing.T, flags ...string) (data, model string) {
	t.Helper()
	data, model = file(t, "tricky.csv", tricky), filepath.Join(t.TempDir(), "model")
	must(t, append(append([]string{"train", "-quiet", "-ignore", "*", "-numbers", "age",
		"-missing", "drop"}, flags...), data, model)...)
	return data, model
}

func TestKeepAll(t *testing.T) {
	data, model := trainTricky(t)
	plain, _ := must(t, "predict", "-quiet", data, model)
	want := cellsOf(t, tricky, ',')
	for i, label := range append([]string{"prediction"}, rowsOf(plain)...) {
		want[i] = append(want[i], label)
	}
	dir := t.TempDir()
	for name, separator := range map[string]rune{"-": ',', "out": ',', "out.csv": ',',
		"out.tsv": '\t', "out.tab": '\t', "out.csv.gz": ',', "out.tsv.gz": '\t'} {
		path := filepath.Join(dir, name)
		if name == "-" {
			path = "-"
		}
		text, _ := must(t, "predict", "-quiet", "-keep", "all", data, model, path)
		if path != "-" {
			text = unpacked(t, path)
		}
		if have := cellsOf(t, text, separator); !reflect.DeepEqual(have, want) {
			t.Errorf("%s: %q, want %q", name, have, want)
		}
	}
}

func rowsOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func unpacked(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestKeepDropped(t *testing.T) {
	data, model := trainTricky(t)
	for _, drop := range []bool{false, true} {
		args := []string{"predict", "-quiet", "-keep", "id", data, model}
		if drop {
			args = slices.Insert(args, 1, "-missing", "drop")
		}
		text, _ := must(t, args...)
		rows := cellsOf(t, text, ',')
		if len(rows) != 8 || rows[4][0] != "010" || (rows[4][1] == "") != drop {
			t.Errorf("-missing drop %v: %q", drop, rows)
		}
		for i, row := range rows {
			if i != 4 && row[1] == "" {
				t.Errorf("row %d has no prediction", i)
			}
		}
	}
	ends := "age,kind,id\n1,,a\n2,,b\n20,young,c\n90,,d\n"
	text, _ := must(t, "predict", "-quiet", "-missing", "drop", "-keep", "id",
		file(t, "ends.csv", ends), model)
	if text != "id,prediction\na,\nb,\nc,young\nd,\n" {
		t.Error(text)
	}
}

func TestKeepColumns(t *testing.T) {
	_, model := trainTricky(t, "-proba")
	data := file(t, "new.csv", "age,prediction,score_young,all\n20,p,s,1\n70,q,t,2\n")
	for _, c := range []struct{ list, flag, want string }{
		{"age", "", "age,prediction"},
		{"3,0", "", "all,age,prediction"},
		{"all", "", "all,prediction"}, // the table has a column called all
		{"*", "", "age,prediction,score_young,all,prediction_2"},
		{"all,*,age", "-scores", "all,prediction,score_young,age,prediction_2,score_young_2"},
		{"age", "-proba", "age,prediction,probability_old,probability_young"},
	} {
		args := []string{"predict", "-quiet", "-keep", c.list, data, model}
		if c.flag != "" {
			args = slices.Insert(args, 1, c.flag)
		}
		text, _ := must(t, args...)
		rows := rowsOf(text)
		if rows[0] != c.want || len(rows) != 3 {
			t.Errorf("-keep %s: %q, want %q", c.list, rows, c.want)
		}
		if c.flag == "" {
			continue
		}
		plain, _ := must(t, "predict", "-quiet", c.flag, data, model)
		for i, line := range rowsOf(plain) {
			tail := "," + strings.ReplaceAll(line, "\t", ",")
			if i > 0 && !strings.HasSuffix(rows[i], tail) {
				t.Errorf("%s: %q does not end in %q", c.flag, rows[i], tail)
			}
		}
	}
}

func TestKeepForms(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		file, text, list, header, first, label string
	}{
		"no header": {"a.csv", "1,5,x\n2,6,x\n8,1,y\n9,2,y\n", "0,*",
			"column 0,column 1,column 2,prediction", "1,5,x,x", ""},
		"JSON": {"a.jsonl", `{"a":1,"y":"p"}` + "\n" + `{"a":2,"y":"p"}` + "\n" +
			`{"a":8,"y":"q"}` + "\n" + `{"a":9,"y":"q","late":"b, c"}` + "\n", "late,a",
			"late,a,prediction", ",1,p", "y"},
		"lines": {"a.tsv", strings.Repeat("good\tit is a good day, yes\n"+
			"bad\tit is a very bad day\n", 9), "text", "text,prediction", `"it is a good day, yes",good`, "label"},
		"numbers": {"b.csv", "x,y\n0,1.5\n1,3.5\n2,5.5\n3,7.5\n4,9.5\n5,11.5\n6,13.5\n7,15.5\n" +
			"8,17.5\n9,19.5\n10,21.5\n11,23.5\n", "y", "y,prediction", "1.5,", ""},
	} {
		t.Run(name, func(t *testing.T) {
			data, model := file(t, c.file, c.text), filepath.Join(dir, name+".model")
			must(t, "train", "-quiet", "-label-column", cmp.Or(c.label, "last"), data, model)
			text, _ := must(t, "predict", "-quiet", "-keep", c.list, data, model)
			rows := rowsOf(text)
			if rows[0] != c.header || !strings.HasPrefix(rows[1], c.first) ||
				strings.HasSuffix(rows[1], ",") {
				t.Errorf("%q", rows)
			}
			if name == "JSON" && rows[4] != `"b, c",9,q` {
				t.Errorf("%q", rows[4])
			}
		})
	}
}

func TestKeepMistakes(t *testing.T) {
	data, model := trainTricky(t)
	bare, twice := file(t, "bare.csv", "1,2,x\n2,3,y\n1,1,x\n2,2,y\n"), file(t, "twice.csv", "age,id,id\n1,2,3\n")
	bareModel := filepath.Join(t.TempDir(), "bare.model")
	must(t, "train", "-quiet", bare, bareModel)
	svm := file(t, "toy.svm", toy)
	svmModel := filepath.Join(t.TempDir(), "toy.model")
	must(t, "train", "-quiet", svm, svmModel)
	mistakes(t, map[string]mistake{
		"unknown": {exitUsage, `no column is called "name"; the columns are id, note, "quoted", ` +
			`"two\nlines", age, kind`, []string{"name", data, model, "out.csv"}},
		"number": {exitUsage, `no column is called "5"`, []string{"5", data, model, "out.csv"}},
		"twice": {exitUsage, `"id" is given twice, as id and 0`,
			[]string{"id,0", data, model, "out.csv"}},
		"stars":     {exitUsage, "* is given twice", []string{"*,*", data, model, "out.csv"}},
		"two":       {exitUsage, `two columns are called "id"`, []string{"id", twice, model, "out.csv"}},
		"no header": {exitUsage, "has no header, and 3 columns", []string{"x", bare, bareModel}},
		"quotes":    {exitUsage, "-keep: ", []string{`a"b`, data, model, "out.csv"}},
		"no table":  {exitUsage, "is not read as a table", []string{"all", svm, svmModel, "out.csv"}},
		"no file":   {anyFailure, "none.csv", []string{"all", "none.csv", model, "out.csv"}},
	}, "predict", "-keep")
}
