package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestToldBeforeTraining(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	for want, args := range map[string][]string{
		"toy.svm: 4 rows, 2 features, 2 classes: -1 (2 rows), 1 (2 rows); " +
			"7 nonzeros (87.5 %), dense layout; read in ": {file(t, "toy.svm", toy)},
		"x.svm: 3 rows, 2 features (counted from 0), 2 classes: 0 (1 row), 1 (2 rows); 3 nonzeros": {
			"-index-base", "0", file(t, "x.svm", "1 0:1\n0 1:1\n1 0:2\n")},
		"3 rows, 16 features (hashed to 4 bits), ": {
			"-hash-bits", "4", file(t, "x.svm", "1 5:1\n0 1:1\n1 5:2\n")},
		"the label is the last column, y, by its name\n": {file(t, "x.csv", "a,y\n1,0\n-1,1\n2,0\n")},
		"the label is column 0, y\n":                     {"-label", "y", file(t, "x.csv", "y,a\n1,0\n2,1\n2,3\n")},
		"the label is column 1\n": {"-label-column", "1",
			file(t, "x.csv", "1,0,2\n2,1,3\n3,1,2\n")},
		"regression targets from 0.5 to 2;": {
			"-loss", "eps-insensitive", file(t, "x.csv", "1,0.5\n2,2\n")},
		"6 classes of 1 to 2 rows;": {
			file(t, "x.csv", "1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,f\n")},
		`2 classes: "a\x1b" (2 rows), red apple (1 row);`: {"-kernel", "rbf",
			file(t, "x.csv", "1,red apple\n2,a\x1b\n3,a\x1b\n")},
	} {
		_, told := must(t, append(append([]string{"train"}, args...), model)...)
		if at := strings.Index(told, want); at < 0 || at > strings.Index(told, "lambda ") {
			t.Errorf("printed %q, want %q before the run", told, want)
		}
		if _, told := must(t, append(append([]string{"train", "-quiet"}, args...),
			model)...); told != "" {
			t.Errorf("-quiet: %q", told)
		}
	}
	_, told := must(t, "cv", "-folds", "2", "-c", "1", file(t, "toy.svm", toy))
	if !strings.HasPrefix(told, "toy.svm: 4 rows, 2 features, 2 classes: ") {
		t.Errorf("cv: %q", told)
	}
}

func TestLabelsThatLookLikeNumbers(t *testing.T) {
	rows := func(n int, label func(i int) string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s 1:%d\n", label(i), i%7-3)
		}
		return file(t, "data.svm", b.String())
	}
	float := rows(60, func(i int) string { return fmt.Sprint(float64(i) / 16) })
	whole := rows(1000, func(i int) string { return fmt.Sprint(i % 300) })
	model := filepath.Join(t.TempDir(), "model")
	for _, data := range []string{float, whole, rows(3, func(i int) string {
		return fmt.Sprint(float64(i) / 2)
	})} {
		for _, command := range [][]string{{"train", "-loss", "hinge"}, {"train", "-kernel", "rbf"},
			{"cv", "-folds", "2", "-loss", "log"}, {"cv", "-kernel", "rbf", "-folds", "2"}} {
			args := append(append([]string(nil), command...), data)
			if command[0] == "train" {
				args = append(args, model)
			}
			os.Remove(model)
			fails(t, exitError, "predict numbers with -loss squared", args...)
		}
		if _, err := os.Stat(model); err == nil {
			t.Fatal("a model was written")
		}
		must(t, "train", "-quiet", "-epochs", "1", "-loss", "eps-insensitive", data, model)
		_, told := must(t, "train", data, model)
		if !strings.Contains(told, "; if they are classes, give -multiclass ovr\n") ||
			!strings.Contains(told, "training R^2 ") {
			t.Errorf("%q", told)
		}
		if _, told := must(t, "train", "-quiet", data, model); told != "" {
			t.Errorf("-quiet: %q", told)
		}
	}
	if _, told := must(t, "cv", "-folds", "2", "-lambdas", "1e-2", float); !strings.Contains(told,
		"taken for regression targets") {
		t.Errorf("%q", told)
	}
	fails(t, exitUsage, "accuracy", "cv", "-folds", "2", "-metric", "accuracy", float)
	for _, flags := range []string{"-multiclass ovr", "-class-weight balanced"} {
		args := append([]string{"train", "-epochs", "1"}, strings.Fields(flags)...)
		if _, told := must(t, append(args, float, model)...); !strings.Contains(told,
			"60 classes") {
			t.Errorf("%s: %q", flags, told)
		}
	}
	for _, data := range []string{
		rows(60, func(i int) string { return fmt.Sprint(float64(i%20) / 2) }),
		rows(300, func(i int) string { return fmt.Sprint(i % 60) }),
		rows(3000, func(i int) string { return fmt.Sprint(i % 300) }),
		rows(5, func(i int) string { return fmt.Sprint(0.5 * float64(i%2)) }),
	} {
		os.Remove(model)
		must(t, "train", "-quiet", "-epochs", "1", data, model)
	}
	few := rows(60, func(i int) string { return fmt.Sprint(i % 3) })
	if _, told := must(t, "train", "-loss", "squared", few, model); !strings.Contains(told,
		"regression targets from 0 to 2; ") || !strings.Contains(told, "training R^2 ") {
		t.Errorf("%q", told)
	}
}

