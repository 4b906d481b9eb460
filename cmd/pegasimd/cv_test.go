package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

type linearCV struct {
	cvReport
	Config pegasos.Config `json:"config"`
}

func setOf(t *testing.T, name string) *dataset.Set {
	t.Helper()
	set, err := dataset.Read(name, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func cvOf(t *testing.T, args ...string) (r linearCV, printed string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "json")
	printed, told := must(t, append([]string{"cv", "-json", path}, args...)...)
	decode(t, path, &r)
	return r, printed + told
}

// Each score has the bits of the score of a model trained on a copy of the other folds' rows.
func TestCrossValidation(t *testing.T) {
	r, printed := cvOf(t, "-folds", "4", "-seed", "7", "-lambdas", "1,1e-2", "-epochs", "3", digits)
	if r.Metric != "accuracy" || r.Folds != 4 || r.Rows != 1797 || len(r.Labels) != 10 ||
		len(r.Grid) != 2 || r.Grid[0].Lambda != 1 || r.Grid[1].Lambda != 1e-2 {
		t.Fatalf("%+v", r)
	}
	set := setOf(t, digits)
	fold := pegasos.Folds(set.Y, nil, 4, 7)
	for _, p := range r.Grid {
		var mean, squares, objective float64
		for f := range 4 {
			var train, test []int
			for i := range fold {
				if fold[i] == f {
					test = append(test, i)
				} else {
					train = append(train, i)
				}
			}
			if len(test) != r.FoldRows[f] || len(test) < 445 || len(test) > 454 {
				t.Errorf("fold %d has %d rows, want 445 to 454 and %d as reported", f, len(test),
					r.FoldRows[f])
			}
			a, b := set.Subset(train), set.Subset(test)
			m, err := pegasos.Train(t.Context(), a.Examples(), a.Y,
				pegasos.Config{Lambda: float64(p.Lambda), Epochs: 3, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for i, label := range m.PredictAll(b.Examples()) {
				if label == b.Y[i] {
					right++
				}
			}
			if want := float64(right) / float64(len(test)); p.Scores[f] != want {
				t.Errorf("lambda %v, fold %d: %v, want %v", p.Lambda, f, p.Scores[f], want)
			}
			mean += p.Scores[f] / 4
			objective += m.Result.Objective / 4
		}
		for _, s := range p.Scores {
			squares += (s - mean) * (s - mean)
		}
		if math.Abs(float64(p.Mean)-mean) > 1e-15 ||
			math.Abs(float64(p.Spread)-math.Sqrt(squares/3)) > 1e-12 ||
			math.Abs(float64(p.Objective)/objective-1) > 1e-12 {
			t.Errorf("lambda %v: mean %v +- %v, objective %v", p.Lambda, p.Mean, p.Spread,
				p.Objective)
		}
		if !(p.Gap > 0) || !(p.Seconds > 0) {
			t.Errorf("lambda %v: gap %v, %v s", p.Lambda, p.Gap, p.Seconds)
		}
	}
	if want := fmt.Sprintf("4 folds of %d to %d rows", slices.Min(r.FoldRows),
		slices.Max(r.FoldRows)); !strings.Contains(printed, "best") ||
		!strings.Contains(printed, want) {
		t.Errorf("printed %s", printed)
	}
}

func TestCrossValidationThreads(t *testing.T) {
	kinds := []string{"-multiclass ovo -loss log", "-preset paper -bias augmented",
		"-multiclass crammer-singer -order iid", "-layout sparse -class-weight balanced"}
	if testing.Short() {
		kinds = kinds[:2]
	}
	for _, flags := range kinds {
		var first string
		for _, threads := range []string{"1", "2", "5"} {
			r, _ := cvOf(t, append([]string{"-folds", "2", "-lambdas", "10,1", "-epochs", "1",
				"-threads", threads, digits}, strings.Fields(flags)...)...)
			var got strings.Builder
			for _, p := range r.Grid {
				fmt.Fprintln(&got, p.Lambda, p.Scores, p.Objective, p.Gap)
			}
			if first == "" {
				first = got.String()
			}
			if got.String() != first {
				t.Errorf("%s: with %s threads %s, with 1 thread %s",
					flags, threads, got.String(), first)
			}
		}
	}
}

func TestCrossValidationBest(t *testing.T) {
	easy := file(t, "easy.svm", strings.Repeat(toy, 5))
	// All lambdas separate the classes: the largest is the best.
	r, printed := cvOf(t, "-folds", "3", "-lambdas", "1e-3,0.1,1e-2,0.1", "-bias", "augmented", easy)
	if len(r.Grid) != 3 || strings.Contains(printed, " value tried") ||
		r.Grid[2].Mean != 1 || r.Best.Mean != 1 || r.Best.Lambda != 0.1 {
		t.Errorf("the best of lambdas with equal scores: %+v", r)
	}
	r, _ = cvOf(t, "-folds", "3", "-cs", "10,1,5", "-bias", "augmented", easy)
	if r.Best.C != 1 || r.Grid[2].C != 10 || math.Abs(float64(r.Best.Lambda)*20*2/3-1) > 0.1 ||
		r.Config.C != 1 {
		t.Errorf("the best of values of C with equal scores: %+v", r)
	}
	dir := t.TempDir()
	r, printed = cvOf(t, "-folds", "3", "-lambdas", "1e4,1", "-epochs", "2", "-seed", "3",
		"-model", dir+"/model", digits)
	must(t, "train", "-quiet", "-lambda", "1", "-epochs", "2", "-seed", "3", digits, dir+"/other",
		"-json", dir+"/json")
	if r.Best.Lambda != 1 || r.Hash != report(t, dir+"/json")["model_hash"] ||
		!strings.Contains(printed, " of all rows") ||
		!strings.Contains(printed, "\nthe best lambda is the smallest value tried: try smaller") {
		t.Errorf("best %v, model %s: %s", r.Best, r.Hash, printed)
	}
	first, second := strings.Repeat("1 1:1 2:10\n", 3), strings.Repeat("2 1:-1 2:-10\n", 3)
	parted := file(t, "a.svm", strings.Repeat(first+second+"1 1:1 2:-10\n2 1:-1 2:10\n", 5))
	r, printed = cvOf(t, "-lambdas", "1e4,1e-3", "-scale", "none", parted)
	if r.Grid[0].Mean == 1 || r.Best.Mean != 1 || strings.Contains(printed, "smallest value tried") {
		t.Errorf("the best lambda makes no mistakes: %v, %s", r.Grid, printed)
	}
	if _, printed = cvOf(t, "-folds", "3", "-cs", "1e-9,1", digits); !strings.Contains(printed,
		"\nthe best C is the largest value tried: try larger values\n") {
		t.Error(printed)
	}
	a, _ := os.ReadFile(dir + "/model")
	b, _ := os.ReadFile(dir + "/other")
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("the model file differs from the model file of train")
	}
	if r, _ := cvOf(t, "-lambda", "0.5", easy); len(r.Grid) != 1 || r.Best.Lambda != 0.5 ||
		r.Folds != 5 {
		t.Errorf("one lambda: %+v", r)
	}
}

func TestCrossValidationOfNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d\n", i%10, 2*(i%10)+1)
	}
	r, printed := cvOf(t, "-loss", "eps-insensitive", "-bias", "augmented", "-lambdas", "1000,0.01",
		"-epochs", "200", file(t, "line.csv", b.String()))
	if r.Metric != "rmse" || r.Labels != nil || r.Best.Lambda != 0.01 || r.Best.Mean > 0.5 ||
		r.Grid[0].Mean < 2 || !strings.Contains(printed, "RMSE") {
		t.Errorf("%s %+v", printed, r)
	}
	for _, n := range r.FoldRows {
		if n != 8 {
			t.Errorf("folds of %v rows", r.FoldRows)
		}
	}
}

