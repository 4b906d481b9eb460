package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFirstMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "toy.svm", toy)
	write(t, "toy.csv", "a,b,y\n1,2,yes\n2,1,yes\n-1,-2,no\n-2,0,no\n")
	must(t, "train", "-quiet", "toy.svm", "toy.model")
	g := rand.New(rand.NewPCG(18, 3))
	var bytes strings.Builder
	for range 3000 {
		bytes.WriteByte(byte(g.IntN(256)))
	}
	write(t, "bytes.csv", bytes.String())
	write(t, "semicolons.csv", "a;b;y\n1,5;2;yes\n2;1;no\n")
	write(t, "tabs.csv", "a\tb\ty\n1\t2\tyes\n2\t1\tno\n")
	write(t, "zeros", "0\n0\n0\n0\n")
	write(t, "one.csv", "1,2,yes\n2,3,yes\n")
	if err := os.Mkdir("folder.csv", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, m := range []mistake{
		{exitUsage, "toy.model is a model, want data", []string{"train", "toy.model"}},
		{exitUsage, "toy.model is a model, want data", []string{"train", "toy.model", "x.model"}},
		{exitUsage, "toy.model is a model, want data", []string{"cv", "toy.model"}},
		{exitError, "only svmlight data and tables are converted without holding them in memory",
			[]string{"convert", "-stream", "-format", "npy", "toy.csv", "x.pgsm"}},
		{exitError, "bytes.csv:1: a control character: this may be another kind of file",
			[]string{"train", "bytes.csv"}},
		{exitError, "semicolons.csv: each of the 2 classes, such as no, has one row: name the column " +
			"that has the labels with -label-column", []string{"train", "semicolons.csv"}},
		{exitUsage, `no class is called "yse"`,
			[]string{"train", "-class-weight", "yse=2", "toy.csv"}},
		{exitError, "one.csv: 2 rows, 2 features, 1 class: yes (2 rows);", []string{"train",
			"one.csv"}},
		{exitUsage, "toy.svm is not a model, but toy.model is: change their order",
			[]string{"predict", "toy.model", "toy.svm"}},
		{exitUsage, "change their order", []string{"eval", "toy.model", "toy.csv"}},
		{exitUsage, "change their order", []string{"verify", "toy.svm", "toy.model"}},
		{exitUsage, "change their order", []string{"report", "toy.svm", "toy.model"}},
		{exitError, "verify: open none.model: ",
			[]string{"verify", "-start", "none.model", "toy.model", "toy.svm"}},
		{exitError, "toy.csv: not a model file of pegasimd", []string{"predict", "toy.svm", "toy.csv"}},
		{exitError, "none.model: no such file", []string{"eval", "toy.model", "none.model"}},
		{exitError, ". is a folder, want files", []string{"train", "."}},
		{exitError, "folder.csv is a folder, want files", []string{"cv", "toy.csv", "folder.csv"}},
		{exitError, "folder.csv is a folder", []string{"predict", "folder.csv", "toy.model"}},
		{exitError, "if it is to be the model's name, give it by -model", []string{"cv", "toy.svm", "m"}},
		{exitError, "m: no such file or directory\n", []string{"cv", "-model", "x", "toy.svm", "m"}},
		{exitUsage, `too many arguments, from "x" on: want none`, []string{"version", "x"}},
		{exitUsage, "-skip-lines is for tables, and toy.svm is not read as a table", []string{"train",
			"-skip-lines", "1", "toy.svm"}},
		{exitUsage, "-header is for tables, and toy.svm is not", []string{"predict", "-header", "no",
			"toy.svm", "toy.model"}},
		{exitUsage, "-sep is for csv and tsv, and toy.csv is read as jsonl", []string{"cv", "-sep", ";",
			"-format", "jsonl", "toy.csv"}},
		{exitUsage, "-label-column b: want one value, but -label a is given, too", []string{"train",
			"-label", "a", "-label-column", "b", "toy.csv"}},
		{exitUsage, "-class-weight no=3: want one value", []string{"train", "-class-weight", "yes=2",
			"-class-weight", "no=3", "toy.csv"}},
		{exitUsage, "-weights y: want one value", []string{"eval", "-weights", "zeros", "-weights", "y",
			"toy.csv", "toy.model"}},
		{exitUsage, "-words is for tables, and toy.svm is not", []string{"train", "-words", "3",
			"toy.svm"}},
		{exitUsage, "-sep is for data, and toy.model is a model", []string{"inspect", "-sep", ";",
			"toy.model"}},
		{exitUsage, "-format is for data, and toy.model is a model", []string{"convert", "-format", "csv",
			"toy.model", "x.json"}},
		{exitUsage, "-stream is for data, and toy.model is a model", []string{"convert", "-stream", "-to",
			"json", "toy.model", "x.json"}},
		{exitUsage, "-ignore can't be given with -data", []string{"inspect", "-ignore", "a", "-data",
			"toy.csv", "toy.model"}},
		{exitUsage, "-top is for models, and toy.csv is not a model", []string{"inspect", "-top", "3",
			"toy.csv"}},
		{exitUsage, "-data is for models, and toy.svm is not", []string{"inspect", "-data", "toy.csv",
			"toy.svm"}},
		{exitError, "no column is read as text, so -ngrams has no effect", []string{"train", "-strict",
			"-ngrams", "3", "toy.csv"}},
		{exitUsage, "-index-base is for svmlight data, and toy.csv is read as csv", []string{"train",
			"-index-base", "0", "toy.csv"}},
		{exitError, "zeros: want a weight above 0: all are 0", []string{"train", "-weights", "zeros",
			"toy.svm"}},
		{exitUsage, "-epsilon must be greater than 0", []string{"train", "-epsilon", "0", "toy.svm"}},
		{exitUsage, "-seed: have -1, want 0 or more", []string{"train", "-seed", "-1", "toy.csv"}},
		{exitUsage, "there is no flag -patience", []string{"cv", "-patience", "1", "toy.csv"}},
	} {
		fails(t, m.code, m.told, m.args...)
	}
	fails(t, exitUsage, "for libsvm's -t use -kernel", "train", "-t", "2", "toy.csv")
	for _, words := range []string{"train -s 3: -loss", "train -v 5: pegasimd cv -folds",
		"train -B 1: -bias augmented", "train -e 0.1: -tol", "train -w1 2: -class-weight",
		"train -w-1 2: -class-weight", "predict -b 1: -proba", "predict -c 1: pegasimd train -c",
		"predict -s 3: pegasimd train -loss", "cv -b 1: pegasimd train -proba", "cv -e 1: -tol",
		"train -p 0.1: -epsilon"} {
		args, want, _ := strings.Cut(words, ": ")
		fails(t, exitUsage, " use "+want, append(strings.Fields(args), "toy.csv")...)
	}
}

