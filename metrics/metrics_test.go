package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if d := got - want; !(math.Abs(d) <= 1e-15*math.Abs(want)) &&
		!(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Class 2 is never predicted, and class 3 neither has rows nor is predicted.
func TestConfusionAndClasses(t *testing.T) {
	truth := []int{0, 0, 0, 0, 1, 1, 2}
	predicted := []int{0, 0, 0, 1, 1, 0, 1}
	counts := Confusion(truth, predicted, nil, 4)
	want := [][]float64{{3, 1, 0, 0}, {1, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}
	if !slices.EqualFunc(counts, want, slices.Equal[[]float64]) {
		t.Fatalf("confusion %v, want %v", counts, want)
	}
	nan := math.NaN()
	wantClasses := []Class{
		{3. / 4, 3. / 4, 3. / 4, 4},
		{1. / 3, 1. / 2, 2. / 5, 2},
		{nan, 0, 0, 1},
		{nan, nan, nan, 0},
	}
	classes := Classes(counts)
	if direct := ByClass(truth, predicted, nil, 4); fmt.Sprint(direct) != fmt.Sprint(classes) {
		t.Errorf("%v without the matrix, %v with it", direct, classes)
	}
	for k, c := range classes {
		w := wantClasses[k]
		same(t, "precision", c.Precision, w.Precision)
		same(t, "recall", c.Recall, w.Recall)
		same(t, "F1", c.F1, w.F1)
		if c.Support != w.Support {
			t.Errorf("class %d has support %v, want %v", k, c.Support, w.Support)
		}
	}
	m := Macro(classes)
	same(t, "macro precision", m.Precision, (3./4+1./3)/3)
	same(t, "macro recall", m.Recall, (3./4+1./2)/3)
	same(t, "macro F1", m.F1, (3./4+2./5)/3)
	if m.Support != 7 {
		t.Errorf("the total support is %v, want 7", m.Support)
	}
	// The third class has no rows.
	if b := BalancedAccuracy(Classes([][]float64{{3, 1, 0}, {1, 1, 0}, {0, 0, 0}})); b != 0.625 {
		t.Errorf("balanced accuracy %v, want 0.625", b)
	}
	// Class 1 is predicted but has no rows: its undefined recall counts as 0 in the mean.
	m = Macro(Classes([][]float64{{1, 1}, {0, 0}}))
	same(t, "precision", m.Precision, 0.5)
	same(t, "recall", m.Recall, 0.25)
}

func TestAccuracy(t *testing.T) {
	same(t, "positions", Accuracy([]int{0, 1, 2}, []int{0, 1, 1}, nil), 2./3)
	same(t, "labels", Accuracy([]float32{-1, 1}, []float32{-1, 1}, nil), 1)
	same(t, "no rows", Accuracy[string](nil, nil, nil), math.NaN())
}

func TestRanking(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	const y, n = true, false
	for _, c := range []struct {
		name    string
		scores  []float64
		truth   []bool
		auc, ap float64
	}{
		{"perfect", []float64{1, 2, 3, 4}, []bool{n, n, y, y}, 1, 1},
		{"reversed", []float64{1, 2, 3, 4}, []bool{y, y, n, n}, 0, (1./3 + 2./4) / 2},
		// scikit-learn's example
		{"example", []float64{0.1, 0.4, 0.35, 0.8}, []bool{n, n, y, y}, 3. / 4, (1 + 2./3) / 2},
		{"all equal", []float64{5, 5, 5, 5}, []bool{y, n, n, n}, 1. / 2, 1. / 4},
		// Against the negative scores 1, 2 and 0, the positive score 2 counts 1 + 1/2 + 1 and the
		// positive score 1 counts 1/2 + 0 + 1: 4 of 6 pairs. The precision is 1/2 at score 2 and
		// 2/4 at score 1.
		{"ties", []float64{2, 1, 1, 2, 0}, []bool{y, y, n, n, n}, 4. / 6, (1./2 + 2./4) / 2},
		{"zeros of both signs", []float64{0, math.Copysign(0, -1)}, []bool{y, n}, 1. / 2, 1. / 2},
		{"infinite", []float64{inf, -inf, 0}, []bool{y, n, n}, 1, 1},
		{"positive only", []float64{1, 2}, []bool{y, y}, nan, 1},
		{"negative only", []float64{1, 2}, []bool{n, n}, nan, nan},
		{"NaN", []float64{1, nan, 2}, []bool{y, n, n}, nan, nan},
		{"no rows", nil, nil, nan, nan},
	} {
		before := slices.Clone(c.scores)
		same(t, c.name+": area", ROCAUC(c.truth, c.scores, nil), c.auc)
		same(t, c.name+": average precision", AveragePrecision(c.truth, c.scores, nil), c.ap)
		if c.name != "NaN" && !slices.Equal(c.scores, before) {
			t.Errorf("%s: the scores' order was changed", c.name)
		}
	}
}

// The definitions are evaluated without sorting, for every pair of rows and every threshold.
func TestRankingByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + r.IntN(100)
		values := 1 + r.IntN(2*n)
		scores, truth := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i], truth[i] = float64(r.IntN(values))/8, r.IntN(3) == 0
		}
		truth[0], truth[1] = true, false
		var won, pairs, positives, ap float64
		for i, a := range scores {
			if !truth[i] {
				continue
			}
			positives++
			var above, right float64
			for j, b := range scores {
				if b >= a {
					above++
					if truth[j] {
						right++
					}
				}
				if truth[j] {
					continue
				}
				pairs++
				if a > b {
					won++
				} else if a == b {
					won += 0.5
				}
			}
			ap += right / above // each positive row adds the precision at its score
		}
		auc, precision := Ranking(truth, scores, nil)
		if math.Abs(auc-won/pairs) > 1e-12 || math.Abs(precision-ap/positives) > 1e-12 {
			t.Fatalf("%d rows: area %v, average precision %v; want %v, %v",
				n, auc, precision, won/pairs, ap/positives)
		}
	}
}

