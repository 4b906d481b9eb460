package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

// After a success, pegasimd calls verifyTrained.
func pegasimd(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	if code == exitDone {
		verifyTrained(t, args)
	}
	return code, out.String(), errs.String()
}

func must(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := pegasimd(t, args...)
	if code != exitDone {
		t.Fatalf("pegasimd %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout, stderr
}

const anyFailure = -1

func fails(t *testing.T, want int, told string, args ...string) {
	t.Helper()
	code, _, have := pegasimd(t, args...)
	right := code == want || want == anyFailure && code != exitDone
	if !right || !strings.Contains(have, told) {
		t.Errorf("pegasimd %q: exit code %d, want %d; %q, want %q in it", args, code, want,
			have, told)
	}
}

type mistake struct {
	code int
	told string
	args []string
}

// mistakes runs each command line in an empty folder that must stay empty.
func mistakes(t *testing.T, all map[string]mistake, before ...string) {
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			fails(t, m.code, m.told, append(slices.Clone(before), m.args...)...)
			sample.OnlyFiles(t, dir)
		})
	}
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, text)
	return path
}

// plainFlags fix settings that train would otherwise choose. Later flags override them.
var plainFlags = strings.Fields("-scale none -bias none -multiclass ovr -lambda 1e-4 -epochs 20")

const toy = `+1 1:2 2:1
+1 1:3 2:0.5
-1 1:-1 2:-2
-1 2:-3
`

func report(t *testing.T, path string) map[string]any {
	t.Helper()
	var r map[string]any
	decode(t, path, &r)
	return r
}

func decode(t *testing.T, name string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, name)), to); err != nil {
		t.Fatal(err)
	}
}

func TestTrainPredictEval(t *testing.T) {
	dir := t.TempDir()
	model, numbers := filepath.Join(dir, "digits.model"), filepath.Join(dir, "run.json")
	_, summary := must(t, "train", "-lambda", "1e-3", "-epochs", "30", "-bias", "augmented",
		"-scale", "none", "-multiclass", "ovr", digits, model, "-json", numbers)
	if !strings.Contains(summary, "1797 rows, 64 features, 10 classes") ||
		!strings.Contains(summary, "more -epochs, or -finish newton, may bring one") {
		t.Errorf("summary: %s", summary)
	}
	run := report(t, numbers)
	for _, key := range strings.Fields(`objective dual_objective gap lambda rows features classes
		steps epochs load_seconds
		train_seconds isa layout seed model_hash`) {
		if v, ok := run[key]; !ok || v == nil {
			t.Errorf("-json has no %s", key)
		}
	}
	objective, dual, gap := run["objective"].(float64), run["dual_objective"].(float64),
		run["gap"].(float64)
	if want := (objective - dual) / dual; dual > objective || gap < want-1e-12 ||
		gap > want+1e-12 {
		t.Errorf("objective %v, dual objective %v, gap %v", objective, dual, gap)
	}

	evaluated := filepath.Join(dir, "eval.json")
	table, _ := must(t, "eval", digits, model, "-json", evaluated)
	if !strings.Contains(table, "predicted") {
		t.Errorf("eval prints no table: %s", table)
	}
	e := report(t, evaluated)
	if accuracy := e["accuracy"].(float64); accuracy < 0.9 || accuracy+e["error"].(float64) != 1 {
		t.Errorf("accuracy %v, error %v", accuracy, e["error"])
	}
	if got := e["objective"].(float64); got < objective*(1-1e-6) || got > objective*(1+1e-6) {
		t.Errorf("eval has the objective %v, train %v", got, objective)
	}
	rows := 0.0
	for _, row := range e["confusion"].([]any) {
		for _, n := range row.([]any) {
			rows += n.(float64)
		}
	}
	if rows != 1797 || len(e["labels"].([]any)) != 10 || e["model_hash"] != run["model_hash"] {
		t.Errorf("the confusion matrix has %v rows, labels are %v, the hash is %v, want %v", rows,
			e["labels"], e["model_hash"], run["model_hash"])
	}

	out := filepath.Join(dir, "labels")
	_, accuracy := must(t, "predict", digits, model, out)
	if n := strings.Count(read(t, out), "\n"); n != 1797 {
		t.Errorf("%d labels predicted, want 1797", n)
	}
	if want := fmt.Sprintf("accuracy %.4f %%", 100*e["accuracy"].(float64)); !strings.Contains(
		accuracy, want) {
		t.Errorf("predict prints %q, want %q", accuracy, want)
	}
	scores, _ := must(t, "predict", "-scores", "-quiet", digits, model)
	lines := strings.Split(strings.TrimSpace(scores), "\n")
	if lines[0] != "label\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9" || len(lines) != 1798 ||
		strings.Count(lines[1], "\t") != 10 {
		t.Errorf("scores begin with %q, %q", lines[0], lines[1])
	}
}

