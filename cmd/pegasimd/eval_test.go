package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func modelFile(t *testing.T, loss pegasos.Loss, classes []float32, weights ...[]float32) string {
	t.Helper()
	m := &pegasos.Model{Classes: classes, Weights: weights, Lambda: 0.1, IndexBase: 1,
		Config: pegasos.Config{Loss: loss, Lambda: 0.1}.Plain()}
	path := filepath.Join(t.TempDir(), "by hand.model")
	save(t, m, path)
	return path
}

func evalOf(t *testing.T, data, model string) (numbers map[string]any, printed string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "json")
	printed, _ = must(t, "eval", "-json", path, data, model)
	return report(t, path), printed
}

// A key of numbers is a path of keys and indices in the report; NaN stands for null.
func want(t *testing.T, r map[string]any, numbers map[string]float64) {
	t.Helper()
	for path, want := range numbers {
		var v any = r
		for _, key := range strings.Split(path, ".") {
			switch in := v.(type) {
			case map[string]any:
				v = in[key]
			case []any:
				var i int
				fmt.Sscan(key, &i)
				v = in[i]
			}
		}
		got, ok := v.(float64)
		if math.IsNaN(want) && v != nil || !math.IsNaN(want) &&
			(!ok || math.Abs(got-want) > 1e-12) {
			t.Errorf("%s: %v, want %v", path, v, want)
		}
	}
}

func TestEvalNumbersOfTwoClasses(t *testing.T) {
	data := file(t, "two.svm", "1 1:2\n1 1:1\n-1 1:1\n-1 1:2\n-1\n") // scores 2 1 1 2 0
	logistic := func(z float64) float64 { return math.Log(1 + math.Exp(-z)) }
	loss := (logistic(2) + logistic(1) + logistic(-1) + logistic(-2) + logistic(0)) / 5
	r, printed := evalOf(t, data, modelFile(t, pegasos.Log, []float32{-1, 1}, []float32{1}))
	want(t, r, map[string]float64{
		"accuracy": 3. / 5, "roc_auc": 4. / 6, "average_precision": 1. / 2,
		"log_loss": loss, "mean_loss": loss, "penalty": 0.05, "objective": 0.05 + loss,
		"classes.0.precision": 1, "classes.0.recall": 1. / 3, "classes.0.f1": 1. / 2,
		"classes.0.support":   3,
		"classes.1.precision": 1. / 2, "classes.1.recall": 1, "classes.1.f1": 2. / 3,
		"classes.1.support": 2,
		"classes.0.roc_auc": 4. / 6, "classes.0.average_precision": (1 + 2./3 + 3./5) / 3,
		"macro.precision": 3. / 4, "macro.recall": 2. / 3, "macro.f1": 7. / 12, "macro.support": 5,
		"rmse": math.NaN(), "mae": math.NaN(), "r2": math.NaN(),
	})
	for _, text := range []string{"accuracy 60.0000 % (3 of 5)", "ROC-AUC 0.666667", "for class 1",
		"log loss", "= penalty 0.05 + mean loss", "macro"} {
		if !strings.Contains(printed, text) {
			t.Errorf("eval prints no %q:\n%s", text, printed)
		}
	}
	r, printed = evalOf(t, data, modelFile(t, pegasos.Hinge, []float32{-1, 1}, []float32{1}))
	want(t, r, map[string]float64{"log_loss": math.NaN(), "mean_loss": (2 + 3 + 1.) / 5,
		"roc_auc": 4. / 6})
	if strings.Contains(printed, "log loss") {
		t.Errorf("a model of the hinge loss has a log loss:\n%s", printed)
	}
}

func TestEvalOneClassOnly(t *testing.T) {
	r, printed := evalOf(t, file(t, "one.svm", "1 1:2\n1 1:1\n"),
		modelFile(t, pegasos.Log, []float32{-1, 1}, []float32{1}))
	want(t, r, map[string]float64{
		"accuracy": 1, "roc_auc": math.NaN(), "average_precision": 1,
		"classes.0.precision": math.NaN(), "classes.0.recall": math.NaN(),
		"classes.0.f1":      math.NaN(),
		"classes.0.support": 0, "classes.0.roc_auc": math.NaN(),
		"classes.0.average_precision": math.NaN(),
		"macro.f1":                    1, "macro.support": 2,
	})
	if !strings.Contains(printed, "ROC-AUC none") || strings.Contains(printed, "NaN") {
		t.Errorf("eval prints:\n%s", printed)
	}
}

