package trials

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func newTrial(t *testing.T, values, labels, weights []float32) *trial {
	t.Helper()
	x := dense.New(len(values), 1)
	for i, v := range values {
		x.Row(i)[0] = v
	}
	set, err := store.NewSet(x, labels, store.SetOptions{Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{job: engine.Job{Rows: set}, search: &choose.Search{Folds: choose.Parts, Rows: len(labels)}}
	tr.assignParts()
	return tr
}

func TestAssignParts(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	var values, labels []float32
	for i := range 300 {
		v := float32(i + 1)
		for range 1 + i%3 {
			values, labels = append(values, v), append(labels, float32(i%2))
		}
	}
	tr := newTrial(t, values, labels, nil)
	of := map[float32]int32{}
	rowsOf := map[[2]int]int{}
	for i, v := range values {
		p := tr.part[i]
		if was, known := of[v]; known && was != p || p < 0 || p >= choose.Parts {
			t.Fatalf("row %d, %v, is in part %d, and an equal row in part %d", i, v, p, was)
		}
		of[v] = p
		rowsOf[[2]int{int(p), int(labels[i])}]++
	}
	for part, n := range rowsOf {
		if n < 45 || n > 75 {
			t.Errorf("%d rows in part and class %v", n, part)
		}
	}
	order := g.Perm(len(values))
	var turned, turnedLabels []float32
	for _, i := range order {
		turned, turnedLabels = append(turned, values[i]), append(turnedLabels, labels[i])
	}
	again := newTrial(t, turned, turnedLabels, nil)
	for k, i := range order {
		if again.part[k] != tr.part[i] {
			t.Fatalf("row %d is in part %d, but in part %d if the rows have another order",
				i, tr.part[i], again.part[k])
		}
	}
}

func TestAssignPartsOfFew(t *testing.T) {
	var values, labels, weights []float32
	for i := range 200 {
		values, labels = append(values, float32(i+1)), append(labels, float32(i%2))
		weights = append(weights, float32(i%5))
	}
	labels[7] = 2
	tr := newTrial(t, values, labels, weights)
	for i, p := range tr.part {
		switch {
		case weights[i] == 0 && (p != absent || p >= 0 || p == store.NeverDealt):
			t.Errorf("row %d of weight 0 is in part %d", i, p)
		case i == 7 && (p != store.NeverDealt || p >= 0):
			t.Errorf("the only row of its class is in part %d", p)
		case weights[i] > 0 && i != 7 && (p < 0 || p >= choose.Parts):
			t.Errorf("row %d is in part %d", i, p)
		}
	}
}

func TestBest(t *testing.T) {
	const n = 100
	c := &candidate{path: &choose.Path{Lambdas: make([]float64, 3), Rule: 1}}
	tr := &trial{search: &choose.Search{Folds: choose.Parts},
		job: engine.Job{Rows: new(store.Set)}}
	for range 3 {
		c.wrong = append(c.wrong, make([]float64, n))
	}
	for i := range n {
		tr.group, tr.part = append(tr.group, int32(i)), append(tr.part, int32(i%choose.Parts))
	}
	better := func(rows int) int {
		for i := range n {
			c.wrong[1][i], c.wrong[2][i] = 1, 1
			if i < rows {
				c.wrong[2][i] = 0
			}
			c.wrong[0][i] = 1
		}
		c.chooseLambda(tr)
		return c.best
	}
	if at := better(2); at != 1 {
		t.Errorf("two better rows of %d change the choice to %d", n, at)
	}
	if at := better(3); at != 2 {
		t.Errorf("three better rows of %d do not change the choice", n)
	}
	for _, folds := range []int{1, 2} {
		tr.search.Folds = folds
		if at := better(3); at != 1 {
			t.Errorf("three better rows change the choice to %[2]d with %[1]d held-out parts",
				folds, at)
		}
	}
	if at := better(15); at != 2 {
		t.Errorf("six better rows of 40 do not change the choice: %d", at)
	}
	tr.search.Folds = choose.Parts
	for i := range 3 {
		tr.group[i] = 0
	}
	if at := better(3); at != 1 {
		t.Errorf("three better rows of one group change the choice to %d", at)
	}
}

func TestCompare(t *testing.T) {
	tr := &trial{search: &choose.Search{Folds: 2}, job: engine.Job{Rows: new(store.Set)},
		group: []int32{0, 1, 2, 2, 4}, part: []int32{0, 1, 0, 0, 2}}
	wrong := [][]float64{{1, 0, 1, 1, 0}, {0, 0, 1, 0, 9}}
	// The 4 held-out rows form 3 groups. Their sums of differences are -1, 0 and -1: the mean is
	// -0.5. Their sums of residuals are -0.5, 0.5 and 0.
	if mean, deviation := tr.compare(wrong[1], wrong[0]); mean != -0.5 || deviation != math.Sqrt(0.5)/4 {
		t.Errorf("the difference is %v +- %v", mean, deviation)
	}
	wrong[1][0] = math.Inf(1)
	if mean, deviation := tr.compare(wrong[1], wrong[0]); mean != 0 || deviation != 0 {
		t.Errorf("with an infinite mistake the difference is %v +- %v", mean, deviation)
	}
}

func TestCompareOutlier(t *testing.T) {
	tr := &trial{search: &choose.Search{Folds: 1}, job: engine.Job{Rows: new(store.Set)},
		deviation: 2}
	a, b := make([]float64, 50), make([]float64, 50)
	for i := range a {
		tr.group, tr.part = append(tr.group, int32(i)), append(tr.part, 0)
		a[i], b[i] = 2, 1
	}
	a[7], b[7] = 400, 1000 // both above (4 deviations)^2 = 64
	if mean, _ := tr.compare(a, b); mean != 49.0/50 {
		t.Errorf("the mean difference is %v, want .98", mean)
	}
}

func TestEstimate(t *testing.T) {
	tr := &trial{search: &choose.Search{Folds: 5}, group: []int32{0, 1, 2, 3, 4},
		part: []int32{0, 1, 2, 3, absent},
		job:  engine.Job{Rows: &store.Set{Classes: []float32{0, 1}}}}
	c := &candidate{wrong: [][]float64{{1, 0, 0, 0, 1}}}
	e := tr.estimate(c)
	if e == nil || e.Metric != "accuracy" || e.Value != 0.75 || e.Rows != 4 || e.Folds != 5 ||
		math.Abs(e.StdErr-math.Sqrt(0.75)/4) > 1e-15 {
		t.Errorf("the accuracy is estimated as %+v", e)
	}
	tr.job.Rows = &store.Set{Y: []float32{-1, 1, -1, 1, 9}}
	if e := tr.estimate(c); e == nil || e.Metric != "r2" || e.Value != 0.75 {
		t.Errorf("R^2 is estimated as %+v", e)
	}
	c.wrong[0][2] = math.Inf(1)
	if e := tr.estimate(c); e != nil {
		t.Errorf("without a model: %+v", e)
	}
}

func TestCompareWeights(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 6))
	var values, labels, weights, copied, copiedLabels []float32
	mistakes, ofCopies := make([][]float64, 2), make([][]float64, 2)
	for i := range 200 {
		w := float32(g.IntN(5))
		values, labels = append(values, float32(i/2+1)), append(labels, float32(i%2))
		weights = append(weights, w)
		for k := range mistakes {
			wrong := float64(g.IntN(2))
			mistakes[k] = append(mistakes[k], float64(w)*wrong)
			for range int(w) {
				ofCopies[k] = append(ofCopies[k], wrong)
			}
		}
		for range int(w) {
			copied = append(copied, float32(i/2+1))
			copiedLabels = append(copiedLabels, float32(i%2))
		}
	}
	a, b := newTrial(t, values, labels, weights), newTrial(t, copied, copiedLabels, nil)
	for folds := 1; folds <= choose.Parts; folds++ {
		a.search.Folds, b.search.Folds = folds, folds
		mean, deviation := a.compare(mistakes[1], mistakes[0])
		wantMean, want := b.compare(ofCopies[1], ofCopies[0])
		if math.Abs(mean-wantMean) > 1e-12 || math.Abs(deviation-want) > 1e-12 || want == 0 {
			t.Errorf("%d folds: %v +- %v, with copies %v +- %v", folds, mean, deviation, wantMean,
				want)
		}
	}
}

