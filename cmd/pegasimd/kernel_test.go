package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// two rings around the origin, which no line separates
const ring = `1 1:1
1 1:-1
1 2:1
1 2:-1
2 1:2
2 1:-2
2 2:2
2 2:-2
`

func TestKernelCommands(t *testing.T) {
	data, dir := file(t, "ring.svm", ring), t.TempDir()
	model, numbers := filepath.Join(dir, "ring.model"), filepath.Join(dir, "run.json")
	_, summary := must(t, "train", "-kernel", "rbf", "-gamma", "1", "-lambda", "0.01", data, model,
		"-json", numbers)
	if !strings.Contains(summary, "kernel rbf, gamma 1, lambda 0.01") || !strings.Contains(summary,
		"% above the optimum") {
		t.Errorf("summary: %s", summary)
	}
	run := report(t, numbers)
	for _, key := range strings.Fields(`objective dual_objective gap lambda rows features classes
		problems support_rows steps epochs
		passes kernel_values load_seconds train_seconds isa layout seed model_hash`) {
		if v, ok := run[key]; !ok || v == nil {
			t.Errorf("-json has no %s", key)
		}
	}
	evaluated := filepath.Join(dir, "eval.json")
	table, _ := must(t, "eval", data, model, "-json", evaluated)
	if !strings.Contains(table, "accuracy 100.0000 %") || !strings.Contains(table, "predicted") {
		t.Errorf("eval: %s", table)
	}
	e := report(t, evaluated)
	if e["accuracy"].(float64) != 1 || e["model_hash"] != run["model_hash"] {
		t.Errorf("eval: %v", e)
	}
	out, said := must(t, "predict", "-scores", data, model)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 9 || lines[0] != "label\t2" || !strings.HasPrefix(lines[1], "1\t-") ||
		!strings.Contains(said, "(8 of 8)") {
		t.Errorf("predict: %s%s", out, said)
	}
	linear := filepath.Join(dir, "linear.model")
	must(t, "train", data, linear)
	must(t, "eval", data, linear)
	inspected := filepath.Join(dir, "inspect.json")
	if out, _ := must(t, "inspect", model, "-json", inspected); !strings.Contains(out, "for 2: ") ||
		!strings.Contains(out, `"gamma":1`) {
		t.Errorf("inspect: %s", out)
	}
	if i := report(t, inspected); i["model_hash"] != run["model_hash"] ||
		i["support_rows"] != run["support_rows"] {
		t.Errorf("inspect: %v", i)
	}
	for _, flags := range []string{
		"-kernel polynomial -degree 2 -gamma 1 -coef0 1", "-kernel rbf -finish none -epochs 50",
		"-kernel rbf -preset paper -steps 200",
		"-kernel rbf -gamma 1 -cache-mb 0 -passes 50 -tol 0.1",
	} {
		must(t, append(append([]string{"train"}, strings.Fields(flags)...), data, model)...)
		if out, _ := must(t, "eval", data, model); !strings.Contains(out, "accuracy 100.0000 %") {
			t.Errorf("%s: %s", flags, out)
		}
	}
	for flags, want := range map[string]string{
		"-kernel sigmoid -coef0 1":  "no bound on its distance",
		"-kernel sigmoid -coef0 -1": "nothing better than a model without support rows, which predicts",
		"-kernel linear -steps 5":   "the objective was not measured",
		"-kernel rbf -finish none":  ": more -epochs may",
	} {
		if _, summary := must(t, append(append([]string{"train"}, strings.Fields(flags)...), data,
			model)...); !strings.Contains(summary, want) {
			t.Errorf("%s: %s", flags, summary)
		}
	}
}

func TestKernelScoreNames(t *testing.T) {
	data, model := file(t, "three.csv",
		"0,0,red\n0.1,0,red\n5,5,green\n5,5.1,green\n9,0,blue\n9,0.1,blue\n"),
		filepath.Join(t.TempDir(), "m")
	for multiclass, want := range map[string]string{
		"ovo": "label\tgreen:blue\tred:blue\tred:green\n", "ovr": "label\tblue\tgreen\tred\n"} {
		must(t, "train", "-kernel", "rbf", "-gamma", "0.1", "-multiclass", multiclass, data, model)
		out, said := must(t, "predict", "-scores", data, model)
		if !strings.HasPrefix(out, want+"red\t") || !strings.Contains(said, "(6 of 6)") {
			t.Errorf("%s: %s%s", multiclass, out, said)
		}
	}
}

