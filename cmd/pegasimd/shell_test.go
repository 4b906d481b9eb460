package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

func TestVersion(t *testing.T) {
	told, _ := must(t, "version")
	form := regexp.MustCompile(`^pegasimd \S+\nbuilt with go1\.\S+ for \w+/\w+\n` +
		`kernels \w+\n$`)
	if !form.MatchString(told) {
		t.Error(told)
	}
	for _, flag := range []string{"-version", "--version"} {
		if again, _ := must(t, flag); again != told {
			t.Errorf("%s: %q", flag, again)
		}
	}
}

func TestUnknownWords(t *testing.T) {
	data := file(t, "toy.svm", toy)
	for want, args := range map[string][]string{
		`there is no command "trian": did you mean train?` + "\n\nPegasimd": {"trian"},
		`there is no command "tran": did you mean train?` + "\n\nPegasimd":  {"help", "tran"},
		`there is no command "zebra"` + "\n\nPegasimd":                      {"zebra"},
		`there is no flag -zebra` + "\n":                                    {"train", "-zebra", "1", data},
		`there is no flag -lamda: did you mean -lambda?` + "\n":             {"train", "-lamda", "1", data},
		`-finish: have "daul", want none, dual, auto or newton`:             {"train", "-finish", "daul", data},
		`have "zebra", want hinge, log, squared-hinge`:                      {"train", "-loss", "zebra", data},
	} {
		fails(t, exitUsage, want, args...)
	}
}

func TestValidAlone(t *testing.T) {
	data, dir := file(t, "toy.svm", toy), t.TempDir()
	numbers := filepath.Join(dir, "json")
	_, told := must(t, "train", "-valid", data, "-json", numbers, data, filepath.Join(dir, "model"))
	v, _ := report(t, numbers)["validation"].(map[string]any)
	if !strings.Contains(told, "\nvalidation accuracy 100.0000 % on 4 rows\n") ||
		v["value"] != 1.0 || v["stopped_after_epochs"] != 0.0 {
		t.Errorf("%q, %v", told, v)
	}
}

func TestErrorsInShellWords(t *testing.T) {
	data, dir := file(t, "toy.svm", toy), t.TempDir()
	out := filepath.Join(dir, "model")
	for want, args := range map[string][]string{
		`-epochs: have "abc", want a whole number`:        {"-epochs", "abc"},
		`-epochs: have "1.5", want a whole number`:        {"-epochs", "1.5"},
		`-lambda: have "x", want a number`:                {"-lambda", "x"},
		`-every: have "3", want a duration such as 30s`:   {"-every", "3"},
		`-project: have "maybe", want true or false`:      {"-project=maybe"},
		`-header: have "maybe", want yes, no or auto`:     {"-header", "maybe"},
		`-layout: have "foo", want dense, sparse or auto`: {"-layout", "foo"},
		`-epochs must be greater than 0`:                  {"-epochs", "-1"},
		`-sep: have "none", want a printable ASCII`:       {"-sep", "none"},
		`-threads: have -1, want 0 or more`:               {"-threads", "-1"},
		`-threads: have -0b1, want 0 or more`:             {"-threads", "-0b1"},
		`-max-features: have -1, want 0 or more`:          {"-max-features", "-1"},
		`-unsorted: have "foo", want error, sort or sum`:  {"-unsorted", "foo"},
		`-tol: have 2, want more than 0 and less than 1`:  {"-tol", "2"},
		`-batch: have 100, want at most 4, the number of`: {"-batch", "100"},
		`-loss is "eps-insensitive"`: {"-multiclass", "crammer-singer", "-loss",
			"eps-insensitive"},
	} {
		args = append(append([]string{"train"}, args...), data, out)
		fails(t, exitUsage, want, args...)
		_, _, told := pegasimd(t, args...)
		if regexp.MustCompile(`pegasos:|dataset:|strconv|parse error|0x|\bTol\b`).
			MatchString(told) {
			t.Error(told)
		}
	}
	fails(t, exitUsage, "-lambda needs a value", "train", data, "-lambda")
}

func TestResumeTellsWhatDiffers(t *testing.T) {
	data, dir := file(t, "toy.svm", toy), t.TempDir()
	state, out := filepath.Join(dir, "state"), filepath.Join(dir, "model")
	must(t, "train", "-quiet", "-checkpoint", state, data, out)
	fails(t, exitUsage, "-resume: the run had other settings: -loss was hinge, is log; "+
		"-seed was 0, is 5\n", "train", "-resume", state, "-loss", "log", "-seed", "5", data, out)
	fails(t, exitUsage, "-resume: the run had other settings: -patience was not set, is 2\n", "train",
		"-resume", state, "-valid", data, "-patience", "2", data, out)
}

func TestOnlyOneClass(t *testing.T) {
	data := file(t, "one.csv", "a,y\n1,yes\n2,yes\n")
	for _, args := range [][]string{{"train"}, {"train", "-kernel", "rbf"}, {"cv"}} {
		args = append(args, data)
		if args[0] == "train" {
			args = append(args, filepath.Join(t.TempDir(), "model"))
		}
		fails(t, exitError, "one.csv: all labels are yes (2 rows): want two or more classes",
			args...)
	}
}