func TestHoldOutViews(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 6))
	x, y := dense.New(300, 7), make([]float32, 300)
	for i := range y {
		y[i] = float32(i % 3)
		for j := range 7 {
			x.Row(i)[j] = float32(g.NormFloat64()) + y[i]*float32(j%2)
		}
	}
	set, err := store.NewSet(x, y, store.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, multiclass := range []string{settings.OneVsOne, settings.OneVsRest} {
		var wrong [][]float64
		for _, copies := range []bool{true, false} {
			s := settings.Settings{Finish: settings.FinishAuto, Tol: 0.05, Epochs: choose.PathEpochs,
				Multiclass: multiclass}
			tr := &trial{job: engine.Job{Rows: set, Settings: s.Plain(), Until: t.Context()},
				copies: copies, search: &choose.Search{Folds: choose.Parts, Rows: len(y), Factor: 1}}
			c := tr.newCandidate(nil, &choose.Path{Lambdas: []float64{1, 0.1, 0.01}})
			tr.assignParts()
			for part := range int32(choose.Parts) {
				if err := tr.holdOut(c, part); err != nil {
					t.Fatal(err)
				}
			}
			if wrong == nil {
				wrong = c.wrong
			}
			if slices.Max(wrong[0]) != 1 || slices.Min(wrong[0]) != 0 {
				t.Errorf("%s: the mistakes are %v", multiclass, wrong[0])
			}
			for k := range wrong {
				if !slices.Equal(wrong[k], c.wrong[k]) {
					t.Errorf("%s, lambda %d: other mistakes without copies of the rows",
						multiclass, k)
				}
			}
		}
	}
}
