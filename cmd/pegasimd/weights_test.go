package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The labels are regression targets if classes is 0. copies repeats each line as often as its
// weight says.
func weightedRows(rows, classes int) (data string, weights []float32, copies string) {
	g := rand.New(rand.NewPCG(9, uint64(classes)))
	for i := range rows {
		a, b := g.NormFloat64(), g.NormFloat64()
		y := a + b/2 + g.NormFloat64()
		if classes > 0 {
			y = math.Max(0, math.Min(float64(classes-1), math.Floor(y+float64(classes)/2)))
		}
		line := fmt.Sprintf("%.4g 1:%.5g 2:%.5g\n", y, a, b)
		weights = append(weights, float32(i*7%4))
		data += line
		copies += strings.Repeat(line, i*7%4)
	}
	return data, weights, copies
}

// A model of data in which a class only has rows of weight 0 has classes that are not indices of
// its names.
func TestStartWithClassOfWeightZero(t *testing.T) {
	dir := t.TempDir()
	known := "1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n"
	pets := file(t, "pets.csv", "weight,age,pet\n"+known)
	birds := file(t, "birds.csv", "weight,age,pet\n9,9,bird\n"+known+"9,9,emu\n")
	weights := file(t, "w", "0\n1\n1\n1\n1\n0\n")
	model, plain, next := dir+"/a.model", dir+"/b.model", dir+"/c.model"
	must(t, "train", "-quiet", "-weights", weights, birds, model)
	must(t, "train", "-quiet", pets, plain)
	if _, told := must(t, "train", "-start", model, pets, next); !strings.Contains(told,
		"2 classes: cat (2 rows), dog (2 rows)") {
		t.Error(told)
	}
	for _, start := range []string{model, plain} {
		if _, told := must(t, "train", "-start", start, "-weights", weights, birds,
			next); !strings.Contains(told, "4 classes: bird (1 row), cat (2 rows), dog (2 rows), "+
			"emu (1 row)") {
			t.Error(told)
		}
		if out, _ := must(t, "verify", "-start", start, "-weights", weights, next,
			birds); !strings.HasSuffix(out, "confirmed\n") {
			t.Error(out)
		}
		must(t, "convert", "-force", "-for", start, pets, dir+"/for.csv")
		if out := read(t, dir+"/for.csv"); strings.Count(out, "cat\n") != 2 ||
			strings.Count(out, "dog\n") != 2 {
			t.Error(out)
		}
	}
}

// Rows left out are counted in the numbers of rows that errors name.
func TestRowsOfOverflows(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.model")
	must(t, "train", "-quiet", "-lambda", "1e-9", "-loss", "squared", file(t, "a.csv",
		"a,b,y\n1,2,3.5e20\n2,1,4.25e20\n3,5,1.5e20\n4,4,2.25e20\n"), model)
	data := file(t, "b.csv", "a,b,y\n1,2,3.5\n2,1,\n3,5,1\n-3e30,4,2.25\n3e38,3e38,2\n")
	fails(t, exitError, "b.csv: row 3, counted from 0: the score is -Inf", "eval", data, model)
	fails(t, exitError, "b.csv: row 4, counted from 0: the score is ", "eval", "-weights",
		file(t, "w", "0\n1\n1\n0\n1\n"), data, model)
}

func TestFilesOfNumbers(t *testing.T) {
	pets := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")
	for want, args := range map[string][]string{
		"w:4: the weight is 1e-60, want 0 or ": {"-weights", file(t, "w", "1\n1\n1\n1e-60\n")},
		"w:3: want one weight per line":        {"-weights", file(t, "w", "1\n1\n\n1\n1\n")},
		"c: no costs":                          {"-costs", file(t, "c", "")},
		"c:3: a line without costs":            {"-costs", file(t, "c", "0 1\n1 0\n\n")},
		"c:1: 2 costs, want 1, the number of":  {"-costs", file(t, "c", "0 1\n")},
		"the classes are cat, dog":             {"-class-weight", "cat=1, dog=2"},
	} {
		fails(t, anyFailure, want, append([]string{"train", "-multiclass", "crammer-singer", pets,
			t.TempDir() + "/model"}, args...)...)
	}
}

