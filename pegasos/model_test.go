package pegasos_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestPredict(t *testing.T) {
	x := matrix(t, 4, 2, 1, 0, -1, 0, 0, 1, 0, 0)
	two := &pegasos.Model{Classes: []float32{-1, 5}, Weights: [][]float32{{2, 0}}}
	have := fmt.Sprint(two.DecisionAll(x), two.PredictAll(x))
	if have != "[2 -2 0 0] [5 -1 -1 -1]" {
		t.Error("two classes:", have)
	}
	two.Bias = []float64{0.5}
	have = fmt.Sprint(two.DecisionAll(x), two.PredictAll(x))
	if have != "[2.5 -1.5 0.5 0.5] [5 -1 5 5]" {
		t.Error("with a bias:", have)
	}
	// Of classes with equal scores, the first is predicted.
	three := &pegasos.Model{Classes: []float32{3, 7, 9}, Weights: [][]float32{{1, 0}, {1, 1}, {-1, 1}}}
	have = fmt.Sprint(three.DecisionAll(x), three.PredictAll(x))
	if have != "[1 1 -1 -1 -1 1 0 1 1 0 0 0] [3 9 7 3]" {
		t.Error("three classes:", have)
	}
	for i := range 4 {
		if three.Predict(x, i) != three.PredictAll(x)[i] ||
			two.Predict(x, i) != two.PredictAll(x)[i] {
			t.Errorf("row %d gets another label alone than among all rows", i)
		}
	}
	nan := float32(math.NaN())
	unknown := matrix(t, 1, 2, nan, 0)
	have = fmt.Sprint(three.PredictAll(unknown), two.PredictAll(unknown))
	if have != "[NaN] [NaN]" {
		t.Error("NaN:", have)
	}
}

func TestCols(t *testing.T) {
	m := &pegasos.Model{Classes: []float32{0, 1, 2},
		Weights: [][]float32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}
	narrow, wide := matrix(t, 1, 2, 1, 1), matrix(t, 1, 5, 1, 1, 1, 1, 1)
	have := fmt.Sprint(m.DecisionAll(narrow), m.DecisionAll(wide))
	if have != "[3 9 15] [6 15 24]" {
		t.Error(have)
	}
	if m.WithCols(3) != m || m.WithCols(2).Cols() != 2 || m.WithCols(5).Cols() != 5 ||
		m.Cols() != 3 {
		t.Error("WithCols")
	}
	for _, x := range []pegasos.Examples{narrow, wide} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for %d columns", x.Cols())
				}
			}()
			m.Predict(x, 0)
		}()
	}
}

func TestPredictAllocations(t *testing.T) {
	data := random(1, 10, 5, 4, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{})
	scores := make([]float64, 4)
	if n := testing.AllocsPerRun(100, func() { m.Decision(data.dense, 3, scores) }); n != 0 {
		t.Errorf("Decision: %v allocations", n)
	}
}

func TestHash(t *testing.T) {
	new := func() *pegasos.Model {
		return &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{1, 0}},
			Bias: []float64{0.5}}
	}
	// printf '\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\x80\x3f' | sha256sum
	const want = "3c9d5378a489ed0491e38819c65050b631fd19a1c87b8076feb5a7cd5d0478f5"
	if have := new().Hash(); have != want {
		t.Errorf("%s, want %s", have, want)
	}
	same := new()
	same.Lambda, same.Config, same.Result.Steps, same.Command = 1, pegasos.Paper(), 3, "-format csv"
	same.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleStandard, Folded: true, Factor: []float32{2, 3}}
	if same.Hash() != want {
		t.Error("lambda, Config, Result, Command or a folded Scaling changes the hash")
	}
	for i, change := range []func(m *pegasos.Model){
		func(m *pegasos.Model) { m.Weights[0][1] = float32(math.Copysign(0, -1)) },
		func(m *pegasos.Model) { m.Bias[0]++ },
		func(m *pegasos.Model) { m.Bias = nil },
		func(m *pegasos.Model) { m.Classes[0] = -1 },
		func(m *pegasos.Model) { m.Names = []string{"a", "b"} },
		func(m *pegasos.Model) { m.Table = json.RawMessage(`{"names":["a","b"]}`) },
		func(m *pegasos.Model) { m.HashBits = 10 },
		func(m *pegasos.Model) { m.IndexBase = 1 },
		func(m *pegasos.Model) { m.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleUnit} },
		func(m *pegasos.Model) {
			m.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleMaxAbs, Factor: []float32{2, 3}}
		},
	} {
		m := new()
		change(m)
		if m.Hash() == want {
			t.Errorf("change %d does not change the hash", i)
		}
	}
}

