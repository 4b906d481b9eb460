package pegasos_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

var losses = []lossCase{
	{pegasos.Config{Loss: pegasos.Hinge}, []float64{1}, 0,
		func(m float64) float64 { return math.Max(0, 1-m) },
		func(m float64) float64 {
			if m < 1 {
				return 1
			}
			return 0
		}},
	{pegasos.Config{Loss: pegasos.Log}, nil, 0.25,
		func(m float64) float64 { return math.Max(0, -m) + math.Log1p(math.Exp(-math.Abs(m))) },
		func(m float64) float64 { return 1 / (1 + math.Exp(m)) }},
	{pegasos.Config{Loss: pegasos.SquaredHinge}, nil, 2,
		func(m float64) float64 { return math.Pow(math.Max(0, 1-m), 2) },
		func(m float64) float64 { return math.Max(0, 2-2*m) }},
	{pegasos.Config{Loss: pegasos.EpsInsensitive}, []float64{0}, 0,
		func(m float64) float64 { return math.Abs(m) },
		func(m float64) float64 {
			if m == 0 {
				return 0
			}
			return -m / math.Abs(m)
		}},
	{pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: 0.25}, []float64{-0.25, 0.25}, 0,
		func(m float64) float64 { return math.Max(0, math.Abs(m)-0.25) },
		func(m float64) float64 {
			if math.Abs(m) <= 0.25 {
				return 0
			}
			return -m / math.Abs(m)
		}},
	{pegasos.Config{Loss: pegasos.Squared}, nil, 1,
		func(m float64) float64 { return m * m / 2 },
		func(m float64) float64 { return -m }},
}

func TestEveryLossIsTested(t *testing.T) {
	for _, l := range pegasos.Losses() {
		if !slices.ContainsFunc(losses, func(c lossCase) bool { return c.cfg.Loss == l }) {
			t.Errorf("the table losses has no line for the loss %s", l)
		}
	}
}

type lossCase struct {
	cfg         pegasos.Config
	kinks       []float64
	curvature   float64
	at          func(m float64) float64
	coefficient func(m float64) float64 // minus the derivative of the loss at m
}

// bias is the value of the bias feature.
func (l lossCase) optimum(t *testing.T, x *dense.Matrix, y []float32, lambda, bias float64) (low,
	high float64) {
	t.Helper()
	switch {
	case l.cfg.Loss == pegasos.EpsInsensitive:
		return numberOptimum(t, x, y, lambda, bias, l.cfg.Epsilon)
	case l.cfg.Loss == pegasos.Squared:
		_, _, least := ridgeProblem{x: x, y: y, lambda: lambda, bias: bias}.solve()
		return least, least
	case l.curvature > 0:
		return smoothOptimum(t, x, signs(y, 1), lambda, bias, l.at, l.coefficient, l.curvature)
	}
	return optimum(t, x, signs(y, 1), lambda, bias)
}

func (p pair) numbers(seed uint64) pair {
	g := rand.New(rand.NewPCG(seed, 2))
	y := make([]float32, p.dense.Rows())
	for i := range y {
		for j, v := range p.dense.Row(i) {
			y[i] += float32(v * float32(j%5-2) / 4)
		}
		y[i] += float32(g.Int64N(17)-8) / 32
	}
	p.y = y
	return p
}