// Models of dense and of sparse rows may differ, because their dot products are summed in different
// orders.
func TestSameModelEverywhere(t *testing.T) {
	for _, layout := range []string{"dense", "sparse"} {
		hashes := map[any]bool{}
		for _, isa := range asm.Available() {
			for _, threads := range []string{"1", "2", "3"} {
				func() {
					defer asm.Use(asm.Use(isa))
					dir := t.TempDir()
					must(t, "train", "-quiet", "-epochs", "3", "-layout", layout, "-threads",
						threads,
						"-json", dir+"/json", digits, dir+"/model")
					r := report(t, dir+"/json")
					if r["isa"] != isa.String() || r["layout"] != layout {
						t.Errorf("trained with %v, %v", r["isa"], r["layout"])
					}
					hashes[r["model_hash"]] = true
				}()
			}
		}
		if len(hashes) != 1 {
			t.Errorf("%s: %d different models", layout, len(hashes))
		}
	}
}

func TestPresetPaper(t *testing.T) {
	data, dir := file(t, "toy.svm", toy), t.TempDir()
	must(t, "train", "-quiet", "-preset", "paper", "-lambda", "0.1", "-steps", "100", "-json",
		dir+"/json", data, dir+"/model")
	r := report(t, dir+"/json")
	cfg := r["config"].(map[string]any)
	if cfg["order"] != "iid" || cfg["offset"] != "none" || cfg["average"] != "none" ||
		r["steps"] != 100.0 || r["t0"] != 0.0 {
		t.Errorf("-preset paper: the settings are %v, t0 is %v", cfg, r["t0"])
	}
	if r["gap"] != nil || r["dual_objective"] != nil {
		t.Errorf("-order iid: the report has the gap %v, the bound %v", r["gap"],
			r["dual_objective"])
	}
	must(t, "train", "-quiet", "-preset", "paper", "-order", "sequential", "-lambda", "0.1",
		"-json", dir+"/json", data, dir+"/model")
	if cfg := report(t, dir+"/json")["config"].(map[string]any); cfg["order"] != "sequential" ||
		cfg["offset"] != "none" {
		t.Errorf("a flag does not override the preset: %v", cfg)
	}
}

func TestPresetIsPaper(t *testing.T) {
	f := flags.NewSet("train")
	if _, err := f.Parse(strings.Fields(flags.Paper)); err != nil {
		t.Fatal(err)
	}
	if have, want := f.Config.Plain(), pegasos.Paper(); !reflect.DeepEqual(have, want) {
		t.Errorf("%+v, want %+v", have, want)
	}
}

func TestOrders(t *testing.T) {
	seen := map[any]bool{}
	for _, flags := range []string{"shuffled", "iid", "sequential", "blocks", "blocks -block 7",
		"iid -batch 9", "sequential -batch 9", "shuffled -offset none",
		"shuffled -offset none -project"} {
		dir := t.TempDir()
		args := append([]string{"train", "-quiet", "-json", dir + "/json", digits, dir + "/model",
			"-order"}, strings.Fields(flags)...)
		must(t, args...)
		seen[report(t, dir+"/json")["model_hash"]] = true
	}
	if len(seen) != 9 {
		t.Errorf("%d models of 9 settings", len(seen))
	}
}