func TestLogLoss(t *testing.T) {
	same(t, "log loss", LogLoss([]float64{1, 0.5, 0.25}, nil), math.Ln2)
	same(t, "impossible", LogLoss([]float64{0}, nil), 52*math.Ln2)
	same(t, "no rows", LogLoss(nil, nil), math.NaN())
}

func TestNumbers(t *testing.T) {
	truth, predicted := []float32{2, 2, 5}, []float64{1, 2, 6}
	same(t, "RMSE", RMSE(truth, predicted, nil), math.Sqrt(2./3))
	same(t, "MAE", MAE(truth, predicted, nil), 2./3)
	same(t, "R^2", R2(truth, predicted, nil), 1-2./6) // squared deviations from the mean 3: 1+1+4
	same(t, "RMSE of no error", RMSE([]float32{3, 3}, []float64{3, 3}, nil), 0)
	same(t, "R^2 of equal numbers", R2([]float32{3, 3}, []float64{3, 3}, nil), math.NaN())
	// The squared error is above 0 here, so 1 - e/e0 would be -Inf.
	same(t, "R^2 of equal numbers", R2([]float32{0.1, 0.1}, []float64{0.1, 0.3}, nil), math.NaN())
	same(t, "R^2 of equal numbers beside one of weight 0", R2([]float32{0.1, 0.1, 5},
		[]float64{0.1, 0.3, 5}, []float32{1, 2, 0}), math.NaN())
	for what, v := range map[string]float64{"RMSE": RMSE(nil, nil, nil), "MAE": MAE(nil, nil, nil),
		"R^2": R2(nil, nil, nil)} {
		same(t, what+" of no rows", v, math.NaN())
	}
}

func TestLengths(t *testing.T) {
	for name, f := range map[string]func(){
		"accuracy":  func() { Accuracy([]int{1}, nil, nil) },
		"confusion": func() { Confusion([]int{1}, nil, nil, 2) },
		"ranking":   func() { ROCAUC([]bool{true}, nil, nil) },
		"MAE":       func() { MAE([]float32{1}, nil, nil) },
		"RMSE":      func() { RMSE([]float32{1}, nil, nil) },
		"R^2":       func() { R2([]float32{1, 2}, nil, nil) },
		"weights":   func() { Accuracy([]int{1}, []int{1}, []float32{1, 1}) },
		"log loss":  func() { LogLoss([]float64{1}, []float32{1, 1}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				have := fmt.Sprint(recover())
				if !strings.HasPrefix(have, "pegasimd: len(truth) = ") {
					t.Error(have)
				}
			}()
			f()
		})
	}
}

