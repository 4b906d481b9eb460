package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ring is points on two rings, which no line tells apart.
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
	_, summary := must(t, "train", "-kernel", "rbf", "-gamma", "1", "-lambda", "0.01", data, model, "-json", numbers)
	if !strings.Contains(summary, "kernel rbf, gamma 1, lambda 0.01") || !strings.Contains(summary, "proven to be within") {
		t.Errorf("summary: %s", summary)
	}
	run := report(t, numbers)
	for _, key := range strings.Fields(`objective dual_objective gap lambda rows features classes problems support_rows steps epochs
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
	if len(lines) != 9 || lines[0] != "label\t2" || !strings.HasPrefix(lines[1], "1\t-") || !strings.Contains(said, "(8 of 8)") {
		t.Errorf("predict: %s%s", out, said)
	}
	// A model of the linear kind is still read.
	linear := filepath.Join(dir, "linear.model")
	must(t, "train", data, linear)
	must(t, "eval", data, linear)
	// Polynomial, sigmoid, without a finish; fewer steps than rows.
	for _, flags := range []string{
		"-kernel polynomial -degree 2 -gamma 1 -coef0 1", "-kernel rbf -finish none -epochs 50", "-kernel rbf -preset paper -steps 200",
		"-kernel rbf -gamma 1 -cache-mb -1 -passes 50 -tol 0.1",
	} {
		must(t, append(append([]string{"train"}, strings.Fields(flags)...), data, model)...)
		if out, _ := must(t, "eval", data, model); !strings.Contains(out, "accuracy 100.0000 %") {
			t.Errorf("%s: %s", flags, out)
		}
	}
	for flags, want := range map[string]string{
		"-kernel sigmoid -coef0 -1": "no bound on its distance", "-kernel linear -steps 5": "the objective was not measured",
		"-kernel rbf -gamma 1 -max-sv 5": " 5 support rows",
	} {
		if _, summary := must(t, append(append([]string{"train"}, strings.Fields(flags)...), data, model)...); !strings.Contains(summary, want) {
			t.Errorf("%s: %s", flags, summary)
		}
	}
}

func TestKernelScoreNames(t *testing.T) {
	data, model := file(t, "three.csv", "0,0,red\n0.1,0,red\n5,5,green\n5,5.1,green\n9,0,blue\n9,0.1,blue\n"), filepath.Join(t.TempDir(), "m")
	for multiclass, want := range map[string]string{"ovo": "label\tgreen:blue\tred:blue\tred:green\n", "ovr": "label\tblue\tgreen\tred\n"} {
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
		"-gamma 1": "-gamma needs -kernel", "-max-sv 5": "needs -kernel", "-kernel cosine": "Kernel", "-kernel function": "programs",
		"-kernel rbf -loss log": "-loss can't be given with -kernel", "-kernel rbf -batch 4": "-batch can't", "-kernel rbf -gamma 0": "-gamma must be",
		"-kernel rbf -gamma -1": "Gamma", "-kernel rbf -degree 2": "Degree", "-kernel rbf -max-sv -1": "MaxSV",
		"-kernel rbf -multiclass crammer-singer": "Multiclass", "-kernel rbf -order blocks": "Order", "-kernel rbf -finish dual -steps 2": "Finish",
	} {
		code, _, said := pegasimd(t, append(append([]string{"train"}, strings.Fields(flags)...), data, filepath.Join(t.TempDir(), "m"))...)
		if code != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%s: exit code %d, %s", flags, code, said)
		}
	}
	// A kernel model that is damaged is told of as such.
	model := filepath.Join(t.TempDir(), "m")
	must(t, "train", "-kernel", "rbf", data, model)
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1] ^= 1
	if err := os.WriteFile(model, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"predict", "eval"} {
		if code, _, said := pegasimd(t, command, data, model); code != exitError || !strings.Contains(said, "checksum") {
			t.Errorf("%s: exit code %d, %s", command, code, said)
		}
	}
}
