package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/table"
)

// In reviews, "not" reverses the meaning of a word.
func reviews(rows int) string {
	r := rand.New(rand.NewPCG(4, 32))
	var b strings.Builder
	for i := range rows {
		good := r.IntN(2) == 0
		word, not := pick(r, "good fine"), ""
		if r.IntN(2) == 0 {
			not = "not "
		}
		if good == (not != "") {
			word = pick(r, "bad dull")
		}
		label := map[bool]string{true: "up", false: "down"}[good]
		fmt.Fprintf(&b, "%s\tThe %s, seen at %d, was %s%s.\n", label,
			pick(r, "film play song book tale"), i, not, word)
	}
	return b.String()
}

func TestTextVerify(t *testing.T) {
	text, model := reviews(300), filepath.Join(t.TempDir(), "model")
	data := file(t, "reviews.tsv", text)
	must(t, "train", "-quiet", data, model)
	printed, _ := must(t, "verify", model, data)
	if !strings.HasSuffix(printed, "\nconfirmed\n") {
		t.Errorf("verify: %s", printed)
	}
	changed := file(t, "changed.tsv", strings.Replace(text, "was not", "was so", 9))
	fails(t, exitError, "contradicted", "verify", model, changed)
}

func TestTextResume(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	data := file(t, "reviews.tsv", reviews(300))
	run := strings.Fields("train -quiet -finish none -average none")
	must(t, append(run, "-epochs", "7", "-checkpoint", at("state"), data, at("7"))...)
	must(t, append(run, "-epochs", "20", "-resume", at("state"), data, at("resumed"))...)
	must(t, append(run, "-epochs", "20", data, at("20"))...)
	var models [2]*pegasos.Model
	for i, name := range []string{"resumed", "20"} {
		var err error
		if models[i], err = pegasos.ReadFile(at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if models[0].Hash() != models[1].Hash() ||
		models[0].Result.Objective != models[1].Result.Objective {
		t.Error("a resumed run gives another model or objective")
	}
}

func TestTextCrossValidation(t *testing.T) {
	const folds = 3
	text := reviews(150)
	lines := strings.SplitAfter(strings.TrimSpace(text), "\n")
	y := make([]float32, len(lines))
	for i, line := range lines {
		if strings.HasPrefix(line, "up") {
			y[i] = 1
		}
	}
	of := pegasos.Folds(y, nil, folds, 0)
	r, _ := cvOf(t, "-folds", fmt.Sprint(folds), "-c", "1", "-epochs", "5", "-format", "lines",
		file(t, "all.tsv", text))
	for f, have := range r.Grid[0].Scores {
		others, own := parts(t, "", lines, of, f)
		model, numbers := filepath.Join(t.TempDir(), "a.model"), filepath.Join(t.TempDir(), "json")
		must(t, "train", "-quiet", "-format", "lines", "-c", "1", "-epochs", "5", others, model)
		must(t, "eval", "-format", "lines", "-json", numbers, own, model)
		if want := report(t, numbers)["accuracy"].(float64); have != want {
			t.Errorf("fold %d: accuracy %v, want %v", f, have, want)
		}
	}
}

func TestTextPredict(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text := reviews(300)
	data := file(t, "reviews.tsv", text)
	must(t, "train", "-quiet", data, at("model"))
	want, _ := must(t, "predict", data, at("model"))
	var csv, jsonl strings.Builder
	csv.WriteString("text,label\n")
	for line := range strings.Lines(text) {
		label, review, _ := strings.Cut(strings.TrimSpace(line), "\t")
		fmt.Fprintf(&csv, "%q,%s\n", review, label)
		fmt.Fprintf(&jsonl, "{\"label\":%q,\"text\":%q}\n", label, review)
	}
	for name, content := range map[string]string{"x.csv": csv.String(), "x.jsonl": jsonl.String()} {
		if have, _ := must(t, "predict", file(t, name, content), at("model")); have != want {
			t.Errorf("%s: other predictions", name)
		}
	}
	have := fromStdin(t, text, true, "predict", "-format", "lines", "-", at("model"))
	if have != want {
		t.Errorf("standard input: other predictions: %.100q", have)
	}

	p, err := modelio.ReadFile(at("model"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.New(p)
	if err != nil {
		t.Fatal(err)
	}
	predicted := strings.Fields(want)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		_, review, _ := strings.Cut(line, "\t")
		if have, err := m.Predict([]string{review}); err != nil || have != predicted[i] {
			t.Fatalf("%q: %q, %v, want %q", review, have, err, predicted[i])
		}
	}

	for _, threads := range []string{"1", "5"} {
		must(t, "convert", "-threads", threads, data, at(threads+".pgsm"))
	}
	if read(t, at("1.pgsm")) != read(t, at("5.pgsm")) {
		t.Error("the number of threads changes the rows")
	}
}

// -words counts weights of text alone, however large those of other columns are.
func TestTextWordsBesideNumbers(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("n,note,label\n")
	for i := range 60 {
		fmt.Fprintf(&rows, "%d.5,the %s day of a %s year,%c\n", i*7%10, []string{"fine", "dull"}[i%2],
			[]string{"wet", "dry", "hot"}[i%3], "pq"[i*7%10/5])
	}
	data, model := file(t, "days.csv", rows.String()), filepath.Join(t.TempDir(), "m")
	must(t, "train", "-quiet", "-text", "note", "-words", "2", data, model)
	printed, _ := must(t, "inspect", "-top", "99", model)
	named := regexp.MustCompile(`note: [a-z]`).FindAllString(
		strings.ReplaceAll(printed, "note: bucket", ""), -1)
	if len(named) != 2 || !strings.Contains(printed, " n\n") {
		t.Errorf("%d weights have words, want 2: %s", len(named), printed)
	}
}

func TestTextWords(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "reviews.tsv", reviews(300))
	for _, c := range []struct{ train, inspect []string }{
		{[]string{"-words", "20"}, nil}, {nil, []string{"-data", data}},
	} {
		model := filepath.Join(dir, fmt.Sprint(len(c.train)))
		must(t, append(append([]string{"train", "-quiet"}, c.train...), data, model)...)
		printed, _ := must(t, append(append([]string{"inspect", "-top", "12"}, c.inspect...), model)...)
		for _, word := range []string{"text: not good\n", "text: was good\n", "text: was bad\n"} {
			if !strings.Contains(printed, word) {
				t.Errorf("%q: %s, want %q", c, printed, word)
			}
		}
		if !regexp.MustCompile(`features  (\d+), [^~]*  text: \d\d+ features\n`).MatchString(printed) {
			t.Errorf("%s", printed)
		}
	}
}