// smoothOptimum bounds the optimum by gradient descent. For at, coefficient and curvature see
// lossCase. As P is strongly convex, P - |gradient|^2/(2 lambda) is a lower bound.
func smoothOptimum(t *testing.T, x *dense.Matrix, y []float64, lambda, bias float64, at,
	coefficient func(float64) float64, curvature float64) (low, high float64) {
	t.Helper()
	n, d := x.Rows(), x.Cols()+1
	rows := make([][]float64, n)
	curve := lambda
	for i := range rows {
		for _, v := range x.Row(i) {
			rows[i] = append(rows[i], float64(v))
		}
		rows[i] = append(rows[i], bias)
		for _, v := range rows[i] {
			curve += curvature * v * v / float64(n)
		}
	}
	w, momentum := make([]float64, d), make([]float64, d)
	for range 200_000 {
		gradient, size := make([]float64, d), 0.0
		high = 0
		for j, v := range w {
			high += lambda / 2 * v * v
			gradient[j] = lambda * v
		}
		for i, row := range rows {
			var m float64
			for j, v := range row {
				m += y[i] * v * w[j]
			}
			high += at(m) / float64(n)
			for j, v := range row {
				gradient[j] -= coefficient(m) * y[i] * v / float64(n)
			}
		}
		for _, v := range gradient {
			size += v * v
		}
		if low = high - size/(2*lambda); size/(2*lambda) < 1e-9*high {
			return low, high
		}
		for j := range w { // heavy-ball momentum (Polyak)
			momentum[j] = 0.9*momentum[j] - gradient[j]/curve
			w[j] += momentum[j]
		}
	}
	t.Fatalf("no optimum found: between %v and %v", low, high)
	return 0, 0
}

// numberOptimum bounds the optimum of the eps-insensitive loss by dual coordinate ascent.
func numberOptimum(t *testing.T, x *dense.Matrix, y []float32, lambda, bias, epsilon float64) (low,
	high float64) {
	t.Helper()
	n, d := x.Rows(), x.Cols()+1
	row := func(i int) (r []float64) {
		for _, v := range x.Row(i) {
			r = append(r, float64(v))
		}
		return append(r, bias)
	}
	a, w := make([]float64, n), make([]float64, d)
	for pass := range 100_000 {
		low, high = 0, 0
		for _, v := range w {
			low -= lambda / 2 * v * v
			high += lambda / 2 * v * v
		}
		for i := range n {
			z, q, r := 0.0, 0.0, row(i)
			for j, v := range r {
				z += v * w[j]
				q += v * v
			}
			low += (a[i]*float64(y[i]) - epsilon*math.Abs(a[i])) / float64(n)
			high += math.Max(0, math.Abs(z-float64(y[i]))-epsilon) / float64(n)
			if pass%50 == 0 || q == 0 {
				continue // the pass only measures the gap, or no w changes the score
			}
			// Maximize the parabola in a_i, which has a kink at 0.
			c := a[i] + (float64(y[i])-z)*lambda*float64(n)/q
			shrink := epsilon * lambda * float64(n) / q
			c = math.Copysign(math.Max(0, math.Abs(c)-shrink), c)
			c = math.Max(-1, math.Min(1, c))
			for j, v := range r {
				w[j] += (c - a[i]) * v / (lambda * float64(n))
			}
			a[i] = c
		}
		if pass%50 == 0 && high-low < 1e-9*high {
			return low, high
		}
	}
	t.Fatalf("no optimum found: between %v and %v", low, high)
	return 0, 0
}

func TestLossBounds(t *testing.T) {
	for _, l := range losses[1:] {
		for seed := range uint64(4) {
			for _, lambda := range []float64{0.3, 0.01} {
				for _, bias := range []float64{0, 1} {
					data := random(seed, 40+int(seed), 6, 2, 0.8)
					if l.cfg.Loss.Regression() {
						data = data.numbers(seed)
					}
					low, high := l.optimum(t, data.dense, data.y, lambda, bias)
					for _, x := range []pegasos.Examples{data.dense, data.sparse,
						sample.UserRows(data.dense)} {
						cfg := l.cfg
						cfg.Lambda, cfg.Seed, cfg.Steps = lambda, seed, 60*int64(x.Rows())+
							int64(seed)*5
						if bias != 0 {
							cfg.Bias = pegasos.BiasAugmented
						}
						check := func(r pegasos.Result) {
							t.Helper()
							if !(r.DualObjective <= high) || !(r.DualObjective >= 0) {
								t.Errorf("%+v: bound %v, optimum %v", cfg, r.DualObjective, high)
							}
							if r.Objective < low*(1-1e-6) {
								t.Errorf("%+v: objective %v, optimum %v", cfg, r.Objective, low)
							}
						}
						tr := pegasos.Trainer{Config: cfg,
							Progress: func(p pegasos.Progress) { check(p.Measure()) }}
						m, err := trainPlain(t.Context(), &tr, x, data.y)
						if err != nil {
							t.Fatal(err)
						}
						check(m.Result)
						slack := 0.0
						if cfg.Loss.Regression() {
							slack = 0.004
						}
						if r := m.Result; r.DualObjective < 0.75*low-slack ||
							r.Objective > 1.1*high+slack {
							t.Errorf("%+v: objective %v and bound %v, far from the optimum %v", cfg,
								r.Objective, r.DualObjective, low)
						}
					}
				}
			}
		}
	}
}

