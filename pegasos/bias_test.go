package pegasos_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

// unpenalised returns about the minimum of P with an unpenalized bias, and the bias. For at and
// coefficient see lossCase.
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

func skewed(seed uint64, classes int) pair {
	p := random(seed, 60, 5, classes, 1)
	for i := range 60 {
		for j := range p.dense.Row(i) {
			p.dense.Row(i)[j] += float32(j+1) / 2
		}
	}
	return pair{p.dense, toSparse(p.dense), p.y}
}

// lambda is 1/2, and the step sizes are 2, 1, 2/3, 1/2 and 2/5.
func TestFirstUnregularisedSteps(t *testing.T) {
	x, y := matrix(t, 5, 1, 1, 3, 3, -1, 1), []float32{1, -1, -1, 1, 1}
	for n, want := range []struct{ w, b float64 }{
		{2, 2},                 // the score 0 violates the margin
		{1 - 3, 1},             // the score 2*3+2 has the wrong sign
		{-2. * 2 / 3, 1},       // the score -2*3+1 = -5 is right: only w shrinks
		{-1, 1},                // the score 4/3+1 > 1 is right
		{-4./5 + 2./5, 7. / 5}, // the score -1+1 = 0 violates the margin
	} {
		m := mustTrain(t, x, y, pegasos.Config{Lambda: 0.5, Steps: int64(n + 1),
			Order: pegasos.Sequential, Offset: pegasos.OffsetNone, Average: pegasos.LastIterate,
			Bias: pegasos.BiasUnregularised})
		if w, b := float64(m.Weights[0][0]), m.Bias[0]; math.Abs(w-want.w) > 1e-6 ||
			math.Abs(b-want.b) > 1e-6 {
			t.Errorf("after step %d w = %v and b = %v, want %v and %v", n+1, w, b, want.w, want.b)
		}
	}
}

func lopsided(seed uint64) pair {
	p := random(seed, 60, 5, 3, 1)
	for i, v := range p.y {
		p.y[i] = 0
		if v == 2 {
			p.y[i] = 1
		}
	}
	return p
}

func TestUnregularisedBound(t *testing.T) {
	for n, l := range losses {
		for kind := range 8 { // bit 0: row weights, bit 1: a prior, bit 2: batches
			data, other := lopsided(uint64(kind)), lopsided(uint64(kind)+50)
			far := kind == 3 // rows far from 0
			if far {
				data, other = skewed(3, 2), skewed(53, 2)
			}
			if l.cfg.Loss.Regression() {
				data, other = data.numbers(uint64(kind)), other.numbers(7)
				for i := range data.y {
					data.y[i] += 3
				}
			}
			cfg := pegasos.Config{Loss: l.cfg.Loss, Epsilon: l.cfg.Epsilon, Lambda: 0.05, Epochs: 400,
				Bias: pegasos.BiasUnregularised}
			tr := &pegasos.Trainer{}
			if kind&1 != 0 {
				tr.Weights = some(60)
			}
			if kind&2 != 0 {
				tr.Prior = mustTrain(t, other.dense, other.y, cfg)
			}
			if kind&4 != 0 {
				cfg.Batch = 4
			}
			tr.Config = cfg
			x := []pegasos.Examples{data.dense, data.sparse, sample.UserRows(data.dense)}[(n+kind)%3]
			objective := newDefinition(tr, data.dense, func(z []float64, i int) float64 {
				if cfg.Loss.Regression() {
					return l.at(z[0] - float64(data.y[i]))
				}
				return l.at((2*float64(data.y[i]) - 1) * z[0])
			})
			least, best := math.Inf(1), 0.0
			tr.Progress = func(p pegasos.Progress) {
				if e := p.Epoch; e > 20 && e%40 != 0 {
					return
				}
				m := p.Model()
				have := objective.of(m)
				if math.Abs(have-m.Result.Objective) > 2e-6*(1+have) {
					t.Fatalf("%T %+v prior %v: objective %v, by definition %v", x, cfg,
						tr.Prior != nil, m.Result.Objective, have)
				}
				least, best = math.Min(least, have), math.Max(best, m.Result.DualObjective)
			}
			m, err := trainPlain(t.Context(), tr, x, data.y)
			if err != nil {
				t.Fatal(err)
			}
			if kind == 0 && (cfg.Loss == pegasos.Log || cfg.Loss == pegasos.SquaredHinge) {
				exact, bias := unpenalised(data, 1, cfg.Lambda, l.at, l.coefficient)
				if best > exact*(1+1e-9) || m.Result.Objective < exact*(1-1e-6) ||
					math.Abs(m.Bias[0]-bias) > 0.1*(1+math.Abs(bias)) {
					t.Errorf("%s: objective %v, bound %v, bias %v; optimum %v with the bias %v", cfg.Loss,
						m.Result.Objective, best, m.Bias, exact, bias)
				}
			}
			if best > least {
				t.Errorf("%T %+v: bound %v, but P is %v", x, cfg, best, least)
			}
			if r := m.Result; r.Objective-r.DualObjective > 0.02*r.Objective+1e-4 && !far {
				t.Errorf("%T %+v weights %v prior %v: objective %v, bound %v, gap %v", x, cfg,
					tr.Weights != nil, tr.Prior != nil, m.Result.Objective, m.Result.DualObjective,
					m.Result.Gap)
			}
		}
	}
}