func TestDefaultGrid(t *testing.T) {
	one := file(t, "one.svm", "1 1:2\n-1 1:-2\n1 1:3\n-1 1:-3\n1 1:2\n-1 1:-2\n")
	ten := file(t, "ten.svm", "1 1:20\n-1 1:-20\n1 1:30\n-1 1:-30\n1 1:20\n-1 1:-20\n")
	zero := file(t, "zero.svm", "1\n-1\n1\n-1\n1 9:0\n-1\n")
	for _, c := range []struct {
		data  string
		flags string
		r2    float64
	}{
		{one, "", 1}, {ten, "", 1}, {zero, "", 1}, {one, "-scale none", 17. / 3},
		{ten, "-scale none", 1700. / 3}, {one, "-scale max-abs", 17. / 27},
	} {
		r, _ := cvOf(t, append(strings.Fields(c.flags), "-folds", "3", c.data)...)
		if len(r.Grid) != 7 || math.Abs(float64(r.MeanSquare)/c.r2-1) > 1e-5 {
			t.Fatalf("%s: mean squared norm %v, want %v, grid %+v", c.data, r.MeanSquare, c.r2,
				r.Grid)
		}
		share := 1.0
		for _, p := range r.Grid {
			share /= 10
			if math.Abs(float64(p.Share)/share-1) > 1e-6 ||
				math.Abs(float64(p.Lambda)/(share*c.r2)-1) > 1e-5 {
				t.Errorf("%s %s: lambda %v, the share %v, want the share %v of %v", c.data, c.flags,
					p.Lambda, p.Share, share, c.r2)
			}
		}
	}
}

