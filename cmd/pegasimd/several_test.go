package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func monthly(seed uint64, rows int) (all [][]string) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range rows {
		age := 18 + r.IntN(60)
		label := "no"
		if float64(age)+10*r.NormFloat64() > 45 {
			label = "yes"
		}
		all = append(all, []string{fmt.Sprint(age), []string{"Bonn", "Köln", "Ulm"}[r.IntN(3)],
			fmt.Sprintf("%.2f", 3000+20*float64(age)+500*r.NormFloat64()),
			[]string{`"a, b"`, "x", "", "in words"}[r.IntN(4)], label})
	}
	return all
}

var monthlyHeader = []string{"age", "city", "income", "note", "label"}

func joined(header []string, rows [][]string, separator string, columns ...int) string {
	var b strings.Builder
	for _, row := range append([][]string{header}, rows...) {
		var cells []string
		for _, i := range columns {
			if row != nil {
				cells = append(cells, row[i])
			}
		}
		if row != nil {
			b.WriteString(strings.Join(cells, separator) + "\n")
		}
	}
	return b.String()
}

// Files with other separators may change the command in the model file, and so its checksum.
func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	a, b, c := monthly(1, 300), monthly(2, 200), monthly(3, 100)
	plain := func(rows [][]string) string { return joined(monthlyHeader, rows, ",", 0, 1, 2, 3, 4) }
	moved := joined(monthlyHeader, b, ",", 2, 0, 4, 1, 3)
	whole := plain(append(append(a[:300:300], b...), c...))
	var svm [3]string
	for i, part := range strings.SplitAfterN(strings.Repeat(toy, 9), "\n", 3) {
		svm[i] = part
	}
	lines := func(rows [][]string, from int) (text string) {
		for i, row := range rows {
			if text += fmt.Sprintf(`{"age": %s, "label": %q`, row[0], row[4]); i >= from {
				text += fmt.Sprintf(`, "city": %q`, row[1])
			}
			text += "}\n"
		}
		return text
	}
	for name, of := range map[string]struct {
		ending string
		parts  []string
		whole  string
		mixed  bool
	}{
		"equal": {".csv", []string{plain(a), plain(b), plain(c)}, whole, false},
		"moved": {".csv", []string{plain(a), moved, plain(c)}, whole, false},
		"mark":  {".csv", []string{plain(a), "\ufeff" + moved, plain(c)}, whole, false},
		"lines": {".csv", []string{plain(a), strings.ReplaceAll(moved, "\n", "\r\n"), plain(c)},
			whole, false},
		"compressed": {".csv", []string{plain(a), plain(b), gzipped(plain(c))}, whole, false},
		"empty": {".csv", []string{"", plain(a), "", plain(b), plain(nil), plain(c), ""}, whole,
			false},
		"unended": {".csv", []string{strings.TrimSpace(plain(a)), plain(b), plain(c)}, whole, false},
		"separator": {".csv", []string{plain(a), strings.ReplaceAll(strings.ReplaceAll(moved, ",", ";"),
			`"a; b"`, "a, b"), plain(c)}, whole, true},
		"bare": {".csv", []string{joined(nil, a, ",", 0, 2, 4), joined(nil, b, ",", 0, 2, 4)},
			joined(nil, append(a[:300:300], b...), ",", 0, 2, 4), false},
		"commas": {".csv", []string{joined(nil, a, ";", 0, 0, 4),
			strings.ReplaceAll(joined(nil, b, ";", 0, 2, 4), ".", ",")},
			joined(nil, a, ";", 0, 0, 4) +
				strings.ReplaceAll(joined(nil, b, ";", 0, 2, 4), ".", ","), false},
		"svmlight": {".svm", []string{"\ufeff" + svm[0], strings.TrimSpace(svm[1]), "", svm[2]},
			strings.Join(svm[:], ""), false},
		"json": {".jsonl", []string{lines(a, 300), lines(b, 50), lines(c, 0)},
			lines(a, 300) + lines(b, 50) + lines(c, 0), false},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"train", "-quiet", "-label-column", "last"}
			if of.ending == ".jsonl" {
				args[3] = "label"
			}
			if of.ending == ".svm" {
				args = args[:2]
			}
			both := append(args, file(t, "whole"+of.ending, of.whole), filepath.Join(dir, "whole.model"))
			must(t, both...)
			want := read(t, filepath.Join(dir, "whole.model"))
			var parts []string
			for i, text := range of.parts {
				parts = append(parts, file(t, fmt.Sprint(i, of.ending), text))
			}
			model := filepath.Join(dir, "parts.model")
			must(t, append(append(args[:len(args):len(args)], parts...), model)...)
			have := read(t, model)
			if of.mixed {
				command := regexp.MustCompile(`(?m)^command: .*`)
				bare := func(model string) string {
					return command.ReplaceAllString(model[:len(model)-sha256.Size], "")
				}
				have, want = bare(have), bare(want)
			}
			if have != want {
				t.Errorf("another model than for the concatenation:\n%.2000s\nwant\n%.2000s",
					have, want)
			}
			if out, _ := must(t, append([]string{"verify", model}, parts...)...); !strings.Contains(out,
				"\nconfirmed") {
				t.Error(out)
			}
			one, _ := must(t, "eval", both[len(both)-2], model)
			if all, _ := must(t, append(append([]string{"eval"}, parts...), model)...); all != one {
				t.Errorf("%s\nwant\n%s", all, one)
			}
			one, _ = must(t, "predict", both[len(both)-2], model)
			out := filepath.Join(t.TempDir(), "labels.txt")
			must(t, append(append([]string{"predict"}, parts...), model, out)...)
			if all := read(t, out); all != one {
				t.Error("other predictions than for the concatenation")
			}
		})
	}
}