func TestUnregularisedIsGood(t *testing.T) {
	data := skewed(6, 3)
	free := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.05, Epochs: 300,
		Bias: pegasos.BiasUnregularised})
	newton := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.05,
		Finish: pegasos.FinishNewton, Bias: pegasos.BiasUnregularised})
	none := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.05, Epochs: 300})
	a, b, c := free.Result.Objective, newton.Result.Objective, none.Result.Objective
	if a > 1.02*b || a > 0.98*c || free.Result.DualObjective > b {
		t.Errorf("objective %v, by Newton's method %v, without a bias %v; bound %v", a, b, c,
			free.Result.DualObjective)
	}
	have := free.Objective(free.DecisionAll(data.dense), data.y, nil)
	if math.Abs(have-free.Result.Objective) > 1e-12 {
		t.Errorf("objective %v, Model.Objective %v", free.Result.Objective, have)
	}
	dir := dataDir(t)
	if dir == "" {
		return
	}
	x, y := readSet(t, dir, "mammography/mammography.svm.gz", 0)
	m := mustTrain(t, x, y, pegasos.Config{Lambda: 1e-3, Bias: pegasos.BiasUnregularised, Epochs: 40})
	plain := mustTrain(t, x, y, pegasos.Config{Lambda: 1e-3, Epochs: 40})
	t.Logf("mammography: objective %.5f, gap %.2f %%, bias %.3f, accuracy %.2f %%; without a "+
		"bias %.5f and %.2f %%", m.Result.Objective, 100*m.Result.Gap,
		m.Bias[0], 100*accuracy(m, x, y), plain.Result.Objective, 100*accuracy(plain, x, y))
	if accuracy(m, x, y) < 0.98 || m.Result.Objective > plain.Result.Objective || m.Bias[0] > 0 {
		t.Errorf("%+v, without a bias %+v", m.Result, plain.Result)
	}
}

func TestGoldenUnregularised(t *testing.T) {
	binary, many := random(1, 300, 37, 2, 1), random(3, 500, 70, 5, 0.5)
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		y    []float32
		cfg  pegasos.Config
		want string
	}{
		{"hinge", binary.dense, binary.y, pegasos.Config{Lambda: 0.01},
			"e8cce690c4e00a997889aeb7f8000ab09b616bf4ecc5903e3681b6d34b54caa5"},
		{"log, batches", many.sparse, many.y, pegasos.Config{Loss: pegasos.Log, Batch: 4, Project: true,
			Offset: pegasos.OffsetNone},
			"d4ed5ec3275fc05f336c7e318683c189a2f6632114cdb16d3ca555f05daec023"},
		{"numbers", binary.dense, binary.numbers(1).y, pegasos.Config{Loss: pegasos.EpsInsensitive,
			Epsilon: 0.01,
			Order:   pegasos.IID}, "8a4861638f14dede4db799e79c95789c182b151ca7b08b1355195c03a00101a4"},
	} {
		c.cfg.Bias = pegasos.BiasUnregularised
		for _, isa := range paths() {
			func() {
				defer asm.Use(asm.Use(isa))
				if m := mustTrain(t, c.x, c.y, c.cfg); m.Hash() != c.want {
					t.Errorf("%s on %v: %s, want %s", c.name, isa, m.Hash(), c.want)
				}
			}()
		}
	}
}
