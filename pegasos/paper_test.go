package pegasos_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/pegasos"
)

// fig1 is Fig. 1 of the paper, word for word in float64, without the optional projection. It shares
// no code with the trainer.
type fig1 struct {
	lambda float64
	t      int
	w      []float64
}

// step takes the step with row x and label y, and returns y<w_t, x>.
func (f *fig1) step(x []float32, y float64) (margin float64) {
	f.t++
	eta := 1 / (f.lambda * float64(f.t))
	for j, v := range x {
		margin += y * f.w[j] * float64(v)
	}
	for j := range f.w {
		f.w[j] *= 1 - eta*f.lambda
	}
	if margin < 1 {
		for j, v := range x {
			f.w[j] += eta * y * float64(v)
		}
	}
	return margin
}

func TestPaper(t *testing.T) {
	for seed := range uint64(20) {
		for _, lambda := range []float64{1, 0.1, 1e-3, 1e-6} {
			data := random(seed, 40, 7, 2, 0.7)
			for _, x := range []pegasos.Examples{data.dense, data.sparse, foreign{data.dense}} {
				cfg := pegasos.Paper()
				cfg.Epochs, cfg.Lambda, cfg.Steps, cfg.Seed = 0, lambda, 300, seed
				r := mustRun(t, x, data.y, cfg)
				p := r.problems[0]
				f := &fig1{lambda: lambda, w: make([]float64, 7)}
				w := make([]float32, 7)
				for step := range cfg.Steps {
					idx := r.Order.Next(1)
					i := int(idx[0])
					before := p.Violations
					p.TakeSteps(idx)
					margin := f.step(data.dense.Row(i), float64(2*data.y[i]-1))
					if violated := p.Violations > before; violated != (margin < 1) &&
						math.Abs(margin-1) > 1e-4 {
						t.Fatalf("seed %d lambda %v step %d: violated = %v, margin in float64 %v",
							seed, lambda, step+1, violated, margin)
					} else if violated != (margin < 1) {
						// Both are correct within rounding, and differ from here on.
						break
					}
					p.weights(w)
					var far, size float64
					for j := range w {
						far = math.Max(far, math.Abs(float64(w[j])-f.w[j]))
						size = math.Max(size, math.Abs(f.w[j]))
					}
					if far > 1e-5*math.Max(size, 1/lambda/float64(step+1)) {
						t.Fatalf("seed %d lambda %v step %d: w = %v, in float64 %v", seed, lambda,
							step+1, w, f.w)
					}
				}
			}
		}
	}
}

func TestOffset(t *testing.T) {
	data := random(4, 50, 6, 2, 1)
	var r2 float64
	for i := range data.dense.Rows() {
		r2 += float64(data.dense.SumSquares(i)) / 50
	}
	m := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.25, Epochs: 3})
	if math.Abs(m.Result.R2-r2) > 1e-12 || m.Result.T0 != m.Result.R2/0.25 {
		t.Errorf("R2 = %v, t0 = %v, want %v and %v", m.Result.R2, m.Result.T0, r2, r2/0.25)
	}
	m = mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.25, Epochs: 3,
		Bias: pegasos.BiasAugmented, BiasScale: 3})
	if want := r2 + 9; math.Abs(m.Result.R2-want) > 1e-12 {
		t.Errorf("with a feature of 3: R2 = %v, want %v", m.Result.R2, want)
	}
	m = mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.25, Epochs: 3,
		Offset: pegasos.OffsetNone})
	if m.Result.T0 != 0 {
		t.Errorf("t0 = %v, want 0", m.Result.T0)
	}
	// The first step has size 1/(lambda*(1+t0)), about 1/R^2.
	r := mustRun(t, data.dense, data.y, pegasos.Config{Lambda: 1e-9, Epochs: 3,
		Average: pegasos.LastIterate})
	r.problems[0].TakeSteps([]uint32{5})
	w := make([]float32, 6)
	r.problems[0].weights(w)
	for j, v := range data.dense.Row(5) {
		if want := float64(v) * float64(2*data.y[5]-1) / r2; math.Abs(float64(w[j])-want) > 1e-6 {
			t.Errorf("w[%d] = %v after the first step, want %v", j, w[j], want)
		}
	}
}

// A column in the data with the value of the bias's scale gives the same model as an augmented
// bias.
func TestBias(t *testing.T) {
	for _, scale := range []float64{1, 0.5, 4} {
		data := random(5, 80, 5, 2, 1)
		wide := dense.New(80, 6)
		for i := range 80 {
			copy(wide.Row(i), data.dense.Row(i))
			wide.Row(i)[5] = float32(scale)
		}
		for _, average := range []pegasos.Average{pegasos.LastHalf, pegasos.LastIterate} {
			cfg := pegasos.Config{Lambda: 0.01, Epochs: 5, Average: average}
			want := mustTrain(t, wide, data.y, cfg)
			cfg.Bias, cfg.BiasScale = pegasos.BiasAugmented, scale
			for _, x := range []pegasos.Examples{data.dense, data.sparse} {
				have := mustTrain(t, x, data.y, cfg)
				if d := distance(have.Weights[0], want.Weights[0][:5]); d > 1e-5*norm(
					want.Weights[0]) {
					t.Errorf("scale %v %s: weights %v, want %v", scale, average, have.Weights[0],
						want.Weights[0])
				}
				b := float64(want.Weights[0][5]) * scale
				if math.Abs(have.Bias[0]-b) > 1e-5*math.Abs(b) {
					t.Errorf("scale %v %s: bias %v, want %v", scale, average, have.Bias[0], b)
				}
				h, w := have.Result, want.Result
				if math.Abs(h.Objective-w.Objective) > 1e-6 ||
					math.Abs(h.DualObjective-w.DualObjective) > 1e-5 || math.Abs(h.R2-w.R2) > 1e-6 {
					t.Errorf("scale %v %s: result %+v, want %+v", scale, average, h, w)
				}
			}
		}
	}
}