func TestModelCheck(t *testing.T) {
	for i, change := range []func(m *pegasos.Model){
		func(m *pegasos.Model) { m.Classes = m.Classes[:1] },
		func(m *pegasos.Model) { m.Classes = nil },
		func(m *pegasos.Model) { m.Classes[1] = m.Classes[0] },
		func(m *pegasos.Model) { m.Classes[1] = float32(math.NaN()) },
		func(m *pegasos.Model) { m.Weights = m.Weights[:2] },
		func(m *pegasos.Model) { m.Weights = nil },
		func(m *pegasos.Model) { m.Weights[1] = m.Weights[1][:1] },
		func(m *pegasos.Model) { m.Weights[2][1] = float32(math.Inf(-1)) },
		func(m *pegasos.Model) { m.Bias = []float64{1, 2} },
		func(m *pegasos.Model) { m.Bias = []float64{1, 2, math.NaN()} },
		func(m *pegasos.Model) { m.Names = []string{"a"} },
		func(m *pegasos.Model) {
			m.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleNone, Folded: true, Spread: 3}
		},
	} {
		m := &pegasos.Model{Classes: []float32{1, 2, 3}, Lambda: 1,
			Weights: [][]float32{{1, 2}, {3, 4}, {5, 6}}}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		change(m)
		if m.Validate() == nil {
			t.Errorf("change %d is accepted", i)
		}
	}
}

var sink []float32

func BenchmarkPredictAll(b *testing.B) {
	m := &pegasos.Model{Classes: []float32{0, 1, 2},
		Weights: slices.Repeat([][]float32{make([]float32, 784)}, 3)}
	x := dense.New(1000, 784)
	for b.Loop() {
		sink = m.PredictAll(x)
	}
}

// A scaling of kind unit can't be folded into the weights.
func TestScalingOfFiles(t *testing.T) {
	p := random(7, 30, 5, 2, 1)
	m := mustTrain(t, p.dense, p.y, pegasos.Config{Scale: pegasos.ScaleNone, Lambda: 0.1, Epochs: 2})
	want := m.DecisionAll(p.dense)
	m.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleNone}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	for i, z := range m.DecisionAll(p.dense) {
		if z != want[i] {
			t.Fatalf("score %d is %v, want %v", i, z, want[i])
		}
	}
	m.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleUnit, Folded: true}
	if err := m.Validate(); err == nil {
		t.Error("a folded Scaling of kind unit is accepted")
	}
}

func TestWithColsScaled(t *testing.T) {
	m := &pegasos.Model{Classes: []float32{0, 1, 2}, Weights: [][]float32{{1, 2, 4}, {0, 1, 3},
		{5, 0, 1}}, Bias: []float64{1, 0, -1}, Lambda: 1, Config: pegasos.Config{}.Plain(),
		Scaling: &pegasos.Scaling{Kind: pegasos.ScaleStandard, Shift: []float32{1, 2, -3},
			Factor: []float32{2, 0.5, 4}}}
	m.Config.Bias, m.Config.Scale = pegasos.BiasUnregularised, pegasos.ScaleStandard
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	for cols := range 6 {
		row, want := make([]float32, cols), make([]float32, 3)
		for j := range row {
			row[j] = float32(j + 3)
		}
		copy(want, row)
		narrow := m.WithCols(cols)
		if err := narrow.Validate(); err != nil || narrow.Cols() != cols {
			t.Errorf("%d columns: %v", cols, err)
		}
		have := fmt.Sprint(narrow.Score(row, nil))
		if want := fmt.Sprint(m.Score(want, nil)); have != want {
			t.Errorf("%d columns: scores %v, want %v", cols, have, want)
		}
	}
	if fmt.Sprint(m.Bias) != "[1 0 -1]" || m.Cols() != 3 {
		t.Errorf("the model has changed: %+v", m)
	}
}

