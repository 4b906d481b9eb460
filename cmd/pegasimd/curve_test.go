package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func curveOf(t *testing.T, path string) (columns map[string][]float64) {
	t.Helper()
	columns = map[string][]float64{}
	for _, point := range report(t, path)["curve"].([]any) {
		for name, value := range point.(map[string]any) {
			v, ok := value.(float64)
			if !ok {
				v = math.NaN()
			}
			columns[name] = append(columns[name], v)
		}
	}
	return columns
}

func TestCurve(t *testing.T) {
	dir := t.TempDir()
	joint := []string{"train", "-quiet", "-multiclass", "crammer-singer", "-lambda", "1", "-epochs",
		"20", digits}
	must(t, append(joint, dir+"/plain", "-json", dir+"/plain.json")...)
	must(t, append(joint, dir+"/model", "-json", dir+"/json",
		"-plot", dir+"/curve.svg", "-valid", digits)...)
	plain, run := report(t, dir+"/plain.json"), report(t, dir+"/json")
	if plain["model_hash"] != run["model_hash"] || plain["gap"] != run["gap"] {
		t.Error("measuring during training changes the result")
	}
	c := curveOf(t, dir+"/json")
	steps, last := c["steps"], len(c["steps"])-1
	if steps[0] > 1797/40 || steps[last] != 20*1797 || !slices.Contains(steps, 1797) ||
		len(steps) < 15 || len(steps) > 25 {
		t.Errorf("measured after %v steps", steps)
	}
	for i := range steps {
		if i > 0 && (steps[i] < 1.2*steps[i-1] && i < last || c["seconds"][i] < c["seconds"][i-1]) {
			t.Errorf("measured after %v steps, %v seconds", steps, c["seconds"])
		}
		objective, bound := c["objective"][i], c["dual_objective"][i]
		if !(bound <= objective) || c["gap"][i] != (objective-bound)/bound ||
			c["epochs"][i] != steps[i]/1797 {
			t.Errorf("after %v steps: epoch %v, objective %v, bound %v, gap %v", steps[i],
				c["epochs"][i], objective, bound, c["gap"][i])
		}
		if v := c["valid"][i]; v != c["train"][i] || !(v > 0) || v > 1 {
			t.Errorf("training accuracy %v, validation accuracy on the same rows %v",
				c["train"][i], v)
		}
	}
	must(t, "eval", "-quiet", "-json", dir+"/eval", digits, dir+"/model")
	if e := report(t, dir+"/eval"); e["accuracy"] != c["valid"][last] ||
		run["objective"] != c["objective"][last] || run["gap"] != c["gap"][last] {
		t.Errorf("the last point is not the result")
	}
	svg := read(t, dir+"/curve.svg")
	for _, text := range []string{"digits.csv.gz: hinge loss, crammer-singer, lambda ", "objective",
		"bound on the optimum", "gap, %", "accuracy", "validation rows", "10000"} {
		if !strings.Contains(svg, text) {
			t.Errorf("the plot lacks %q", text)
		}
	}
}

// The curve leaves out the models of the calibration. With -patience the model may be earlier than
// the last point.
func TestCurveOfOneRun(t *testing.T) {
	dir := t.TempDir()
	for _, flags := range []string{"-proba -epochs 3", "-proba -epochs 1",
		"-proba -epochs 15 -tol 0.5 -finish none", "-epochs 1000 -patience 1", "-multiclass ovo -epochs 2",
		"-multiclass crammer-singer -epochs 2"} {
		must(t, append(strings.Fields("train -quiet -lambda 1 "+flags), "-valid", digits, "-json",
			dir+"/json", "-plot", dir+"/c.svg", digits, dir+"/model", "-force")...)
		c := curveOf(t, dir+"/json")
		steps, result := c["steps"], report(t, dir+"/json")["steps"].(float64)
		last := steps[len(steps)-1]
		if !slices.IsSorted(steps) || len(slices.Compact(slices.Clone(steps))) != len(steps) ||
			len(steps) < 4 || last < result || last != result && !strings.Contains(flags,
			"-patience") {
			t.Errorf("%s: the run has %v steps, the curve has points after %v",
				flags, result, steps)
		}
	}
}

func TestEarly(t *testing.T) {
	if new(curve).early() != nil {
		t.Error("measurements without an output")
	}
	parts := (&curve{out: new(output)}).early()
	for i, part := range parts {
		if part <= 0 || part >= 1 || i > 0 && (part < 1.3*parts[i-1] || part > 1.5*parts[i-1]) {
			t.Errorf("early returns %v", parts)
		}
	}
	if len(parts) != 12 || parts[11] > 1/1.3 {
		t.Errorf("early returns %v", parts)
	}
}

// The validation file has the classes in another order, and two classes that the model lacks.
func TestCurveOfNames(t *testing.T) {
	data := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")
	other := file(t, "other.csv", "weight,age,pet\n-1,-1,dog\n1,1,cat\n-3,-1,bird\n-1,-2,ant\n")
	dir := t.TempDir()
	must(t, "train", "-quiet", data, dir+"/model", "-plot", dir+"/c.svg", "-json", dir+"/json",
		"-valid", other)
	if c := curveOf(t, dir+"/json"); c["valid"][len(c["steps"])-1] != 0.5 ||
		c["train"][len(c["steps"])-1] != 1 {
		t.Errorf("accuracies %v", c)
	}
}