func TestCrossValidationWeights(t *testing.T) {
	rows := strings.Repeat("1 1:1\n-1 1:-1\n", 6)
	wrong := "1 1:-1\n" // predicted wrongly by all models
	weights := strings.Repeat("1\n", 12)
	args := []string{"-folds", "3", "-lambda", "0.1"}
	plain, _ := cvOf(t, append(args, file(t, "a.svm", rows))...)
	r, _ := cvOf(t, append(args, file(t, "b.svm", rows+wrong), "-weights",
		file(t, "w", weights+"0\n"))...)
	if r.FoldRows[0]+r.FoldRows[1]+r.FoldRows[2] != 12 || r.Best.Mean != 1 || plain.Best.Mean != 1 {
		t.Errorf("with a row of weight 0: %+v", r)
	}
	r, _ = cvOf(t, append(args, file(t, "b.svm", rows+wrong), "-weights",
		file(t, "w", weights+"2\n"))...)
	worst := 1.0
	for _, s := range r.Best.Scores {
		worst = math.Min(worst, s)
	}
	if worst != 3./5 && worst != 4./6 {
		t.Errorf("a row of weight 2 and 3 or 4 other rows in its fold: accuracies %v",
			r.Best.Scores)
	}
}

func TestCrossValidationOfRareClasses(t *testing.T) {
	data := file(t, "rare.csv", "x,z,pet\n"+strings.Repeat("1,2,cat\n-1,-2,dog\n", 6)+"5,-5,emu\n")
	r, told := cvOf(t, "-folds", "3", "-lambda", "0.1", data)
	if !strings.Contains(told, "warning: the class emu has fewer rows than there are folds: ") ||
		strings.Contains(told, "class dog") || len(r.Warnings) != 2 || len(r.Labels) != 3 || r.Best.Mean >= 1 {
		t.Errorf("%s %+v", told, r)
	}
}

func TestCrossValidationOfPairs(t *testing.T) {
	data := file(t, "a.svm", strings.Repeat("0 1:1\n1 2:1\n2 3:1\n2 1:1 3:1\n", 6))
	for flag, row := range map[string]string{"-lambda": "\n +0.5 +[0-9.]+ +none +[0-9]",
		"-c": "\n +none +none +0.5 +[0-9]"} {
		printed, _ := must(t, "cv", "-multiclass", "ovo", flag, "0.5", data)
		if !regexp.MustCompile(row).MatchString(printed) {
			t.Errorf("%s: each pair of classes has its own lambda or C: %s", flag, printed)
		}
	}
	r, _ := cvOf(t, "-lambda", "0.5", file(t, "b.svm", strings.Repeat("0 1:1\n1 2:1\n", 10)))
	if math.Abs(float64(r.Best.C)-1/(0.5*16)) > 1e-15 {
		t.Errorf("two classes: C %v", r.Best.C)
	}
}

