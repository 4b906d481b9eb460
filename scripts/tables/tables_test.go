package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSplitQuotes(t *testing.T) {
	got := split(`'a, b',c, "it's",d\'e,`, ',')
	want := []string{"a, b", "c", " it's", "d'e", ""}
	if !slices.Equal(got, want) {
		t.Errorf("split = %q, want %q", got, want)
	}
}

func TestParseARFFFindsTheClass(t *testing.T) {
	got := parseARFF("% c\n@relation x\n@attribute 'the class' real\n@ATTRIBUTE Class {1,2}\n" +
		"@attribute z {p, q}\n@data\n1,2,p\n?,1,q\n")
	if got == nil || got.label != 1 || got.task != classes || got.cells[2][0] != "" {
		t.Errorf("parseARFF = %+v", got)
	}
	if parseARFF("@attribute a real\n@data\n{0 1}\n") != nil {
		t.Error("parseARFF parses sparse rows as cells")
	}
}

func made(name string, rows int) *table {
	t := &table{name: name, source: "r csv/" + name + ".csv", group: name, label: -1,
		cells: [][]string{{"n", "class", "constant", "empty"}}}
	for i := range rows {
		t.cells = append(t.cells, []string{fmt.Sprint(i), []string{"a", "b"}[i%2], "1", ""})
	}
	return t
}

func TestChoose(t *testing.T) {
	few, twice := made("few", minRows-1), made("q", 200)
	if got := choose([]*table{few, made("o", 200), twice, made("x-letter", 300)}); len(got) != 1 {
		t.Fatalf("chose %d tables, want 1 of the two copies with enough rows and a new name",
			len(got))
	}
	// o's hash begins with 6, an even code; p's with 1, an odd code.
	for _, name := range []string{"o", "p"} {
		one := choose([]*table{made(name, 200)})[0]
		want := "cb"
		if name == "p" {
			want = "1" // in the second row
		}
		last := one.cells[2][len(one.cells[2])-1]
		if last != want || one.cells[0][3] != "label" {
			t.Errorf("%s: label %q of %s, want %q", name, last, one.task, want)
		}
	}
}

func TestDivideKeepsShares(t *testing.T) {
	one := made("o", 1000)
	one.label, one.task = 1, classes
	train, test := one.divide(0)
	a := 0
	for _, i := range test {
		if one.cells[i][1] == "a" {
			a++
		}
	}
	if len(test) != 300 || len(train) != 700 || a != 150 {
		t.Errorf("%d rows to train on, %d to test on, %d of them a", len(train), len(test), a)
	}
	if again, _ := one.divide(1); slices.Equal(train, again) {
		t.Error("two divisions are equal")
	}
}

func TestJudge(t *testing.T) {
	one := &table{task: numbers, label: 0, cells: [][]string{{"label"}, {"1"}, {"3"}, {"5"}}}
	got, err := one.judge([]int{1, 2, 3}, []string{"1", "3", "3"})
	if err != nil || math.Abs(got[0]+got[1]+got[2]+4/(8./3)) > 1e-12 {
		t.Errorf("judge = %v, %v", got, err)
	}
	if _, err := one.judge([]int{1, 2}, []string{"1"}); err == nil {
		t.Error("no error for a missing prediction")
	}
}

func TestSummarize(t *testing.T) {
	var out strings.Builder
	summarize(&out, "x", []comparison{{"a", 5, 1, 3, .5}, {"b", 5, 1, 1, 0}, {"c", 5, 2, 0, 1}})
	for _, want := range []string{"gain +0.0000 (s.e. 1.1547)", "up 1, down 0", "worst c -2.0000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %q", out.String(), want)
		}
	}
}

func TestNoTableCompared(t *testing.T) {
	dir := t.TempDir()
	if err := writeCSV(filepath.Join(dir, "index.csv"), [][]string{{"name", "task", "half"},
		{"a", classes, "decide"}}); err != nil {
		t.Fatal(err)
	}
	err := compare(io.Discard, []string{"-half", "other", dir, os.Args[0], os.Args[0]})
	if err == nil || !strings.HasSuffix(err.Error(), "-half, -task and -match select none") {
		t.Error(err)
	}
	var out strings.Builder
	rows := [][]string{{"x", "label"}, {"1", "a"}, {"2", "a"}, {"3", "b"}, {"4", "b"}}
	if err := writeCSV(filepath.Join(dir, "a.csv"), rows); err != nil {
		t.Fatal(err)
	}
	err = compare(&out, []string{dir, os.DevNull, os.DevNull}) // can't be run
	if err == nil || !strings.HasSuffix(err.Error(), "for the reasons above") ||
		!strings.HasPrefix(out.String(), "left out: a: ") {
		t.Errorf("%v: %s", err, out.String())
	}
}
