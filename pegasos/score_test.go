package pegasos_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
)

func scored(t testing.TB) (models map[string]*pegasos.Model, p pair) {
	p = random(5, 60, 9, 4, .5)
	two := random(6, 60, 9, 2, .5)
	base := pegasos.Config{Lambda: .01, Epochs: 3}
	with := func(change func(*pegasos.Config)) pegasos.Config {
		cfg := base
		change(&cfg)
		return cfg
	}
	return map[string]*pegasos.Model{
		"two classes": mustTrain(t, two.dense, two.y, with(func(c *pegasos.Config) {
			c.Loss = pegasos.Log
		})),
		"bias": mustTrain(t, two.dense, two.y, with(func(c *pegasos.Config) {
			c.Bias = pegasos.BiasAugmented
		})),
		"one-vs-rest": mustTrain(t, p.dense, p.y, with(func(c *pegasos.Config) {
			c.Loss = pegasos.Log
		})),
		"one-vs-one": mustTrain(t, p.dense, p.y, with(func(c *pegasos.Config) {
			c.Loss, c.Multiclass = pegasos.Log, pegasos.OneVsOne
		})),
		"joint": mustTrain(t, p.dense, p.y, with(func(c *pegasos.Config) {
			c.Multiclass = pegasos.Multinomial
		})),
		"numbers": mustTrain(t, p.dense, p.y, with(func(c *pegasos.Config) {
			c.Loss = pegasos.EpsInsensitive
		})),
	}, p
}

func TestScoreEmptyRow(t *testing.T) {
	x, y := ring(4, 300, 4)
	for _, cfg := range []pegasos.Config{{Scale: pegasos.ScaleUnit}, {Scale: pegasos.ScaleStandard},
		{Curves: pegasos.CurvesProducts}} {
		m := train(t, x, y, pegasos.Trainer{Config: cfg})
		want := m.Score(make([]float32, 4), nil)[0]
		if have := m.ScoreSparse(nil, nil, nil)[0]; have != want {
			t.Errorf("%+v: %v, want %v", cfg, have, want)
		}
	}
}

func TestScoreBits(t *testing.T) {
	models, p := scored(t)
	equal := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	defer asm.Use(asm.Active())
	for _, isa := range paths() {
		asm.Use(isa)
		for name, m := range models {
			for i := range p.dense.Rows() {
				idx, val := p.sparse.Row(i)
				more, moreVal := append(idx, 9, 1<<30), append(val, 3, -1)
				dense := m.Score(p.dense.Row(i), make([]float64, m.Outputs()))
				sparse := m.ScoreSparse(idx, val, nil)
				wider := m.ScoreSparse(more, moreVal, nil)
				for k, want := range m.Decision(p.dense, i, nil) {
					if !equal(dense[k], want) {
						t.Fatalf("%s: row %d: score %d is %v, want %v", name, i, k, dense[k], want)
					}
				}
				for k, want := range m.Decision(p.sparse, i, nil) {
					if !equal(sparse[k], want) || !equal(wider[k], want) {
						t.Fatalf("%s: row %d: sparse score %d is %v, with more features %v, want %v",
							name, i, k, sparse[k], wider[k], want)
					}
				}
				if got, want := m.PredictDense(p.dense.Row(i)), m.Predict(p.dense, i); got != want {
					t.Fatalf("%s: row %d: label %v, want %v", name, i, got, want)
				}
				if got, want := m.PredictSparse(idx, val), m.Predict(p.sparse, i); got != want {
					t.Fatalf("%s: row %d: label %v for the sparse row, want %v", name, i, got, want)
				}
			}
		}
	}
}

func TestScoreAllocatesNothing(t *testing.T) {
	models, p := scored(t)
	x := p.dense.Row(0)
	idx, val := p.sparse.Row(0)
	for name, m := range models {
		scores, classes := make([]float64, m.Outputs()), make([]float64, len(m.Classes))
		calls := map[string]func(){
			"Score":         func() { m.Score(x, scores) },
			"ScoreSparse":   func() { m.ScoreSparse(idx, val, scores) },
			"PredictDense":  func() { m.PredictDense(x) },
			"PredictSparse": func() { m.PredictSparse(idx, val) },
		}
		if m.Classes != nil {
			calls["Class"] = func() { m.Class(scores) }
			calls["ClassScores"] = func() { m.ClassScores(scores, classes) }
		}
		if m.HasProbabilities() {
			calls["Probabilities"] = func() { m.Probabilities(scores, classes) }
		}
		for call, f := range calls {
			if got := testing.AllocsPerRun(10, f); got != 0 {
				t.Errorf("%s: %s: %v allocations", name, call, got)
			}
		}
	}
}

func TestScoreConcurrently(t *testing.T) {
	models, p := scored(t)
	m := models["one-vs-one"]
	want := m.PredictAll(p.dense)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i, y := range want {
				if got := m.PredictDense(p.dense.Row(i)); got != y {
					t.Errorf("row %d: label %v, want %v", i, got, y)
				}
				m.Probabilities(m.Score(p.dense.Row(i), nil), nil)
			}
		}()
	}
	wg.Wait()
}

func TestScorePanics(t *testing.T) {
	models, _ := scored(t)
	m := models["bias"]
	for call, f := range map[string]func(){
		"Model.Score: len(x) = 8, m.Cols() = 9": func() {
			m.Score(make([]float32, 8), nil)
		},
		"Model.PredictDense: len(x) = 8, m.Cols() = 9": func() {
			m.PredictDense(make([]float32, 8))
		},
		"Model.ScoreSparse: len(idx) = 1, len(val) = 2": func() {
			m.ScoreSparse([]int32{1}, make([]float32, 2), nil)
		},
		"Model.ScoreSparse: idx[0] = -1": func() {
			m.ScoreSparse([]int32{-1}, make([]float32, 1), nil)
		},
		"Model.PredictSparse: idx[2] = 4 after 4": func() {
			m.PredictSparse([]int32{1, 4, 4}, make([]float32, 3))
		},
	} {
		_, want, _ := strings.Cut(call, ": ")
		want = "pegasimd: " + want
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, want) {
					t.Errorf("%s: the panic is %q", call, got)
				}
			}()
			f()
		}()
	}
}
