package pegasos

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// unpenalised returns the least P of a small problem with a bias that costs nothing, by gradient
// descent in float64.
func unpenalised(p pair, class float32, lambda float64, at,
	coefficient func(float64) float64) (least,
	bias float64) {
	n, d := p.dense.Rows(), p.dense.Cols()
	w, gradient, momentum := make([]float64, d+1), make([]float64, d+1), make([]float64, d+1)
	y := signs(p.y, class)
	for range 20_000 {
		least = 0
		for j, v := range w[:d] {
			least += lambda / 2 * v * v
			gradient[j] = lambda * v
		}
		gradient[d] = 0
		for i := range n {
			m := y[i] * w[d]
			for j, v := range p.dense.Row(i) {
				m += y[i] * float64(v) * w[j]
			}
			least += at(m) / float64(n)
			g := coefficient(m) * y[i] / float64(n)
			for j, v := range p.dense.Row(i) {
				gradient[j] -= g * float64(v)
			}
			gradient[d] -= g
		}
		for j, v := range gradient {
			momentum[j] = 0.9*momentum[j] - 0.02*v
			w[j] += momentum[j]
		}
	}
	return least, w[d]
}

// skewed moves the rows, so that a bias is worth having.
func skewed(seed uint64, classes int) pair {
	p := random(seed, 60, 5, classes, 1)
	for i := range 60 {
		for j := range p.dense.Row(i) {
			p.dense.Row(i)[j] += float32(j+1) / 2
		}
	}
	return pair{p.dense, toSparse(p.dense), p.y}
}

func TestOuter(t *testing.T) {
	for _, l := range losses[1:3] {
		for seed := range uint64(2) {
			for _, classes := range []int{2, 3} {
				data := skewed(seed, classes)
				m := mustTrain(t, data.sparse, data.y, Config{Loss: l.cfg.Loss, Lambda: 0.05,
					Epochs: 100, Bias: BiasOuter})
				var mean float64
				for k, c := range m.Result.PerClass {
					class := float32(k)
					if classes == 2 {
						class = 1
					}
					least, bias := unpenalised(data, class, 0.05, l.at, l.coefficient)
					if c.Objective < least*(1-1e-6) || c.Objective > 1.01*least ||
						math.Abs(m.Bias[k]-bias) > 0.05*(1+math.Abs(bias)) {
						t.Errorf("%s class %d: objective %v and bias %v, optimum %v and %v",
							l.cfg.Loss, k, c.Objective, m.Bias[k], least, bias)
					}
					mean += c.Objective / float64(len(m.Weights))
				}
				if r := m.Result; math.Abs(mean-r.Objective) > 1e-12 ||
					!math.IsNaN(r.DualObjective) || !math.IsNaN(r.Gap) {
					t.Errorf("%+v", r)
				}
				if have := m.Objective(m.DecisionAll(data.sparse), data.y); math.Abs(have-
					mean) > 1e-12 {
					t.Errorf("objective %v of the model, %v in training", have, mean)
				}
			}
		}
	}
	// Of the others as good as a penalised one of large scale, whose penalty is next to nothing.
	for _, l := range []Config{{}, {Loss: EpsInsensitive, Epsilon: 0.1}} {
		data := skewed(9, 2)
		if l.Loss.Regression() {
			data = data.numbers(1)
			for i := range data.y {
				data.y[i] += 1000
			}
		}
		cfg := l
		cfg.Lambda, cfg.Epochs, cfg.Bias = 0.05, 200, BiasOuter
		a := mustTrain(t, data.dense, data.y, cfg)
		cfg.Bias, cfg.BiasScale, cfg.Epochs = BiasAugmented, 30, 4000
		b := mustTrain(t, data.dense, data.y, cfg)
		if l.Loss.Regression() && math.Abs(a.Bias[0]-1000) > 5 ||
			a.Result.Objective > 1.02*b.Result.Objective {
			t.Errorf("%+v: objective %v and bias %v, of a large scale %v and %v", l,
				a.Result.Objective, a.Bias, b.Result.Objective, b.Bias)
		}
	}
}

// With a prior that has a bias the search is for what is added to it.
func TestOuterPrior(t *testing.T) {
	data := skewed(5, 2)
	prior := mustTrain(t, data.dense, data.y, Config{Lambda: 0.05, Bias: BiasOuter})
	m := from(t, data.dense, data.y, nil, prior, Config{Lambda: 0.05, Bias: BiasOuter})
	var loss float64
	for i, z := range m.DecisionAll(data.dense) {
		loss += math.Max(0, 1-(2*float64(data.y[i])-1)*z) / 60
	}
	far := distance(m.Weights[0], prior.Weights[0])
	if want := 0.025*far*far + loss; math.Abs(want-m.Result.Objective) > 1e-5 ||
		m.Result.Objective > prior.Result.Objective {
		t.Errorf("objective %v, want %v", m.Result.Objective, want)
	}
}

// The objective is that of the model as it is written, also where its constant is moved to the mean
// of the numbers to predict: verify finds the same.
func TestOuterNumbers(t *testing.T) {
	data := skewed(6, 2).numbers(1)
	for _, loss := range []Loss{EpsInsensitive, Squared} {
		for _, finish := range []Finish{"", FinishNone} {
			tr := Trainer{Config: Config{Loss: loss, Bias: BiasOuter, Epochs: 3, Finish: finish},
				Fingerprint: true, Threads: 1}
			m := train(t, data.dense, data.y, tr)
			v, err := tr.Verify(t.Context(), m, data.dense, data.y, VerifyOptions{})
			if err != nil || v.Verdict == Contradicted {
				t.Errorf("%s: %+v, %v", loss, v, err)
			}
		}
	}
}

func TestOuterRun(t *testing.T) {
	data := skewed(4, 3)
	cfg := Config{Lambda: 0.05, Epochs: 3, Bias: BiasOuter}
	const want = "0151f08a0be6fe6906be087e5ea2578e906cf98036f37fb2257868942c7c606a"
	for _, isa := range paths() {
		for threads := 1; threads < 4; threads++ {
			func() {
				defer asm.Use(asm.Use(isa))
				m, err := (&Trainer{Config: cfg, Threads: threads}).plain(t.Context(),
					data.dense, data.y)
				if err != nil || m.Hash() != want {
					t.Errorf("%v, %d threads: %v, %s, want %s", isa, threads, err, m.Hash(), want)
				}
			}()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var last Progress
	tr := Trainer{Config: cfg, Progress: func(p Progress) {
		if p.Steps != last.Steps+60 || p.Epoch != last.Epoch+1 || p.TotalSteps != 20*180 ||
			p.Violations < last.Violations {
			t.Errorf("%+v after %+v", p, last)
		}
		if last = p; p.Epoch == 7 {
			cancel()
		}
	}}
	m, err := tr.plain(ctx, data.dense, data.y)
	if !errors.Is(err, context.Canceled) || m.check() != nil || !math.IsNaN(m.Result.Objective) {
		t.Errorf("cancelled: %v, %+v", err, m)
	}
	encode(t, m)
	last = Progress{}
	if tr.plain(t.Context(), data.dense, data.y); last.Steps != last.TotalSteps {
		t.Errorf("at the end %+v", last)
	}
	var e *ConfigError
	if _, err := (&Trainer{Config: cfg, Start: m}).plain(t.Context(), data.dense,
		data.y); !errors.As(err, &e) || e.Field != "Start" {
		t.Errorf("with a start: %v", err)
	}
	if err := (Config{Bias: BiasOuter, BiasScale: 2}).Validate(); err == nil {
		t.Error("a scale of nothing")
	}
}
