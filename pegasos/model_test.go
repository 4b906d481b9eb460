package pegasos_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
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
	// Of equal scores the first class has it.
	three := &pegasos.Model{Classes: []float32{3, 7, 9}, Weights: [][]float32{{1, 0}, {1, 1}, {-1, 1}}}
	have = fmt.Sprint(three.DecisionAll(x), three.PredictAll(x))
	if have != "[1 1 -1 -1 -1 1 0 1 1 0 0 0] [3 9 7 3]" {
		t.Error("three classes:", have)
	}
	for i := range 4 {
		if three.Predict(x, i) != three.PredictAll(x)[i] ||
			two.Predict(x, i) != two.PredictAll(x)[i] {
			t.Errorf("row %d is not predicted alone as among all", i)
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
	m := &pegasos.Model{
		Classes: []float32{0, 1, 2},
		Weights: [][]float32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
	}
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

// The hash is of the bits of weights, biases and classes, and of all else that predictions need.
func TestHash(t *testing.T) {
	new := func() *pegasos.Model {
		return &pegasos.Model{
			Classes: []float32{0, 1},
			Weights: [][]float32{{1, 0}},
			Bias:    []float64{0.5},
		}
	}
	// printf '\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\x80\x3f' | sha256sum
	const want = "3c9d5378a489ed0491e38819c65050b631fd19a1c87b8076feb5a7cd5d0478f5"
	if have := new().Hash(); have != want {
		t.Errorf("%s, want %s", have, want)
	}
	same := new()
	same.Lambda, same.Config, same.Result.Steps = 1, pegasos.Paper(), 3
	same.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleStandard, Folded: true, Factor: []float32{2, 3}}
	if same.Hash() != want {
		t.Error("something beside the numbers counts")
	}
	for i, change := range []func(m *pegasos.Model){
		func(m *pegasos.Model) { m.Weights[0][1] = float32(math.Copysign(0, -1)) },
		func(m *pegasos.Model) { m.Bias[0]++ },
		func(m *pegasos.Model) { m.Bias = nil },
		func(m *pegasos.Model) { m.Classes[0] = -1 },
		func(m *pegasos.Model) { m.Names = []string{"a", "b"} },
		func(m *pegasos.Model) { m.Scaler = json.RawMessage(`{"kind":"unit"}`) },
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
			t.Errorf("change %d does not count", i)
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
	} {
		m := &pegasos.Model{Classes: []float32{1, 2, 3}, Weights: [][]float32{{1, 2}, {3, 4}, {5, 6}}}
		if err := pegasos.CheckModel(m); err != nil {
			t.Fatal(err)
		}
		change(m)
		if pegasos.CheckModel(m) == nil {
			t.Errorf("change %d was not found", i)
		}
	}
}

var sink []float32

func BenchmarkPredictAll(b *testing.B) {
	m := &pegasos.Model{Classes: []float32{0, 1, 2}, Weights: iterate.Zeros(3, 784)}
	x := dense.New(1000, 784)
	for b.Loop() {
		sink = m.PredictAll(x)
	}
}

// A scaling that scales no rows makes no difference if it says that it is not folded, and rows
// divided by their lengths can't be folded into weights. Files may say so.
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
		t.Error("rows divided by their lengths are folded into weights")
	}
}
