package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/modelio"
)

func TestPredictWritesPredictions(t *testing.T) {
	pets := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")
	line := file(t, "line.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n")
	for what, c := range map[string]struct {
		data  string
		train []string
	}{
		"classes":         {digits, nil},
		"one-vs-one":      {digits, []string{"-multiclass", "ovo"}},
		"scaled by row":   {digits, []string{"-scale", "unit"}},
		"names":           {pets, nil},
		"words and gaps":  {file(t, "people.csv", people(200)), nil},
		"numbers":         {line, []string{"-loss", "squared"}},
		"kernel machines": {digits, []string{"-kernel", "rbf", "-epochs", "1"}},
	} {
		name := filepath.Join(t.TempDir(), "model")
		must(t, append(append([]string{"train", "-quiet"}, c.train...), c.data, name)...)
		m, err := modelio.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		_, _, err = predictions.Write(&want, c.data, m, dataset.Options{Labels: dataset.LabelsAuto})
		have, _ := must(t, "predict", "-quiet", c.data, name)
		if err != nil || have != want.String() || have == "" {
			t.Errorf("%s: %d bytes, not %d, %v", what, len(have), want.Len(), err)
		}
	}
}

func TestPredictUnknownLabels(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	_, told := must(t, "predict", file(t, "other.svm", "7 1:1\n1 1:1\n8 2:1\n"), model)
	if !strings.Contains(told, "whose rows count as mistakes: 7, 8\naccuracy 33.") {
		t.Error(told)
	}
	_, told = must(t, "predict", file(t, "toy.svm", toy), model)
	if strings.Contains(told, "know") {
		t.Error(told)
	}
}

func TestPredictManyNumbers(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	const block = "1 1:1\n3 1:2\n5 1:3\n7 1:4\n"
	must(t, "train", "-quiet", "-loss", "squared", file(t, "few.svm", block), model)
	few, _ := must(t, "predict", "-quiet", file(t, "few.svm", block), model)
	const times = keptScores/4 + 1
	many := file(t, "many.svm", strings.Repeat(block, times))
	out, told := must(t, "predict", many, model)
	if out != strings.Repeat(few, times) || !strings.Contains(told, "RMSE") {
		t.Errorf("%d bytes, want %d; %s", len(out), times*len(few), told)
	}
}

func TestScoresReadBack(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	data := file(t, "near.svm", "1 1:3\n-1 1:-1\n1 1:2\n")
	for _, kind := range []string{"-scale=none", "-kernel=linear"} {
		must(t, "train", "-quiet", kind, data, model)
		m, err := modelio.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		set := setOf(t, data)
		out, _ := must(t, "predict", "-quiet", "-scores", data, model)
		lines := strings.Split(out, "\n")
		for i, want := range m.DecisionAll(set.Examples()) {
			if have := parse(t, strings.Split(lines[i+1], "\t")[1]); have != want {
				t.Errorf("%s, row %d: %v, not %v", kind, i, have, want)
			}
		}
	}
}