func TestKernelMistakes(t *testing.T) {
	data := file(t, "ring.svm", ring)
	for flags, want := range map[string]string{
		"-gamma 1":                               "-gamma needs -kernel",
		"-kernel cosine":                         "-kernel: have",
		"-kernel function":                       "want rbf, linear,",
		"-kernel rbf -loss log":                  "-loss can't be given with -kernel",
		"-kernel rbf -batch 4":                   "-batch can't",
		"-kernel rbf -folds 4":                   "there is no flag -folds",
		"-kernel rbf -gamma 0":                   "-gamma must be",
		"-kernel rbf -gamma -1":                  "-gamma must be",
		"-kernel rbf -degree 2":                  `-degree: have 2, which has no effect with -kernel "rbf"`,
		"-kernel rbf -multiclass crammer-singer": "-multiclass: have",
		"-kernel rbf -order blocks":              "-order: have",
		"-kernel rbf -finish dual -steps 2":      "-finish: have",
	} {
		fails(t, exitUsage, want, append(append([]string{"train"}, strings.Fields(flags)...), data,
			filepath.Join(t.TempDir(), "m"))...)
	}
	model := filepath.Join(t.TempDir(), "m")
	must(t, "train", "-kernel", "rbf", data, model)
	text := []byte(read(t, model))
	text[len(text)-1] ^= 1
	write(t, model, text)
	for _, command := range []string{"predict", "eval"} {
		fails(t, exitError, "checksum", command, data, model)
	}
}

func TestKernelCV(t *testing.T) {
	data := file(t, "rings.svm", strings.Repeat(ring, 10))
	dir := t.TempDir()
	model, numbers := filepath.Join(dir, "m"), filepath.Join(dir, "json")
	printed, _ := must(t, "cv", "-kernel", "rbf", "-gammas", "1,1e-6", "-cs", "10,1", "-folds", "4",
		"-seed", "3", "-model", model, "-json", numbers, data)
	if !strings.Contains(printed, "best") || !strings.Contains(printed, "16 runs") {
		t.Errorf("printed: %s", printed)
	}
	var r struct {
		cvReport
		Config kernelsvm.Config `json:"config"`
	}
	decode(t, numbers, &r)
	if len(r.Grid) != 4 || r.Best.Gamma != 1 || r.Best.C != 1 || r.Best.Mean != 1 ||
		r.Best.Spread != 0 || r.Grid[0].Mean > 0.6 || r.Config.Gamma != 1 {
		t.Errorf("%+v", r)
	}
	set := setOf(t, data)
	for _, p := range r.Grid {
		tr := kernelsvm.Trainer{Config: kernelsvm.Config{Gamma: p.Gamma, C: float64(p.C), Seed: 3}}
		predicted, err := tr.CrossPredict(t.Context(), set.Examples(), set.Y, 4)
		if err != nil {
			t.Fatal(err)
		}
		right, mean := 0.0, float64(p.Mean)
		for i, v := range predicted {
			if v == set.Y[i] {
				right++
			}
		}
		if right/80 < mean-1e-12 || right/80 > mean+1e-12 { // each fold has 20 rows
			t.Errorf("gamma %v, C %v: accuracy %v, by CrossPredict %v", p.Gamma, p.C, p.Mean,
				right/80)
		}
	}
	if out, _ := must(t, "eval", data, model); !strings.Contains(out, "accuracy 100.0000 %") {
		t.Errorf("the best model: %s", out)
	}
	must(t, "cv", "-quiet", "-kernel", "polynomial", "-degree", "2", "-lambda", "0.01", data)
	for flags, want := range map[string]string{
		"-gammas 1": "-gammas needs -kernel", "-kernel rbf -gammas 0,1": "-gammas",
		"-kernel rbf -gamma 1 -gammas 1": "only one",
		"-kernel rbf -loss log":          "-loss can't", "-kernel rbf -folds 1": "-folds",
		"-kernel rbf -lambdas 1e-20": "-lambda: have",
		"-kernel linear -gammas 1":   "-gamma: have 1, which has no effect with -kernel",
	} {
		fails(t, exitUsage, want, append(append([]string{"cv"}, strings.Fields(flags)...), data)...)
	}
	fails(t, anyFailure, "folds", "cv", "-kernel", "rbf", "-folds", "9", file(t, "ring.svm", ring))
}