func TestNumberedRows(t *testing.T) {
	const warning = "the first feature seems to number the rows"
	model := filepath.Join(t.TempDir(), "model")
	table := func(header string, first func(i int) int) string {
		var b strings.Builder
		b.WriteString(header)
		for i := range 20 {
			fmt.Fprintf(&b, "%d,%d,%d,%d\n", first(i), i*i%7, i%3, i%2)
		}
		return file(t, "data.csv", b.String())
	}
	counts := func(from int) func(int) int { return func(i int) int { return from + i } }
	other := func(i int) int { return i * i }
	for _, layout := range []string{"dense", "sparse"} {
		for want, data := range map[string]string{
			`warning: column "number": left out: `:                      table("number,b,c,y\n", counts(0)),
			"\n  ID  left out  looks like an identifier: whole numbers": table("ID,b,c,y\n", other),
			`warning: column "0": left out: `:                           table("", counts(1)),
			"warning: " + warning: file(t, "x.svm", "0 1:1 2:5\n1 1:2 2:4\n0 1:3 2:3\n1 1:4 2:1\n"+
				"0 1:5 2:9\n1 1:6 2:2\n0 1:7 2:6\n1 1:8\n0 1:9 2:7\n1 1:10 2:8\n"),
		} {
			_, told := must(t, "train", "-layout", layout, data, model)
			if !strings.Contains(told, want) {
				t.Errorf("printed %q, want %q in it", told, want)
			}
		}
		for _, data := range []string{table("a,b,c,y\n", other), table("", other),
			file(t, "x.svm", strings.Repeat("1 1:1 2:2\n0 1:2 2:1\n", 20))} {
			if _, told := must(t, "train", "-layout", layout, data, model); strings.Contains(told,
				warning) {
				t.Errorf("%q", told)
			}
		}
	}
	if _, told := must(t, "inspect", table("number,b,c,y\n", counts(5))); !strings.Contains(told,
		`warning: column "number": left out: `) {
		t.Errorf("inspect: %q", told)
	}
}