func TestWeights(t *testing.T) {
	dir := t.TempDir()
	hash := func(args ...string) any {
		t.Helper()
		must(t, append([]string{"train", "-quiet", "-json", dir + "/json"},
			append(args, dir+"/model")...)...)
		return report(t, dir+"/json")["model_hash"]
	}
	data := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n3,3,cat\n")
	plain := hash(data)
	if hash(data, "-class-weight", "cat=3,dog=3") != plain {
		t.Error("equal weights of all classes change the model")
	}
	byClass := hash(data, "-class-weight", "dog=1.5")
	if byClass == plain || byClass != hash(data, "-weights", file(t, "w", "1\n1\n1.5\n1.5\n1\n")) ||
		byClass != hash(data, "-class-weight", "balanced") {
		t.Error("weights by class have no effect, or differ from weights by row or balanced")
	}
	if hash(data, "-weights", file(t, "w", "1\n1\n1\n1\n0")) != hash(file(t, "less.csv",
		"weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")) {
		t.Error("a row of weight 0 counts")
	}
	for want, args := range map[string][]string{
		`no class is called "bird"`:       {"-class-weight", "bird=2"},
		"want class=weight, with a class": {"-class-weight", "dog"},
		"w:2:":                            {"-weights", file(t, "w", "1\nx\n1\n1\n1\n")},
		"2 weights":                       {"-weights", file(t, "w", "1\n1\n")},
		"w:2: the weight is -1":           {"-weights", file(t, "w", "1\n-1\n1\n1\n1\n")},
		"-class-weight: have":             {"-class-weight", "cat=-1"},
	} {
		fails(t, anyFailure, want, append([]string{"train", data, dir + "/other"}, args...)...)
	}
}

func TestStartWithEpsilon(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "line.csv", "x,y\n1,1.5\n2,2.5\n3,3\n4,4.5\n")
	must(t, "train", "-quiet", "-loss", "eps-insensitive", "-epsilon", "0.1", data, dir+"/a")
	must(t, "train", "-quiet", "-start", dir+"/a", "-epsilon", "0.3", data, dir+"/b")
	if have := modelOf(t, dir+"/b").Config.Epsilon; have != 0.3 {
		t.Errorf("epsilon %v, want 0.3", have)
	}
}

func TestStartAndPrior(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")
	must(t, "train", "-quiet", "-epochs", "20", data, dir+"/a")
	// This file has another column, and only dogs, which alone would be class 0.
	dogs := file(t, "dogs.csv", "weight,age,height,pet\n-1,-1,1,dog\n-3,-1,2,dog\n")
	_, told := must(t, "train", "-start", dir+"/a", "-epochs", "3", "-json", dir+"/json", dogs,
		dir+"/b")
	if r := report(t, dir+"/json"); r["steps"] != 4*20+6.0 || r["epochs"] != 3.0 ||
		fmt.Sprint(r["labels"]) != "[cat dog]" || !strings.Contains(told, "ignored columns that the model does not have: height\n") {
		t.Errorf("-start: %v, %s", r, told)
	}
	must(t, "train", "-quiet", "-lambda", "1e6", "-prior", dir+"/a", "-json", dir+"/json", dogs,
		dir+"/c")
	a, _ := must(t, "predict", "-quiet", "-scores", data, dir+"/a")
	c, _ := must(t, "predict", "-quiet", "-scores", data, dir+"/c")
	first := func(s string) (v float64) {
		fmt.Sscanf(strings.Split(s, "\n")[1], "cat\t%g", &v)
		return v
	}
	if x, y := first(a), first(c); x == 0 || x-y > 1e-4 || y-x > 1e-4 {
		t.Errorf("-prior with a large lambda: scores %v and %v", x, y)
	}
	table, _ := must(t, "eval", data, dir+"/c")
	if strings.Contains(table, "objective 0") {
		t.Errorf("eval has an objective without knowing the prior: %s", table)
	}
	birds := file(t, "birds.csv", "weight,age,pet\n-1,-1,bird\n-3,-1,dog\n")
	for want, args := range map[string][]string{
		"bird":    {"-start", dir + "/a", birds},
		"missing": {"-prior", dir + "/missing", data},
		"eps-insens": {"-start", dir + "/a", "-loss", "eps-insensitive",
			file(t, "n.svm", "1 1:1\n0 2:1\n")},
		"does not begin with \"pegasimd": {"-start", file(t, "x.model", "not a model"), data},
	} {
		fails(t, anyFailure, want, append(append([]string{"train"}, args...), dir+"/other")...)
	}
}

func TestTol(t *testing.T) {
	dir := t.TempDir()
	must(t, "train", "-quiet", "-lambda", "0.1", "-epochs", "1000", "-tol", "0.05", "-json",
		dir+"/json", digits, dir+"/model")
	if r := report(t, dir+"/json"); r["gap"].(float64) > 0.05 || r["epochs"].(float64) > 500 ||
		r["config"].(map[string]any)["tol"] != 0.05 {
		t.Errorf("gap %v after %v epochs", r["gap"], r["epochs"])
	}
}