func TestControlCharacters(t *testing.T) {
	const esc = "\x1b[2J\u009b2J\x7f\u202e"
	dir := filepath.Join(t.TempDir(), "d"+esc+"\n")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Skip(err)
	}
	data := filepath.Join(dir, "x"+esc+".csv")
	var text strings.Builder
	text.WriteString("a" + esc + ",b,z" + esc + ",\"y\n" + esc + "\"\n")
	for i := range 24 {
		fmt.Fprintf(&text, "%d,%d,0,\"%s\n%s\t\"\n", i%3-1, i%5, esc, []string{"p", "q", "r"}[i%3])
	}
	other := filepath.Join(dir, "o"+esc+".csv")
	for name, text := range map[string]string{data: text.String(),
		other: "a" + esc + ",b,z" + esc + ",more" + esc + "\n1,2,3,4\n"} {
		write(t, name, text)
	}
	model, kernel := filepath.Join(dir, "m"+esc), filepath.Join(dir, "k"+esc)
	out := filepath.Join(dir, "o"+esc)
	for _, args := range [][]string{
		{"train", "-proba", data, model},
		{"train", "-kernel", "rbf", data, kernel},
		{"train", "-checkpoint", out + ".state", "-plot", out + ".svg", data, model + "2"},
		{"cv", "-folds", "9", "-c", "1", "-model", model, data},
		{"predict", data, model}, {"predict", "-scores", data, model},
		{"predict", "-scores", data, kernel}, {"predict", other, model},
		{"predict", data, model, out}, {"predict", "-force", data, model, out},
		{"eval", data, model}, {"eval", "-json", "-", data, model}, {"eval", data, kernel},
		{"inspect", data}, {"inspect", "-json", "-", data},
		{"inspect", model}, {"inspect", "-json", "-", model}, {"inspect", kernel},
		{"inspect", out + ".state"},
		{"convert", "-to", "json", model, "-"}, {"convert", "-to", "liblinear", model, "-"},
		{"convert", data, out + ".npy"}, {"convert", data, out + ".pgsm"},
		{"train", out, model}, {"train", data, dir + "/" + esc + "/model"},
		{"predict", data, data}, {"predict", model, model}, {"train", esc + ".csv"},
		{esc}, {"train", "-" + esc}, {"train", data, model, esc}, {"train", "-loss", esc, data},
		{"train", "-label-column", esc, data, model}, {"train", "-scale", esc, data, model},
		{"train", "-class-weight", esc, data, model}, {"train", "-weights", data, data, model},
		{"train", "-start", model, filepath.Join(dir, "o"+esc+".csv"), model},
		{"eval", other, model}, {"train", "-format", esc, data, model},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), args, &stdout, &stderr)
		if code != exitDone && args[0] == "predict" && slices.Contains(args, out) {
			t.Errorf("%q: exit code %d", args, code)
		}
		for _, r := range stdout.String() + stderr.String() {
			if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
				t.Errorf("%q prints %q:\n%q\n%q", args, r, stdout.String(), stderr.String())
				break
			}
		}
		if args[0] == "predict" && stdout.Len() > 0 {
			lines := strings.Count(stdout.String(), "\n")
			if args[1] == "-scores" {
				lines--
			}
			if lines != 24 && lines != 1 {
				t.Errorf("%q: %d lines", args, lines)
			}
		}
		if args[0] == "eval" && args[1] == "-json" {
			var r evalReport
			err := json.Unmarshal(stdout.Bytes(), &struct{ Labels *[]string }{&r.Labels})
			if err != nil || r.Labels[0] != esc+"\np" {
				t.Errorf("%v: %q", err, r.Labels)
			}
		}
	}
}