// A row of integer weight w must count as w copies, within rounding, and a row of weight 0 must be
// ignored. Weights of 1 must give the bits of nil weights.
func TestWeightsAreCopies(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 8))
	measure := func(class, predicted []int, score, p []float64, y, weights []float32) []float64 {
		truth := make([]bool, len(class))
		for i, c := range class {
			truth[i] = c == 1
		}
		auc, precision := Ranking(truth, score, weights)
		all := []float64{
			Accuracy(class, predicted, weights), ROCAUC(truth, score, weights),
			AveragePrecision(truth, score, weights), auc, precision, LogLoss(p, weights),
			RMSE(y, score, weights), MAE(y, score, weights), R2(y, score, weights),
		}
		classes := Classes(Confusion(class, predicted, weights, 3))
		for _, c := range append(classes, Macro(classes)) {
			all = append(all, c.Precision, c.Recall, c.F1, c.Support)
		}
		return append(all, BalancedAccuracy(classes))
	}
	for range 100 {
		n := 30 + g.IntN(100)
		class, predicted := make([]int, n), make([]int, n)
		score, p := make([]float64, n), make([]float64, n)
		y, weights := make([]float32, n), make([]float32, n)
		for i := range n {
			class[i], predicted[i], p[i] = g.IntN(3), g.IntN(3), g.Float64()
			score[i], y[i], weights[i] = float64(g.IntN(20))/8, float32(g.IntN(9)), float32(g.IntN(4))
		}
		once := measure(class, predicted, score, p, y, nil)
		ones := measure(class, predicted, score, p, y, slices.Repeat([]float32{1}, n))
		if !slices.Equal(once, ones) {
			t.Fatalf("with weights of 1 %v, want %v", ones, once)
		}
		var rows []int
		for i, w := range weights {
			for range int(w) {
				rows = append(rows, i)
			}
		}
		copies := measure(take(class, rows), take(predicted, rows), take(score, rows),
			take(p, rows), take(y, rows), nil)
		for i, w := range weights {
			if w == 0 {
				class[i], score[i], y[i] = 99, math.NaN(), float32(math.Inf(1))
			}
		}
		for k, have := range measure(class, predicted, score, p, y, weights) {
			if !(math.Abs(have-copies[k]) <= 1e-12*math.Abs(copies[k])) {
				t.Fatalf("measure %d: %v with weights, %v with copies", k, have, copies[k])
			}
		}
	}
}

func take[T any](of []T, rows []int) (some []T) {
	for _, i := range rows {
		some = append(some, of[i])
	}
	return some
}

func TestClassesOutOfRange(t *testing.T) {
	for call, f := range map[string]func(){
		"Confusion: row 1: class 5, predicted as class 0, want classes from 0 and below 2": func() {
			Confusion([]int{0, 5}, []int{1, 0}, nil, 2)
		},
		"Confusion: row 0: class 0, predicted as class -1, want classes from 0 and below 2": func() {
			Confusion([]int{0}, []int{-1}, nil, 2)
		},
		"Confusion: -1 classes": func() { Confusion(nil, nil, nil, -1) },
		"ByClass: -1 classes":   func() { ByClass(nil, nil, nil, -1) },
		"Accuracy: weights[1] = NaN, want a finite number of at least 0": func() {
			Accuracy([]int{1, 2}, []int{1, 2}, []float32{0, float32(math.NaN())})
		},
		"RMSE: weights[0] = -1, want a finite number of at least 0": func() {
			RMSE([]float32{1}, []float64{1}, []float32{-1})
		},
		"Classes: row 0 of the matrix has the length 1, want 2": func() {
			Classes([][]float64{{1}, {1, 2}})
		},
	} {
		_, want, _ := strings.Cut(call, ": ")
		want = "pegasimd: " + want
		func() {
			defer func() {
				if have := recover(); have != want {
					t.Errorf("%s: the panic is %v", call, have)
				}
			}()
			f()
		}()
	}
}