func TestGoldenLosses(t *testing.T) {
	binary, text, many := random(1, 300, 37, 2, 1), random(2, 400, 3000, 2, 0.02), random(3, 500,
		70, 5, 0.5)
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		y    []float32
		cfg  pegasos.Config
		want string
	}{
		{"log, dense", binary.dense, binary.y, pegasos.Config{Loss: pegasos.Log, Lambda: 0.01,
			Bias: pegasos.BiasAugmented},
			"6f875df2665c0d48511fad232b8c1fc57aad27610ab1bd0253dbb132e7f3e073"},
		{"log, sparse", text.sparse, text.y, pegasos.Config{Loss: pegasos.Log, Order: pegasos.IID,
			Offset: pegasos.OffsetNone},
			"0a523d96cf47f11bd2e5a14db70acbcf6491045a1c8204397bd3299cd757b845"},
		{"squared hinge, classes", many.dense, many.y, pegasos.Config{Loss: pegasos.SquaredHinge,
			Epochs: 7},
			"e9095fca5359d609b0b924c7c060f5e23c93b818f5bf187c8147a35909eed926"},
		{"numbers", binary.dense, binary.numbers(1).y, pegasos.Config{Loss: pegasos.EpsInsensitive,
			Epsilon: 0.01,
			Bias:    pegasos.BiasAugmented},
			"d984c1b0776e9c9bee7fe4032cebee1267620cd9b63d0b2641a4950c204050e1"},
		{"numbers, squared", binary.dense, binary.numbers(1).y, pegasos.Config{Loss: pegasos.Squared,
			Bias: pegasos.BiasAugmented},
			"9e3d2fd3f9c5cc739349f0f13a68eec8411be75431428e96bb5f3404786352c8"},
	} {
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

func TestNumbers(t *testing.T) {
	data := random(1, 60, 5, 2, 1).numbers(1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{Loss: pegasos.EpsInsensitive, Lambda: 0.01,
		Bias: pegasos.BiasAugmented, Epochs: 100})
	scores := m.DecisionAll(data.sparse)
	if m.Classes != nil || len(scores) != 60 {
		t.Fatalf("classes %v, %d scores", m.Classes, len(scores))
	}
	var sum, mean float64
	for i, v := range m.PredictAll(data.sparse) {
		if v != float32(scores[i]) || math.Abs(float64(m.Predict(data.dense, i)-v)) > 1e-5 {
			t.Errorf("row %d: prediction %v, score %v", i, v, scores[i])
		}
		sum += math.Pow(scores[i]-float64(data.y[i]), 2)
		mean += math.Pow(float64(data.y[i]), 2)
	}
	have, want := metrics.RMSE(data.y, scores, nil), math.Sqrt(sum/60)
	if math.Abs(have-want) > 1e-12 || have > 0.5*math.Sqrt(mean/60) {
		t.Errorf("RMSE %v, want %v, and at most half of %v", have, want, math.Sqrt(mean/60))
	}
	if have := m.Objective(m.DecisionAll(data.dense), data.y, nil); math.Abs(have-
		m.Result.Objective) > 1e-12 {
		t.Errorf("Model.Objective %v, in training %v", have, m.Result.Objective)
	}
	if r := mustTrain(t, data.dense, make([]float32, 60),
		pegasos.Config{Loss: pegasos.EpsInsensitive}).Result; r.Objective != 0 || r.Gap != 0 {
		t.Errorf("targets of 0: %+v", r)
	}
	data.y[7] = float32(math.NaN())
	var e *pegasos.RowError
	if _, err := fixed(t.Context(), data.dense, data.y,
		pegasos.Config{Loss: pegasos.EpsInsensitive}); !errors.As(err, &e) || e.Row != 7 {
		t.Errorf("NaN: %v", err)
	}
	text := encode(t, m)
	if !strings.Contains(string(text), "\nclasses: []\n") {
		t.Errorf("%.300q", text)
	}
	for _, c := range []struct{ old, new, want string }{
		{"classes: []", "classes: [0,1]", "want 0 for regression"},
		{`"loss":"eps-insensitive"`, `"loss":"log"`, "0 classes"},
		{"classes: []", "classes: []\nnames: [\"a\"]", "1 name for"},
	} {
		_, err := pegasos.Read(strings.NewReader(seal(strings.Replace(string(text[:len(text)-32]), c.old,
			c.new, 1), "")))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Class of a regression model does not panic")
			}
		}()
		m.Class(scores)
	}()
}