func TestProgressIsForTerminals(t *testing.T) {
	var told strings.Builder
	p := newProgress(&told, false)
	p.start = time.Now().Add(-time.Minute)
	p.show(0.5, "half")
	if p.clear(); told.Len() > 0 {
		t.Errorf("%q", told.String())
	}
	p.terminal = true
	p.show(0.5, "half")
	if have := told.String(); !strings.HasPrefix(have, "\rhalf, 1m0s left") {
		t.Errorf("%q", have)
	}
	told.Reset()
	p.last = time.Time{}
	p.show(0, "%s", strings.Repeat("x", 200))
	if n := len(strings.TrimSpace(told.String())); n != lineWidth {
		t.Errorf("%d letters, want lineWidth", n)
	}
	told.Reset()
	p.last = time.Time{}
	p.show(0.5, "%s", strings.Repeat("x", 200))
	if line := strings.TrimSpace(told.String()); len(line) != lineWidth ||
		!strings.HasSuffix(line, "xx, 1m0s left") {
		t.Errorf("%q", line)
	}
}

func TestReadingProgressIsDecimal(t *testing.T) {
	var told strings.Builder
	d := (&call{Context: t.Context(), stderr: &told, flags: flags.NewSet("train")}).reader("a.csv")
	p := d.options()
	p.terminal, p.start = true, time.Now().Add(-time.Minute)
	d.opt.Progress(2_000_000, 5_000_000)
	if have := told.String(); !strings.HasPrefix(have, "\rreading a.csv: 2 of 5 MB, ") {
		t.Errorf("%q", have)
	}
}

func TestEvalQuiet(t *testing.T) {
	data, model := file(t, "toy.svm", toy), filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", data, model)
	out, told := must(t, "eval", "-quiet", data, model)
	if out != "accuracy 100.0000 % (4 of 4), error 0.0000 %\n" || told != "" {
		t.Errorf("%q, %q", out, told)
	}
	must(t, "train", "-quiet", "-loss", "eps-insensitive", data, model)
	if out, _ := must(t, "eval", "-quiet", data, model); !strings.HasPrefix(out, "RMSE ") ||
		strings.Count(out, "\n") != 1 {
		t.Errorf("%q", out)
	}
}

func TestUndefinedFigures(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", "-bias", "augmented", file(t, "train.csv", "1,a\n2,b\n3,c\n4,c\n"),
		model)
	numbers := filepath.Join(t.TempDir(), "json")
	must(t, "eval", "-json", numbers, file(t, "test.csv", "1,a\n1,b\n"), model)
	var predicted []int
	classes := report(t, numbers)["classes"].([]any)
	confusion := report(t, numbers)["confusion"].([]any)
	for k := range classes {
		n := 0
		for _, row := range confusion {
			n += int(row.([]any)[k].(float64))
		}
		predicted = append(predicted, n)
	}
	never := 0
	for k, c := range classes {
		c := c.(map[string]any)
		rows := int(c["support"].(float64))
		if predicted[k] == 0 {
			never++
		}
		if (c["precision"] == nil) != (predicted[k] == 0) || (c["recall"] == nil) != (rows == 0) ||
			(c["f1"] == nil) != (predicted[k]+rows == 0) {
			t.Errorf("undefined figures of a class with %[2]d predictions: %[1]v", c, predicted[k])
		}
	}
	if never == 0 {
		t.Fatal("every class was predicted")
	}
	help, _ := must(t, "help", "eval")
	help = strings.Join(strings.Fields(help), " ")
	for _, want := range []string{"the precision of a class that was never predicted",
		"the recall of a class without rows"} {
		if !strings.Contains(help, want) {
			t.Errorf("help lacks %q", want)
		}
	}
}

func TestPairScoresHaveNoTies(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	must(t, "train", "-quiet", "-multiclass", "ovo", "-epochs", "2", digits, model)
	out, _ := must(t, "predict", "-quiet", "-scores", digits, model)
	m, err := readPredictor(model, nil)
	if err != nil {
		t.Fatal(err)
	}
	linear := m.(linearModel)
	scores := make([]float64, 10)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		columns := strings.Split(line, "\t")
		for k, text := range columns[1:] {
			if scores[k], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
			if again := strconv.FormatFloat(scores[k], 'g', -1, 64); again != text {
				t.Fatalf("score %s, want its shortest text, %s", text, again)
			}
		}
		best := slices.Index(scores, slices.Max(scores))
		if columns[0] != linear.ClassName(best) {
			t.Fatalf("%s is predicted, and %s has the highest score", columns[0],
				linear.ClassName(best))
		}
	}
}

func TestReadmeNamesGo(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Skip("not in a clone: NOT TESTED")
		}
		return string(text)
	}
	needs := func(mod string) string {
		return regexp.MustCompile(`(?m)^go (1\.\d+)`).FindStringSubmatch(read(mod))[1]
	}
	readme := strings.Join(strings.Fields(read("README.md")), " ")
	for _, want := range []string{
		fmt.Sprintf("The library needs Go %s or newer", needs("go.mod")),
		fmt.Sprintf("needs Go %s", needs("cmd/pegasimd/go.mod")),
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("README lacks %q", want)
		}
	}
	for _, mod := range []string{"go.mod", "cmd/pegasimd/go.mod", "modelio/onnx/go.mod",
		"gate/go.mod"} {
		if regexp.MustCompile(`(?m)^\s*replace\b`).MatchString(read(mod)) {
			t.Errorf("%s has a replace line: go install of a version refuses it", mod)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	dir := t.TempDir()
	data, model := file(t, "toy.svm", toy), filepath.Join(dir, "model")
	must(t, "train", "-quiet", data, model)
	missing := filepath.Join(dir, "missing")
	for _, args := range [][]string{{"train", missing}, {"verify", model, missing},
		{"predict", missing, model}, {"cv", missing}, {"inspect", missing},
		{"convert", missing, missing + ".csv"}} {
		fails(t, exitError, "open "+missing+": no such file", args...)
	}
	fails(t, exitUsage, "is a model: want -to, or an OUT that ends in", "convert", model, missing+".csv")
}
