package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The rows have regression targets if classes is 0.
func scattered(t *testing.T, rows, classes int) string {
	t.Helper()
	g := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for range rows {
		x := []float64{g.NormFloat64(), g.NormFloat64(), g.NormFloat64()}
		y := x[0] + x[1]/2 + 1.2*g.NormFloat64()
		if classes > 0 {
			y = math.Max(0, math.Min(float64(classes-1), math.Floor(y+float64(classes)/2)))
		}
		fmt.Fprintf(&b, "%.4g 1:%.5g 2:%.5g 3:%.5g\n", y, x[0], x[1], x[2])
	}
	return file(t, "scattered.svm", b.String())
}

// Each score agrees, up to rounding, with the metric's definition.
func TestCVMetrics(t *testing.T) {
	for _, c := range []struct {
		metric, flags string
		classes       int
	}{
		{"accuracy", "", 2}, {"balanced-accuracy", "", 2}, {"f1", "", 2}, {"roc-auc", "", 2},
		{"average-precision", "", 2}, {"log-loss", "-loss log", 2},
		{"balanced-accuracy", "", 4}, {"f1", "-multiclass ovo", 4}, {"roc-auc", "", 4},
		{"average-precision", "-multiclass ovr", 4}, {"log-loss", "-loss log", 4},
		{"rmse", "-loss squared", 0}, {"r2", "-loss squared", 0}, {"r2", "-loss eps-insensitive", 0},
	} {
		t.Run(c.metric+c.flags, func(t *testing.T) { checkMetric(t, c.metric, c.flags, c.classes, nil) })
		t.Run("weights/"+c.metric+c.flags, func(t *testing.T) {
			weights := make([]float32, 240)
			for i := range weights {
				weights[i] = float32(i * 7 % 4)
			}
			checkMetric(t, c.metric, c.flags, c.classes, weights)
		})
	}
}

// A row of weight w counts as w copies in the metric.
func checkMetric(t *testing.T, metric, flags string, classes int, weights []float32) {
	data := scattered(t, 240, classes)
	args := append(strings.Fields(flags), "-folds", "3", "-lambdas", "0.01,1", "-metric", metric,
		"-seed", "5", "-epochs", "10")
	if weights != nil {
		args = append(args, "-weights", file(t, "weights", lines(weights)))
	}
	r, printed := cvOf(t, append(args, data)...)
	set := setOf(t, data)
	fold := pegasos.Folds(set.Y, weights, 3, 5)
	if classes == 0 {
		fold = pegasos.Folds(make([]float32, 240), weights, 3, 5)
	}
	means := map[float64]float64{}
	for _, p := range r.Grid {
		for f := range 3 {
			var train, test []int
			var own []float32
			for i := range fold {
				switch {
				case fold[i] < 0:
				case fold[i] != f:
					train = append(train, i)
					if weights != nil {
						own = append(own, weights[i])
					}
				case weights == nil:
					test = append(test, i)
				default:
					test = append(test, slices.Repeat([]int{i}, int(weights[i]))...)
				}
			}
			a, b := set.Subset(train), set.Subset(test)
			tr := pegasos.Trainer{Config: r.Config, Weights: own}
			tr.Lambda = float64(p.Lambda)
			m, err := tr.Train(t.Context(), a.Examples(), a.Y)
			if err != nil {
				t.Fatal(err)
			}
			if want := byHand(metric, m, b); math.Abs(p.Scores[f]-want) > 1e-12 {
				t.Errorf("lambda %v, fold %d: %v, want %v", p.Lambda, f, p.Scores[f], want)
			}
			means[float64(p.Lambda)] += p.Scores[f] / 3
		}
	}
	least := metric == "rmse" || metric == "log-loss"
	other := 1.01 - float64(r.Best.Lambda)
	if d := means[float64(r.Best.Lambda)] - means[other]; d < 0 && !least || d > 0 && least ||
		r.Metric != metric || !strings.Contains(printed, "best") {
		t.Errorf("best %v of %v\n%s", r.Best.Lambda, means, printed)
	}
}

func lines(numbers []float32) string {
	var b strings.Builder
	for _, v := range numbers {
		fmt.Fprintln(&b, v)
	}
	return b.String()
}

// For each fold, cv fits -scale without the fold's rows.
func TestCVScale(t *testing.T) {
	text := ""
	for i := range 120 { // the second column alone tells the label, and is tiny beside the first
		y := float64(2*(i%2) - 1)
		text += fmt.Sprintf("%v 1:%v 2:%v\n", y, 1000+float64(i*37%100), 1e-3*(y+float64(i%7)/4))
	}
	data := file(t, "scales.svm", text)
	set := setOf(t, data)
	fold, means := pegasos.Folds(set.Y, nil, 3, 5), map[string]float64{}
	for _, kind := range []string{"none", "unit", "max-abs", "standard"} {
		r, _ := cvOf(t, "-scale", kind, "-folds", "3", "-lambdas", "0.01", "-seed", "5", data)
		if string(r.Config.Scale) != kind {
			t.Errorf("%s: %+v", kind, r.Config)
		}
		for f := range 3 {
			var train, test []int
			for i := range fold {
				if fold[i] == f {
					test = append(test, i)
				} else {
					train = append(train, i)
				}
			}
			var rest strings.Builder
			if err := dataset.WriteSvmlight(&rest, set.Subset(train)); err != nil {
				t.Fatal(err)
			}
			a, b := file(t, "a.svm", rest.String()), set.Subset(test)
			model := filepath.Join(t.TempDir(), "model")
			must(t, "train", "-quiet", "-scale", kind, "-lambda", "0.01", "-seed", "5", a, model)
			m := modelOf(t, model)
			want := byHand("accuracy", m, b)
			if math.Abs(r.Best.Scores[f]-want) > 1e-12 {
				t.Errorf("%s, fold %d: %v, want %v", kind, f, r.Best.Scores[f], want)
			}
		}
		means[kind] = float64(r.Best.Mean)
	}
	if means["standard"] < 0.99 || means["none"] > 0.9 {
		t.Errorf("%v", means)
	}
}

