package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/modelio/gofile"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestConvertModel(t *testing.T) {
	dir := t.TempDir()
	model, text, back := filepath.Join(dir, "model"), filepath.Join(dir, "text"),
		filepath.Join(dir, "back")
	must(t, "train", "-quiet", "-epochs", "2", "-loss", "squared-hinge", "-multiclass",
		"ovr", digits, model)
	if out, told := must(t, "convert", "-to", "liblinear", model, text); out != "" ||
		told != "liblinear leaves out which column of the data has the labels, and the names of the "+
			"columns, if any\n"+
			"liblinear leaves out the settings, and the objective with its bound\n" {
		t.Errorf("%s%s", out, told)
	}
	must(t, "convert", "-from", "liblinear", "-lambda", "0.25", text, back)
	if out, _ := must(t, "inspect", "-json", "-", back); strings.Contains(out, `"settings"`) {
		t.Errorf("a model of liblinear has settings of a run: %s", out)
	}
	a := modelOf(t, model)
	b := modelOf(t, back)
	if a.Table = nil; a.Hash() != b.Hash() || b.Lambda != 0.25 || b.Config.Loss != pegasos.SquaredHinge {
		t.Errorf("hash %s, after conversions %s, lambda %v, %+v",
			a.Hash(), b.Hash(), b.Lambda, b.Config)
	}
	want, _ := must(t, "predict", "-quiet", "-scores", digits, model)
	if have, _ := must(t, "predict", "-quiet", "-scores", digits, back); have != want {
		t.Error("the model after two conversions has other scores")
	}
	must(t, "convert", "-to", "json", model, text+".json")
	must(t, "convert", "-from", "json", text+".json", back)
	if a, b := read(t, model), read(t, back); a != b {
		t.Error("conversion to JSON and back changes the model file")
	}
	must(t, "convert", "-from", "json", text+".json", back+".liblinear")
	if read(t, back+".liblinear") != read(t, text) {
		t.Error("with -from, convert does not choose the format by OUT's ending")
	}
	// The liblinear format lacks the table, so that the hash in the ONNX file differs.
	direct, _ := must(t, "convert", "-to", "onnx", model, "-")
	direct = strings.ReplaceAll(direct, hashOf(t, model), b.Hash())
	if over, _ := must(t, "convert", "-from", "liblinear", "-to", "onnx", text,
		"-"); over != direct || len(direct) < 4*64*10 {
		t.Errorf("%d bytes of ONNX, by way of liblinear %d", len(direct), len(over))
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestConvertModelTellsWhatIsLost(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	must(t, "train", "-quiet",
		file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n"), model)
	if text, told := must(t, "convert", "-to", "liblinear", model, "-"); !strings.Contains(told,
		"class cat has the label 0\nclass dog has the label 1\n") ||
		!strings.Contains(text, "label 1 0\n") {
		t.Errorf("%s%s", told, text)
	}
	must(t, "train", "-quiet", "-proba", "-checkpoint", model+".state",
		file(t, "toy.svm", strings.Repeat(toy, 3)), model)
	if _, told := must(t, "convert", "-to", "liblinear", model+".state", "-"); !strings.Contains(
		told, "liblinear leaves out the probabilities\n") {
		t.Error(told)
	}
	for form, want := range map[string]string{
		"json": "json leaves out the state of the run, with which -resume continues it\n",
		"onnx": "onnx leaves out the state of the run, with which -resume continues it\n" +
			"onnx leaves out the settings, and the objective with its bound\n",
	} {
		if _, told := must(t, "convert", "-to", form, model+".state", "-"); told != want {
			t.Errorf("%s: %q, want %q", form, told, want)
		}
	}
	must(t, "train", "-quiet", "-proba", "-multiclass", "ovo", "-epochs", "1", digits, model)
	if _, told := must(t, "convert", "-to", "onnx", model, "-"); !strings.Contains(told,
		"onnx leaves out the probabilities (train with -multiclass ovr to keep them)\n") {
		t.Error(told)
	}
	must(t, "train", "-quiet", "-hash-bits", "3", file(t, "toy.svm", toy), model)
	out, told := must(t, "convert", "-to", "onnx", model, "-")
	code, _ := must(t, "convert", "-to", "go", model, "-")
	const first = "is the first of 2^3 hashed features"
	if !strings.Contains(out, first) || !strings.Contains(code, first) ||
		!strings.Contains(told, "onnx leaves out the hashing of features: hash data to 3 bits first") {
		t.Errorf("%s%.2000s", told, code)
	}
	must(t, "train", "-quiet", "-index-base", "0", file(t, "zero.svm", "1 0:1\n-1 0:-1\n1 0:2\n"), model)
	if _, told := must(t, "convert", "-to", "liblinear", model, "-"); !strings.Contains(told,
		"feature 0 is 1 there") {
		t.Error(told)
	}
}

func TestConvertModelHints(t *testing.T) {
	dir, toy := t.TempDir(), file(t, "toy.svm", toy)
	must(t, "train", "-quiet", "-multiclass", "ovo", "-epochs", "1", digits,
		filepath.Join(dir, "pairs.model"))
	t.Chdir(dir)
	must(t, "train", "-quiet", "-scale", "none", toy, "a.model")
	for _, form := range []string{"json", "onnx", "liblinear"} {
		must(t, "convert", "a.model", "a."+form)
		must(t, "convert", "-to", form, "a.model", "b."+form)
		if read(t, "a."+form) != read(t, "b."+form) {
			t.Errorf("the ending %s gives another file than -to", form)
		}
	}
	fails(t, exitError, "train with -multiclass ovr", "convert", "pairs.model", "c.liblinear")
	fails(t, exitError, "begins like a model of liblinear, which convert -from liblinear",
		"predict", toy, "a.liblinear")
	fails(t, exitError, "it begins like a model in JSON, which convert -from json", "eval", toy,
		"a.json")
	fails(t, exitError, "begins like a model of liblinear", "train", "-start", "a.liblinear", toy)
	fails(t, exitError, "begins like a model in JSON", "verify", "-prior", "a.json", "a.model", toy)
	write(t, "b.model", read(t, "a.liblinear"))
	fails(t, exitError, "begins like a model of liblinear", "inspect", "b.model")
	fails(t, exitUsage, "a.model is a model, want data", "convert", "-for", "a.model", "a.model",
		"for.json")
	fails(t, exitUsage, "is a model: want -to, or an OUT that ends in", "convert", "a.model", "a.csv")
}

func TestConvertModelErrors(t *testing.T) {
	dir := t.TempDir()
	model, halves := filepath.Join(dir, "model"), filepath.Join(dir, "halves")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	must(t, "train", "-quiet", file(t, "halves.svm", "0.5 1:1\n1.5 1:-1\n1.5 1:-2\n"), halves)
	machine := filepath.Join(dir, "machine")
	must(t, "train", "-quiet", "-kernel", "rbf", "-gamma", "1", file(t, "toy.svm", toy), machine)
	bad := file(t, "bad.model", "solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias "+
		"-1\nw\n1\nx\n")
	for name, c := range map[string]struct {
		code int
		want string
		args []string
	}{
		"nothing to do":  {exitUsage, "want -to, or an OUT", []string{model, "out"}},
		"form unknown":   {exitUsage, `"pmml"`, []string{"-to", "pmml", model, "out"}},
		"source unknown": {exitUsage, `"libsvm"`, []string{"-from", "libsvm", model, "out"}},
		"lambda of no use": {exitUsage, "-lambda", []string{"-to", "onnx", "-lambda", "1", model,
			"out"}},
		"lambda 0": {exitUsage, "-lambda", []string{"-from", "liblinear", "-lambda", "0",
			bad, "out"}},
		"lambda infinite": {exitUsage, "-lambda", []string{"-from", "liblinear", "-lambda",
			"inf", bad, "out"}},
		"bad text": {exitError, `bad.model:8:1: weight: "x"`,
			[]string{"-from", "liblinear", bad, "out"}},
		"not liblinear's": {exitError, "model:1:1:", []string{"-from", "liblinear", model,
			"out"}},
		"not ours": {exitError, "bad.model", []string{"-to", "onnx", bad, "out"}},
		"missing": {exitError, "missing", []string{"-from", "liblinear", "missing",
			"out"}},
		"a kernel machine": {exitError, "machine: a kernel machine",
			[]string{"-to", "json", machine, "out"}},
		"not JSON": {exitError, "bad.model: model in JSON: byte",
			[]string{"-from", "json", bad, "out"}},
		"labels not whole": {exitError, "halves: the label 1.5",
			[]string{"-to", "liblinear", halves, "out"}},
		"one argument":        {exitUsage, "too few", []string{"-to", "onnx", model}},
		"a folder to be made": {exitError, "none", []string{"-to", "onnx", model, "none/out"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "out", "old")
			code, _, told := pegasimd(t, append([]string{"convert", "-force"}, c.args...)...)
			if code != c.code || !strings.Contains(told, c.want) {
				t.Errorf("exit code %d, want %d; %q, want %q in it", code, c.code, told, c.want)
			}
			if text, err := os.ReadFile("out"); err != nil || string(text) != "old" {
				t.Errorf("the existing output is now %q, %v", text, err)
			}
			if left, _ := filepath.Glob("*"); len(left) != 1 {
				t.Errorf("the folder has %v, want only out", left)
			}
		})
	}
}

func TestConvertToEmpty(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	empty := file(t, "empty.onnx", "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\xff\x03\x00"+
		strings.Repeat("\x00", 8)) // compressed by gzip
	fails(t, exitUsage, "is not an ONNX model", "convert", model, empty)
}

func TestScoresOfEachClass(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	for flags, want := range map[string]string{
		"ovr": "label\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9", "ovo": "label\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9",
		"crammer-singer": "label\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9",
	} {
		must(t, "train", "-quiet", "-epochs", "1", "-multiclass", flags, digits, model)
		scores, _ := must(t, "predict", "-quiet", "-scores", digits, model)
		labels, _ := must(t, "predict", "-quiet", digits, model)
		lines, alone := strings.Split(scores, "\n"), strings.Split(labels, "\n")
		if lines[0] != want {
			t.Errorf("%s: %q", flags, lines[0])
		}
		for i, line := range lines[1:1798] {
			cells := strings.Split(line, "\t")
			best := 1
			for k := range cells[1:] {
				if parse(t, cells[k+1]) > parse(t, cells[best]) {
					best = k + 1
				}
			}
			if len(cells) != 11 || cells[0] != alone[i] ||
				strings.Split(want, "\t")[best] != cells[0] {
				t.Fatalf("%s, row %d: %q, without -scores %q", flags, i, line, alone[i])
			}
		}
	}
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	if out, _ := must(t, "predict", "-quiet", "-scores", file(t, "toy.svm", toy),
		model); !strings.HasPrefix(out, "label\t1\n1\t") {
		t.Error(out)
	}
}

func parse(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestConvertGo(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "train", "-quiet", "-epochs", "1", file(t, "pets.csv", strings.Repeat("weight,home,pet\n"+
		"1,Rome,cat\n2,Oslo,cat\n-1,Rome,dog\n-2,Oslo,dog\n", 1)), "model")
	_, told := must(t, "convert", "model", "My-Pets2.go")
	if want := "go leaves out the settings, and the objective with its bound\n"; told != want {
		t.Errorf("%q, want %q", told, want)
	}
	code, test := read(t, "My-Pets2.go"), read(t, "My-Pets2_test.go")
	for _, text := range []string{code, test} {
		if !strings.HasPrefix(text, gofile.Header) || !strings.Contains(text, "\npackage mypets2\n") {
			t.Errorf("%.200s", text)
		}
	}
	must(t, "convert", "-to", "go", "model", "My-Pets2.go")
	if out, _ := must(t, "convert", "-to", "go", "model", "-"); out != strings.ReplaceAll(code,
		"ackage mypets2", "ackage model") {
		t.Error("standard output differs from the file in more than the name of the package")
	}
	for _, name := range []string{"other.go", "other_test.go"} {
		write(t, name, "package other\n")
		fails(t, exitUsage, "is not a Go file of convert -to go", "convert", "model", "other.go")
		if left, _ := filepath.Glob("other*"); len(left) != 1 || read(t, name) != "package other\n" {
			t.Errorf("the folder has %v, want only %s, unchanged", left, name)
		}
		os.Remove(name)
	}
	fails(t, exitUsage, "want a name that ends in .go", "convert", "-to", "go", "model", "pets.txt")
	fails(t, exitUsage, "want a name that ends in .go", "convert", "model", "pets_test.go")
	must(t, "train", "-quiet", "-kernel", "rbf", "-gamma", "1", file(t, "toy.svm", toy), "machine")
	fails(t, exitError, "a kernel machine", "convert", "-to", "go", "machine", "machine.go")
	if left, _ := filepath.Glob("machine*.go"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestPackageOf(t *testing.T) {
	for file, want := range map[string]string{"a/people.go": "people", "Sales-2024.go": "sales2024",
		"main.go": "model", "func.go": "model", "2024.go": "model", "-": "model", "größe.go": "gre"} {
		if have := packageOf(file); have != want {
			t.Errorf("%s: %s, want %s", file, have, want)
		}
	}
}