func TestCurveOfNumbersAndWithoutBound(t *testing.T) {
	data, dir := file(t, "line.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n"), t.TempDir()
	must(t, "train", "-quiet", "-loss", "eps-insensitive", "-order", "iid", "-bias", "augmented",
		"-epochs", "50", data, dir+"/model", "-json", dir+"/json", "-plot", dir+"/p.svg.gz")
	must(t, "eval", "-quiet", "-json", dir+"/eval", data, dir+"/model")
	c := curveOf(t, dir+"/json")
	last := len(c["steps"]) - 1
	want := report(t, dir+"/eval")["rmse"].(float64)
	if got := c["train"][last]; math.Abs(got-want) > 1e-6 ||
		!math.IsNaN(c["valid"][last]) {
		t.Errorf("RMSE %v, want %v", got, want)
	}
	if !math.IsNaN(c["gap"][last]) || math.IsNaN(c["objective"][last]) {
		t.Errorf("gap %v, objective %v", c["gap"][last], c["objective"][last])
	}
	if head, err := headOf(dir + "/p.svg.gz"); err != nil || !pictureKind.is(head) {
		t.Errorf("no picture: %.40q, %v", head, err)
	}
}

func TestCurveErrors(t *testing.T) {
	good, names := file(t, "good.svm", toy), file(t, "names.csv", "x,y\n0,a\n1,b\n")
	mistakes(t, map[string]mistake{
		"ending": {exitUsage, ".svg", []string{"train", good, "-plot", "a.png"}},
		"missing": {exitError, "missing.svm", []string{"train", good, "-plot", "c.svg", "-valid",
			"missing.svm"}},
		"empty": {exitError, "no rows", []string{"train", good, "-plot", "c.svg", "-valid",
			file(t, "empty.svm", "")}},
		"names": {exitError, "names", []string{"train", good, "-loss", "eps-insensitive",
			"-plot", "c.svg", "-valid", names}},
		"eval ending": {exitUsage, ".svg", []string{"eval", good, good, "-plot", "a"}},
		"proba, scores": {exitUsage, "only one", []string{"predict", "-proba", "-scores",
			good, good}},
	})
}

func TestConfusionPlot(t *testing.T) {
	dir := t.TempDir()
	must(t, "train", "-quiet", digits, dir+"/model")
	must(t, "eval", "-quiet", "-plot", dir+"/c.svg", "-json", dir+"/json", digits, dir+"/model")
	svg := read(t, dir+"/c.svg")
	e := report(t, dir+"/json")
	for i, row := range e["confusion"].([]any) {
		if n := row.([]any)[i]; !strings.Contains(svg, fmt.Sprintf(">%v</text>", n)) {
			t.Errorf("the count %v is not in the picture", n)
		}
	}
	if want := fmt.Sprintf("accuracy %.2f %% of 1797 rows",
		100*e["accuracy"].(float64)); !strings.Contains(svg, want) {
		t.Errorf("the title lacks %q", want)
	}
	line := file(t, "line.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n")
	must(t, "train", "-quiet", "-loss", "eps-insensitive", line, dir+"/line")
	fails(t, exitUsage, "numbers", "eval", line, dir+"/line", "-plot", dir+"/d.svg")
}

func TestProba(t *testing.T) {
	data := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", "-loss", "log", data, model)
	out, _ := must(t, "predict", "-quiet", "-proba", data, model)
	scores, _ := must(t, "predict", "-quiet", "-scores", data, model)
	lines, scored := strings.Split(strings.TrimSpace(out), "\n"), strings.Split(scores, "\n")
	if lines[0] != "label\tcat\tdog" || len(lines) != 5 {
		t.Fatalf("probabilities are %q", out)
	}
	for i, line := range lines[1:] {
		var label string
		var cat, dog, score float64
		fmt.Sscan(line, &label, &cat, &dog)
		fmt.Sscan(scored[i+1], &label, &score)
		if math.Abs(cat+dog-1) > 1e-8 || math.Abs(dog-1/(1+math.Exp(-score))) > 1e-8 ||
			(label == "dog") != (dog > 0.5) {
			t.Errorf("probabilities %q for the score %v", line, score)
		}
	}
	must(t, "train", "-quiet", data, model)
	if code, out, told := pegasimd(t, "predict", "-proba", data, model); code != exitUsage ||
		out != "" || !strings.Contains(told, "-loss log") {
		t.Errorf("probabilities of the hinge loss: %d, %s%s", code, out, told)
	}
	must(t, "train", "-quiet", "-loss", "log", "-multiclass", "multinomial", "-epochs", "2", digits,
		model)
	out, _ = must(t, "predict", "-quiet", "-proba", digits, model)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		fields, sum, best := strings.Fields(line), 0., 0
		for k := range 10 {
			p, err := strconv.ParseFloat(fields[k+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += p
			if b, _ := strconv.ParseFloat(fields[best+1], 64); p > b {
				best = k
			}
		}
		if math.Abs(sum-1) > 1e-7 || fields[0] != fmt.Sprint(best) {
			t.Fatalf("%q: the sum is %v, or the label does not have the highest probability",
				line, sum)
		}
	}
}
