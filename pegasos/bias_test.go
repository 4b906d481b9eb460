package pegasos_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
)

// unpenalised returns the minimum of P for a small problem with a bias without a penalty, and the
// bias, found by gradient descent in float64.
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

// skewed returns random rows moved away from 0, so that a bias lowers the objective.
func skewed(seed uint64, classes int) pair {
	p := random(seed, 60, 5, classes, 1)
	for i := range 60 {
		for j := range p.dense.Row(i) {
			p.dense.Row(i)[j] += float32(j+1) / 2
		}
	}
	return pair{p.dense, toSparse(p.dense), p.y}
}

// Each step with an unregularized bias is w <- (1 - eta*lambda) w + eta*g*x, b <- b + eta*g
// (section 6 of the paper), where g*x and g are means over a batch.
func TestUnregularisedSteps(t *testing.T) {
	steps, runs := 0, 0
	for _, l := range losses {
		for n, c := range []pegasos.Config{{}, {Offset: pegasos.OffsetNone}, {Batch: 7}, {Batch: 3,
			Order: pegasos.IID},
			{Project: true, Offset: pegasos.OffsetNone}, {Project: true, Offset: pegasos.OffsetNone,
				Batch: 5}} {
			for kind := range 8 { // bits: weights, prior, start
				seed := uint64(n)
				data, before := skewed(seed, 2), skewed(seed+100, 2)
				if l.cfg.Loss.Regression() {
					data, before = data.numbers(seed), before.numbers(seed+1)
				}
				cfg := c
				cfg.Loss, cfg.Epsilon, cfg.Lambda = l.cfg.Loss, l.cfg.Epsilon, 0.3
				cfg.Steps, cfg.Seed = 150, seed
				cfg.Average, cfg.Bias = pegasos.LastIterate, pegasos.BiasUnregularised
				if unbounded(cfg.Loss) && !cfg.Project {
					cfg.Offset = pegasos.OffsetR2
				}
				if (n+kind)%4 == 3 {
					cfg.Average = pegasos.LastHalf
				}
				tr := &pegasos.Trainer{Config: cfg}
				if kind&1 != 0 {
					tr.Weights = some(60)
				}
				if kind&2 != 0 {
					tr.Prior = mustTrain(t, data.sparse, data.y, cfg)
				}
				if kind&4 != 0 {
					tr.Start = mustTrain(t, before.dense, before.y, cfg)
				}
				x := []pegasos.Examples{data.dense, data.sparse, foreign{data.dense}}[(n+kind)%3]
				r, err := newRun(x, data.y, tr)
				if err != nil {
					t.Fatal(err)
				}
				side := func(i int) (float64, float64) {
					if cfg.Loss.Regression() {
						return 1, float64(data.y[i])
					}
					return 2*float64(data.y[i]) - 1, 0
				}
				o := newOracle(r, data.dense, tr, tr.Weights)
				o.coefficients = func(z []float64, i int) (g []float64, kink bool) {
					s, target := side(i)
					for _, k := range l.kinks {
						kink = kink || math.Abs(s*z[0]-target-k) < 1e-4
					}
					return []float64{l.coefficient(s*z[0]-target) * s}, kink
				}
				if cfg.Project {
					o.project(func(z []float64, i int) float64 {
						s, target := side(i)
						return l.at(s*z[0] - target)
					})
					if have := r.problems[0].Radius; math.Abs(have-o.radius) > 1e-5*o.radius {
						t.Errorf("%+v: radius %v, want %v", cfg, have, o.radius)
					}
				}
				steps += o.compare(t, r)
				runs++
			}
		}
	}
	if steps < 100*runs {
		t.Errorf("%d steps compared in %d runs: too few", steps, runs)
	}
}

