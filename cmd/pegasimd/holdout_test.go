package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/pegasos"
)

// About half of the given number of rows have a copy with another value of the counter.
func countedTable(rows int) (header string, all []string) {
	g := rand.New(rand.NewPCG(4, 4))
	for range rows {
		a, word := g.NormFloat64(), []string{"red", "green", "blue"}[g.IntN(3)]
		label, text := "no", fmt.Sprintf("%.3f", a)
		if a+g.NormFloat64()/2 > 0.3 != (word == "red") {
			label = "yes"
		}
		if g.IntN(12) == 0 {
			text = ""
		}
		for range 1 + g.IntN(2) {
			all = append(all, fmt.Sprintf("%d,%s,%s,%s", len(all), text, word, label))
		}
	}
	return "id,a,word,label\n", all
}

func heldOutOf(t *testing.T, data, model string, flags ...string) (all, held map[string]any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "json")
	must(t, append(append([]string{"train", "-quiet", "-json", path}, flags...), data, model)...)
	all = report(t, path)
	held, _ = all["held_out_eval"].(map[string]any)
	if held == nil {
		t.Fatalf("nothing is held out: %v", all)
	}
	return all, held
}

func TestHoldoutIsEvalOfTheOtherRows(t *testing.T) {
	header, rows := countedTable(200)
	numbers := rand.New(rand.NewPCG(3, 3))
	var lines, values []string
	for range 150 {
		a, b := numbers.NormFloat64(), numbers.NormFloat64()
		y := map[bool]int{true: 1, false: -1}[a+b+numbers.NormFloat64() > 0]
		lines = append(lines, fmt.Sprintf("%d 1:%.4f 2:%.4f", y, a, b))
		values = append(values, fmt.Sprintf("%.4f,%.4f,%.4f", a, b, a-b+numbers.NormFloat64()))
	}
	for _, c := range []struct {
		name, file, header string
		rows               []string
		flags              string
	}{
		{"table", "a.csv", header, rows, "-holdout 0.2 -seed 3"},
		{"svmlight", "a.svm", "", lines, "-holdout 0.3"},
		{"probabilities", "a.svm", "", lines, "-holdout 0.3 -proba"},
		{"numbers", "a.csv", "a,b,y\n", values, "-holdout 0.25 -loss squared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := file(t, c.file, c.header+strings.Join(c.rows, "\n")+"\n")
			model := filepath.Join(t.TempDir(), "m.model")
			all, held := heldOutOf(t, data, model, strings.Fields(c.flags)...)
			if n := held["rows"].(float64) + all["rows"].(float64); n != float64(len(c.rows)) {
				t.Fatalf("%v rows are held out or trained on, want %d", n, len(c.rows))
			}
			out := rowsHeldOut(t, data, model)
			part := func(in bool) string {
				text := c.header
				for i, row := range c.rows {
					if slices.Contains(out, i) == in {
						text += row + "\n"
					}
				}
				return file(t, c.file, text)
			}
			path := filepath.Join(t.TempDir(), "json")
			must(t, "eval", "-quiet", "-json", path, part(true), model)
			of := report(t, path)
			for key, want := range of {
				if key != "made_by" && key != "warnings" && !reflect.DeepEqual(held[key], want) {
					t.Errorf("%s: held out %v, eval %v", key, held[key], want)
				}
			}
			value := of["accuracy"]
			if value == nil {
				value = of["r2"]
			}
			if e := all["held_out"].(map[string]any); e["value"] != value {
				t.Errorf("estimate %v, want %v", e, value)
			}
			other := filepath.Join(t.TempDir(), "m.model")
			given := strings.Fields(c.flags)[2:]
			must(t, append(append([]string{"train", "-quiet"}, given...), part(false), other)...)
			a, b := readWeightsOf(t, model), readWeightsOf(t, other)
			if !reflect.DeepEqual(a, b) {
				t.Errorf("weights %v, trained on the other rows alone %v", a, b)
			}
			printed, _ := must(t, "verify", model, data)
			if !strings.Contains(printed, "\nconfirmed\n") ||
				!strings.Contains(printed, fmt.Sprintf("%d rows of DATA that training held out", len(out))) {
				t.Errorf("verify:\n%s", printed)
			}
			if _, not, _ := strings.Cut(printed, "not checked"); !strings.Contains(not, "held_out") {
				t.Errorf("verify says that it checked the estimate:\n%s", printed)
			}
		})
	}
}