// If all features are doubled and lambda is multiplied by 4, v doubles, the threshold grows by a
// factor of 4, and w halves, all of it exactly.
func TestScaling(t *testing.T) {
	data := random(6, 70, 8, 3, 0.8)
	for _, cfg := range []pegasos.Config{{}, {Offset: pegasos.OffsetNone},
		{Average: pegasos.LastIterate}, {Order: pegasos.IID},
		{Bias: pegasos.BiasAugmented}} {
		cfg.Lambda, cfg.Epochs = 1e-3, 6
		want := mustTrain(t, data.dense, data.y, cfg)
		for _, c := range []float32{2, 1. / 8, 1 << 10} {
			scaled := dense.New(70, 8)
			for i := range 70 {
				for j, v := range data.dense.Row(i) {
					scaled.Row(i)[j] = v * c
				}
			}
			cfg := cfg
			cfg.Lambda *= float64(c) * float64(c)
			if cfg.Bias == pegasos.BiasAugmented {
				cfg.BiasScale = float64(c)
			}
			have := mustTrain(t, scaled, data.y, cfg)
			for k := range want.Weights {
				for j, v := range want.Weights[k] {
					if have.Weights[k][j] != v/c {
						t.Fatalf("%+v c %v: weight %d of class %d is %v, want %v", cfg, c, j, k,
							have.Weights[k][j], v/c)
					}
				}
				if vectorBias(have, k) != vectorBias(want, k) {
					t.Fatalf("%+v c %v: bias %v, want %v", cfg, c, vectorBias(have, k),
						vectorBias(want, k))
				}
			}
			if math.Abs(have.Result.Objective-want.Result.Objective) > 1e-12 {
				t.Errorf("c %v: objective %v, want %v", c, have.Result.Objective,
					want.Result.Objective)
			}
		}
	}
}

func TestRelabel(t *testing.T) {
	data := random(7, 50, 6, 2, 0.8)
	flipped := make([]float32, len(data.y))
	for i, v := range data.y {
		flipped[i] = -3 * v
	}
	a := mustTrain(t, data.dense, data.y, pegasos.Config{Bias: pegasos.BiasAugmented})
	b := mustTrain(t, data.dense, flipped, pegasos.Config{Bias: pegasos.BiasAugmented})
	if fmt.Sprint(a.Classes, b.Classes) != "[0 1] [-3 0]" {
		t.Errorf("classes %v and %v", a.Classes, b.Classes)
	}
	for j, v := range a.Weights[0] {
		if b.Weights[0][j] != -v {
			t.Errorf("weight %d: %v and %v", j, v, b.Weights[0][j])
		}
	}
	if a.Bias[0] != -b.Bias[0] {
		t.Errorf("bias %v and %v", a.Bias[0], b.Bias[0])
	}
	if math.Float32bits(b.Classes[1]) != 0 {
		t.Errorf("a class is -0")
	}
}

func TestDuplicates(t *testing.T) {
	data := random(8, 30, 5, 2, 1)
	twice := dense.New(60, 5)
	for i := range 60 {
		copy(twice.Row(i), data.dense.Row(i%30))
	}
	// Both problems have the same objective, so that both runs come near the same optimum.
	a := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.1, Epochs: 400})
	b := mustTrain(t, twice, append(data.y, data.y...), pegasos.Config{Lambda: 0.1, Epochs: 200})
	if math.Abs(a.Result.Objective-b.Result.Objective) > 2e-3*a.Result.Objective {
		t.Errorf("objectives %v and %v", a.Result.Objective, b.Result.Objective)
	}
}

// The model is the mean of the iterates at the sampled steps.
func TestAveragedModel(t *testing.T) {
	data := random(10, 64, 5, 2, 1)
	cfg := pegasos.Config{Lambda: 0.01, Steps: 500}
	have := mustTrain(t, data.dense, data.y, cfg)
	cfg.Average = pegasos.LastIterate
	r := mustRun(t, data.dense, data.y, cfg)
	p := r.problems[0]
	want, w := make([]float64, 5), make([]float32, 5)
	samples := 0
	for p.T < 500 {
		p.TakeSteps(r.Order.Next(1))
		p.weights(w)
		if p.T > 250 && (500-p.T)%engine.Period(500, 5) == 0 {
			samples++
			for j, v := range w {
				want[j] += float64(v)
			}
		}
	}
	if samples < 8 {
		t.Errorf("%d samples in the last half", samples)
	}
	for j, v := range have.Weights[0] {
		if math.Abs(float64(v)-want[j]/float64(samples)) > 1e-5 {
			t.Errorf("weight %d: %v, want %v", j, v, want[j]/float64(samples))
		}
	}
}

func TestPeriod(t *testing.T) {
	for _, c := range []struct{ total, cols, want int64 }{
		{1, 1, 1}, {100, 10, 6}, {1 << 20, 10, 64}, {1 << 20, 784, 196}, {1 << 10, 1 << 20, 64},
		{1 << 30, 1 << 20, 1 << 18},
	} {
		if have := engine.Period(c.total, int(c.cols)); have != c.want {
			t.Errorf("engine.Period(%d, %d) = %d, want %d", c.total, c.cols, have, c.want)
		}
	}
}