// The first steps with an unregularized bias, computed by hand: lambda = 1/2, eta = 2, 1, 2/3, ...
func TestFirstUnregularisedSteps(t *testing.T) {
	x, y := matrix(t, 5, 1, 1, 3, 3, -1, 1), []float32{1, -1, -1, 1, 1}
	for n, want := range []struct{ w, b float64 }{
		{2, 2},                 // w = b = 0 violates the margin
		{1 - 3, 1},             // 2*3+2 > 0 has the wrong sign
		{-2. * 2 / 3, 1},       // -2*3+1 = -5 is right: w shrinks by 2/3, b does not
		{-1, 1},                // 4/3+1 > 1 is right
		{-4./5 + 2./5, 7. / 5}, // -1+1 = 0
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

// lopsided returns random rows around 0, a third of them in class 1, so that a bias lowers the
// objective and converges fast.
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

// With an unregularized bias the bound is below the objective of all w and b that a run has met,
// and the gap becomes small. The objective has the value of its definition, with no penalty for the
// bias.
func TestUnregularisedBound(t *testing.T) {
	for n, l := range losses {
		for kind := range 8 { // bits: weights, prior, batches
			data, other := lopsided(uint64(kind)), lopsided(uint64(kind)+50)
			far := kind == 3 // rows far from 0: the bound holds, but the gap stays large
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
			x := []pegasos.Examples{data.dense, data.sparse, foreign{data.dense}}[(n+kind)%3]
			r, err := newRun(x, data.y, tr)
			if err != nil {
				t.Fatal(err)
			}
			o := newOracle(r, data.dense, tr, tr.Weights)
			side := func(i int) (float64, float64) {
				if cfg.Loss.Regression() {
					return 1, float64(data.y[i])
				}
				return 2*float64(data.y[i]) - 1, 0
			}
			least, best := math.Inf(1), 0.0
			tr.Progress = func(p pegasos.Progress) {
				if e := p.Epoch; e > 20 && e%40 != 0 {
					return
				}
				m := p.Model()
				have := o.objective([][]float64{float64s(m.Weights[0])}, m.Bias,
					func(z []float64, i int) float64 {
						s, target := side(i)
						return l.at(s*z[0] - target)
					})
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
					t.Errorf("%s: objective %v, bound %v, bias %v: optimum %v with %v", cfg.Loss,
						m.Result.Objective, best, m.Bias, exact, bias)
				}
			}
			if best > least {
				t.Errorf("%T %+v: bound %v, but P is %v", x, cfg, best, least)
			}
			if r := m.Result; r.Objective-r.DualObjective > 0.02*r.Objective+1e-4 && !far {
				t.Errorf("%T %+v weights %v prior %v: objective %v, bound %v: gap %v", x, cfg,
					tr.Weights != nil, tr.Prior != nil, m.Result.Objective, m.Result.DualObjective,
					m.Result.Gap)
			}
		}
	}
}

// The bound for arbitrary dual variables is the dual objective after the larger of the two sides,
// positive and negative, was scaled down to the sum of the other.
func TestUnregularisedBoundOfAnything(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 5))
	for _, l := range losses {
		for _, weights := range [][]float32{nil, some(60)} {
			data := skewed(3, 2)
			if l.cfg.Loss.Regression() {
				data = data.numbers(3)
			}
			cfg := l.cfg
			cfg.Lambda, cfg.Bias, cfg.Epochs = 0.05, pegasos.BiasUnregularised, 300
			optimum := weighted(t, data.dense, data.y, weights, cfg).Result.Objective
			r, err := newRun(data.dense, data.y, &pegasos.Trainer{Config: cfg, Weights: weights})
			if err != nil {
				t.Fatal(err)
			}
			p := r.problems[0]
			for trial := range 60 {
				a := make([]float32, 60)
				var up, down float64
				for i := range a {
					if v := 4*g.Float64() - 2; p.RowWeight(i) > 0 && trial%4 > 0 {
						a[i] = p.Of.Cost.Clamp(float32(v))
					} else if p.RowWeight(i) > 0 && g.IntN(10) == 0 { // few are not 0, perhaps all on one side
						a[i] = 1
					}
					side, _ := p.Of.Label(uint32(i))
					if b := float64(a[i]*side) * p.RowWeight(i); b > 0 {
						up += b
					} else {
						down -= b
					}
				}
				left := make([]float64, 60)
				var mean, half float64
				u := make([]float64, 5)
				for i, v := range a {
					side, target := p.Of.Label(uint32(i))
					left[i] = float64(v)
					if b := float64(v * side); b > 0 && up > down {
						left[i] *= down / up
					} else if b < 0 && down > up {
						left[i] *= up / down
					}
					mean += p.RowWeight(i) * left[i] * target / float64(r.Count())
					for j, z := range data.dense.Row(i) {
						u[j] += p.RowWeight(i) * left[i] * float64(side) * float64(z) / float64(r.Count())
					}
				}
				for _, v := range u {
					half += v * v / (2 * cfg.Lambda)
				}
				best, whole := 0.0, 0.0
				for step := range 201 {
					s := float64(step) / 200
					value := s*mean - s*s*half
					for i, v := range left {
						value += p.RowWeight(i) * p.Of.Cost.DualTerm(s*v) / float64(r.Count())
					}
					best, whole = math.Max(best, value), math.Max(0, value)
				}
				low := best
				if l.cfg.Loss == pegasos.Log {
					low = whole
				}
				have := boundOf(&p.Of, a, r.R2)
				if have > optimum || have > best+1e-4+1e-3*best || have < low-1e-3*(low+0.1) {
					t.Errorf("%+v weights %v: bound %v, by definition %v to %v, optimum %v", l.cfg,
						weights != nil, have, low, best, optimum)
				}
			}
		}
	}
}

// An unregularized bias lowers the objective, to within 2 % of the one that Newton's method finds.
func TestUnregularisedIsGood(t *testing.T) {
	data := skewed(6, 3)
	free := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.05, Epochs: 300,
		Bias: pegasos.BiasUnregularised})
	newton := mustTrain(
		t,
		data.dense,
		data.y,
		pegasos.Config{Lambda: 0.05, Finish: pegasos.FinishNewton,
			Bias: pegasos.BiasUnregularised},
	)
	none := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.05, Epochs: 300})
	a, b, c := free.Result.Objective, newton.Result.Objective, none.Result.Objective
	if a > 1.02*b || a > 0.98*c || free.Result.DualObjective > b {
		t.Errorf("objective %v, of Newton's method %v, without a bias %v; bound %v", a, b, c,
			free.Result.DualObjective)
	}
	have := free.Objective(free.DecisionAll(data.dense), data.y, nil)
	if math.Abs(have-free.Result.Objective) > 1e-12 {
		t.Errorf("objective %v, of the model %v", free.Result.Objective, have)
	}
	dir := dataDir(t)
	if dir == "" {
		return
	}
	// 2.3 % of the rows are in the smaller class
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

// Models with an unregularized bias have these hashes: see TestGoldenModels.
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