func TestLosses(t *testing.T) {
	for _, loss := range []string{"log", "squared-hinge"} {
		dir := t.TempDir()
		must(t, "train", "-quiet", "-loss", loss, "-lambda", "1e-3", "-json", dir+"/json", digits,
			dir+"/model")
		must(t, "eval", "-quiet", "-json", dir+"/eval", digits, dir+"/model")
		run, e := report(t, dir+"/json"), report(t, dir+"/eval")
		if run["config"].(map[string]any)["loss"] != loss || run["gap"] == nil ||
			e["accuracy"].(float64) < 0.9 || e["rmse"] != nil {
			t.Errorf("%s: %v, %v", loss, run, e["accuracy"])
		}
		if d := e["objective"].(float64)/run["objective"].(float64) - 1; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: objective %v, in training %v", loss, e["objective"], run["objective"])
		}
	}
}

// The slope and the constant solve the normal equations.
func TestRidge(t *testing.T) {
	data, dir := file(t, "line.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n"), t.TempDir()
	must(t, "train", "-loss", "squared", "-bias-scale", "1", "-scale", "none", "-target-scale",
		"none", "-lambda", "0.01", "-finish", "dual", "-epochs", "2000", "-json", dir+"/json", data,
		dir+"/model")
	run := report(t, dir+"/json")
	if run["gap"].(float64) > 1e-5 || run["classes"] != 0.0 {
		t.Errorf("%v", run)
	}
	// (3.51 1.5; 1.5 1.01) (w b)' = (8.5 4)'
	const slope, constant = 2.585 / 1.2951, 1.29 / 1.2951
	must(t, "convert", "-to", "liblinear", dir+"/model", dir+"/liblinear")
	text, err := os.ReadFile(dir + "/liblinear")
	var w, b float64
	if _, e := fmt.Sscanf(string(text), "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 1\n"+
		"bias 1\nw\n%g \n%g", &w, &b); err != nil || e != nil ||
		math.Abs(w-slope) > 1e-4 || math.Abs(b-constant) > 1e-4 {
		t.Errorf("%s: %v, %v; want %v and %v", text, err, e, slope, constant)
	}
	must(t, "convert", "-from", "liblinear", "-lambda", "0.01", dir+"/liblinear", dir+"/again")
	for _, model := range []string{"model", "again"} {
		must(t, "eval", "-json", dir+"/eval", data, dir+"/"+model)
		if r := report(t, dir+"/eval"); r["r2"].(float64) < 0.999 || r["accuracy"] != nil {
			t.Errorf("%s: %v", model, r)
		}
	}
}

func TestNumbers(t *testing.T) {
	data, dir := file(t, "line.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n"), t.TempDir()
	_, told := must(t, "train", "-loss", "eps-insensitive", "-epsilon", "0.01", "-bias",
		"augmented", "-lambda", "1e-3", "-epochs", "1000", "-seed", "2",
		"-json", dir+"/json", data, dir+"/model")
	if r := report(t, dir+"/json"); !strings.Contains(told, "regression targets") ||
		r["classes"] != 0.0 || r["config"].(map[string]any)["epsilon"] != 0.01 {
		t.Errorf("%s %v", told, r)
	}
	out, told := must(t, "predict", data, dir+"/model")
	var first, last float64
	if lines := strings.Fields(out); len(lines) != 4 {
		t.Fatalf("predicted %q", out)
	} else {
		fmt.Sscan(lines[0], &first)
		fmt.Sscan(lines[3], &last)
	}
	if first < 0.9 || first > 1.1 || last < 6.9 || last > 7.1 ||
		!strings.Contains(told, "RMSE 0.0") {
		t.Errorf("predicted %q, %s", out, told)
	}
	table, _ := must(t, "eval", "-json", dir+"/eval", data, dir+"/model")
	if rmse := report(t, dir+"/eval")["rmse"].(float64); rmse > 0.1 || !strings.Contains(table,
		"RMSE 0.0") {
		t.Errorf("RMSE %v, %s", rmse, table)
	}
	names := file(t, "names.csv", "x,y\n0,a\n1,b\n")
	fails(t, exitError, "names", "train", "-loss", "eps-insensitive", names, dir+"/other")
	fails(t, exitError, "names", "eval", names, dir+"/model")
	if code, _, _ := pegasimd(t, "predict", "-scores", data, dir+"/model"); code != exitUsage {
		t.Errorf("-scores: %d", code)
	}
}