func TestLossObjective(t *testing.T) {
	data := random(2, 60, 5, 3, 1)
	for _, loss := range []pegasos.Loss{pegasos.Hinge, pegasos.Log, pegasos.SquaredHinge} {
		m := mustTrain(t, data.dense, data.y, pegasos.Config{Loss: loss, Bias: pegasos.BiasAugmented})
		if have := m.Objective(m.DecisionAll(data.dense), data.y, nil); math.Abs(have-
			m.Result.Objective) > 1e-12*have {
			t.Errorf("%s: Model.Objective %v, in training %v", loss, have, m.Result.Objective)
		}
	}
}

func TestLossExtremes(t *testing.T) {
	for _, l := range losses {
		for _, size := range []float32{1e-15, 1, 1e4, 1e15} {
			data := random(21, 30, 4, 2, 1)
			if l.cfg.Loss.Regression() {
				data = data.numbers(1)
			}
			for i := range 30 {
				dense.Scale(size, data.dense.Row(i))
			}
			for _, lambda := range []float64{options.MinLambda, 1e-4, 1, 1e30} {
				for _, offset := range []pegasos.Offset{pegasos.OffsetR2, pegasos.OffsetNone} {
					cfg := l.cfg
					cfg.Lambda, cfg.Offset = lambda, offset
					m, err := fixed(t.Context(), data.dense, data.y, cfg)
					var e *pegasos.StepError
					if err != nil && !errors.As(err, &e) || err == nil && m.Validate() != nil {
						t.Errorf("%+v, rows of %v: %v", cfg, size, err)
					}
					if err != nil && offset == pegasos.OffsetR2 && size <= 1e4 {
						t.Errorf("%+v, rows of %v: %v", cfg, size, err)
					}
				}
			}
		}
	}
	// Scores near 1e30 do not overflow the log loss.
	x := matrix(t, 2, 1, 1e10, 1e10)
	m := mustTrain(t, x, []float32{1, 2}, pegasos.Config{Loss: pegasos.Log, Lambda: 1e-10, Steps: 1,
		Offset: pegasos.OffsetNone})
	if o := m.Result.Objective; !(o > 1e28) || o > 1e31 {
		t.Errorf("objective %v for scores near 1e30", o)
	}
}

func TestSquaredHingeIsStable(t *testing.T) {
	data := random(22, 200, 4, 2, 1)
	for i := range 3 {
		dense.Scale(1000, data.dense.Row(i))
	}
	worst := 0.0
	tr := pegasos.Trainer{
		Config: pegasos.Config{Loss: pegasos.SquaredHinge, Average: pegasos.LastIterate},
		Progress: func(p pegasos.Progress) {
			worst = math.Max(worst, p.Measure().Objective)
		},
	}
	if _, err := trainPlain(t.Context(), &tr, data.dense, data.y); err != nil || worst > 1.5 {
		t.Errorf("%v, objective up to %v", err, worst)
	}
}
