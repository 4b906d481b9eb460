package pegasos_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The label is 1 for rows whose first two values, standardized, are in a circle around the origin.
func ring(seed uint64, rows, cols int) (*dense.Matrix, []float32) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range y {
		var z [2]float64
		for j := range x.Row(i) {
			v := r.NormFloat64()
			if j < 2 {
				z[j] = v
			}
			x.Row(i)[j] = float32(v*float64(j+1) + 3)
		}
		if z[0]*z[0]+z[1]*z[1] < 1.4 {
			y[i] = 1
		}
	}
	return x, y
}

func TestCurvesByFolds(t *testing.T) {
	x, y := ring(1, 500, 3)
	m := train(t, x, y, pegasos.Trainer{})
	if m.Config.Curves != pegasos.CurvesProducts || len(m.Weights[0]) != 3+6 || m.Cols() != 3 {
		t.Errorf("%s: %d weights for %d columns", m.Settings(), len(m.Weights[0]), m.Cols())
	}
	rest, labels := ring(2, 500, 3)
	if a := metrics.Accuracy(labels, m.PredictAll(rest), nil); a < 0.95 {
		t.Errorf("accuracy %v", a)
	}
	e := m.Result.CrossValidated
	if e == nil || e.Value < 0.95 || e.Rows != 500 || e.Folds != 5 || !(e.StdErr > 0) {
		t.Errorf("cross-validated estimate %+v", e)
	}
	for i := range y {
		y[i] = 0
		if x.Row(i)[0] > 3 {
			y[i] = 1
		}
	}
	if m := train(t, x, y, pegasos.Trainer{}); m.Config.Curves != pegasos.CurvesNone {
		t.Error("curves for linearly separable classes: " + m.Settings())
	}
}

// Training with curves has the same optimum as training on rows with a column for each term. So
// neither run's lower bound may exceed the other's objective.
func TestCurvesObjective(t *testing.T) {
	for _, loss := range []pegasos.Loss{pegasos.Hinge, pegasos.Log, pegasos.SquaredHinge,
		pegasos.Squared} {
		testCurvesObjective(t, loss, pegasos.CurvesProducts)
		testCurvesObjective(t, loss, pegasos.CurvesPieces)
	}
}

func testCurvesObjective(t *testing.T, loss pegasos.Loss, kind pegasos.Curves) {
	t.Helper()
	x, y := ring(3, 400, 4)
	cfg := pegasos.Config{Loss: loss, Lambda: 0.01, Tol: 1e-3, Bias: pegasos.BiasAugmented,
		BiasScale: 1, Scale: pegasos.ScaleStandard, TargetScale: pegasos.ScaleNone,
		Curves: kind}
	m := train(t, x, y, pegasos.Trainer{Config: cfg, KeepProof: true})
	e := m.Scaling.Expansion
	wide := dense.New(400, 4+len(e.Terms))
	for i := range y {
		row := wide.Row(i)
		for j, v := range x.Row(i) {
			row[j] = float32((float64(v) - float64(m.Scaling.Shift[j])) *
				float64(m.Scaling.Factor[j]))
		}
		for k, of := range e.Terms {
			cut := func(j int32) float64 { return float64(max(-4, min(4, row[j]))) }
			f := cut(of[0]) * cut(of[1])
			if kind == pegasos.CurvesPieces {
				f = max(0, cut(of[0])-float64(e.Knots[k]))
			}
			row[4+k] = float32((f - float64(e.Shift[k])) * float64(e.Factor[k]))
		}
	}
	cfg.Scale, cfg.Curves = pegasos.ScaleNone, pegasos.CurvesNone
	plain := train(t, wide, y, pegasos.Trainer{Config: cfg})
	if p, q := m.Result.Objective, plain.Result.Objective; !(m.Result.Gap <= 1e-3) ||
		p < plain.Result.DualObjective-1e-6 || q < m.Result.DualObjective-1e-6 {
		t.Errorf("%s: P %v and %v, D %v and %v", loss, p, q, m.Result.DualObjective,
			plain.Result.DualObjective)
	}
	v, err := (&pegasos.Trainer{}).Verify(context.Background(), m, x, y,
		pegasos.VerifyOptions{Proof: m.Proof})
	if err != nil || v.Verdict != pegasos.Confirmed || !v.Scaling {
		t.Errorf("%s: %+v, %v", loss, v, err)
	}
	for name, change := range map[string]func(*pegasos.Expansion){
		"shift":  func(e *pegasos.Expansion) { e.Shift[1] += 1e-3 },
		"factor": func(e *pegasos.Expansion) { e.Factor[2] *= 1.001 },
		"order of terms": func(e *pegasos.Expansion) {
			if e.Terms[1], e.Terms[3] = e.Terms[3], e.Terms[1]; e.Knots != nil {
				e.Knots[1] += 1e-3
			}
		},
	} {
		changed := clone(t, m)
		change(changed.Scaling.Expansion)
		v, err := (&pegasos.Trainer{}).Verify(context.Background(), changed, x, y,
			pegasos.VerifyOptions{Proof: m.Proof})
		if err == nil && v.Verdict != pegasos.Contradicted {
			t.Errorf("%s, with a changed %s: %s", loss, name, v.Verdict)
		}
	}
}