func TestSeveralFilesOfCommands(t *testing.T) {
	dir := t.TempDir()
	rows := monthly(1, 300)
	a := file(t, "a.csv", joined(monthlyHeader, rows[:200], ",", 0, 1, 2, 4))
	b := file(t, "b.tsv", joined(monthlyHeader, rows[200:], "\t", 4, 2, 1, 0))
	whole := file(t, "whole.csv", joined(monthlyHeader, rows, ",", 0, 1, 2, 4))
	model := func(name string) string { return filepath.Join(dir, name+".model") }

	must(t, "train", "-quiet", "-holdout", ".2", whole, model("one"))
	_, told := must(t, "train", "-holdout", ".2", a, b, model("all"))
	if !strings.Contains(told, "a.csv and 1 more file: ") {
		t.Error(told)
	}
	if one, all := namelessHash(t, model("one")), namelessHash(t, model("all")); one != all {
		t.Error("-holdout: another model than for the concatenation")
	}
	_, again, _ := strings.Cut(told, "resolved: pegasimd ")
	again, _, _ = strings.Cut(again, "\n")
	before := read(t, model("all"))
	must(t, append(strings.Fields(again), "-quiet", "-force")...)
	if now := read(t, model("all")); now != before {
		t.Errorf("%s\ntrains another model", again)
	}
	must(t, "report", model("all"), a, b, filepath.Join(dir, "all.html"))
	page := read(t, filepath.Join(dir, "all.html"))
	if !strings.Contains(page, "a.csv and 1 more file") || !strings.Contains(page, "b.tsv") {
		t.Error("the page does not name the files")
	}
	one, _ := must(t, "predict", "-keep", "label,age", whole, model("one"))
	if all, _ := must(t, "predict", "-keep", "label,age", a, b, model("one")); all != one {
		t.Error("-keep: other rows than for the concatenation")
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct{ flags, ending string }{{"", ".svm"}, {"-stream", ".pgsm"},
		{"-for " + model("one"), ".npy"}} {
		args := append([]string{"convert", "-quiet"}, strings.Fields(c.flags)...)
		must(t, append(args, whole, at("one"+c.ending))...)
		must(t, append(args, a, b, at("all"+c.ending))...)
		if read(t, at("all"+c.ending)) != read(t, at("one"+c.ending)) {
			t.Errorf("convert %s: other rows than for the concatenation", c.flags)
		}
	}
	valid := func(name string, flags ...string) map[string]any {
		must(t, append([]string{"train", "-quiet", "-json", at(name), whole, model(name)}, flags...)...)
		return report(t, at(name))["validation"].(map[string]any)
	}
	if one, all := valid("valid1", "-valid", whole), valid("valid2", "-valid", a, "-valid", b); !maps.Equal(
		one, all) || one["rows"] != 300. {
		t.Errorf("-valid: %v, want %v", all, one)
	}
	one, _ = must(t, "inspect", whole)
	if all, _ := must(t, "inspect", a, b); all != one {
		t.Errorf("%s\nwant\n%s", all, one)
	}
	for _, of := range [][]string{{whole}, {a, b}} {
		must(t, append([]string{"cv", "-quiet", "-folds", "3", "-force", "-model",
			model(fmt.Sprint("cv", len(of)))}, of...)...)
	}
	if namelessHash(t, model("cv1")) != namelessHash(t, model("cv2")) {
		t.Error("cv: another model than for the concatenation")
	}
	for range 2 { // the second run replaces the model
		must(t, "train", "-quiet", "-kernel", "rbf", a, b, "-model", filepath.Join(dir, "any name"))
	}
	weights := file(t, "w", strings.Repeat("1\n", 300))
	must(t, "train", "-quiet", "-weights", weights, "-checkpoint", filepath.Join(dir, "state"), a, b,
		model("w"))
	must(t, "train", "-quiet", "-weights", weights, "-resume", filepath.Join(dir, "state"), a, b,
		model("w"))
}

func TestSeveralFilesMistakes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rows := monthly(1, 60)
	for name, text := range map[string]string{
		"jan.csv":     joined(monthlyHeader, rows, ",", 0, 1, 2, 4),
		"missing.csv": joined(monthlyHeader, rows, ",", 0, 1, 4),
		"more.csv":    joined(monthlyHeader, rows, ",", 0, 1, 2, 3, 4),
		"bare.csv":    joined(nil, rows, ",", 0, 1, 2, 4),
		"wide.csv":    joined(nil, rows, ",", 0, 1, 2, 3, 4),
		"twice.csv":   "age,age,label\n1,2,yes\n2,1,no\n3,3,yes\n",
		"turned.csv":  "age,label,age\n1,yes,2\n2,no,1\n3,yes,3\n",
		"cells.csv":   joined(monthlyHeader, rows[:9], ",", 0, 1, 2, 4) + "x,Bonn,1.5,no\n",
		"a.svm":       toy,
		"b.svm":       "1 1:1\n\n1 b\n",
		"a.jsonl":     `{"age": 1, "label": "yes"}` + "\n",
		"x.npy":       "",
		"jan.model":   "",
	} {
		write(t, name, text)
	}
	must(t, "train", "-quiet", "a.svm", "real.model")
	if err := os.Symlink("jan.csv", "link.csv"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code       int
		told, args string
	}{
		{exitError, `missing.csv:1: no column is called "income"`, "train jan.csv missing.csv"},
		{exitError, `more.csv:1: column "note" is not in jan.csv`, "train jan.csv more.csv"},
		{exitError, `jan.csv:1: no column is called "note"`, "train more.csv jan.csv new.model"},
		{exitError, "bare.csv:1: no header, but jan.csv has one", "train jan.csv bare.csv"},
		{exitError, "jan.csv:1: a header, but bare.csv has none", "train bare.csv jan.csv"},
		{exitError, "wide.csv:1: 5 columns, but bare.csv has 4", "train bare.csv wide.csv"},
		{exitError, `turned.csv:1: two columns are called "age"`, "train twice.csv turned.csv"},
		{exitError, `cells.csv:11:1: column "age": token "x"`, "train -missing error -numbers age " +
			"jan.csv cells.csv"},
		{exitError, "b.svm:3:3: token", "train a.svm b.svm"},
		{exitError, "a table, but a.svm is svmlight", "train a.svm jan.csv"},
		{exitError, "a.jsonl: lines of JSON, but jan.csv is a table", "train jan.csv a.jsonl"},
		{exitError, "only be read together", "train jan.csv x.npy"},
		{exitError, "feb.csv: no such file", "train jan.csv feb.csv"},
		{exitError, "feb.csv: no such file", "train jan.csv feb.csv new.model"},
		{exitError, "feb.svm.gz: no such file", "train a.svm feb.svm.gz"},
		{exitError, "feb: no such file or directory; if it is to be the model's name", "train -format csv " +
			"jan.csv feb"},
		{exitUsage, "after several DATA, MODEL ends in .model", "train jan.csv " +
			"bare.csv feb"},
		{exitUsage, "want one model", "train -model new.model jan.csv more.model"},
		{exitUsage, "jan.csv and jan.csv are the same file", "train jan.csv jan.csv"},
		{exitUsage, "jan.csv and link.csv are the same file", "train jan.csv link.csv"},
		{exitUsage, "standard input can't be one of several", "train jan.csv - new.model"},
		{exitUsage, "standard input can't be one of several", "train - jan.csv feb.csv"},
		{exitError, "feb.csv: no such file", "cv jan.csv feb.csv"},
		{exitError, "feb.csv: no such file", "inspect jan.csv feb.csv"},
		{exitUsage, "bare.csv exists", "convert jan.csv more.csv bare.csv"},
		{exitError, "a.svm: svmlight text, but jan.csv is a table", "convert jan.csv a.svm new.npy"},
		{exitUsage, "real.model is a model, want data", "convert jan.csv real.model feb.csv"},
		{exitUsage, "a model is converted alone", "convert real.model jan.csv new.onnx"},
		{exitUsage, "a model is converted alone", "convert -to go jan.csv bare.csv new.go"},
		{exitUsage, "are the same file", "train -valid bare.csv -valid bare.csv jan.csv"},
		{exitError, "feb.csv: no such file", "train -valid bare.csv -valid feb.csv wide.csv"},
		{exitUsage, "after several DATA, the name of MODEL", "predict jan.csv more.csv bare.csv wide.csv"},
		{exitUsage, "after several DATA, OUT ends in .html",
			"report jan.model jan.csv bare.csv new"},
	} {
		fails(t, c.code, c.told, strings.Fields(c.args)...)
	}
	for _, name := range []string{"feb.csv", "feb", "new.model", "feb.svm.gz", "more.model", "new",
		"new.npy", "new.onnx", "new.go"} {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was written", name)
		}
	}
	if read(t, "jan.model") != "" {
		t.Error("jan.model was written")
	}
}

func TestSeveralFilesDoubts(t *testing.T) {
	rows := monthly(1, 90)
	part := func(name string, from int) string {
		return file(t, name, joined(monthlyHeader, rows[from:from+30], ",", 0, 2, 4)+"Total,1,\n")
	}
	_, told := must(t, "train", "-missing", "drop", part("a.csv", 0), part("b.csv", 30),
		part("c.csv", 60), filepath.Join(t.TempDir(), "m.model"))
	if n := strings.Count(told, "may be a total or a mean of the others"); n != 1 ||
		!strings.Contains(told, "a.csv: line 32: ") ||
		!strings.Contains(told, "(the same in 2 more files)") {
		t.Error(told)
	}
}