func TestClassNames(t *testing.T) {
	data := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")
	model := filepath.Join(t.TempDir(), "pets.model")
	must(t, "train", "-quiet", data, model)
	// In this file dog comes first, and the model does not know the class bird.
	other := file(t, "other.csv", "weight,age,pet\n-1,-1,dog\n1,1,cat\n-3,-1,bird\n")
	predicted, accuracy := must(t, "predict", other, model)
	if predicted != "dog\ncat\ndog\n" || !strings.Contains(accuracy, "(2 of 3)") {
		t.Errorf("predicted %q, %s", predicted, accuracy)
	}
	table, _ := must(t, "eval", other, model)
	if !strings.Contains(table, "bird") || !strings.Contains(table, "no objective") {
		t.Errorf("eval: %s", table)
	}
}

func TestIndexBaseOfTheModelIsUsed(t *testing.T) {
	data := file(t, "zero.svm", "1 0:1 1:2\n-1 0:-1\n-1 0:-2\n")
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", "-index-base", "0", data, model)
	if out, _ := must(t, "predict", "-quiet", data, model); out != "1\n-1\n-1\n" {
		t.Errorf("predicted %q", out)
	}
}

func TestMoreFeaturesThanTheModelHas(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	out, told := must(t, "predict", file(t, "wide.svm", "1 1:1 2:1 700:3\n-1 1:-1 9:1\n"), model)
	if out != "1\n-1\n" || !strings.Contains(told, "ignored 2 nonzeros") {
		t.Errorf("predicted %q, printed %q", out, told)
	}
}

func TestOutputNameOfInput(t *testing.T) {
	for data, want := range map[string]string{
		"a9a.svm":                          "a9a.model",
		"some/where/text.train.svm.gz":     "text.train.model",
		"train-images-idx3-ubyte.gz,label": "train-images-idx3-ubyte.model",
	} {
		if got, err := outputName("", data, ".model", "MODEL"); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", data, got, err, want)
		}
	}
	fails(t, exitUsage, "name MODEL, too", "train", "-")
	fails(t, exitUsage, "name OUT, too", "report", "-", "a.svm")
}

func TestInterruptedRunIsWritten(t *testing.T) {
	data, model := file(t, "toy.svm", toy), filepath.Join(t.TempDir(), "model")
	ctx, cancel := context.WithCancel(context.Background())
	var out, errs bytes.Buffer
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"train", "-steps", "1000000000000", data, model}, &out, &errs)
	}()
	cancel()
	if code := <-done; code != exitInterrupted {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	// A run interrupted while reading writes no model.
	if _, err := os.Stat(model); err == nil {
		must(t, "predict", data, model)
	}
}