func TestCurvesFingerprint(t *testing.T) {
	x, y := ring(9, 100, 3)
	var data []string
	for _, kind := range []pegasos.Curves{pegasos.CurvesNone, pegasos.CurvesProducts} {
		cfg := pegasos.Config{Lambda: 0.1, Curves: kind, Epochs: 1}
		data = append(data, train(t, x, y, pegasos.Trainer{Config: cfg, Fingerprint: true}).Data)
	}
	if data[0] != data[1] || data[0] == "" {
		t.Errorf("fingerprint %s with curves, %s without", data[1], data[0])
	}
}

func clone(t *testing.T, m *pegasos.Model) *pegasos.Model {
	t.Helper()
	c, err := pegasos.Read(bytes.NewReader(encode(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCurvesScores(t *testing.T) {
	x, y := ring(4, 300, 4)
	m := train(t, x, y, pegasos.Trainer{Config: pegasos.Config{Curves: pegasos.CurvesProducts}})
	read := clone(t, m)
	if m.Hash() != read.Hash() {
		t.Error("the hash of the written model differs")
	}
	wider := m.WithCols(6).WithCols(5)
	narrower := m.WithCols(2).WithCols(3)
	index := []int32{0, 1, 2, 3}
	for i := range y {
		row := x.Row(i)
		want := m.Decision(x, i, nil)[0]
		for name, have := range map[string]float64{
			"Score":       m.Score(row, nil)[0],
			"ScoreSparse": m.ScoreSparse(index, row, nil)[0],
			"read":        read.Score(row, nil)[0],
			"wider":       wider.Score(append(row[:4:4], 7), nil)[0],
			"DecisionAll": m.DecisionAll(x)[i],
		} {
			if have != want {
				t.Fatalf("row %d: %s %v, want %v", i, name, have, want)
			}
		}
		if have, want := narrower.Score(row[:3], nil)[0], m.Score(append(row[:3:3], 0), nil)[0]; have != want {
			t.Fatalf("row %d of three columns: %v, want %v", i, have, want)
		}
	}
	scores := make([]float64, 1)
	if n := testing.AllocsPerRun(100, func() {
		m.Score(x.Row(1), scores)
		m.ScoreSparse(index, x.Row(2), scores)
		m.PredictDense(x.Row(3))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestCurvesResume(t *testing.T) {
	x, y := ring(5, 300, 3)
	tr := pegasos.Trainer{Config: pegasos.Config{Curves: pegasos.CurvesProducts, Epochs: 9,
		Finish: pegasos.FinishNone}}
	want := train(t, x, y, tr)
	tr.Threads, tr.Pause, tr.KeepState = 3, 900, true
	half, err := tr.Train(context.Background(), x, y)
	if !errors.Is(err, pegasos.ErrPaused) {
		t.Fatal(err)
	}
	tr.Pause, tr.KeepState, tr.Resume = 0, false, clone(t, half)
	if have := train(t, x, y, tr); have.Hash() != want.Hash() {
		t.Errorf("the resumed run has another hash")
	}
}

// Terms that take more than half of MaxMemory are computed at each visit of a row.
func TestCurvesMemory(t *testing.T) {
	x, y := ring(5, 4000, 8) // 576,000 bytes of 36 terms, 128,000 bytes of scaled rows
	for _, finish := range []pegasos.Finish{pegasos.FinishNone, pegasos.FinishDual} {
		tr := pegasos.Trainer{Config: pegasos.Config{Curves: pegasos.CurvesProducts, Epochs: 20,
			Lambda: 0.01, Loss: "log", Finish: finish}}
		want := train(t, x, y, tr)
		tr.MaxMemory = 1_000_000
		have := train(t, x, y, tr)
		if have.Hash() != want.Hash() || len(have.Weights[0]) != 44 {
			t.Errorf("%s: another hash, or not 44 but %d weights", finish, len(have.Weights[0]))
		}
		computed, err := tr.Verify(context.Background(), have, x, y, pegasos.VerifyOptions{})
		stored, other := new(pegasos.Trainer).Verify(context.Background(), have, x, y,
			pegasos.VerifyOptions{})
		if err != nil || other != nil || computed.Bound != stored.Bound ||
			computed.Objective != stored.Objective || computed.Verdict == pegasos.Contradicted {
			t.Errorf("%s: %v and %v, %v, %v", finish, computed, stored, err, other)
		}
	}
}

func TestCurvesRefused(t *testing.T) {
	x, y := ring(6, 200, 3)
	start := train(t, x, y, pegasos.Trainer{Config: pegasos.Config{Curves: pegasos.CurvesNone}})
	curved := train(t, x, y, pegasos.Trainer{Config: pegasos.Config{Curves: pegasos.CurvesProducts}})
	for name, c := range map[string]struct {
		x  pegasos.Examples
		tr pegasos.Trainer
	}{
		"user-defined rows": {sample.UserRows(x), pegasos.Trainer{}},
		"sparse":            {sample.ToSparse(x), pegasos.Trainer{}},
		"unit":              {x, pegasos.Trainer{Config: pegasos.Config{Scale: pegasos.ScaleUnit}}},
		"start":             {x, pegasos.Trainer{Start: start}},
		"prior":             {x, pegasos.Trainer{Prior: start}},
		"lambda":            {x, pegasos.Trainer{Config: pegasos.Config{Lambda: 0.1}}},
		"paper":             {x, pegasos.Trainer{Config: pegasos.Paper()}},
	} {
		if m := train(t, c.x, y, c.tr); m.Config.Curves != pegasos.CurvesNone {
			t.Errorf("%s: %s", name, m.Settings())
		}
		c.tr.Curves = pegasos.CurvesProducts
		_, err := c.tr.Train(context.Background(), c.x, y)
		var bad *pegasos.ConfigError
		if name != "lambda" && (!errors.As(err, &bad) || bad.Field != "Curves") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for field, tr := range map[string]pegasos.Trainer{
		"Start": {Start: curved}, "Prior": {Prior: curved},
	} {
		_, err := tr.Train(context.Background(), x, y)
		var bad *pegasos.ConfigError
		if !errors.As(err, &bad) || bad.Field != field || !strings.Contains(err.Error(), "curves") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := pegasos.NewPartialFrom(curved); err == nil ||
		!strings.Contains(err.Error(), "curves") {
		t.Errorf("Partial: %v", err)
	}
	equal, wide := dense.New(200, 1), dense.New(200, 257)
	for i := range y {
		equal.Row(i)[0] = float32(min(i, 40)) // 40 values below the quartiles
		for j := range wide.Row(i) {
			wide.Row(i)[j] = float32(i * (j + 7) % 1009)
		}
	}
	for want, x := range map[string]*dense.Matrix{
		"in the columns, too many values are equal": equal, "more than 256 columns vary": wide,
	} {
		_, err := pegasos.Train(t.Context(), x, y, pegasos.Config{Scale: pegasos.ScaleStandard,
			Curves: pegasos.CurvesPieces})
		if err == nil || !strings.HasSuffix(err.Error(), "no curve can be formed: "+want) {
			t.Errorf("have %v, want %s", err, want)
		}
	}
	cfg := pegasos.Config{Curves: pegasos.CurvesProducts}
	if _, err := pegasos.NewPartial(cfg, []float32{0, 1}, 3); err == nil {
		t.Error("NewPartial accepts Curves")
	}
}

func TestCurveColumns(t *testing.T) {
	x, y := ring(7, 400, 4)
	for i := range y {
		row := x.Row(i)
		for j := range row {
			row[j] = (row[j] - 3) / float32(j+1)
		}
		row[3] = float32(i % 2)
	}
	cfg := pegasos.Config{Scale: pegasos.ScaleNone}
	for _, rows := range []pegasos.Examples{sample.ToSparse(x), x} {
		m := train(t, rows, y, pegasos.Trainer{Config: cfg, CurveColumns: []int{0, 1},
			KeepProof: true})
		if e := m.Scaling.Expansion; e == nil || len(e.Terms) != 3 {
			t.Fatalf("%T: %+v, %s", rows, e, m.Settings())
		}
		v, err := (&pegasos.Trainer{}).Verify(context.Background(), m, rows, y,
			pegasos.VerifyOptions{Proof: m.Proof})
		if err != nil || v.Verdict != pegasos.Confirmed {
			t.Errorf("%T: %+v, %v", rows, v, err)
		}
		if a := metrics.Accuracy(y, m.PredictAll(rows), nil); a < 0.95 {
			t.Errorf("%T: accuracy %v", rows, a)
		}
	}
}

func TestCurveColumnsRefused(t *testing.T) {
	x, y := ring(8, 60, 3)
	for _, curves := range []pegasos.Curves{"", pegasos.CurvesNone, pegasos.CurvesProducts} {
		for _, columns := range [][]int{{3}, {-1}, {1, 0}, {2, 2}, {0, math.MaxInt}} {
			tr := pegasos.Trainer{Config: pegasos.Config{Curves: curves}, CurveColumns: columns}
			_, err := tr.Train(context.Background(), x, y)
			var bad *pegasos.ConfigError
			if !errors.As(err, &bad) || bad.Field != "CurveColumns" {
				t.Errorf("curves %q of the columns %d: %v", curves, columns, err)
			}
		}
	}
	tr := pegasos.Trainer{CurveColumns: []int{0}}
	if _, err := tr.Train(context.Background(), nil, y); err == nil {
		t.Error("training without rows gives no error")
	}
}

func TestCurvesInvariance(t *testing.T) {
	const rows, cols = 300, 3
	x, y := ring(9, rows, cols)
	targets := make([]float32, rows)
	for i := range targets {
		targets[i] = x.Row(i)[0] * (x.Row(i)[0] + x.Row(i)[1])
	}
	changed := func(order []int, f func(row []float32) []float32) *dense.Matrix {
		var all []float32
		for _, i := range order {
			all = append(all, f(slices.Clone(x.Row(i)))...)
		}
		m, err := dense.FromSlice(len(order), len(all)/len(order), all)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	same := func(row []float32) []float32 { return row }
	order := make([]int, rows)
	for i := range order {
		order[i] = i
	}
	shuffled := rand.New(rand.NewPCG(1, 2)).Perm(rows)
	for _, c := range []struct {
		name  string
		order []int
		f     func(row []float32) []float32
		exact bool // the weights must be equal
	}{
		{"shuffled", shuffled, same, false},
		{"doubled", append(slices.Clone(order), order...), same, false},
		{"constant and empty columns", order, func(row []float32) []float32 {
			return append(row, 7, 0, 0)
		}, false},
		{"duplicate columns", order, func(row []float32) []float32 {
			return append(row, row[1], row[0])
		}, false},
		{"powers of two", order, func(row []float32) []float32 {
			row[0], row[1], row[2] = row[0]*1024, row[1]/8, row[2]*2
			return row
		}, true},
		{"powers of ten", order, func(row []float32) []float32 {
			row[0], row[1], row[2] = row[0]*1e4, row[1]*1e-3, row[2]*10
			return row
		}, false},
	} {
		for _, cfg := range []pegasos.Config{{}, {Loss: pegasos.Squared}} {
			labels := y
			if cfg.Loss == pegasos.Squared {
				labels = targets
			}
			want := train(t, x, labels, pegasos.Trainer{Config: cfg})
			other := changed(c.order, c.f)
			var otherLabels []float32
			for _, i := range c.order {
				otherLabels = append(otherLabels, labels[i])
			}
			have := train(t, other, otherLabels, pegasos.Trainer{Config: cfg})
			e, f := want.Scaling.Expansion, have.Scaling.Expansion
			if f == nil || e.Kind != f.Kind || !slices.Equal(e.Terms, f.Terms) {
				t.Errorf("%s: %s, want %s", c.name, have.Settings(), want.Settings())
				continue
			}
			if c.exact && !slices.Equal(want.Weights[0], have.Weights[0]) {
				t.Errorf("%s: weights %v, want %v", c.name, have.Weights[0], want.Weights[0])
			}
			apart, square, mean := 0, 0.0, 0.0
			for k, i := range c.order {
				p := float64(have.PredictDense(other.Row(k)) - want.PredictDense(x.Row(i)))
				if p != 0 {
					apart++
				}
				square += p * p
				mean += float64(labels[i]) * float64(labels[i])
			}
			if cfg.Loss == pegasos.Squared && square > 1e-9*mean ||
				cfg.Loss != pegasos.Squared && apart > len(c.order)/100 {
				t.Errorf("%s, %s: %d of %d predictions differ, relative mean square %v", c.name,
					have.Config.Loss, apart, len(c.order), square/mean)
			}
		}
	}
}

func TestCurvesOfFewerColumns(t *testing.T) {
	x, y := ring(8, 200, 4)
	m := train(t, x, y, pegasos.Trainer{Config: pegasos.Config{Curves: pegasos.CurvesPieces}})
	fewer := m.WithCols(2)
	if have := clone(t, fewer); have.Cols() != 4 || have.Hash() != m.Hash() {
		t.Errorf("the file has %d columns", have.Cols())
	}
	var b bytes.Buffer
	if err := modelio.WriteJSON(&b, fewer); err != nil {
		t.Fatal(err)
	}
	if have, err := modelio.ReadJSON(&b); err != nil || have.Hash() != m.Hash() {
		t.Errorf("JSON: %v", err)
	}
	x, y = ring(8, 200, 2)
	_, err := (&pegasos.Trainer{}).Verify(context.Background(), fewer, x, y, pegasos.VerifyOptions{})
	if err == nil || !strings.Contains(err.Error(), "WithCols") {
		t.Errorf("Verify: %v", err)
	}
}
