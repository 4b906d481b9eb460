package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
)

// same compares with a hand-computed number, NaN with NaN.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if d := got - want; !(math.Abs(d) <= 1e-15*math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Three classes and a fourth that is neither in the data nor predicted. Class 2 is never predicted.
func TestConfusionAndClasses(t *testing.T) {
	truth := []int{0, 0, 0, 0, 1, 1, 2}
	predicted := []int{0, 0, 0, 1, 1, 0, 1}
	counts := Confusion(truth, predicted, 4)
	want := [][]int{{3, 1, 0, 0}, {1, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}
	if !slices.EqualFunc(counts, want, slices.Equal[[]int]) {
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
	for k, c := range classes {
		w := wantClasses[k]
		same(t, "precision", c.Precision, w.Precision)
		same(t, "recall", c.Recall, w.Recall)
		same(t, "F1", c.F1, w.F1)
		if c.Support != w.Support {
			t.Errorf("class %d has support %d, want %d", k, c.Support, w.Support)
		}
	}
	m := Macro(classes)
	same(t, "macro precision", m.Precision, (3./4+1./3)/3)
	same(t, "macro recall", m.Recall, (3./4+1./2)/3)
	same(t, "macro F1", m.F1, (3./4+2./5)/3)
	if m.Support != 7 {
		t.Errorf("%d rows", m.Support)
	}
	// A class that is predicted but not in the data has no recall; for the mean that is 0.
	m = Macro(Classes([][]int{{1, 1}, {0, 0}}))
	same(t, "precision", m.Precision, 0.5)
	same(t, "recall", m.Recall, 0.25)
}

func scored(scores []float64, positive ...bool) (rows []Scored) {
	for i, s := range scores {
		rows = append(rows, Scored{s, positive[i]})
	}
	return rows
}

func TestRanking(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	const y, n = true, false
	for _, c := range []struct {
		name    string
		rows    []Scored
		auc, ap float64
	}{
		{"perfect", scored([]float64{1, 2, 3, 4}, n, n, y, y), 1, 1},
		{"reversed", scored([]float64{1, 2, 3, 4}, y, y, n, n), 0, (1./3 + 2./4) / 2},
		// The example in scikit-learn's documentation of both.
		{"example", scored([]float64{0.1, 0.4, 0.35, 0.8}, n, n, y, y), 3. / 4, (1 + 2./3) / 2},
		{"all equal", scored([]float64{5, 5, 5, 5}, y, n, n, n), 1. / 2, 1. / 4},
		// Pairs: 2-1 1, 2-2 1/2, 2-0 1; 1-1 1/2, 1-2 0, 1-0 1: 4 of 6. Down to 2: 1 of 2; down to 1: 2 of 4.
		{"ties", scored([]float64{2, 1, 1, 2, 0}, y, y, n, n, n), 4. / 6, (1./2 + 2./4) / 2},
		{"zeros of both signs", scored([]float64{0, math.Copysign(0, -1)}, y, n), 1. / 2, 1. / 2},
		{"infinite", scored([]float64{inf, -inf, 0}, y, n, n), 1, 1},
		{"positive only", scored([]float64{1, 2}, y, y), nan, 1},
		{"negative only", scored([]float64{1, 2}, n, n), nan, nan},
		{"NaN", scored([]float64{1, nan, 2}, y, n, n), nan, nan},
		{"no rows", nil, nan, nan},
	} {
		auc, ap := Ranking(c.rows)
		same(t, c.name+": area", auc, c.auc)
		same(t, c.name+": average precision", ap, c.ap)
	}
}

// Gonum's curve and trapezoids, which round at each point, are the oracle for the area; the plain sum over the curve's
// points is that for the average precision.
func TestRankingAgreesWithGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + r.IntN(300)
		values := 1 + r.IntN(2*n) // few values make many ties
		rows := make([]Scored, n)
		for i := range rows {
			rows[i] = Scored{float64(r.IntN(values)) / 8, r.IntN(3) == 0}
		}
		rows[0].Positive, rows[1].Positive = true, false
		y, classes := make([]float64, n), make([]bool, n)
		slices.SortFunc(rows, func(a, b Scored) int { return int(8*a.Score) - int(8*b.Score) })
		positive := 0.
		for i, row := range rows {
			y[i], classes[i] = row.Score, row.Positive
			if row.Positive {
				positive++
			}
		}
		tpr, fpr, _ := stat.ROC(nil, y, classes, nil)
		wantAUC := integrate.Trapezoidal(fpr, tpr)
		wantAP := 0.
		for k := 1; k < len(tpr); k++ {
			tp, fp := tpr[k]*positive, fpr[k]*(float64(n)-positive)
			wantAP += (tpr[k] - tpr[k-1]) * tp / (tp + fp)
		}
		auc, ap := Ranking(rows)
		if math.Abs(auc-wantAUC) > 1e-12 || math.Abs(ap-wantAP) > 1e-12 {
			t.Fatalf("%d rows: area %v, average precision %v; want %v, %v", n, auc, ap, wantAUC, wantAP)
		}
	}
}

func TestLogLoss(t *testing.T) {
	same(t, "log loss", LogLoss([]float64{1, 0.5, 0.25}), math.Ln2)
	same(t, "impossible", LogLoss([]float64{0}), 52*math.Ln2)
	same(t, "no rows", LogLoss(nil), math.NaN())
}

func TestErrors(t *testing.T) {
	e := Errors([]float64{1, 2, 6}, []float32{2, 2, 5})
	same(t, "RMSE", e.RMSE, math.Sqrt(2./3))
	same(t, "MAE", e.MAE, 2./3)
	same(t, "R^2", e.R2, 1-2./6) // the mean is 3, the spread 1+1+4
	e = Errors([]float64{3, 3}, []float32{3, 3})
	same(t, "RMSE", e.RMSE, 0)
	same(t, "R^2 of equal numbers", e.R2, math.NaN())
	e = Errors([]float64{0.1, 0.3}, []float32{0.1, 0.1}) // whose mean is not one of them
	same(t, "R^2 of equal numbers", e.R2, math.NaN())
}