func TestEvalNumbersOfThreeClasses(t *testing.T) {
	// The scores of a row are its features. The third class is not in the data.
	data := file(t, "three.svm", "0 1:3 2:1 3:-1\n0 1:1 2:2 3:-1\n1 1:1 2:4 3:-1\n1 1:2 2:2 3:-1\n")
	r, printed := evalOf(t, data, modelFile(t, pegasos.Log, []float32{0, 1, 2}, []float32{1, 0, 0},
		[]float32{0, 1, 0}, []float32{0, 0, 1}))
	sigmoid := func(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
	var loss float64
	// the scores of the true class and of the other of the first two classes
	for _, row := range [][]float64{{3, 1}, {1, 2}, {4, 1}, {2, 2}} {
		loss -= math.Log(sigmoid(row[0])/(sigmoid(row[0])+sigmoid(row[1])+sigmoid(-1))) / 4
	}
	want(t, r, map[string]float64{
		"accuracy": 1. / 2, "log_loss": loss,
		// The scores of class 0 are 3 and 1 in rows of the class, and 1 and 2 in other rows. For
		// class 1 they are 4 and 2, and 1 and 2.
		"classes.0.roc_auc": (2 + 0.5) / 4, "classes.1.roc_auc": (2 + 1.5) / 4,
		"classes.2.roc_auc": math.NaN(),
		"roc_auc":           (2.5/4 + 3.5/4) / 2, "penalty": 0.05,
		"classes.0.average_precision": (1 + 2./4) / 2,
		"classes.1.average_precision": (1 + 2./3) / 2,
		"average_precision":           ((1+2./4)/2 + (1+2./3)/2) / 2,
	})
	if !strings.Contains(printed, "each against the rest") {
		t.Errorf("eval prints:\n%s", printed)
	}
	r, printed = evalOf(t, file(t, "four.svm", "0 1:3\n7 2:1\n"),
		modelFile(t, pegasos.Log, []float32{0, 1, 2}, []float32{1, 0, 0}, []float32{0, 1, 0},
			[]float32{0, 0, 1}))
	want(t, r, map[string]float64{"accuracy": 0.5, "roc_auc": math.NaN(), "log_loss": math.NaN(),
		"objective": math.NaN(), "classes.3.recall": 0})
	if !strings.Contains(printed, "does not know") || strings.Contains(printed, "NaN") {
		t.Errorf("eval prints:\n%s", printed)
	}
}

func TestEvalNumbersOfRegression(t *testing.T) {
	data := file(t, "numbers.svm", "2 1:1\n2 1:2\n5 1:6\n")
	r, printed := evalOf(t, data, modelFile(t, pegasos.EpsInsensitive, nil, []float32{1}))
	want(t, r, map[string]float64{
		"rmse": math.Sqrt(2. / 3), "mae": 2. / 3, "r2": 1 - 2./6, "mean_loss": 2. / 3,
		"penalty": 0.05, "objective": 0.05 + 2./3,
		"accuracy": math.NaN(), "roc_auc": math.NaN(),
	})
	if !strings.Contains(printed, "RMSE 0.816497, MAE 0.666667, R^2 0.666667 on 3 rows\n") {
		t.Errorf("eval prints:\n%s", printed)
	}
	r, printed = evalOf(t, file(t, "equal.svm", "2 1:1\n2 1:2\n"),
		modelFile(t, pegasos.EpsInsensitive, nil, []float32{1}))
	want(t, r, map[string]float64{"r2": math.NaN(), "mae": 0.5})
	if !strings.Contains(printed, "R^2 none") {
		t.Errorf("eval prints:\n%s", printed)
	}
}

func TestEvalMulticlass(t *testing.T) {
	dir := t.TempDir()
	kinds := []string{"ovo", "ovr -proba", "ovo -loss log", "ovr", "crammer-singer", "ovo -proba",
		"crammer-singer -proba", "ovr -loss log", "multinomial -loss log"}
	if testing.Short() {
		kinds = kinds[:3]
	}
	for _, flags := range kinds {
		must(t, append([]string{"train", "-quiet", "-epochs", "3", "-json", dir + "/json", digits,
			dir + "/model", "-multiclass"}, strings.Fields(flags)...)...)
		e, printed := evalOf(t, digits, dir+"/model")
		run := report(t, dir+"/json")
		if e["accuracy"].(float64) < 0.9 || e["roc_auc"].(float64) < 0.98 ||
			e["average_precision"].(float64) < 0.9 {
			t.Errorf("%s: %s", flags, printed)
		}
		if d := e["objective"].(float64)/run["objective"].(float64) - 1; math.Abs(d) > 1e-6 ||
			math.Abs(e["penalty"].(float64)+e["mean_loss"].(float64)-
				e["objective"].(float64)) > 1e-12 {
			t.Errorf("%s: objective %v, in training %v", flags, e["objective"], run["objective"])
		}
		scores, _ := must(t, "predict", "-quiet", "-scores", digits, dir+"/model")
		if lines := strings.Split(scores, "\n"); strings.Count(lines[0], "\t") != 10 ||
			strings.Count(lines[1], "\t") != 10 {
			t.Errorf("%s: scores begin with %q, %q", flags, lines[0], lines[1])
		}
		if want := strings.Contains(flags, " "); (e["log_loss"] != nil) != want || want &&
			e["log_loss"].(float64) > 0.6 {
			t.Errorf("%s: log loss %v", flags, e["log_loss"])
		}
	}
	must(t, "train", "-quiet", "-epochs", "1", digits, dir+"/model", "-multiclass", "ovo")
	pairs := file(t, "pairs.svm", strings.Repeat("1 1:1\n2 2:1\n3 3:1\n2 2:2\n", 3))
	must(t, "train", "-quiet", "-multiclass", "ovo", "-c", "2", pairs, dir+"/pairs")
	weights := file(t, "weights", strings.Repeat("2\n", 12))
	printed, _ := must(t, "eval", "-weights", weights, "-plot", dir+"/pairs.svg", pairs, dir+"/pairs")
	if picture := read(t, dir+"/pairs.svg"); !strings.Contains(printed, ", at C 2 in each pair\n") ||
		!strings.Contains(picture, "accuracy 100.00 % of a weight of 24") {
		t.Errorf("one-vs-one: %s%s", printed, picture)
	}
	must(t, "train", "-quiet", "-class-weight", "balanced", "-lambda", "1", pairs, dir+"/pairs")
	if printed, _ := must(t, "eval", pairs, dir+"/pairs"); !strings.Contains(printed,
		", at lambda 1, without -class-weight\n") {
		t.Errorf("weights of classes: %s", printed)
	}
	zeros := file(t, "zeros.csv", strings.Repeat("0,", 64)+"0\n"+strings.Repeat("1,", 64)+"1\n")
	if e, printed := evalOf(t, zeros, dir+"/model"); e["objective"] != nil ||
		!strings.Contains(printed, "two or more of the classes have no rows") || strings.Contains(printed,
		"NaN") {
		t.Errorf("data without some classes: %s", printed)
	}
}

func TestEvalKernel(t *testing.T) {
	data, dir := file(t, "ring.svm", ring), t.TempDir()
	must(t, "train", "-quiet", "-kernel", "rbf", "-gamma", "1", "-lambda", "0.01", data,
		dir+"/ring")
	e, printed := evalOf(t, data, dir+"/ring")
	want(t, e, map[string]float64{"accuracy": 1, "roc_auc": 1, "average_precision": 1,
		"macro.f1": 1, "classes.0.roc_auc": 1,
		"objective": math.NaN(), "penalty": math.NaN(), "rmse": math.NaN(), "mae": math.NaN(),
		"log_loss": math.NaN()})
	if strings.Contains(printed, "objective") || strings.Contains(printed, "NaN") {
		t.Errorf("eval prints:\n%s", printed)
	}
	three := file(t, "three.csv",
		"0,0,red\n0.1,0,red\n5,5,green\n5,5.1,green\n9,0,blue\n9,0.1,blue\n")
	for _, multiclass := range []string{"ovo", "ovr"} {
		must(t, "train", "-quiet", "-kernel", "rbf", "-gamma", "0.1", "-multiclass", multiclass,
			three, dir+"/three")
		must(t, "eval", "-quiet", "-plot", dir+"/three.svg", three, dir+"/three")
		e, _ := evalOf(t, three, dir+"/three")
		want(t, e, map[string]float64{"accuracy": 1, "roc_auc": 1,
			"classes.2.average_precision": 1})
	}
	fails(t, exitUsage, "kernel", "predict", "-proba", data, dir+"/ring")
	other := file(t, "other.svm", ring+"3 1:1\n")
	if e, printed := evalOf(t, other, dir+"/ring"); e["roc_auc"] != nil ||
		!strings.Contains(printed, "does not know") {
		t.Errorf("a label that the model does not know: %s", printed)
	}
}