func TestObjective(t *testing.T) {
	y, scores := []float32{5, 7, 7}, []float64{-2, 0.5, -1} // losses 0, 0.5 and 2
	m := &pegasos.Model{Classes: []float32{5, 7}, Weights: [][]float32{{3, 4}}, Lambda: 0.5,
		Bias: []float64{2}, Config: pegasos.Config{Bias: pegasos.BiasAugmented, BiasScale: 2}}
	numbers := &pegasos.Model{Weights: [][]float32{{3, 4}}, Lambda: 0.5,
		Config:  pegasos.Config{Loss: pegasos.Squared, TargetScale: pegasos.ScaleStandard},
		Scaling: &pegasos.Scaling{Kind: pegasos.ScaleNone, Folded: true, Centre: 1, Spread: 2}}
	pairs := &pegasos.Model{Classes: []float32{5, 6, 7}, Weights: [][]float32{{1}, {2}, {3}},
		Lambda: 2, Config: pegasos.Config{Multiclass: pegasos.OneVsOne}}
	joint := &pegasos.Model{Classes: []float32{5, 7}, Weights: [][]float32{{1}, {2}}, Lambda: 2,
		Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}}
	prior := *m
	prior.Prior = "hash"
	nan := math.NaN()
	for name, c := range map[string]struct {
		m             *pegasos.Model
		scores        []float64
		y, weights    []float32
		penalty, loss float64
	}{
		"two classes":   {m, scores, y, nil, 0.25 * (25 + 1), 2.5 / 3}, // 1 is (Bias/BiasScale)^2
		"weights":       {m, scores, y, []float32{0, 1, 3}, 6.5, 6.5 / 4},
		"unknown label": {m, scores, []float32{5, 6, 7}, nil, 6.5, nan},
		"not counted":   {m, scores, []float32{5, 6, 7}, []float32{1, 0, 1}, 6.5, 1},
		"bad weight":    {m, scores, y, []float32{-1, 1, 1}, 6.5, nan},
		"prior":         {&prior, scores, y, nil, nan, 2.5 / 3},
		"numbers":       {numbers, []float64{3, 6, 7}, y, nil, 0.25 * 25 / 4, (1 + 0.25) / 2 / 3},
		"pairs": {pairs, []float64{1, -2, 0, 3, 0, 0.5, 0, 3, 2}, []float32{5, 6, 7}, nil,
			14. / 3, (2./2 + 0 + (1.5+0)/2) / 3},
		"no pair": {pairs, []float64{1, -2, 0}, []float32{5}, nil, 14. / 3, nan},
		"joint":   {joint, []float64{2, 0, 1, 1}, []float32{5, 7}, nil, 5, 0.5},
	} {
		penalty, loss := c.m.Penalty(), c.m.MeanLoss(c.scores, c.y, c.weights)
		for _, v := range [][2]float64{{penalty, c.penalty}, {loss, c.loss},
			{c.m.Objective(c.scores, c.y, c.weights), c.penalty + c.loss}} {
			if !(math.Abs(v[0]-v[1]) < 1e-12) && !(math.IsNaN(v[0]) && math.IsNaN(v[1])) {
				t.Errorf("%s: penalty %v, loss %v, want %v and %v", name, penalty, loss, c.penalty,
					c.loss)
				break
			}
		}
	}
}

func TestHead(t *testing.T) {
	m := &pegasos.Model{Classes: []float32{0, 1}, Names: []string{"a", "b"}, IndexBase: 1,
		Weights: [][]float32{{1, 2, 3}}, HashBits: 4,
		Table: json.RawMessage("2")}
	have, want := fmt.Sprintf("%+v", m.Head()), "{Features:3 IndexBase:1 HashBits:4 "+
		"Table:[50] Classes:[0 1] Names:[a b]}"
	if have != want {
		t.Errorf("%s, want %s", have, want)
	}
	if m.ClassName(1) != "b" || m.Outputs() != 1 || pegasos.FormatLabel(0.1) != "0.1" {
		t.Error(m.ClassName(1), m.Outputs(), pegasos.FormatLabel(0.1))
	}
}

func TestSettings(t *testing.T) {
	scaled := func(kind pegasos.Scale, note string) *pegasos.Scaling {
		return &pegasos.Scaling{Kind: kind, R2: 4, Note: note}
	}
	for want, m := range map[string]*pegasos.Model{
		"features not scaled, no bias, lambda 0.0001, 20 passes": {Classes: []float32{0, 1},
			Lambda: 1e-4},
		"columns standardized, bias, one-vs-one of 3 classes, C 2, 7 steps": {
			Classes: []float32{0, 1, 2}, Config: pegasos.Config{Multiclass: pegasos.OneVsOne, C: 2,
				Steps: 7, Scale: pegasos.ScaleStandard, Bias: pegasos.BiasAugmented}},
		"columns divided by their largest magnitude, unregularised bias, multinomial of 2 classes, " +
			"lambda 0.02 = 0.005 mean |x|^2, up to 9 passes, until within 1 % of the optimum (a note)": {
			Classes: []float32{0, 1}, Lambda: 0.02, Scaling: scaled(pegasos.ScaleMaxAbs, "a note"),
			Config: pegasos.Config{Multiclass: pegasos.Multinomial, Scale: pegasos.ScaleMaxAbs,
				Bias: pegasos.BiasUnregularised, Epochs: 9, Tol: 0.01}},
		"rows divided by their length, no bias, targets standardized, lambda 0.4 = 0.1 mean |x|^2, " +
			"Newton's method": {Lambda: 0.4, Scaling: scaled(pegasos.ScaleUnit, ""),
			Config: pegasos.Config{Loss: pegasos.Squared, Scale: pegasos.ScaleUnit,
				TargetScale: pegasos.ScaleStandard, Finish: pegasos.FinishNewton}},
	} {
		if have := m.Settings(); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}
