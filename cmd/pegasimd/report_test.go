package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/app/htmlreport"
)

func reportOf(t *testing.T, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "page.html")
	must(t, append(append([]string{"report"}, args...), out)...)
	page, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(page), htmlreport.Mark) {
		t.Fatalf("%v: %.100s", err, page)
	}
	return string(page)
}

var tags = regexp.MustCompile(`<style>[^<]*</style>|<[^>]*>`)

// A text after a ! must not be on the page.
func shows(t *testing.T, what, page string, texts ...string) {
	t.Helper()
	plain := tags.ReplaceAllString(page, "")
	for _, text := range texts {
		if text, not := strings.CutPrefix(text, "!"); strings.Contains(plain, text) == not {
			t.Errorf("%s: the page has %q: %v", what, text, not)
		}
	}
}

func TestReportOrigin(t *testing.T) {
	all := read(t, "../../docs/people.csv")
	lines := strings.SplitAfter(all, "\n")
	t.Chdir(t.TempDir())
	write(t, "all.csv", all)
	write(t, "few.csv", strings.Join(lines[:200], ""))
	write(t, "odd.csv", lines[0]+lines[1]+"9,x,Rome,40,30000,perhaps\n")
	must(t, "train", "-quiet", "all.csv", "whole.model")
	must(t, "train", "-quiet", "-holdout", "0.2", "all.csv", "held.model")
	for what, c := range map[string]struct {
		model, data string
		texts       []string
	}{
		"training": {"whole.model", "all.csv", []string{"was trained on the 300 rows of all.csv",
			"pegasimd verify whole.model all.csv", "300 rows of the training set", "23 (7.7 %)"}},
		"held out": {"held.model", "all.csv", []string{
			"rows that training held out of the 300 rows of all.csv",
			"pegasimd verify held.model all.csv", "agrees with the model&#39;s file"}},
		"others": {"held.model", "few.csv", []string{"differ from the training set",
			"TRAINING-DATA", "claimed by the model&#39;s file for "}},
		"unknown label": {"whole.model", "odd.csv", []string{"perhaps", "labels that the model does not",
			"differ from the training set"}},
	} {
		page := reportOf(t, c.model, c.data)
		shows(t, what, page, append(c.texts, "city", "category", "income", "What is proven")...)
		_, command, _ := strings.Cut(page, "<pre>pegasimd ")
		command, _, _ = strings.Cut(command, "</pre>")
		if !strings.Contains(command, "TRAINING-DATA") {
			if out, _ := must(t, strings.Fields(command)...); !strings.Contains(out, "confirmed") {
				t.Errorf("%s: %s prints\n%s", what, command, out)
			}
		}
	}
	must(t, "train", "-quiet", "-force", "-json", "json", "-holdout", "0.2", "all.csv", "held.model")
	of := report(t, "json")["held_out_eval"].(map[string]any)
	shows(t, "held out", reportOf(t, "held.model", "all.csv"),
		fmt.Sprintf("Held-out accuracy%.1f %%", 100*of["accuracy"].(float64)),
		fmt.Sprintf("ROC-AUC%.3f", of["roc_auc"]))
}

func TestReportKinds(t *testing.T) {
	line := "x,y\n"
	for i := range 60 {
		line += fmt.Sprintf("%d,%g\n", i%7, 2*float64(i%7)+float64(i%5)/10)
	}
	wide := strings.Repeat("c,", 1100) + "y\n"
	for i := range 20 {
		wide += strings.Repeat(fmt.Sprint(i%7, ","), 1100) + fmt.Sprintln(i%2)
	}
	texts := "review,label\n"
	for i := range 80 {
		texts += fmt.Sprintf("the %s film of %d friends,%s\n", []string{"good", "dull"}[i%2], i,
			[]string{"pos", "neg"}[i%2])
	}
	for what, c := range map[string]struct {
		data  string
		flags string
		texts []string
	}{
		"numbers": {file(t, "line.csv", line), "", []string{"RMSE", "Largest absolute", "a number"}},
		"wide": {file(t, "wide.csv", wide), "", []string{"from 1,100 columns",
			"1,000 more columns are not shown"}},
		"text": {file(t, "reviews.csv", texts), "-text review", []string{"dull", "text", "For pos"}},
		"ten": {digits, "-epochs 2", []string{"one of 10 classes", "the predicted class",
			"column 42"}},
		"log":    {digits, "-loss log -epochs 2", []string{"Calibration", "Log loss"}},
		"kernel": {digits, "-kernel rbf", []string{"Support rows", "no weight for a feature", "rbf"}},
		"svmlight": {file(t, "toy.svm", toy), "", []string{"features without names", "feature 1",
			"no probabilities"}},
	} {
		model := filepath.Join(t.TempDir(), "a.model")
		must(t, append(strings.Fields("train -quiet "+c.flags), c.data, model)...)
		shows(t, what, reportOf(t, "-top", "20", model, c.data), append(c.texts, "!NaN")...)
	}
}

func TestReportEscapes(t *testing.T) {
	const evil = "<img src=x onerror=alert(1)>"
	text := "a," + evil + ",label\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d,%s\n", i%9, i%5, []string{"<b>one</b>", "</script>two"}[i%2])
	}
	data, model := file(t, "x<i>y.csv", text), filepath.Join(t.TempDir(), "<u>.model")
	must(t, "train", "-quiet", data, model)
	page := reportOf(t, model, data)
	for _, tag := range []string{"<img", "<b>", "</script", "<u>", "<i>y"} {
		if strings.Contains(page, tag) {
			t.Errorf("the page has %s", tag)
		}
	}
	shows(t, "names", page, "&lt;img src=x onerror=alert(1)&gt;", "&lt;b&gt;one", "&lt;u&gt;.model")
}

func TestReportOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"toy.svm": toy, "my.html": "<!DOCTYPE html>\n<p>mine"} {
		write(t, name, text)
	}
	must(t, "train", "-quiet", "toy.svm", "a.model")
	for range 2 {
		if out, _ := must(t, "report", "a.model", "toy.svm"); out != "wrote a.html\n" {
			t.Errorf("printed %q", out)
		}
	}
	fails(t, exitUsage, "my.html", "report", "a.model", "toy.svm", "my.html")
	must(t, "train", "-quiet", "toy.svm", "my.model")
	fails(t, exitUsage, "-force", "report", "my.model", "toy.svm")
	fails(t, exitUsage, "name OUT", "report", "-", "toy.svm")
	fails(t, exitError, "no rows", "report", "a.model", file(t, "empty.svm", ""))
}