func TestCrossValidationErrors(t *testing.T) {
	good, small := file(t, "good.svm", strings.Repeat(toy, 5)), file(t, "small.svm", toy)
	mistakes(t, map[string]mistake{
		"one fold":   {exitUsage, "-folds", []string{"-folds", "1", good}},
		"many folds": {exitError, "some of the 5 folds have no rows", []string{"-folds", "5", small}},
		"one class": {exitError, "two or more classes",
			[]string{file(t, "a.svm", "1 1:1\n1 1:1\n1 1:1\n1 1:1\n1 1:1\n2 1:2\n")}},
		"bad lambda":   {exitUsage, `"x"`, []string{"-lambdas", "1,x", good}},
		"negative":     {exitUsage, `"-1"`, []string{"-lambdas", "-1", good}},
		"not a number": {exitUsage, `"nan"`, []string{"-cs", "nan", good}},
		"empty":        {exitUsage, "-lambdas", []string{"-lambdas", "", good}},
		"tiny lambda":  {exitUsage, "-lambda: have", []string{"-lambdas", "1e-30", good}},
		"range":        {exitUsage, "1e-6:1e-2:9", []string{"-lambdas", "1:0.1:3", good}},
		"range of one": {exitUsage, "1e-6:1e-2:9", []string{"-cs", "0.1:1:1", good}},
		"metric":       {exitUsage, "want accuracy, ", []string{"-metric", "auc", good}},
		"r2 of classes": {exitUsage, "taken for classes",
			[]string{"-metric", "r2", "-loss", "log", good}},
		"f1 of numbers": {exitUsage, "rmse, r2",
			[]string{"-metric", "f1", "-loss", "squared", good}},
		"r2 by a kernel": {exitUsage, "want accuracy, balanced-accuracy, f1: the labels",
			[]string{"-metric", "r2", "-multiclass", "ovr", "-kernel", "rbf", good}},
		"rmse by a kernel": {exitUsage, "want accuracy, balanced-accuracy, f1: the labels",
			[]string{"-metric", "rmse", "-kernel", "rbf", good}},
		"one row": {exitError, "1 row, want two or more",
			[]string{"-loss", "squared", file(t, "a.svm", "3 1:1\n")}},
		"one row of a class": {exitError, "two or more rows each",
			[]string{"-folds", "3", file(t, "a.svm", "1 1:1\n1 1:2\n-1 1:3\n")}},
		"no probabilities": {exitUsage, "-loss log", []string{"-metric", "log-loss", good}},
		"one class in a fold": {exitError, "not defined", []string{"-metric", "roc-auc", "-folds",
			"3", file(t, "a.svm", "1 1:1\n1 1:2\n1 1:3\n1 1:1\n2 1:0\n2 1:-1\n")}},
		"two grids":    {exitUsage, "only one", []string{"-lambdas", "1", "-cs", "1", good}},
		"lambda, grid": {exitUsage, "only one", []string{"-lambdas", "1", "-lambda", "1", good}},
		"patience":     {exitUsage, "-patience", []string{"-patience", "1", good}},
		"epochs 0":     {exitUsage, "-epochs", []string{"-epochs", "0", good}},
		"unknown loss": {exitUsage, "-loss: have", []string{"-loss", "none", good}},
		"batch":        {exitUsage, " of 5: -batch: have", []string{"-batch", "18", good}},
		"names": {exitError, "names", []string{"-loss", "eps-insensitive",
			file(t, "a.csv", "x,y\n0,a\n1,b\n")}},
		"few weights": {exitError, "1 weight for 20 rows",
			[]string{"-weights", file(t, "w", "1\n"), good}},
		"large data": {exitError, "row",
			[]string{"-scale", "none", "-folds", "2",
				file(t, "a.svm", strings.Repeat("1 1:1e30\n-1 1:-1e30\n", 4))}},
		"missing file": {exitError, "missing.svm", []string{"missing.svm"}},
		"no rows":      {exitError, "0 rows, want two or more", []string{file(t, "a.svm", "")}},
	}, "cv", "-model", "m")
	fails(t, exitError, "no/such", "cv", "-model", "no/such/folder", good)
}

