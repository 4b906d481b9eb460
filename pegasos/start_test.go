package pegasos_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/pegasos"
)

func from(t testing.TB, x pegasos.Examples, y []float32, start, prior *pegasos.Model,
	cfg pegasos.Config) *pegasos.Model {
	t.Helper()
	tr := &pegasos.Trainer{Config: cfg, Start: start, Prior: prior}
	m, err := trainPlain(context.Background(), tr, x, y)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The test computes the paper's steps in float64, until a margin is so near a kink of the loss that
// rounding may decide the step.
func TestStart(t *testing.T) {
	for _, l := range losses {
		for _, withPrior := range []bool{false, true} {
			for seed := range uint64(3) {
				data, before := random(seed, 40, 7, 2, 1), random(seed+100, 40, 7, 2, 1)
				if l.cfg.Loss.Regression() {
					data, before = data.numbers(seed), before.numbers(seed+1)
				}
				cfg := l.cfg
				cfg.Lambda, cfg.Steps, cfg.Average, cfg.Bias = 0.1, 200, pegasos.LastIterate,
					pegasos.BiasAugmented
				a := mustTrain(t, before.dense, before.y, cfg)
				w0, b0, prior := make([]float64, 7), 0.0, (*pegasos.Model)(nil)
				if withPrior {
					prior = mustTrain(t, data.sparse, data.y, cfg)
					w0, b0 = floats.Float64s(prior.Weights[0]), prior.Bias[0]
				}
				cfg.Order, cfg.Offset = pegasos.Sequential, pegasos.OffsetNone
				w, b := floats.Float64s(a.Weights[0]), a.Bias[0]
			steps:
				for step := 201; step <= 400; step++ {
					i := (step - 201) % 40
					side, target := 2*float64(data.y[i])-1, 0.0
					if cfg.Loss.Regression() {
						side, target = 1, float64(data.y[i])
					}
					z := b
					for j, v := range data.dense.Row(i) {
						z += w[j] * float64(v)
					}
					for _, k := range l.kinks {
						if math.Abs(side*z-target-k) < 1e-4 {
							break steps
						}
					}
					eta := 1 / (0.1 * float64(step))
					g := eta * l.coefficient(side*z-target) * side
					size := 0.0
					for j, v := range data.dense.Row(i) {
						w[j] += -eta*0.1*(w[j]-w0[j]) + g*float64(v)
						size = math.Max(size, math.Abs(w[j]))
					}
					b += -eta*0.1*(b-b0) + g
					if step > 205 && step%39 != 0 {
						continue
					}
					cfg.Steps = int64(step - 200)
					m := from(t, data.dense, data.y, a, prior, cfg)
					for j, v := range m.Weights[0] {
						if math.Abs(float64(v)-w[j]) > 1e-4*size ||
							math.Abs(m.Bias[0]-b) > 1e-4*size+1e-6 {
							t.Fatalf("%+v prior %v step %d: %v %v, want %v %v", cfg, withPrior,
								step, m.Weights[0], m.Bias, w, b)
						}
					}
					if m.Result.Steps != int64(step) {
						t.Fatalf("%d steps, want %d", m.Result.Steps, step)
					}
				}
			}
		}
	}
}

func TestStartIsKept(t *testing.T) {
	data := random(41, 200, 6, 2, 1)
	for _, average := range []pegasos.Average{pegasos.LastIterate, pegasos.LastHalf} {
		cfg := pegasos.Config{Lambda: 0.01, Epochs: 200, Average: average}
		a := mustTrain(t, data.dense, data.y, cfg)
		cfg.Epochs = 1
		b := from(t, data.dense, data.y, a, nil, cfg)
		c := mustTrain(t, data.dense, data.y, cfg)
		if b.Result.Objective > 1.05*a.Result.Objective || c.Result.Objective < b.Result.Objective {
			t.Errorf("%s: objective %v, after another epoch %v, after one epoch from w = 0 %v", average,
				a.Result.Objective, b.Result.Objective, c.Result.Objective)
		}
		if b.Result.Steps != 201*200 || b.Result.Epochs != 1 ||
			!(b.Result.DualObjective <= b.Result.Objective) {
			t.Errorf("%+v", b.Result)
		}
	}
}

func TestPrior(t *testing.T) {
	for _, loss := range []pegasos.Loss{pegasos.Log, pegasos.SquaredHinge} {
		for seed := range uint64(3) {
			data, other := random(seed, 40, 6, 2, 0.8), random(seed+50, 40, 6, 2, 0.8)
			cfg := pegasos.Config{Loss: loss, Lambda: 0.05, Epochs: 100, Bias: pegasos.BiasAugmented}
			prior := mustTrain(t, other.dense, other.y, cfg)
			l := losses[1]
			if loss == pegasos.SquaredHinge {
				l = losses[2]
			}
			value := func(w []float64, gradient []float64) (p float64) {
				for j, v := range w {
					w0 := prior.Bias[0]
					if j < 6 {
						w0 = float64(prior.Weights[0][j])
					}
					gradient[j] = 0.05 * (v - w0)
					p += 0.025 * (v - w0) * (v - w0)
				}
				for i := range 40 {
					row := make([]float64, 7)
					for j, v := range data.dense.Row(i) {
						row[j] = float64(v)
					}
					row[6] = 1
					y, m := 2*float64(data.y[i])-1, 0.0
					for j, v := range row {
						m += y * v * w[j]
					}
					p += l.at(m) / 40
					for j, v := range row {
						gradient[j] -= l.coefficient(m) * y * v / 40
					}
				}
				return p
			}
			w, gradient := make([]float64, 7), make([]float64, 7)
			var low, high float64
			for range 20_000 {
				high = value(w, gradient)
				low = high
				for j, v := range gradient {
					low -= v * v / 0.1
					w[j] -= 0.05 * v
				}
			}
			if high-low > 1e-6 {
				t.Fatalf("no optimum found: %v to %v", low, high)
			}
			for _, cfg := range []pegasos.Config{cfg, {Loss: loss, Lambda: 0.05, Epochs: 100,
				Bias: pegasos.BiasAugmented, Batch: 4, Project: true}} {
				m := from(t, data.sparse, data.y, nil, prior, cfg)
				own := make([]float64, 7)
				for j, v := range m.Weights[0] {
					own[j] = float64(v)
				}
				own[6] = m.Bias[0]
				r := m.Result
				if have := value(own, gradient); math.Abs(have-r.Objective) > 1e-6 {
					t.Errorf("%+v: objective %v, by definition %v", cfg, r.Objective, have)
				}
				if r.DualObjective > high || r.Objective < low*(1-1e-6) ||
					r.DualObjective < 0.9*low || r.Objective > 1.05*high {
					t.Errorf("%+v: objective %v, bound %v, optimum %v", cfg, r.Objective,
						r.DualObjective, high)
				}
			}
		}
	}
}

func TestPriorIsTheLimit(t *testing.T) {
	data, other := random(42, 60, 6, 3, 1), random(43, 60, 5, 3, 1)
	prior := mustTrain(t, other.dense, other.y, pegasos.Config{Lambda: 0.01,
		Bias: pegasos.BiasAugmented})
	m := from(t, data.dense, data.y, nil, prior, pegasos.Config{Lambda: 1e9,
		Offset: pegasos.OffsetNone})
	for k, w := range m.Weights {
		for j, v := range w {
			want := float32(0)
			if j < 5 {
				want = prior.Weights[k][j]
			}
			if math.Abs(float64(v-want)) > 1e-6 || m.Bias[k] != prior.Bias[k] {
				t.Errorf("weight %d of class %d is %v, want %v; bias %v, want %v", j, k, v, want,
					m.Bias[k], prior.Bias[k])
			}
		}
	}
	have, err := pegasos.Read(bytes.NewReader(encode(t, m)))
	if err != nil || have.Prior != prior.Hash() ||
		!math.IsNaN(have.Objective(make([]float64, 3), have.Classes[:1], nil)) {
		t.Errorf("%v, prior %q", err, have.Prior)
	}
}

// The start model has a class without rows, to which a weight can be given.
func TestStartWeighsAbsentClass(t *testing.T) {
	data := random(44, 30, 4, 2, 1)
	start := &pegasos.Model{Classes: []float32{0, 1, 2}, Lambda: 1,
		Weights: [][]float32{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}}
	var hash []string
	for _, list := range []string{"1=2", "1=2,2=5", "7=5"} {
		tr := pegasos.Trainer{Start: start, Fingerprint: true,
			Config: pegasos.Config{Epochs: 3, ClassWeight: list}}
		m, err := tr.Train(t.Context(), data.dense, data.y)
		if list == "7=5" {
			if e := (*pegasos.ConfigError)(nil); !errors.As(err, &e) || e.Field != "ClassWeight" {
				t.Errorf("a label that is no class: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := (&pegasos.Trainer{}).Verify(t.Context(), m, data.dense, data.y,
			pegasos.VerifyOptions{})
		if err != nil || v.Verdict == pegasos.Contradicted {
			t.Errorf("%s: %+v, %v", list, v, err)
		}
		hash = append(hash, m.Hash())
	}
	if hash[0] != hash[1] {
		t.Errorf("models %s", hash)
	}
}

func TestStartErrors(t *testing.T) {
	data := random(44, 30, 4, 2, 1)
	a := mustTrain(t, data.dense, data.y, pegasos.Config{Bias: pegasos.BiasAugmented})
	three := &pegasos.Model{Classes: []float32{0, 1, 2},
		Weights: [][]float32{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}}
	for _, c := range []struct {
		tr    pegasos.Trainer
		field string
	}{
		{pegasos.Trainer{Start: &pegasos.Model{}}, "Start"},
		{pegasos.Trainer{Prior: &pegasos.Model{}}, "Prior"},
		{pegasos.Trainer{Start: a}, "Start"}, // the model has a bias, the run has none
		{pegasos.Trainer{Start: a, Config: pegasos.Config{Loss: pegasos.EpsInsensitive}}, "Start"},
		{pegasos.Trainer{Start: a, Prior: three}, "Start"},
		{pegasos.Trainer{Start: three, Config: pegasos.Config{Multiclass: pegasos.OneVsOne}}, "Start"},
		{pegasos.Trainer{Prior: three, Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}},
			"Prior"},
		{pegasos.Trainer{Start: a, Config: pegasos.Config{Multiclass: pegasos.Multinomial,
			Bias: pegasos.BiasAugmented}}, "Start"},
		{pegasos.Trainer{Start: &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{3e38, 1,
			1, 1}},
			Result: pegasos.Result{Steps: 1 << 40}}}, "Start"},
		{pegasos.Trainer{Start: &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{1, 1, 1,
			1}},
			Result: pegasos.Result{Steps: -1}}}, "Start"},
	} {
		var e *pegasos.ConfigError
		if m, err := trainPlain(t.Context(), &c.tr, data.dense, data.y); m != nil ||
			!errors.As(err, &e) ||
			e.Field != c.field {
			t.Errorf("%v, want an error about %s", err, c.field)
		}
	}
	four := &pegasos.Model{Classes: []float32{0, 1, 2, 3}, Weights: slices.Concat(three.Weights,
		three.Weights[:1])}
	both := pegasos.Trainer{Start: four, Prior: three}
	if _, err := trainPlain(t.Context(), &both, data.dense, data.y); err == nil ||
		!strings.Contains(err.Error(), "only one of the two has the class 3") {
		t.Errorf("Start and Prior with other classes: %v", err)
	}
	numbers := train(t, data.dense, data.y, pegasos.Trainer{Config: pegasos.Config{
		Loss: pegasos.Squared, TargetScale: pegasos.ScaleStandard}})
	for _, tr := range []pegasos.Trainer{{Start: numbers}, {Prior: numbers}, {Resume: numbers}} {
		if _, err := tr.Train(t.Context(), data.dense, data.y); err == nil ||
			!strings.HasSuffix(err.Error(), ": the model is for regression, but the loss hinge is for "+
				"classes") {
			t.Errorf("a model for regression: %v", err)
		}
	}
	// A run canceled before its first step returns the weights and bias of Start.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, start := range []*pegasos.Model{a, {Classes: a.Classes, Weights: a.Weights, Bias: a.Bias}} {
		for _, bias := range []pegasos.Bias{pegasos.BiasAugmented, pegasos.BiasUnregularised} {
			m, err := trainPlain(ctx, &pegasos.Trainer{Config: pegasos.Config{Bias: bias}, Start: start},
				data.dense, data.y)
			if !errors.Is(err, context.Canceled) ||
				distance(m.Weights[0], a.Weights[0]) > 1e-6*norm(a.Weights[0]) ||
				math.Abs(m.Bias[0]-a.Bias[0]) > 1e-6 {
				t.Errorf("%s after %d steps: %v, %v %v, want %v %v", bias, start.Result.Steps, err,
					m.Weights[0], m.Bias, a.Weights[0], a.Bias)
			}
		}
	}
	var e *pegasos.RowError
	y := append([]float32{7}, data.y[1:]...)
	if _, err := trainPlain(t.Context(), &pegasos.Trainer{Prior: a}, data.dense, y); !errors.As(err,
		&e) ||
		e.Row != 0 ||
		!strings.Contains(err.Error(), "label 7") {
		t.Errorf("%v, want an error about row 0", err)
	}
	clear(y)
	if m := from(t, data.dense, y, nil, three, pegasos.Config{}); len(m.Classes) != 3 {
		t.Errorf("classes %v", m.Classes)
	}
}

func TestGoldenStart(t *testing.T) {
	a, b := random(1, 300, 37, 3, 1), random(2, 200, 37, 3, 1)
	for _, isa := range paths() {
		func() {
			defer asm.Use(asm.Use(isa))
			old := mustTrain(t, a.dense, a.y, pegasos.Config{Lambda: 0.01, Bias: pegasos.BiasAugmented})
			start := from(t, b.dense, b.y, old, nil, pegasos.Config{Lambda: 0.01,
				Bias: pegasos.BiasAugmented})
			prior := from(t, b.sparse, b.y, nil, old, pegasos.Config{Lambda: 0.01})
			if h := start.Hash(); h != "b4e30cef87773c4490f4b1346c0785064be3ead71616934065acba593d00d665" {
				t.Errorf("start on %v: %s", isa, h)
			}
			if h := prior.Hash(); h != "ae32245d269b384598bfd47d0e77ac174604055f3c74a1a7c86989c796f2c9df" {
				t.Errorf("prior on %v: %s", isa, h)
			}
		}()
	}
}