// R^2 means the explained share of the variance, not the mean squared norm of the rows.
func TestOneR2(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "numbers.csv", strings.Repeat("1,2,0.5\n2,1,0.7\n3,3,1.5\n0,1,0.1\n", 5))
	for _, args := range [][]string{{"train", "toy.svm"}, {"cv", "-folds", "2", "toy.svm"},
		{"inspect", "toy.model"}, {"train", "-scale", "none", "toy.svm"},
		{"help", "train"}, {"help", "cv"}, {"help", "inspect"}} {
		write(t, "toy.svm", strings.Repeat(toy, 5))
		stdout, stderr := must(t, args...)
		if text := stdout + stderr; strings.Contains(text, "R^2") || !strings.Contains(text,
			"|x|^2") && args[0] != "help" {
			t.Errorf("%q: %s", args, text)
		}
	}
	_, told := must(t, "train", "-loss", "squared", "numbers.csv")
	if strings.Count(told, "R^2") != 1 || !strings.Contains(told, "training R^2 ") ||
		!strings.Contains(told, " mean |x|^2") {
		t.Error(told)
	}
}

func TestWarningsOfData(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := strings.Repeat("5,1,9,1\n2,8,1,0\n7,7,3,1\n", 4)
	const label, qid = "may have the labels, which are taken from", "qid is left out"
	for name, c := range map[string]struct{ content, want string }{
		"numbered.csv": {"0,1,2,3\n" + rows, ""},
		"years.csv":    {"2019,2020,2021,good\n" + strings.ReplaceAll(rows, "1\n", "yes\n"), ""},
		"plain.csv":    {rows, ""},
		"named.csv":    {"a,b,c,d\n" + rows, ""},
		"first.csv":    {"Label,b,c,d\n" + rows, ""},
		"price.csv":    {"Sale_Price,b,c,d\n" + rows, label},
		"both.csv":     {"Survived,b,c,class\n" + rows, label},
		"target.csv":   {"a,b,c,target\n" + rows, ""},
		"rank.svm":     {"1 qid:3 1:2 2:1\n-1 qid:3 1:1\n1 qid:3 1:5\n", qid},
		"plain.svm":    {"1 1:1 2:2 3:3\n-1 1:2\n", ""},
	} {
		write(t, name, c.content)
		_, trained := must(t, "train", name, "model", "-multiclass", "ovr")
		_, inspected := must(t, "inspect", name)
		for _, told := range []string{trained, inspected} {
			for _, warning := range []string{label, qid} {
				if strings.Contains(told, warning) != (warning == c.want) {
					t.Errorf("%s: want %q in %q", name, c.want, told)
				}
			}
		}
	}
	if _, told := must(t, "train", "-header", "no", "numbered.csv", "model"); !strings.Contains(told,
		"no header") {
		t.Error(told)
	}
	if _, told := must(t, "train", "-model", "model", "plain.svm", "rank.svm"); !strings.Contains(told,
		qid) {
		t.Errorf("in the second file: %s", told)
	}
	write(t, "tabs.svm", "1\tqid:3\t1:2 2:1\n-1\tqid:3\t1:1\n")
	if _, told := must(t, "train", "-multiclass", "ovr", "tabs.svm", "model"); !strings.Contains(told,
		qid) {
		t.Errorf("after tabs: %s", told)
	}
	for _, flag := range []string{"-start", "-prior"} {
		if _, told := must(t, "train", flag, "model", "rank.svm", "other"); !strings.Contains(told, qid) {
			t.Errorf("%s: %s", flag, told)
		}
	}
	if _, told := must(t, "eval", "rank.svm", "model"); strings.Contains(told, qid) {
		t.Errorf("eval: %s", told)
	}
}