func TestErrors(t *testing.T) {
	whole := gzipped(strings.Repeat(toy, 100))
	cut := whole[:len(whole)/2]
	good := file(t, "good.svm", toy)
	badModel := file(t, "bad.model", "not a model")
	missing := filepath.Join(t.TempDir(), "missing.svm")
	must(t, "train", "-kernel", "rbf", "-order", "permutation", good, missing+".model")

	mistakes(t, map[string]mistake{
		"malformed line": {exitError, `:2:4: token "x"`,
			[]string{"train", file(t, "a.svm", "1 1:1\n-1 x\n")}},
		"index 0": {exitError, `:1:3: token "0:1"`,
			[]string{"train", file(t, "a.svm", "1 0:1\n")}},
		"index too large": {exitError, "99999999999:1",
			[]string{"train", file(t, "a.svm", "1 99999999999:1\n")}},
		"too many columns": {exitError, "1000:1", []string{"train", "-max-features", "100",
			file(t, "a.svm", "1 1000:1\n")}},
		"not finite": {exitError, "1:nan", []string{"train", file(t, "a.svm", "1 1:nan\n")}},
		"bad label": {exitError, `token "abc"`,
			[]string{"train", file(t, "a.svm", "abc 1:1\n")}},
		"cut gzip": {exitError, "a.svm.gz", []string{"train", file(t, "a.svm.gz", cut)}},
		"one class": {exitError, "want two or more classes",
			[]string{"train", file(t, "a.svm", "1 1:1\n1 1:2\n")}},
		"no rows":      {exitError, "no rows", []string{"train", file(t, "a.svm", "")}},
		"missing file": {exitError, "missing.svm", []string{"train", missing}},
		"ragged csv": {exitError, ":3:",
			[]string{"train", file(t, "a.csv", "1,2,0\n3,4,1\n1,1\n")}},
		"not a model":     {exitError, "bad.model", []string{"predict", good, badModel}},
		"no model":        {exitError, "missing.svm", []string{"eval", good, missing}},
		"unknown format":  {exitError, "a.dat", []string{"train", file(t, "a.dat", toy)}},
		"lambda 0":        {exitUsage, "-lambda", []string{"train", "-lambda", "0", good}},
		"lambda negative": {exitUsage, "-lambda must be", []string{"train", "-lambda", "-1", good}},
		"lambda tiny": {exitUsage, "-lambda: have", []string{"train", "-lambda",
			"1e-30", good}},
		"lambda not one": {exitUsage, "lambda", []string{"train", "-lambda", "x", good}},
		"lambda and c": {exitUsage, "-c: only one of -lambda and -c",
			[]string{"train", "-lambda", "1", "-c", "1", good}},
		"steps 0":         {exitUsage, "-steps", []string{"train", "-steps", "0", good}},
		"epochs negative": {exitUsage, "-epochs must be", []string{"train", "-epochs", "-1", good}},
		"unknown order":   {exitUsage, "-order: have", []string{"train", "-order", "none", good}},
		"kernels' order": {exitUsage, "-order: have",
			[]string{"train", "-order", "permutation", good}},
		"linear order": {exitUsage, "-order: have \"blocks\", want permutation, iid or sequential",
			[]string{"train", "-kernel", "rbf", "-order", "blocks", good}},
		"useless block": {exitUsage, "-block: have 3, which has no effect with -order",
			[]string{"train", "-order", "sequential", "-block", "3", good}},
		"batch too large": {exitUsage, "-batch: have", []string{"train", "-batch", "5", good}},
		"tol without gap": {exitUsage, "-tol: have", []string{"train", "-tol", "0.1", "-order",
			"iid", good}},
		"tol 0":           {exitUsage, "-tol", []string{"train", "-tol", "0", good}},
		"unknown loss":    {exitUsage, "-loss: have", []string{"train", "-loss", "none", good}},
		"useless epsilon": {exitUsage, "-epsilon: have", []string{"train", "-epsilon", "1", good}},
		"unknown kind": {exitUsage, "-multiclass: have", []string{"train", "-multiclass",
			"ova", good}},
		"kind and loss": {exitUsage, "-multiclass: have", []string{"train", "-multiclass",
			"crammer-singer", "-loss", "log", good}},
		"unknown bias":   {exitUsage, "-bias: have", []string{"train", "-bias", "free", good}},
		"unknown preset": {exitUsage, "preset", []string{"train", "-preset", "x", good}},
		"unknown flag":   {exitUsage, "-x", []string{"train", "-x", good}},
		"no data":        {exitUsage, "too few", []string{"train"}},
		"-json, no data": {exitUsage, "x is the file of -json (-json - ",
			[]string{"inspect", "-json", "x"}},
		"too much":        {exitUsage, "z has no known ending", []string{"train", good, "y", "z"}},
		"unknown command": {exitUsage, `"learn"`, []string{"learn"}},
	})
}

func TestFailedWriteKeepsTheOldModel(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root may write into folders that are read-only: NOT TESTED; " +
			"internal/sys/atomicfile tests this in another way")
		return
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	before := read(t, model)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if code, _, _ := pegasimd(t, "train", "-quiet", "-seed", "2", file(t, "toy.svm", toy),
		model); code != exitError {
		t.Errorf("exit code %d", code)
	}
	if read(t, model) != before {
		t.Error("the old model changed")
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"help", "train"}, {"train", "-h"},
		{"predict", "-help"}, {"help", "eval"}, {"help", "cv"}} {
		out, _ := must(t, args...)
		if !strings.Contains(out, "pegasimd") {
			t.Errorf("%v: %s", args, out)
		}
		if len(args) == 2 && (!strings.Contains(out, "Examples:") ||
			!strings.Contains(out, "\nData:\n  -")) {
			t.Errorf("%v lacks examples or flags: %s", args, out)
		}
	}
	for _, command := range []string{"train", "cv"} {
		short, _ := must(t, command, "-h")
		all, _ := must(t, command, "-help-all")
		n, many := strings.Count(short, "\n  -"), strings.Count(all, "\n  -")
		last := fmt.Sprintf("\n'pegasimd %s -help-all' lists all flags.\n", command)
		if n != 15 && n != 16 || many < 40 || !strings.HasSuffix(short, last) ||
			!strings.Contains(all, "\n  -max-memory") {
			t.Errorf("%s: %d flags by -h, %d by -help-all:\n%s", command, n, many, short)
		}
	}
}