func readWeightsOf(t *testing.T, model string) [][]float32 {
	t.Helper()
	m, err := readNamed(model, pegasos.Read)
	if err != nil {
		t.Fatal(err)
	}
	return m.Weights
}

func rowsHeldOut(t *testing.T, data, model string) (out []int) {
	t.Helper()
	m, err := readNamed(model, pegasos.Read)
	if err != nil {
		t.Fatal(err)
	}
	c := &call{Context: t.Context(), stderr: new(strings.Builder), flags: flags.NewSet("verify")}
	d := c.reader(data)
	head := m.Head()
	set, _, err := d.read(&head)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.withoutHeldOut(linearModel{m}, set, nil); err != nil {
		t.Fatal(err)
	}
	for i := range set.Rows() {
		if d.skip(i) {
			out = append(out, i)
		}
	}
	return out
}

func TestHoldoutInEveryOrderAndFormat(t *testing.T) {
	header, rows := countedTable(150)
	row := func(text string) string { // drops the row counter
		_, rest, _ := strings.Cut(text, ",")
		return rest
	}
	held := func(rows []string) (out []string) {
		data := file(t, "a.csv", header+strings.Join(rows, "\n")+"\n")
		model := filepath.Join(t.TempDir(), "m.model")
		heldOutOf(t, data, model, "-holdout", "0.2")
		in := map[string]bool{}
		at := rowsHeldOut(t, data, model)
		for i, text := range rows {
			if slices.Contains(at, i) {
				out = append(out, row(text))
			} else {
				in[row(text)] = true
			}
		}
		for _, text := range out {
			if in[text] {
				t.Errorf("%s is held out and trained on", text)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	want := held(rows)
	var changed []string
	for i := range rows {
		_, rest, _ := strings.Cut(rows[(i*101+7)%len(rows)], ",")
		changed = append(changed, fmt.Sprintf("%d,%s", 2*i, rest), fmt.Sprintf("%d,%s", 2*i+1, rest))
	}
	if have := held(changed); !slices.Equal(have, want) {
		t.Errorf("shuffled and doubled: %d different rows are held out, want %d:\n%v\n%v",
			len(have), len(want), have, want)
	}

	g := rand.New(rand.NewPCG(3, 3))
	table, svm := "a,b,label\n", ""
	for range 120 {
		a, b := g.NormFloat64(), g.IntN(3)
		y := map[bool]int{true: 1, false: 0}[a+g.NormFloat64() > 0]
		table += fmt.Sprintf("%.3f,%d,%d\n", a, b, y)
		svm += fmt.Sprintf("%d 1:%.3f 2:%d\n", y, a, b)
	}
	text := file(t, "a.svm", svm)
	mapped := filepath.Join(t.TempDir(), "a.pgsm")
	must(t, "convert", "-quiet", text, mapped)
	var figures []any
	for _, data := range []string{text, mapped, file(t, "a.csv", table)} {
		model := filepath.Join(t.TempDir(), "m.model")
		_, of := heldOutOf(t, data, model, "-holdout", "0.2", "-layout", "dense", "-scale", "standard",
			"-multiclass", "ovr")
		figures = append(figures, []any{of["rows"], of["confusion"], of["mean_loss"]})
	}
	for i := range figures {
		if !reflect.DeepEqual(figures[i], figures[0]) {
			t.Errorf("format %d: %v, want %v", i, figures[i], figures[0])
		}
	}
}

func TestHoldoutWeightsAndProof(t *testing.T) {
	data, weights, _ := weightedRows(120, 2)
	svm, weightFile := file(t, "a.svm", data), file(t, "weights", lines(weights))
	dir := t.TempDir()
	model, proof := filepath.Join(dir, "m.model"), filepath.Join(dir, "m.proof")
	_, held := heldOutOf(t, svm, model, "-holdout", "0.2", "-weights", weightFile, "-proof", proof)
	if sum, rows := held["weight"].(float64), held["rows"].(float64); !(sum > rows) {
		t.Errorf("the sum of the weights is %v for %v rows", sum, rows)
	}
	for _, flags := range [][]string{nil, {"-proof", proof}} {
		printed, _ := must(t, append(append([]string{"verify", "-weights", weightFile}, flags...), model,
			svm)...)
		if !strings.Contains(printed, "\nconfirmed\n") {
			t.Errorf("%v:\n%s", flags, printed)
		}
	}
}

func TestHoldoutIsPrinted(t *testing.T) {
	header, rows := countedTable(150)
	data := file(t, "a.csv", header+strings.Join(rows, "\n")+"\n")
	model := filepath.Join(t.TempDir(), "m.model")
	if _, stderr := must(t, "train", data, model); strings.Contains(stderr, "held-out") {
		t.Errorf("without -holdout:\n%s", stderr)
	}
	_, stderr := must(t, "train", "-holdout", ".2", data, model)
	_, printed, found := strings.Cut(stderr, "held-out: accuracy ")
	if !found || strings.Contains(printed, "held-out") || !strings.Contains(printed, "ROC-AUC") ||
		!strings.Contains(printed, " rows held out of 227\naccuracy ") {
		t.Errorf("printed:\n%s", stderr)
	}
	if stdout, _ := must(t, "inspect", model); !strings.Contains(stdout, "held-out: accuracy ") {
		t.Errorf("inspect:\n%s", stdout)
	}
	weights := file(t, "w", strings.Repeat("0\n", 27)+strings.Repeat("1\n", 200))
	if _, stderr := must(t, "train", "-holdout", ".2", "-weights", weights, data, model); !strings.
		Contains(stderr, " rows held out of 200\n") {
		t.Errorf("with rows of weight 0:\n%s", stderr)
	}
}

func TestHoldoutMistakes(t *testing.T) {
	header, rows := countedTable(60)
	data := file(t, "a.csv", header+strings.Join(rows, "\n")+"\n")
	model := filepath.Join(t.TempDir(), "m.model")
	must(t, "train", "-quiet", data, model)
	out := filepath.Join(t.TempDir(), "x.model")
	for want, args := range map[string]string{
		"and less than 1; 20 % is -holdout 0.2":   "20",
		"have 0, want a share":                    "0",
		"have 1, want a share":                    "1",
		"have -0.5, want a share":                 "-0.5",
		"have NaN, want a share":                  "nan",
		"holds out none of":                       "0.001",
		"can't be given with -kernel":             "0.2 -kernel rbf",
		"can't be given with -start, whose model": "0.2 -start " + model,
		"can't be given with -prior, whose model": "0.2 -prior " + model,
		"can't be given with -checkpoint":         "0.2 -checkpoint state",
		"can't be given with -resume":             "0.2 -resume " + model,
	} {
		words := append(strings.Fields("train -holdout "+args), data, out)
		if code, _, stderr := pegasimd(t, words...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("-holdout %s: code %d, %s, want %s", args, code, stderr, want)
		}
	}
	same := file(t, "same.csv", "a,label\n"+strings.Repeat("1,x\n1,y\n", 20))
	fails(t, anyFailure, "holds out none of 40 rows", "train", "-numbers", "a", "-holdout", "0.2", same,
		out)
	large := file(t, "large.svm", strings.Repeat("1 1:1\n2 1:2\n1 1:3\n2 1:4\n", 9)+"1 1:1e30\n")
	fails(t, anyFailure, "row 36: ", "train", "-holdout", "0.4", "-seed", "1", "-scale", "none", large,
		out)
	targets := ""
	for i := range 20 {
		targets += fmt.Sprintf("%de15 1:%de17\n", (i+1)*(2*(i%2)-1), i+1)
	}
	fails(t, anyFailure, "step 2 (row 3): ", append(strings.Fields("train -holdout 0.3 -seed 5 "+
		"-loss squared -finish none -scale none -target-scale none -lambda 1e-4 -offset none "+
		"-bias none -order sequential"), file(t, "steps.svm", targets), out)...)
	gaps := file(t, "gaps.csv", "a,label\n1,\n2,\n"+
		strings.Repeat("1,x\n2,y\n3,x\n4,y\n", 9)+"1e30,x\n")
	fails(t, anyFailure, "row 38: ", "train", "-missing", "drop", "-scale", "none", gaps, out)
	ties := "1 1:0\n"
	for i := range 30 {
		ties += fmt.Sprintf("2 1:%d\n", i+1)
	}
	code, _, stderr := pegasimd(t, "train", "-loss", "squared", "-holdout", "0.2", "-seed", "2",
		file(t, "ties.svm", ties), out)
	if code == 0 || !strings.Contains(stderr, "all have the target 2") {
		t.Errorf("ties: code %d, %s", code, stderr)
	}
}

func TestTargetScaleWithoutLoss(t *testing.T) {
	g, rows := rand.New(rand.NewPCG(5, 5)), ""
	for range 60 {
		rows += fmt.Sprintf("%.3f 1:%.3f\n", g.NormFloat64(), g.NormFloat64())
	}
	model := filepath.Join(t.TempDir(), "m.model")
	_, told := must(t, "train", "-target-scale", "standard", file(t, "a.svm", rows), model)
	if !strings.Contains(told, ", targets standardized, ") {
		t.Error(told)
	}
	for _, command := range [][]string{{"train", "-model", model}, {"cv"}} {
		fails(t, exitUsage, `have "standard", but -loss "hinge" predicts classes, not numbers`,
			append(command, "-target-scale", "standard", file(t, "b.svm", strings.Repeat(toy, 5)))...)
	}
}

func TestEqualTargets(t *testing.T) {
	data := file(t, "a.svm", strings.Repeat("3 1:1\n3 1:2\n", 9))
	_, told := must(t, "train", "-loss", "squared", data, filepath.Join(t.TempDir(), "m.model"))
	if !strings.Contains(told, "\ntraining R^2 NaN; it is not defined for equal targets\n") ||
		strings.Contains(told, "no better") {
		t.Errorf("train: %s", told)
	}
	fails(t, exitError, "all rows have the target 3, for which -metric r2 is not defined", "cv",
		"-loss", "squared", "-metric", "r2", data)
	weights := file(t, "w", strings.Repeat("1\n", 18)+"0\n")
	fails(t, exitError, "the rows to train on have it, too", "train", "-loss", "squared",
		"-holdout",
		"0.5", "-weights", weights, file(t, "b.svm", read(t, data)+"4 1:3\n"),
		filepath.Join(t.TempDir(), "m.model"))
}

func TestNeverPredictedClasses(t *testing.T) {
	g := rand.New(rand.NewPCG(8, 8))
	data := "a,b,label\n"
	for i := range 600 {
		a, b := g.NormFloat64(), g.NormFloat64()
		label := "often"
		if i%25 == 0 {
			label, a = "\"rare\u202e one\"", a+0.5
		} else if a+b > 0 && i%2 == 0 {
			label = "other"
			b += 4
		}
		data += fmt.Sprintf("%.3f,%.3f,%s\n", a, b, label)
	}
	name := file(t, "a.csv", data)
	model := filepath.Join(t.TempDir(), "m.model")
	path := filepath.Join(t.TempDir(), "json")
	_, stderr := must(t, "train", "-json", path, name, model)
	want := "warning: no training row is predicted as \"rare\\u202e one\" (the class of 24 of 600 rows): " +
		"try -class-weight balanced\n"
	if !strings.Contains(stderr, want) || strings.Contains(stderr, "better than") {
		t.Errorf("printed %s, want %s", stderr, want)
	}
	fit := report(t, path)["fit"].(map[string]any)
	if never := fit["never_predicted"]; !reflect.DeepEqual(never, []any{"rare\u202e one"}) {
		t.Errorf("fit: %v", fit)
	}
	_, stderr = must(t, "train", "-class-weight", "balanced", name, model)
	if strings.Contains(stderr, "no training row is predicted") {
		t.Errorf("with weights of classes: %s", stderr)
	}
}

func TestOneWarningOfConstants(t *testing.T) {
	for every, want := range map[int]string{20: "no training row is predicted as 1", 2: "no better than"} {
		data := ""
		for i := range 401 {
			data += fmt.Sprintf("%d 1:%d\n", map[bool]int{true: 1}[i%every == 1], 1+i%4/2)
		}
		_, stderr := must(t, "train", "-lambda", "100", file(t, "a.svm", data),
			filepath.Join(t.TempDir(), "m.model"))
		both := strings.Contains(stderr, "no training row is predicted") &&
			strings.Contains(stderr, "better than predicting")
		if !strings.Contains(stderr, want) || both {
			t.Errorf("one of %d rows: %s, want %s", every, stderr, want)
		}
	}
}

func TestAdviceOfPoorFits(t *testing.T) {
	g, rows := rand.New(rand.NewPCG(4, 4)), ""
	for range 400 {
		rows += fmt.Sprintf("%.3f 1:%.3f 2:%.3f\n", 50+g.NormFloat64(), g.NormFloat64(), g.NormFloat64())
	}
	data := file(t, "a.svm", rows)
	for flags, how := range map[string]string{
		"-bias none -target-scale none -scale none": "-bias augmented",
		"-lambda 0.001 -epochs 1 -finish none":      "more -epochs",
	} {
		_, told := must(t, strings.Fields("train -loss squared "+flags+" "+data+" "+
			filepath.Join(t.TempDir(), "m.model"))...)
		if !strings.Contains(told, "the mean for every row: try "+how+"\n") {
			t.Errorf("%s: %s, want %s", flags, told, how)
		}
	}
}

func TestRareClassTold(t *testing.T) {
	data := strings.Repeat("1 1:1\n2 1:0\n2 1:0.1\n2 1:0.2\n", 4) + strings.Repeat("2 1:0\n", 6000)
	_, stderr := must(t, "train", file(t, "a.svm", data), filepath.Join(t.TempDir(), "m.model"))
	if strings.Contains(stderr, "better than") {
		t.Errorf("a model without mistakes: %s", stderr)
	}
}

func TestEstimateLine(t *testing.T) {
	const label = "cross-validated, settings chosen on the same folds: "
	for want, e := range map[string]*pegasos.Estimate{
		"":                               nil,
		label + "accuracy 93.2 % +- 0.9": {Metric: "accuracy", Value: 0.9321, StdErr: 0.0088, Rows: 9},
		label + "accuracy 100.0 %":       {Metric: "accuracy", Value: 1, Rows: 9},
		label + "R^2 -0.125 +- 0.020":    {Metric: "r2", Value: -0.125, StdErr: 0.02, Rows: 9},
	} {
		if have := estimateLine(e); have != want {
			t.Errorf("%+v: %q, want %q", e, have, want)
		}
	}
	m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{1}}, Lambda: 1,
		Config: pegasos.Config{Lambda: 1, Epochs: 1}.Plain()}
	m.Result.CrossValidated = &pegasos.Estimate{Metric: "accuracy", Value: 0.75, StdErr: 0.01, Rows: 9}
	name := filepath.Join(t.TempDir(), "m.model")
	save(t, m, name)
	want := label + "accuracy 75.0 % +- 1.0\n"
	if printed, _ := must(t, "inspect", name); !strings.Contains(printed, want) {
		t.Errorf("inspect:\n%s", printed)
	}
}

// Without the held-out rows, the row counter would look like a number, and here it predicts the
// label: folds must keep the kinds of the columns.
func TestFoldsKeepKindsOfColumns(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 5))
	for _, counter := range []struct {
		name  string
		first int
	}{{"nr", 1}, {"Kunden-Nr", 7_000}} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s,amount,city,paid\n", counter.name)
		for i := range 300 {
			fmt.Fprintf(&b, "%d,%.2f,%s,%v\n", counter.first+i, 100*g.Float64(),
				[]string{"Rome", "Paris"}[g.IntN(2)], i < 150)
		}
		data := file(t, "orders.csv", b.String())
		model := filepath.Join(t.TempDir(), "orders.model")
		_, held := heldOutOf(t, data, model, "-holdout", "0.2")
		if v, _ := held["accuracy"].(float64); !(v > 0.2 && v < 0.8) {
			t.Errorf("-holdout: accuracy %v with labels that only the row counter tells", v)
		}
		printed, _ := must(t, "inspect", model)
		if weights := printed[strings.Index(printed, "weights"):]; strings.Contains(weights, counter.name) {
			t.Errorf("the model has a weight of %s:\n%s", counter.name, weights)
		}
		if printed, _ := must(t, "verify", model, data); !strings.HasSuffix(printed, "confirmed\n") {
			t.Errorf("verify prints\n%s", printed)
		}
		r, _ := cvOf(t, "-quiet", "-lambdas", "0.01", data)
		if v := r.Grid[0].Mean; !(v > 0.2 && v < 0.8) {
			t.Errorf("cv: accuracy %v with labels that only the row counter tells", v)
		}
	}
}
