package pegasos_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func weighted(t testing.TB, x pegasos.Examples, y, weights []float32,
	cfg pegasos.Config) *pegasos.Model {
	t.Helper()
	m, err := trainPlain(context.Background(), &pegasos.Trainer{Config: cfg, Weights: weights}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func some(rows int) []float32 {
	w := make([]float32, rows)
	for i := range w {
		w[i] = float32(i * 7 % 5)
	}
	return w
}

// repeat returns int(weights[i]) copies of each row i.
func (p pair) repeat(weights []float32) pair {
	var rows []int
	for i, w := range weights {
		for range int(w) {
			rows = append(rows, i)
		}
	}
	d, y := dense.New(len(rows), p.dense.Cols()), make([]float32, len(rows))
	for k, i := range rows {
		copy(d.Row(k), p.dense.Row(i))
		y[k] = p.y[i]
	}
	return pair{d, toSparse(d), y}
}

func TestWeightsAreCopies(t *testing.T) {
	for _, l := range losses {
		for seed := range uint64(3) {
			data := random(seed, 50, 6, 2, 0.8)
			if l.cfg.Loss.Regression() {
				data = data.numbers(seed)
			}
			weights := some(50)
			copies := data.repeat(weights)
			cfg := l.cfg
			cfg.C, cfg.Bias, cfg.Epochs = 0.3, pegasos.BiasAugmented, 100
			lambda := 1 / (0.3 * float64(len(copies.y)))
			low, high := l.optimum(t, copies.dense, copies.y, lambda, 1)
			once := cfg
			once.Epochs = 1
			want := mustTrain(t, copies.dense, copies.y, once).Result
			for _, x := range []pegasos.Examples{data.dense, data.sparse, sample.UserRows(data.dense)} {
				for _, order := range []pegasos.Order{pegasos.IID, pegasos.Sequential,
					pegasos.Blocks} {
					cfg := cfg
					cfg.Order = order
					m := weighted(t, x, data.y, weights, cfg)
					if math.Abs(m.Lambda-lambda) > 1e-15 || math.Abs(m.Result.R2-want.R2) > 1e-7 ||
						m.Result.Epochs != 100 || m.Result.Weight != float64(len(copies.y)) {
						t.Errorf("lambda %v, R2 %v, want %v and %v", m.Lambda, m.Result.R2, lambda,
							want.R2)
					}
					have := m.Objective(m.DecisionAll(copies.dense), copies.y, nil)
					if math.Abs(have-m.Result.Objective) > 1e-6*have {
						t.Errorf("%+v: objective %v, with copies %v", cfg, m.Result.Objective, have)
					}
					if order == pegasos.IID {
						continue
					}
					if r := m.Result; r.Objective < low*(1-1e-6) || !(r.DualObjective <= high) ||
						r.Objective > 1.1*high+0.01 || r.DualObjective < 0.75*low-0.02 {
						t.Errorf("%+v: objective %v, bound %v, optimum %v", cfg, r.Objective,
							r.DualObjective, low)
					}
				}
			}
		}
	}
}

func TestWeightZero(t *testing.T) {
	for _, l := range losses {
		data := random(3, 60, 5, 3, 1)
		weights := make([]float32, 60)
		for i := range weights {
			if i%4 != 1 && data.y[i] != 2 {
				weights[i] = 3
			}
		}
		for _, order := range []pegasos.Order{pegasos.IID, pegasos.Sequential, pegasos.Blocks} {
			cfg := l.cfg
			cfg.Lambda, cfg.Order, cfg.Bias = 0.01, order, pegasos.BiasAugmented
			have := weighted(t, data.dense, data.y, weights, cfg)
			once := data.repeat(ones(weights))
			want := mustTrain(t, once.dense, once.y, cfg)
			if have.Hash() != want.Hash() || fmt.Sprint(have.Classes) != fmt.Sprint(want.Classes) {
				t.Errorf("%+v: another model", cfg)
			}
			h, w := have.Result, want.Result
			if h.Steps != w.Steps || h.T0 != w.T0 || h.Violations != w.Violations ||
				math.Abs(h.Objective-w.Objective) > 1e-12 ||
				math.Abs(h.DualObjective-w.DualObjective) > 1e-12 {
				t.Errorf("%+v: %+v, want %+v", cfg, h, w)
			}
		}
	}
}

func TestValidWeights(t *testing.T) {
	for _, loss := range []pegasos.Loss{pegasos.Hinge, pegasos.Squared} {
		data, valid := random(6, 200, 5, 2, 1), random(7, 80, 5, 2, 1)
		weights := some(80)
		copies := valid.repeat(weights)
		tr := pegasos.Trainer{Config: pegasos.Config{Loss: loss, Lambda: 1e-3, Patience: 2, Epochs: 60}}
		tr.Valid = &pegasos.Labelled{X: copies.dense, Y: copies.y}
		want, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range weights {
			if w == 0 {
				valid.y[i] = float32(math.NaN())
			}
		}
		tr.Valid = &pegasos.Labelled{X: valid.dense, Y: valid.y, Weights: weights}
		if have, err := trainPlain(t.Context(), &tr, data.dense, data.y); err != nil ||
			have.Hash() != want.Hash() {
			t.Errorf("%s: %v, or another model than with copies", loss, err)
		}
	}
}

func TestResumeWeights(t *testing.T) {
	data, weights := random(8, 150, 5, 3, 1), some(150)
	cfg := pegasos.Config{Calibrate: 3, C: 0.5, Epochs: 6}.Plain()
	want := weighted(t, data.dense, data.y, weights, cfg)
	p, err := pegasos.NewPartialFrom(want)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := p.Model(); err != nil || m.Lambda != want.Lambda ||
		m.Lambda != 1/(0.5*want.Result.Weight) {
		t.Errorf("%v: lambda %v, want %v", err, m.Lambda, want.Lambda)
	}
	tr := pegasos.Trainer{Config: cfg, Weights: weights, KeepState: true, Pause: 200}
	m, err := tr.Train(t.Context(), data.dense, data.y)
	if !errors.Is(err, pegasos.ErrPaused) {
		t.Fatal(err)
	}
	tr.Resume, tr.Pause = m, 0
	if have := train(t, data.dense, data.y, tr); have.Hash() != want.Hash() {
		t.Errorf("sigmoids %v, want %v", have.Calibration, want.Calibration)
	}
}

// With C, lambda is 1/(C times the sum of the weights): weights of 1024 have the effect of 1024
// times the C.
func TestPlansByWeight(t *testing.T) {
	for _, finish := range []pegasos.Finish{pegasos.FinishAuto, ""} {
		for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne} {
			for _, c := range []float64{0x1p-20, 0x1p-14, 0x1p-10, 1} {
				data := random(9, 300, 12, 3, 0.5)
				cfg := pegasos.Config{C: c, Finish: finish, Multiclass: multiclass, Scale: pegasos.ScaleNone}
				tr := pegasos.Trainer{Config: cfg, Weights: slices.Repeat([]float32{1024}, 300)}
				have := train(t, data.dense, data.y, tr)
				tr.C, tr.Weights = 1024*c, nil
				want := train(t, data.dense, data.y, tr)
				if have.Hash() != want.Hash() || have.Result.Solver != want.Result.Solver {
					t.Errorf("%q, %s, C %v: solver %s, %v epochs; with the larger C solver %s, %v epochs",
						finish, multiclass, c, have.Result.Solver, have.Result.Epochs, want.Result.Solver,
						want.Result.Epochs)
				}
			}
		}
	}
}

func ones(weights []float32) []float32 {
	n := make([]float32, len(weights))
	for i, w := range weights {
		if w > 0 {
			n[i] = 1
		}
	}
	return n
}

// A step is w <- (1 - eta*lambda) w + eta*c*y*x, where c is the row's weight divided by the mean of
// the weights above 0.
func TestWeightedSteps(t *testing.T) {
	x, y := matrix(t, 4, 1, 2, 1, 3, 5), []float32{-1, 1, 1, -1}
	weights := []float32{3, 1, 2, 0} // mean 2 without the 0
	for n, want := range []float64{
		-2 * 1.5 * 2,        // eta = 2
		-6./2 + 0.5*1,       // eta = 1
		-2.5*2/3 + 2./3*1*3, // eta = 2/3
	} {
		m := weighted(t, x, y, weights, pegasos.Config{Lambda: 0.5, Steps: int64(n + 1),
			Order: pegasos.Sequential, Offset: pegasos.OffsetNone, Average: pegasos.LastIterate})
		if w := float64(m.Weights[0][0]); math.Abs(w-want) > 1e-6 ||
			m.Result.Violations != int64(n+1) {
			t.Errorf("after step %d w = %v, want %v; %d violations", n+1, w, want,
				m.Result.Violations)
		}
	}
}

func TestClassWeight(t *testing.T) {
	data := random(4, 64, 5, 2, 1)
	for i := range data.y { // 16 rows of class 0, 8 of class 1, 32 of class 2, 8 of class 3
		data.y[i] = []float32{0, 0, 1, 2, 2, 2, 2, 3}[i%8]
	}
	halves := make([]float32, 64) // row weights of mean 1 in each class
	for i := range halves {
		halves[i] = 0.5 + float32(i/8%2)
	}
	for _, own := range [][]float32{nil, halves} {
		for cfg, by := range map[string][]float32{
			"0=2,1=0.5,2=3.5": {2, 0.5, 3.5, 1}, " 2=4 , 0=0.125": {0.125, 1, 4, 1},
			pegasos.Balanced: {1, 2, 0.5, 2}, "0=2,1=2,2=2,3=2": {1, 1, 1, 1},
		} {
			product := make([]float32, 64)
			for i, v := range data.y {
				product[i] = by[int(v)]
				if own != nil {
					product[i] *= own[i]
				}
			}
			want := weighted(t, data.dense, data.y, product, pegasos.Config{})
			have := weighted(t, data.dense, data.y, own, pegasos.Config{ClassWeight: cfg})
			if have.Hash() != want.Hash() || have.Result.Objective != want.Result.Objective {
				t.Errorf("%s, row weights %v: not the model of the products", cfg, own != nil)
			}
		}
	}
	m := mustTrain(t, data.dense, data.y, pegasos.Config{ClassWeight: "0=2"})
	if have, err := pegasos.Read(strings.NewReader(string(encode(t, m)))); err != nil ||
		have.Config != m.Config {
		t.Errorf("%v, %v", have, err)
	}
}

func TestBalancedHelps(t *testing.T) {
	data := random(5, 400, 5, 2, 1)
	y := make([]float32, 400)
	weights := make([]float32, 400)
	for i := range y {
		if y[i] = data.y[i]; y[i] == 1 && i%10 != 0 {
			weights[i] = 0
		} else {
			weights[i] = 1
		}
	}
	found := func(cfg pegasos.Config) (n int) {
		m := weighted(t, data.dense, y, weights, cfg)
		for i, v := range m.PredictAll(data.dense) {
			if v == 1 && y[i] == 1 {
				n++
			}
		}
		return n
	}
	if a, b := found(pegasos.Config{Bias: pegasos.BiasAugmented,
		Lambda: 0.1}), found(pegasos.Config{Bias: pegasos.BiasAugmented,
		Lambda: 0.1, ClassWeight: pegasos.Balanced}); b <= a {
		t.Errorf("%d rows of the class predicted, %d with Balanced", a, b)
	}
}

func TestWeightErrors(t *testing.T) {
	x, y := matrix(t, 4, 1, 1, 2, 3, 4), []float32{1, 2, 1, 2}
	for _, c := range []struct {
		weights []float32
		row     int
		text    string
	}{
		{[]float32{1, 2, 3}, -1, "3 weights for 4 rows"},
		{[]float32{0, 0, 0, 0}, -1, "weight"},
		{[]float32{1, 0, 1, 0}, -1, "have the same label"},
		{[]float32{1, 1, -1, 1}, 2, "weight is -1"},
		{[]float32{1, float32(math.NaN()), 1, 1}, 1, "weight is NaN"},
		{[]float32{1, 1, 1, float32(math.Inf(1))}, 3, "weight is +Inf"},
		{[]float32{1, 1, 1, 1e-40}, 3, "1e-15"},
	} {
		m, err := trainPlain(t.Context(), &pegasos.Trainer{Weights: c.weights}, x, y)
		var e *pegasos.RowError
		if m != nil || err == nil || !strings.Contains(err.Error(), c.text) ||
			errors.As(err, &e) != (c.row >= 0) || e != nil && e.Row != c.row {
			t.Errorf("%v: %v, want %q", c.weights, err, c.text)
		}
	}
	weighted(t, x, y, []float32{1e-15, 1e15, 1, 1}, pegasos.Config{})
	weighted(t, x, y, []float32{1e-15, 1e15, 1, 1}, pegasos.Config{Loss: pegasos.SquaredHinge})
}

func TestGoldenWeights(t *testing.T) {
	binary, many := random(1, 300, 37, 2, 1), random(3, 500, 70, 5, 0.5)
	for _, c := range []struct {
		name    string
		x       pegasos.Examples
		y       []float32
		weights []float32
		cfg     pegasos.Config
		want    string
	}{
		{"rows", binary.dense, binary.y, some(300), pegasos.Config{Lambda: 0.01,
			Bias: pegasos.BiasAugmented},
			"a35f4770400fc75174477e4fc49c1fe3fa899724623cd82d2874955f131a8387"},
		{"classes", many.sparse, many.y, nil, pegasos.Config{ClassWeight: pegasos.Balanced, Epochs: 7},
			"f7abd49d5f88b892dac5201d08e26edc69c18af642d8098dc004c01a50155a1f"},
		{"log", binary.dense, binary.y, some(300), pegasos.Config{Loss: pegasos.Log,
			ClassWeight: "1=0.3"},
			"bc856d823374c349f2d7b3558c4d66f6ecc0da96202a8d4d9d1cda5fdd2ad0c6"},
	} {
		for _, isa := range paths() {
			func() {
				defer asm.Use(asm.Use(isa))
				if m := weighted(t, c.x, c.y, c.weights, c.cfg); m.Hash() != c.want {
					t.Errorf("%s on %v: %s, want %s", c.name, isa, m.Hash(), c.want)
				}
			}()
		}
	}
}