// Each class of the model occurs in the rows.
func byHand(metric string, m *pegasos.Model, set *dataset.Set) float64 {
	n, k := set.Rows(), len(m.Classes)
	var scores [][]float64
	for i := range n {
		z := m.Decision(set.Examples(), i, nil)
		if k > 0 {
			z = m.ClassScores(z, nil)
		}
		scores = append(scores, slices.Clone(z))
	}
	labels := m.PredictAll(set.Examples())
	overClasses := func(of func(class float32, k int) float64) (sum float64) {
		if k == 2 && metric != "balanced-accuracy" {
			return of(m.Classes[1], 1)
		}
		for j, c := range m.Classes {
			sum += of(c, j) / float64(k)
		}
		return sum
	}
	switch metric {
	case "accuracy", "balanced-accuracy", "f1":
		count := func(of func(y, p float32) bool) (sum float64) {
			for i, y := range set.Y {
				if of(y, labels[i]) {
					sum++
				}
			}
			return sum
		}
		if metric == "accuracy" {
			return count(func(y, p float32) bool { return y == p }) / float64(n)
		}
		return overClasses(func(c float32, _ int) float64 {
			right := count(func(y, p float32) bool { return y == c && p == c })
			all := count(func(y, _ float32) bool { return y == c })
			if metric == "f1" {
				return 2 * right / (all + count(func(_, p float32) bool { return p == c }))
			}
			return right / all
		})
	case "roc-auc":
		return overClasses(func(c float32, j int) float64 {
			var right, pairs float64
			for i, y := range set.Y {
				for l, v := range set.Y {
					if y == c && v != c {
						pairs++
						if a, b := scores[i][j], scores[l][j]; a > b {
							right++
						} else if a == b {
							right += 0.5
						}
					}
				}
			}
			return right / pairs
		})
	case "average-precision":
		return overClasses(func(c float32, j int) float64 {
			var sum, all float64
			for i, y := range set.Y {
				if y != c {
					continue
				}
				all++
				var above, right float64
				for l, v := range set.Y {
					if scores[l][j] >= scores[i][j] {
						above++
						if v == c {
							right++
						}
					}
				}
				sum += right / above
			}
			return sum / all
		})
	case "log-loss":
		var sum float64
		for i, y := range set.Y {
			p := m.Probabilities(m.Decision(set.Examples(), i, nil), nil)
			sum -= math.Log(p[slices.Index(m.Classes, y)])
		}
		return sum / float64(n)
	}
	var mean, squares, all float64
	for _, y := range set.Y {
		mean += float64(y) / float64(n)
	}
	for i, y := range set.Y {
		squares += math.Pow(float64(labels[i])-float64(y), 2)
		all += math.Pow(float64(y)-mean, 2)
	}
	if metric == "rmse" {
		return math.Sqrt(squares / float64(n))
	}
	return 1 - squares/all
}

func TestRanges(t *testing.T) {
	r, _ := cvOf(t, "-folds", "2", "-lambdas", "1e-4:1:5", "-epochs", "1", scattered(t, 20, 2))
	var have []float64
	for _, p := range r.Grid {
		have = append(have, float64(p.Lambda))
	}
	if !slices.Equal(have, []float64{1, 0.1, 0.01, 0.001, 0.0001}) {
		t.Errorf("%v", have)
	}
}

func TestKernelMetrics(t *testing.T) {
	data := scattered(t, 120, 2)
	args := []string{"-kernel", "rbf", "-folds", "2", "-cs", "1,10"}
	scores := map[string]float64{}
	for _, metric := range []string{"accuracy", "balanced-accuracy", "f1"} {
		path := t.TempDir() + "/json"
		must(t, append(append([]string{"cv", "-metric", metric, "-json", path}, args...), data)...)
		r := report(t, path)
		scores[metric] = r["best"].(map[string]any)["mean"].(float64)
		if r["metric"] != metric || !(scores[metric] > 0.6) || scores[metric] >= 1 {
			t.Errorf("%s: %v", metric, r)
		}
	}
	if scores["accuracy"] == scores["f1"] {
		t.Errorf("accuracy and f1 are equal: %v", scores)
	}
	args = append([]string{"cv", "-metric", "roc-auc", data}, args...)
	fails(t, exitUsage, "cv -kernel has no ", args...)
}