func TestValidWithOtherLabels(t *testing.T) {
	const unlike = ": the training data lack these labels, whose rows count as mistakes: "
	pets := file(t, "pets.csv", "weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n")
	other := file(t, "other.csv", "weight,age,pet\n1,2,cat\n2,1,emu\n-1,-2,bird\n")
	toy := file(t, "toy.svm", toy)
	for _, c := range []struct{ data, valid, want string }{
		{pets, other, "other.csv" + unlike + "bird, emu\n"}, {pets, pets, ""},
		{toy, file(t, "zeros.svm", "1 1:2\n0 1:-2\n"), "zeros.svm" + unlike + "0\n"}, {toy, toy, ""},
		{file(t, "line.svm", "1 1:1\n2.5 1:3\n4 1:4\n5.5 1:6\n"), toy, ""},
	} {
		_, told := must(t, "train", "-valid", c.valid, c.data, t.TempDir()+"/model")
		if !strings.Contains(told, c.want) || c.want == "" && strings.Contains(told, unlike) {
			t.Errorf("%s: %s\nlacks %q", c.valid, told, c.want)
		}
	}
}

// Rows of weight 0 may have labels that the model does not know.
func TestEvalWeights(t *testing.T) {
	for _, c := range []struct {
		name, flags string
		classes     int
	}{
		{"two classes", "-loss log", 2}, {"three classes", "-proba -multiclass ovr", 3},
		{"pairs", "-proba -multiclass ovo", 3}, {"joint", "-multiclass crammer-singer", 3},
		{"kernel", "-kernel rbf", 2}, {"numbers", "-loss squared", 0},
		{"a tube", "-loss eps-insensitive", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, weights, copies := weightedRows(120, c.classes)
			model := filepath.Join(t.TempDir(), "model")
			must(t, append(strings.Fields("train -quiet "+c.flags), file(t, "a.svm", data),
				model)...)
			if c.classes > 0 {
				data, weights = data+"17 1:1\n", append(weights, 0)
			}
			path, weightFile := filepath.Join(t.TempDir(), "json"), file(t, "weights", lines(weights))
			printed, _ := must(t, "eval", "-json", path, "-weights", weightFile,
				file(t, "b.svm", data), model)
			have := report(t, path)
			of, _ := evalOf(t, file(t, "c.svm", copies), model)
			if sum := have["weight"]; sum != of["rows"] {
				t.Errorf("the sum of the weights is %v, want %v, the number of copies",
					sum, of["rows"])
			}
			for key, want := range of {
				if key != "rows" && !nearly(have[key], want) {
					t.Errorf("%s: %v, for copies %v", key, have[key], want)
				}
			}
			if c.classes > 0 && !strings.Contains(printed, fmt.Sprint(" of ", of["rows"], ")")) {
				t.Errorf("printed:\n%s", printed)
			}
		})
	}
}

