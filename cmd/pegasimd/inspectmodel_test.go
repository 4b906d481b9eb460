package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInspectModel(t *testing.T) {
	dir := t.TempDir()
	model, state := filepath.Join(dir, "model"), filepath.Join(dir, "state")
	pets := file(t, "pets.csv", "weight,age,pet\n1,0,cat\n0,1,bird\n-1,-1,dog\n-2,-1,dog\n")
	plain := func(args ...string) {
		t.Helper()
		must(t, append(append([]string{"train", "-quiet"}, plainFlags...), args...)...)
	}
	plain("-lambda", "0.1", "-bias", "augmented", "-checkpoint", state, pets, model)
	out, _ := must(t, "inspect", "-top", "1", model)
	for _, want := range []string{
		"the checksum is right\n", "hash      " + hashOf(t, model), "classes   3: bird, cat, dog\n",
		"features  2, counted from 1\n", "columns   2 of a table, besides the label: pet\n",
		" updates summed over 3 problems; mean |x|^2 ",
		"command   -format csv -sep , ", " -label-column pet -numbers '*' -bias augmented -epochs 20 ",
		`"lambda":0.1`, "trained   up to 80 steps a problem, 20 epochs",
		"objective ", "for dog: 2 weights other than 0, norm ",
		", bias ", "  feature 1        +",
		"  weight\n", "no scaling of columns",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nlacks %q", out, want)
		}
	}
	if strings.Contains(out, "state") || strings.Count(out, "  feature ") != 3 {
		t.Error(out)
	}
	if out, _ := must(t, "inspect", state); !strings.Contains(out,
		"state     a checkpoint") {
		t.Error(out)
	}
	text, _ := must(t, "inspect", "-json", "-", state)
	var r modelReport
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Hash != hashOf(t, model) || len(r.Vectors) != 3 || len(r.Vectors[0].Heaviest) != 2 ||
		r.Steps != 80 || !r.Checkpoint {
		t.Errorf("%+v", r)
	}

	plain("-multiclass", "ovo", pets, model)
	if out, _ := must(t, "inspect", model); !strings.Contains(out, "for dog and against bird:") ||
		strings.Contains(out, ", bias ") {
		t.Error(out)
	}
	plain(file(t, "toy.svm", toy), model)
	if out, _ := must(t, "inspect", model); strings.Count(out,
		"\nfor 1 and against -1: 2 weights") != 1 || !strings.Contains(out, "counted from 1") {
		t.Error(out)
	}
	plain("-loss", "eps-insensitive", file(t, "line.csv", "0,1\n0,2\n"), model)
	if out, _ := must(t, "inspect", model); !strings.Contains(out, "it predicts numbers") ||
		!strings.Contains(out, "for the prediction: 0 weights") {
		t.Error(out)
	}
	var many strings.Builder
	for n := range 100 {
		i := n / 2
		many.WriteString(strings.Repeat("1", i%3+1) + ",x" + string(rune('A'+i/2)) +
			string(rune('a'+i%2)) + "\n")
	}
	must(t, "train", "-quiet", file(t, "many.csv", many.String()), model)
	if out, _ := must(t, "inspect", model); !strings.Contains(out, " and 45 more\n") ||
		!strings.Contains(out, "... and 10 more") {
		t.Error(out)
	}
	if err := os.WriteFile(model,
		[]byte(strings.Replace(read(t, state), "lambda: 0.1", "lambda: 0.2", 1)),
		0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"checksum": {model}, "missing": {filepath.Join(dir, "missing")},
		"-top": {"-top", "-1", state}, "too few": {},
		"the model has no text features to name": {"-data", pets, state},
	} {
		fails(t, anyFailure, want, append([]string{"inspect"}, args...)...)
	}
}

// A weight must not seem important because its column has small numbers.
func TestInspectSortsBySpread(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("metres,grams,pet\n")
	for i := range 60 {
		pet := []string{"cat", "dog", "emu"}[i%3]
		fmt.Fprintf(&rows, "%v,%v,%s\n", float64(i*7%10)/1e4, 1000*(i%3)+i*11%30, pet)
	}
	data, model := file(t, "pets.csv", rows.String()), filepath.Join(t.TempDir(), "model")
	const heading = "weights   largest first, by weight x spread; the spread is about the standard " +
		"deviation of the values that the weight multiplies\n\n"
	for kind, want := range map[string]string{
		"ovr": heading + "for cat: 2 weights",
		"ovo": heading + "means of the weights' absolute values over the 3 pairs\n  feature 2        +",
	} {
		must(t, "train", "-quiet", "-curves", "none", "-scale", "standard", "-multiclass", kind,
			data, model)
		out, _ := must(t, "inspect", "-top", "2", model)
		_, list, found := strings.Cut(out, want)
		grams, metres := strings.Index(list, "  grams\n"), strings.Index(list, "  metres\n")
		if !found || grams < 0 || metres < grams || strings.Count(list, "x spread = ") < 2 ||
			kind == "ovo" && strings.Count(list, "x spread") != 2 {
			t.Errorf("%s lacks %q, grams before metres, or the products with the spread:\n%s",
				kind, want, out)
		}
	}
}

func TestInspectedRuns(t *testing.T) {
	dir := t.TempDir()
	line := func(model, begin string) string {
		out, _ := must(t, "inspect", "-top", "0", model)
		for text := range strings.Lines(out) {
			if strings.HasPrefix(text, begin) {
				return text
			}
		}
		return ""
	}
	trained := func(flags string) string {
		must(t, slices.Concat([]string{"train", "-quiet", "-force"}, strings.Fields(flags),
			[]string{digits, dir + "/m"})...)
		return dir + "/m"
	}
	for _, kernel := range []string{"", "-kernel linear "} {
		m := trained(kernel + "-multiclass ovo -c 1 -epochs 1")
		if line(m, "C         1 in each pair") == "" || line(m, "lambda") != "" {
			t.Errorf("%q: inspect prints one lambda for pairs with several", kernel)
		}
		if line(trained(kernel+"-multiclass ovr -c 1 -epochs 1"), "lambda ") == "" {
			t.Errorf("%q: inspect prints no lambda", kernel)
		}
	}
	for flags, end := range map[string]string{
		"-multiclass ovo -lambda 0.1 -epochs 1": ", both of the first pair\n",
		"-multiclass ovr -lambda 0.1 -epochs 1": " of the first class\n",
	} {
		if text := line(trained(flags), "trained"); !strings.HasSuffix(text, end) {
			t.Errorf("%s: %q, want the end %q", flags, text, end)
		}
	}
	must(t, "convert", "-to", "liblinear", trained("-multiclass ovr -epochs 1"), dir+"/text")
	must(t, "convert", "-from", "liblinear", dir+"/text", dir+"/other")
	if text := line(dir+"/other", "trained"); text != "" {
		t.Errorf("a model of liblinear: %s", text)
	}
}