func TestInterruptedCrossValidation(t *testing.T) {
	data, model := file(t, "good.svm", strings.Repeat(toy, 5)), filepath.Join(t.TempDir(), "model")
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"cv", "-steps", "1000000000000", data, "-model", model},
			&out, &errs)
	}()
	cancel()
	if code := <-done; code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if _, err := os.Stat(model); err == nil {
		t.Error("a model was written")
	}
}

func TestCVSharesMemory(t *testing.T) {
	var b strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&b, "%d", i%2)
		for j := range 60 {
			fmt.Fprintf(&b, " %d:%d", j+1, 1+(i*(j+3)+i/7*j)%23)
		}
		b.WriteByte('\n')
	}
	data := file(t, "data.svm", b.String())
	flags := []string{"cv", "-quiet", "-folds", "2", "-epochs", "1", "-lambdas", "0.1,1"}
	args := append(flags, "-max-memory", "1", "-threads")
	one, _ := must(t, append(args, "1", data)...)
	two, _ := must(t, append(args, "2", data)...)
	many, _ := must(t, append(flags, "-threads", "2", data)...)
	if one != two || one != many {
		t.Errorf("%s\nwith two threads %s\nand more memory %s", one, two, many)
	}
}

func TestCVCurves(t *testing.T) {
	for _, word := range []bool{false, true} {
		table := file(t, "ring.csv", ringTable(400, word))
		for _, curves := range []string{"", "products", "none"} {
			model, report := filepath.Join(t.TempDir(), "m"), filepath.Join(t.TempDir(), "r")
			args := []string{"cv", "-folds", "3", "-model", model, "-json", report}
			if curves != "" {
				args = append(args, "-curves", curves)
			}
			must(t, append(args, table)...)
			m := modelOf(t, model)
			var have cvReport
			if b, err := os.ReadFile(report); err != nil || json.Unmarshal(b, &have) != nil {
				t.Fatal(err)
			}
			bends := curves != "none"
			if accuracy := float64(have.Best.Mean); bends != (accuracy > 0.95) ||
				bends != (m.Config.Curves == pegasos.CurvesProducts) {
				t.Errorf("words %t, curves %q: accuracy %v, %s",
					word, curves, accuracy, m.Settings())
			}
			best := shellSplit(t, have.Command)
			must(t, append(best[1:], "-model", model+"2")...)
			if read(t, model) != read(t, model+"2") {
				t.Errorf("words %t, curves %q: %q trains another model", word, curves, best)
			}
		}
	}
}

// Curves have terms only if row 7, the only row with its value, is among the training rows.
func TestCVCurvesOfSomeFolds(t *testing.T) {
	for kind, values := range map[string]int{"products": 1, "pieces": 2} {
		var b strings.Builder
		for i := range 60 {
			v := i / 2 % values
			if i == 7 {
				v = values
			}
			fmt.Fprintf(&b, "%d,%d,%d\n", 1-i%2*2, v, i%2)
		}
		data, model := file(t, "x.csv", b.String()), filepath.Join(t.TempDir(), "m")
		must(t, "cv", "-folds", "4", "-curves", kind, "-scale", "standard", "-model", model, data)
		if m, err := pegasos.ReadFile(model); err != nil || m.Config.Curves != pegasos.Curves(kind) {
			t.Errorf("%s: %v, %v", kind, m, err)
		}
	}
}

func TestCVNamesRowsOfFile(t *testing.T) {
	table := "x,word,label\n" + strings.Repeat("1,p,\n", 2) + strings.Repeat("1,p,a\n2,q,b\n", 9) +
		"900,p,a\n" + strings.Repeat("1,p,a\n2,q,b\n", 9)
	fails(t, exitError, "row 20: ", "cv", "-missing", "drop", "-kernel", "polynomial", "-degree",
		"64", "-coef0", "1", file(t, "a.csv", table))
}

func TestCVUndefinedF1(t *testing.T) {
	data := file(t, "a.svm", strings.Repeat("0 1:1\n0 1:2\n0 1:3\n0 1:4\n", 4)+"1 1:5\n1 1:6\n")
	for _, kernel := range []string{"", "-kernel rbf"} {
		fails(t, exitError, "-metric f1 is not defined for the fold, whose rows are all of one class",
			strings.Fields("cv -metric f1 "+kernel+" "+data)...)
	}
}