func TestScoresThatOverflow(t *testing.T) {
	dir := t.TempDir()
	m := &pegasos.Model{
		Classes: []float32{0, 1}, Weights: [][]float32{{1e3, -1e3}}, Lambda: 1,
		Config: pegasos.Config{Lambda: 1}.Plain(), IndexBase: 1,
	}
	classes, numbers := filepath.Join(dir, "classes"), filepath.Join(dir, "numbers")
	save(t, m, classes)
	m.Classes, m.Bias = nil, []float64{3e38}
	m.Config = pegasos.Config{Lambda: 1, Loss: pegasos.EpsInsensitive}.Plain()
	save(t, m, numbers)
	kernel := filepath.Join(dir, "kernel")
	must(t, "train", "-quiet", "-kernel", "linear", file(t, "toy.svm", toy), kernel)
	nan := file(t, "nan.svm", "1 1:1\n0 1:3e38 2:3e38\n")
	inf := file(t, "inf.svm", "1 1:1\n0 1:1\n1 1:3e38\n")
	for _, model := range []string{classes, numbers} {
		for data, want := range map[string]string{
			nan: "nan.svm: row 1, counted from 0: the score is ",
			inf: "inf.svm: row 2, counted from 0: the score is ",
		} {
			for _, args := range [][]string{{"predict"}, {"eval"}} {
				fails(t, exitError, want, append(args, data, model)...)
			}
		}
	}
	must(t, "predict", inf, kernel)
	must(t, "eval", nan, kernel)
	// The dot product is finite, but its sum with the bias exceeds the range of float32.
	fails(t, exitError, "row 0, counted from 0: the score is 4", "predict",
		file(t, "big.svm", "0 1:1e35\n"), numbers)
	if code, out, _ := pegasimd(t, "predict", "-scores", nan, classes); code == exitDone ||
		out != "" {
		t.Errorf("exit code %d, %q", code, out)
	}
}

func TestStopsAreTold(t *testing.T) {
	dir := t.TempDir()
	model, numbers := filepath.Join(dir, "model"), filepath.Join(dir, "json")
	const missed = "-tol 1e-09 was not reached: more -epochs, or a larger -lambda, may come closer\n"
	_, told := must(t, "train", "-multiclass", "ovr", "-epochs", "2", "-tol", "1e-9", "-json",
		numbers, digits, model)
	if r := report(t, numbers); !strings.Contains(told, missed) || r["tol_reached"] != false {
		t.Errorf("%q, %v", told, r["tol_reached"])
	}
	_, told = must(t, "train", "-lambda", "10", "-finish", "dual", "-tol", "0.5", "-json", numbers,
		digits, model)
	if r := report(t, numbers); strings.Contains(told, "-tol 0.5 was") || r["tol_reached"] != true {
		t.Errorf("%q, %v", told, r["tol_reached"])
	}
	toy := file(t, "toy.svm", toy)
	_, told = must(t, "train", "-kernel", "rbf", "-tol", "1e-12", "-passes", "1", "-json", numbers,
		digits, model)
	if r := report(t, numbers); r["tol_reached"] != false || !strings.Contains(told,
		"-tol 1e-12 was not reached: raise -passes, now 1\n") {
		t.Errorf("%q, %v", told, r["tol_reached"])
	}
	_, told = must(t, "train", toy, model)
	if strings.Contains(told, "-tol") || strings.Contains(told, "validation") {
		t.Error(told)
	}
	_, told = must(t, "train", "-epochs", "500", "-patience", "1", "-valid", toy, "-json", numbers,
		toy, model)
	v, _ := report(t, numbers)["validation"].(map[string]any)
	want := fmt.Sprintf("validation accuracy 100.0000 %% on 4 rows, the best, after %s; "+
		"the run ended early, after %s\n", epochCount(v["epochs"].(float64)),
		epochCount(v["stopped_after_epochs"].(float64)))
	if !strings.Contains(told, want) || v["metric"] != "accuracy" || v["value"] != 1.0 ||
		v["stopped_after_epochs"].(float64) <= v["epochs"].(float64) ||
		v["stopped_after_epochs"].(float64) >= 500 {
		t.Errorf("%q, want %q; %v", told, want, v)
	}
	_, told = must(t, "train", "-epochs", "2", "-patience", "100", "-valid", toy, toy, model)
	if !strings.Contains(told, "the best, after ") || strings.Contains(told, "the run ended") {
		t.Error(told)
	}
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(wait, cancel)
		var out, errs bytes.Buffer
		code := run(ctx, []string{"train", "-force", "-finish", "none", "-epochs", "1000000000",
			"-patience", "1000000", "-valid", toy, toy, model}, &out, &errs)
		timer.Stop()
		cancel()
		told := errs.String()
		if !strings.Contains(told, "interrupted: the model has") && wait < time.Minute {
			continue // interrupted before the first step
		}
		if code != exitInterrupted || strings.Contains(told, "the run ended") {
			t.Errorf("exit code %d, %s", code, told)
		}
		break
	}
}

func TestScaleNamed(t *testing.T) {
	for _, size := range []string{"e-25", "e25"} {
		data := file(t, "x.svm", "1 1:1"+size+" 2:3"+size+"\n2 1:2"+size+"\n2 1:3"+size+"\n")
		for flags, want := range map[string]string{
			"-kernel rbf":                   "; scale the values in the file (rows",
			"-kernel polynomial -coef0 1e9": "(rows are counted from 0)",
			"-scale none":                   "; scale the values with -scale standard (rows",
		} {
			code := exitError
			if size == "e-25" && flags != "-scale none" { // the default of gamma is out of range
				code, want = exitUsage, "-gamma: not set, and the default, 1 over the mean"
			}
			fails(t, code, want, append(strings.Fields("train "+flags), data, t.TempDir()+"/m")...)
		}
		must(t, "train", "-quiet", data, t.TempDir()+"/m")
	}
}
