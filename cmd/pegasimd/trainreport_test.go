package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestStanding(t *testing.T) {
	nan := math.NaN()
	result := func(bounds ...float64) pegasos.Result {
		r := pegasos.Result{Objective: 1}
		for _, d := range bounds {
			r.PerClass = append(r.PerClass, pegasos.ClassResult{Objective: 1, DualObjective: d})
			r.DualObjective += d / float64(len(bounds))
		}
		text, err := json.Marshal(r)
		if err == nil {
			err = json.Unmarshal(text, &r) // sets r.Gap
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const closer = ": more -epochs, or -finish newton, may reduce it, but need not improve " +
		"predictions"
	for _, c := range []struct {
		of   pegasos.Result
		want string
	}{
		{result(0.95), "objective 1, at most 5.264 % above the optimum"},
		{result(0.75), "objective 1, at most 33.34 % above the optimum" + closer},
		{result(1), "objective 1, at most 0 % above the optimum"},
		{result(0.5), "objective 1, at most 100 % above the optimum" + closer},
		{result(0.4999), "objective 1; no useful bound yet on its distance from the optimum: more " +
			"-epochs, or -finish newton, may bring one"},
		{result(0), "objective 1; no useful bound yet on its distance from the optimum: more " +
			"-epochs, or -finish newton, may bring one"},
		{result(nan), "objective 1; no bound on its distance from the optimum with these settings"},
		{result(1, 0.8, 0.9), "objective 1, at most 11.12 % above the optimum" + closer},
	} {
		c.of.Epochs = 3
		m := &pegasos.Model{Classes: []float32{1, 2, 3}, Names: []string{"a", "b", "c"},
			Weights: make([][]float32, len(c.of.PerClass)), Lambda: 1, Result: c.of}
		var out strings.Builder
		r := trainReport{runReport: linearModel{m}.run(), advice: advice(m, nil, false)}
		r.printObjective(&out)
		if have := strings.TrimSuffix(out.String(), "\n"); have != c.want {
			t.Errorf("%q, want %q", have, c.want)
		}
	}
}

func TestAdvice(t *testing.T) {
	wide := [][]float32{make([]float32, 3000)}
	for finish, want := range map[pegasos.Finish]string{"": "more -epochs, or -finish auto,",
		pegasos.FinishDual: "more -epochs, or -finish auto,",
		pegasos.FinishAuto: "more -epochs, or a larger -lambda,"} {
		m := &pegasos.Model{Weights: wide, Config: pegasos.Config{Finish: finish}}
		m.Result.Epochs = 3
		if have := advice(m, nil, false); have != want {
			t.Errorf("%q: %q, want %q", finish, have, want)
		}
	}
	type config = pegasos.Config
	none, newton := pegasos.ScaleNone, pegasos.FinishNewton
	for _, c := range []struct {
		of   config
		e    *tables.Encoder
		want string
	}{
		{config{Steps: 9}, nil, "more -steps, or -finish newton,"},
		{config{Patience: 2}, nil, ""},
		{config{Tol: 0.5}, nil, "a smaller -tol"},
		{config{Tol: 0.3}, nil, "more -epochs, or -finish newton,"},
		{config{Finish: newton, Epochs: 4}, nil, "more -epochs, or a larger -lambda,"},
		{config{Finish: newton, Epochs: 4, C: 1}, nil, "more -epochs, or a smaller -c,"},
		{config{Finish: newton, Epochs: 5, C: 1}, nil, "a smaller -c"},
		{config{Finish: newton, Epochs: 5, Scale: none}, nil, "-scale standard, or a larger -lambda,"},
		{config{Finish: newton, Epochs: 5, Scale: none}, new(tables.Encoder), "a larger -lambda"},
	} {
		m := &pegasos.Model{Weights: [][]float32{{1}}, Config: c.of}
		m.Result.Gap, m.Result.Epochs = 0.4, 4
		if have := advice(m, c.e, false); have != c.want {
			t.Errorf("%+v: %q, want %q", c.of, have, c.want)
		}
		only := ""
		if c.of.Patience == 0 && c.of.Tol < 0.4 && c.of.Epochs < 5 {
			only = longer(c.of.Steps)
		}
		if have := advice(m, c.e, true); have != only {
			t.Errorf("%+v, resumed: %q, want %q", c.of, have, only)
		}
	}
	short := &pegasos.Model{Weights: [][]float32{{1}}}
	short.Result.Gap, short.Result.Epochs = 0.4, 2
	if have := advice(short, nil, false); have != "more -epochs" {
		t.Errorf("two epochs: %q", have)
	}
	short.Result.Solver, short.Result.Epochs = "steps, newton", 3
	if have := advice(short, nil, false); have != "more -epochs, or a larger -lambda," {
		t.Errorf("Newton's method by -finish auto: %q", have)
	}
}

func TestInterruptionsAreTold(t *testing.T) {
	for objective, want := range map[float64]string{
		math.NaN(): "interrupted: the model is the one trained so far; its objective was " +
			"not measured\n",
		1: "interrupted in the folds of -proba: the model has no probabilities\n" +
			"objective 1, at most 0 % above the optimum\n",
	} {
		var out strings.Builder
		r := trainReport{runReport: runReport{Objective: number(objective)}, Interrupted: true}
		if r.printObjective(&out); out.String() != want {
			t.Errorf("%v: %q, want %q", objective, out.String(), want)
		}
	}
}

func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "one.svm", "1 1:9\n-1 1:9\n-1 1:9\n")
	_, told := must(t, "train", "-steps", "1", "-order", "sequential", "-json", dir+"/json", data,
		dir+"/model")
	run := report(t, dir+"/json")
	if run["replaced"] != 1.0 || run["objective"] != 1.0 ||
		!strings.Contains(told, "warning: in 1 problem training ended "+
			"with a larger objective than weights of 0: the model keeps better weights; more -steps") {
		t.Errorf("%v: %s", run["objective"], told)
	}
}

func TestRegressionKeepsLossOfModel(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "x.svm", "1.5 1:1\n2.5 1:2\n3.25 1:3\n4 1:5\n")
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	must(t, "train", "-quiet", "-loss", "eps-insensitive", "-curves", "none", data, first)
	for _, flag := range []string{"-start", "-prior"} {
		must(t, "train", "-quiet", flag, first, data, second)
		if m := modelOf(t, second); m.Classes != nil || m.Config.Loss != pegasos.EpsInsensitive {
			t.Errorf("%s: classes %v, loss %q", flag, m.Classes, m.Config.Loss)
		}
	}
}