func nearly(a, b any) bool {
	switch b := b.(type) {
	case float64:
		v, ok := a.(float64)
		return ok && math.Abs(v-b) <= 1e-9*(1+math.Abs(b))
	case []any:
		v, ok := a.([]any)
		if !ok || len(v) != len(b) {
			return false
		}
		for i := range b {
			if !nearly(v[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		v, ok := a.(map[string]any)
		if !ok || len(v) != len(b) {
			return false
		}
		for key := range b {
			if !nearly(v[key], b[key]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func TestTrainWeights(t *testing.T) {
	for _, classes := range []int{2, 3, 0} {
		data, weights, copies := weightedRows(150, classes)
		rows, repeated := file(t, "a.svm", data), file(t, "b.svm", copies)
		own := file(t, "weights", lines(weights))
		model, path := filepath.Join(t.TempDir(), "model"), filepath.Join(t.TempDir(), "json")
		must(t, "train", "-lambda", "0.01", "-json", path, "-weights", own, "-valid", rows,
			"-valid-weights", own, "-plot", filepath.Join(t.TempDir(), "a.svg"), rows, model)
		r := report(t, path)
		of, _ := evalOf(t, repeated, model)
		fit, metric := "training_accuracy", "accuracy"
		if classes == 0 {
			fit, metric = "training_r2", "r2"
		}
		if have := r["fit"].(map[string]any)[fit]; !nearly(have, of[metric]) {
			t.Errorf("%d classes: %s %v, for copies %v", classes, fit, have, of[metric])
		}
		if classes == 0 {
			metric = "rmse"
		}
		valid := r["validation"].(map[string]any)
		curve := r["curve"].([]any)
		last := curve[len(curve)-1].(map[string]any)
		for _, v := range []any{valid["value"], last["train"], last["valid"]} {
			if !nearly(v, of[metric]) && math.Abs(v.(float64)-of[metric].(float64)) > 1e-6 {
				t.Errorf("%d classes: %s %v, for copies %v", classes, metric, v, of[metric])
			}
		}
	}
	data := file(t, "a.svm", "1 1:1\n2 1:2\n2 1:3\n")
	fails(t, exitUsage, "-valid-weights", "train", "-valid-weights", data, data)
	fails(t, anyFailure, "4 weights for 3 rows", "train", "-valid", data, "-valid-weights",
		file(t, "four", "1\n1\n1\n1\n"), data, filepath.Join(t.TempDir(), "m"))
	fails(t, exitUsage, "-kernel", "train", "-kernel", "rbf", "-weights", data, data)
}

// The encoder and the sigmoids are not fitted to rows of weight 0.
func TestTableWeightZero(t *testing.T) {
	g := rand.New(rand.NewPCG(11, 12))
	all, rest, weights := "age,town,y\n", "age,town,y\n", []float32{}
	for range 200 {
		age, town, y, w := "", "north", "no", float32(g.IntN(3))
		if g.IntN(5) > 0 {
			age = fmt.Sprint(20 + g.IntN(50) + 1000*int(1-min(1, w)))
		}
		if g.IntN(2) == 0 {
			town, y = "south", "yes"
		}
		if w == 0 {
			town = "nowhere"
		}
		line := fmt.Sprintf("%s,%s,%s\n", age, town, y)
		all, weights = all+line, append(weights, w)
		if w > 0 {
			rest += line
		}
	}
	var own []float32
	for _, w := range weights {
		if w > 0 {
			own = append(own, w)
		}
	}
	hash := func(table string, weights []float32) any {
		path, model := filepath.Join(t.TempDir(), "json"), filepath.Join(t.TempDir(), "model")
		own, data := file(t, "weights", lines(weights)), file(t, "table.csv", table)
		must(t, "train", "-proba", "-json", path, "-weights", own, data, model)
		out, _ := must(t, "verify", "-sigmoids", "-weights", own, model, data)
		if !strings.Contains(out, "\nthe folds, trained again, give the model's sigmoids\n") {
			t.Errorf("verify does not say that the sigmoids are confirmed: %s", out)
		}
		return report(t, path)["model_hash"]
	}
	if have, want := hash(all, weights), hash(rest, own); have != want {
		t.Errorf("hash %v, without the rows of weight 0 %v", have, want)
	}
}

func TestNumbersAreReadInPart(t *testing.T) {
	data := file(t, "x.svm", toy)
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", data, model)
	many := file(t, "many", strings.Repeat("1\n", 1500))
	for _, c := range []struct{ args, want string }{
		{"eval -weights " + many + " " + data + " " + model,
			"many:1005: more than 1004 weights for 4 rows"},
		{"train -max-bytes 2000 -weights " + many + " " + data, "many: longer than -max-bytes 2000"},
		{"train -multiclass crammer-singer -costs " + many + " " + data,
			"many:1002: more than 1001 lines, but the first line has 1 cost"},
		{"train -weights " + file(t, "bad", "1\n1\nx\n") + " " + data, `bad:3: "x" is not a weight`},
		{"train -weights " + file(t, "one", "0\n1\n1\n") + " " + file(t, "y.svm", "2 1:1\n1 1:1\n1 1:2\n"),
			"y.svm: all labels are 1 (2 rows of a weight above 0): want two or more classes"},
		{"train -weights " + file(t, "few", "1\n0\n1\n") + " " +
			file(t, "y.svm", "2 1:1\n1 1:1\n1 1:2\n"),
			"y.svm: each of the 2 classes, such as 1, has one row of a weight above 0: predict"},
	} {
		fails(t, exitError, c.want, strings.Fields(c.args)...)
	}
	gaps := file(t, "gaps.csv", "x,pet\n1,cat\n5,\n2,dog\n3,cat\n4,dog\n")
	five, four := file(t, "five", "1\n9\n1\n2\n1\n"), file(t, "four", "1\n1\n1\n1\n")
	must(t, "train", "-quiet", "-force", "-missing", "drop", "-weights", five, "-valid", gaps,
		"-valid-weights", five, gaps, model)
	for _, args := range []string{
		"train -missing drop -weights " + four + " " + gaps,
		"train -missing drop -valid " + gaps + " -valid-weights " + four + " " + gaps,
		"cv -missing drop -weights " + four + " " + gaps,
		"eval -missing drop -weights " + four + " " + gaps + " " + model,
		"verify -weights " + four + " " + model + " " + gaps,
	} {
		fails(t, exitError, "four: 4 weights for 5 rows", strings.Fields(args)...)
	}
	other := file(t, "other.csv", "x,pet\n1,cat\n5,\n2,dog\n3,\n4,emu\n")
	fails(t, exitError, "other.csv: row 4, counted from 0: the label emu is not a class of the model",
		"train", "-missing", "drop", "-start", model, other)
	// -max-bytes counts line ends, too: otherwise a limit could cut off the last number.
	for _, text := range []string{"1\n2\n3.25", "1\n2\n3.25\n", "1\r\n2\r\n3.25\r\n"} {
		name, sum := file(t, "numbers", text), 0.0
		add := func(numbers []float64) error { sum += numbers[0]; return nil }
		if err := readNumbers(name, "number", int64(len(text)), add); err != nil || sum != 6.25 {
			t.Errorf("%q: sum %v, %v", text, sum, err)
		}
		for short := 1; short < len(text); short++ {
			if err := readNumbers(name, "number", int64(short), add); err == nil {
				t.Errorf("%q is read with -max-bytes %d", text, short)
			}
		}
	}
}

func TestFewRowsOfWeight(t *testing.T) {
	data := file(t, "a.svm", strings.Repeat("1 1:1 2:2\n2 1:-1 2:3\n", 60))
	for rows, warns := range map[int]bool{99: true, 100: false} {
		weights := file(t, "w", strings.Repeat("1\n", rows)+strings.Repeat("0\n", 120-rows))
		_, told := must(t, "train", "-weights", weights, data, filepath.Join(t.TempDir(), "m.model"))
		if strings.Contains(told, "warning: 99 rows: too few") != warns {
			t.Errorf("%d rows of a weight above 0: %s", rows, told)
		}
	}
}

func TestNoRowCounts(t *testing.T) {
	data := file(t, "data.csv", "a,b,y\n1,2,p\n4,1,q\n3,1,p\n1,5,q\n")
	gaps := file(t, "gaps.csv", "a,b,y\n1,2,p\n4,1\n3,1,\n1,5,\n2,2,\n")
	unlabeled := file(t, "unlabeled.csv", "a,b,y\n1,2,\n4,1,\n")
	zeros, first := file(t, "zeros", "0\n0\n0\n0\n"), file(t, "first", "0\n1\n1\n1\n")
	two := file(t, "two", "1\n1\n")
	model := filepath.Join(t.TempDir(), "model")
	train := []string{"train", "-multiclass", "ovr", "-lambda", "0.1"}
	must(t, append(train, data, model)...)
	for _, c := range []struct{ args, want string }{
		{"train -weights " + zeros + " " + data, "zeros: want a weight above 0"},
		{"train -missing drop -weights " + first + " " + gaps, "gaps.csv: no row has a label and a "},
		{"train -missing drop -valid " + gaps + " -valid-weights " + first + " -multiclass ovr " + data,
			"first: no row to validate with has a weight above 0"},
		{"eval " + unlabeled + " " + model, "unlabeled.csv: no rows with a label to evaluate"},
		{"eval -weights " + zeros + " " + data + " " + model, "zeros: want a weight above 0"},
		{"eval -weights " + two + " " + unlabeled + " " + model, "with a label and a weight above 0 to"},
	} {
		fails(t, exitError, c.want, strings.Fields(c.args)...)
	}
	_, told := must(t, append(train, "-missing", "drop", "-valid", gaps, data, model)...)
	if !strings.Contains(told, "warning: gaps.csv: line 3: a row has too few or too many cells") {
		t.Error(told)
	}
}

func TestTrainingFitIsNotFinite(t *testing.T) {
	data := file(t, "large.svm", "1 1:1 2:2\n2 1:2 2:1\n3 1:3 2:5\n4 1:5 2:3e38\n5 1:4 2:2\n")
	_, told := must(t, "train", "-scale", "unit", "-loss", "squared", data,
		filepath.Join(t.TempDir(), "model"))
	if !strings.Contains(told, "\ntraining R^2 NaN; a prediction is not finite\n") {
		t.Error(told)
	}
}
