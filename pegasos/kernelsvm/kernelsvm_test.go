package kernelsvm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
	"github.com/pegasimd/pegasimd/sparse"
)

func mustTrain(t testing.TB, x pegasos.Examples, y []float32, tr Trainer) *Model {
	t.Helper()
	m, err := tr.Train(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func accuracy(m interface {
	PredictAll(x pegasos.Examples) []float32
}, x pegasos.Examples, y []float32) float64 {
	return metrics.Accuracy(y, m.PredictAll(x), nil)
}

func kernel64(cfg Config, x, z []float32) float64 {
	var dot, distance float64
	for j := range x {
		d := float64(x[j]) - float64(z[j])
		dot += float64(x[j]) * float64(z[j])
		distance += d * d
	}
	switch cfg.Kernel {
	case RBF, "":
		return math.Exp(-cfg.Gamma * distance)
	case Polynomial:
		return math.Pow(cfg.Gamma*dot+cfg.Coef0, float64(cfg.Degree))
	case Sigmoid:
		return math.Tanh(cfg.Gamma*dot + cfg.Coef0)
	}
	return dot
}

func TestLinearIsPrimal(t *testing.T) {
	p := sample.Random(4, 300, 8, 2, 1)
	for _, c := range []struct {
		order   pegasos.Order
		offset  pegasos.Offset
		average pegasos.Average
	}{
		{pegasos.IID, pegasos.OffsetR2, pegasos.LastIterate},
		{pegasos.IID, pegasos.OffsetNone, pegasos.LastIterate},
		{pegasos.Sequential, pegasos.OffsetR2, pegasos.LastIterate},
		{pegasos.Sequential, pegasos.OffsetNone, pegasos.LastIterate},
		{pegasos.IID, pegasos.OffsetR2, pegasos.LastHalf},
	} {
		primal, err := pegasos.Train(context.Background(), p.Dense, p.Y, pegasos.Config{
			Lambda: 0.01, Epochs: 6, Order: c.order, Offset: c.offset, Average: c.average, Seed: 2,
		}.Plain())
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range map[string]pegasos.Examples{"dense": p.Dense, "sparse": p.Sparse,
			"custom": sample.UserRows(p.Dense)} {
			m := mustTrain(t, x, p.Y, Trainer{Config: Config{
				Kernel: Linear, Lambda: 0.01, Epochs: 6, Order: c.order, Offset: c.offset,
				Average: c.average, Finish: pegasos.FinishNone, Seed: 2,
			}})
			if m.Result.Violations != primal.Result.Violations {
				t.Errorf("%s %v: %d violations, the primal has %d", name, c, m.Result.Violations,
					primal.Result.Violations)
			}
			w := make([]float32, 8)
			coef := m.Coefficients(0)
			for i := range m.SupportRows().Rows() {
				m.SupportRows().Axpy(i, coef[i], w)
			}
			// The primal trainer averages only some of the iterates.
			limit := 1e-5
			if c.average == pegasos.LastHalf {
				limit = 0.02
			}
			if d := sample.Distance(w, primal.Weights[0]); d > limit*sample.Norm(w) {
				t.Errorf("%s %v: distance %v from the primal weights, whose norm is about %v", name,
					c, d, sample.Norm(w))
			}
			if d := math.Abs(m.Result.Objective -
				primal.Result.Objective); d > limit*primal.Result.Objective {
				t.Errorf("%s %v: objective %v, the primal has %v", name, c, m.Result.Objective,
					primal.Result.Objective)
			}
			if c.average == pegasos.LastIterate && c.order != pegasos.IID {
				if d := math.Abs(m.Result.T0 - primal.Result.T0); d > 1e-6*primal.Result.T0 {
					t.Errorf("%s %v: t0 %v, the primal has %v", name, c, m.Result.T0,
						primal.Result.T0)
				}
			}
		}
	}
}

// A mapped row holds all products of two elements of sqrt(gamma) x with sqrt(coef0) appended.
func TestPolynomialIsFeatureMap(t *testing.T) {
	const cols, gamma, coef0 = 5, 0.5, 2.0
	p := sample.Random(5, 200, cols, 2, 1)
	mapped := dense.New(200, (cols+1)*(cols+1))
	for i := range 200 {
		row := append([]float32(nil), p.Dense.Row(i)...)
		for j := range row {
			row[j] *= float32(math.Sqrt(gamma))
		}
		row = append(row, float32(math.Sqrt(coef0)))
		for a, u := range row {
			for b, v := range row {
				mapped.Row(i)[a*(cols+1)+b] = u * v
			}
		}
	}
	for _, finish := range []pegasos.Finish{pegasos.FinishDual, pegasos.FinishNone} {
		cfg := Config{Lambda: 0.01, Epochs: 3, Finish: finish}
		linear, square := cfg, cfg
		linear.Kernel = Linear
		square.Kernel, square.Gamma, square.Coef0, square.Degree = Polynomial, gamma, coef0, 2
		a := mustTrain(t, mapped, p.Y, Trainer{Config: linear})
		b := mustTrain(t, p.Dense, p.Y, Trainer{Config: square})
		sa, sb := a.DecisionAll(mapped), b.DecisionAll(p.Dense)
		for i := range sa {
			if math.Abs(sa[i]-sb[i]) > 1e-3 {
				t.Fatalf("%s: score %d is %v with mapped features, %v with the kernel", finish, i,
					sa[i], sb[i])
			}
		}
		if d := math.Abs(a.Result.Objective - b.Result.Objective); d > 1e-4*a.Result.Objective {
			t.Errorf("%s: objective %v with mapped features, %v with the kernel", finish,
				a.Result.Objective, b.Result.Objective)
		}
	}
}

func TestFunction(t *testing.T) {
	p := sample.Random(6, 200, 6, 3, 1)
	gamma := float32(0.7)
	own := func(x, z Row) float32 {
		if x.Index != nil || z.Index != nil {
			t.Error("a dense row has an index")
		}
		squares := float64(dense.SumSquares(x.Value)) + float64(dense.SumSquares(z.Value))
		d := []float32{float32(-float64(gamma) * max(0, squares-
			2*float64(dense.Dot(x.Value, z.Value))))}
		dense.Exp(d, d)
		return d[0]
	}
	// Bounds allow for rounding errors of RBF, not of a Func. With this large Tol the runs are
	// still equal.
	a := mustTrain(t, p.Dense, p.Y, Trainer{Config: Config{Gamma: float64(gamma), Lambda: 0.001,
		Tol: 0.1}})
	b := mustTrain(t, p.Dense, p.Y, Trainer{Config: Config{Kernel: Function, Lambda: 0.001,
		Tol: 0.1}, Func: own})
	for k := range a.Problems() {
		if fmt.Sprint(a.Coefficients(k)) != fmt.Sprint(b.Coefficients(k)) {
			t.Errorf("problem %d: the coefficients differ", k)
		}
	}
	// For RBF, predictions and the objective use float64 kernel values.
	scores := b.DecisionAll(p.Dense)
	for i, v := range a.DecisionAll(p.Dense) {
		if math.Abs(v-scores[i]) > 1e-5 {
			t.Errorf("score %d: %v, want %v", i, scores[i], v)
		}
	}
	if math.Abs(a.Result.Objective-b.Result.Objective) > 1e-6 {
		t.Errorf("objective %v with RBF, %v with the Func", a.Result.Objective, b.Result.Objective)
	}
	// A Func that is no inner product gives no bound above the objective.
	r := mustTrain(t, p.Dense, p.Y, Trainer{Config: Config{Kernel: Function, C: 1},
		Func: func(x, z Row) float32 { return -own(x, z) }}).Result
	if r.DualObjective > r.Objective {
		t.Errorf("the bound %v is above the objective %v", r.DualObjective, r.Objective)
	}
	seen := false
	mustTrain(t, p.Sparse, p.Y, Trainer{Config: Config{Kernel: Function}, Threads: 1,
		Func: func(x, z Row) float32 {
			seen = seen || x.Index != nil && len(x.Index) == len(x.Value)
			return float32(len(x.Index) * len(z.Index))
		}})
	if !seen {
		t.Error("no sparse row had an index")
	}
}

// circle labels the points of a square 1 inside a circle of half its area.
func circle(seed uint64, rows int) (*dense.Matrix, []float32) {
	g := rand.New(rand.NewPCG(seed, 2))
	d, y := dense.New(rows, 2), make([]float32, rows)
	for i := range rows {
		a, b := float32(g.Int64N(2001)-1000)/1000, float32(g.Int64N(2001)-1000)/1000
		copy(d.Row(i), []float32{a, b})
		if a*a+b*b < 0.6366 {
			y[i] = 1
		}
	}
	return d, y
}

func TestCircle(t *testing.T) {
	x, y := circle(1, 1000)
	xt, yt := circle(2, 1000)
	linear, err := pegasos.Train(context.Background(), x, y,
		pegasos.Config{Bias: pegasos.BiasAugmented, Curves: pegasos.CurvesNone})
	if err != nil {
		t.Fatal(err)
	}
	if a := accuracy(linear, xt, yt); a > 0.65 {
		t.Errorf("a linear model has accuracy %v, want at most 0.65", a)
	}
	for _, cfg := range []Config{
		{Gamma: 2}, {Kernel: Polynomial, Degree: 2, Gamma: 1, Coef0: 1},
		{Gamma: 2, Finish: pegasos.FinishNone}, {Gamma: 2, Order: pegasos.IID, Epochs: 20},
	} {
		m := mustTrain(t, x, y, Trainer{Config: cfg})
		if a := accuracy(m, xt, yt); a < 0.96 {
			t.Errorf("%+v: accuracy %v, want at least 0.96", cfg, a)
		}
		if n := m.SupportRows().Rows(); n == 0 || n == x.Rows() {
			t.Errorf("%+v: %d support rows of %d rows", cfg, n, x.Rows())
		}
	}
}

// Scores and models must not depend on the code path, the number of threads and the size of the
// cache. Dense and sparse rows of zeros and ones must get the same scores.
func TestGoldenKernels(t *testing.T) {
	golden := map[string]string{}
	check := func(name, where, hash string) {
		t.Helper()
		if golden[name] == "" {
			golden[name] = hash
		} else if golden[name] != hash {
			t.Errorf("%s, %s: %s, want %s", name, where, hash, golden[name])
		}
	}
	defer asm.Use(asm.Use(asm.Active()))
	many := sample.Random(7, 300, 40, 4, 0.4)
	binary := sample.ZerosAndOnes(sample.Random(8, 400, 130, 2, 0.2))
	for _, isa := range sample.Paths() {
		asm.Use(isa)
		for k, c := range [][2]int{{3, 1}, {1, -1}, {2, 0}} {
			if k > 0 && testing.Short() {
				break
			}
			threads, cache := c[0], c[1]
			where := fmt.Sprintf("%s, %d threads, %d MB", isa, threads, cache)
			train := func(x pegasos.Examples, y []float32, cfg Config) string {
				m := mustTrain(t, x, y, Trainer{Config: cfg, Threads: threads, CacheMB: cache})
				h := m.Hash()
				for _, s := range m.decisionAll(x, threads) {
					h += fmt.Sprintf(" %x", math.Float64bits(s))
				}
				return h
			}
			check("dense", where, train(many.Dense, many.Y, Config{Gamma: 0.1, Lambda: 1e-3}))
			check("sparse", where, train(many.Sparse, many.Y, Config{Gamma: 0.1, Lambda: 1e-3}))
			check("rest", where, train(many.Sparse, many.Y, Config{Kernel: Polynomial, Coef0: 1,
				Finish: pegasos.FinishNone, Multiclass: pegasos.OneVsRest}))
			check("linear", where, train(shifted(many.Dense, 1e4), many.Y, Config{Kernel: Linear}))
			check("far", where, train(shifted(many.Dense, 1e4), many.Y, Config{}))
			a := train(binary.Dense, binary.Y, Config{Gamma: 0.05})
			check("binary dense", where, a)
			check("binary sparse", where, train(binary.Sparse, binary.Y, Config{Gamma: 0.05}))
		}
	}
	// The hashes of the models differ, since a dense file contains the zeros.
	_, a, _ := strings.Cut(golden["binary dense"], " ")
	_, b, _ := strings.Cut(golden["binary sparse"], " ")
	if a != b {
		t.Error("zeros and ones: dense and sparse scores differ")
	}
	scores := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(golden)) {
		_, bits, _ := strings.Cut(golden[name], " ")
		fmt.Fprintln(scores, bits)
	}
	golden["scores"] = fmt.Sprintf("%x", scores.Sum(nil))
	for name, want := range map[string]string{
		"scores":        "c6a08eebe44bb976c4bdcf28a08b5fb611b1a098d40d8d37a16649916e4d658b",
		"linear":        "8621f2d5fd14bcd2033bb7b77719829dcc550e6cb0872713c51c73f688b95d9e",
		"far":           "a448cfd8d1d768344ac1dafda675042f4954551c6949a55b3c4bc7048a782b10",
		"dense":         "31fd11ca6b3e3c4c303ee73ef174a763b28c631e1d55ecb8f37496d74c3ec8e6",
		"sparse":        "2f16841f7d01fb5f95279e4f32027805318d5120fbd920ebac85a5b9116888a9",
		"rest":          "21e77c3c3f09424ae0a44cf34a59bf4a71c7dc3df270f4beff6e088aba86a088",
		"binary sparse": "b108e891af5a4376cc551f214a149447abf0cf5eda7a1b83b8aeb23d3b3e1788",
	} {
		if have, _, _ := strings.Cut(golden[name], " "); have != want {
			t.Errorf("%s: hash %q, want %q", name, have, want)
		}
	}
}

func TestCertificate(t *testing.T) {
	p := sample.Random(9, 300, 4, 2, 1)
	cfg := Config{Gamma: 1, Lambda: 1e-3}
	best := cfg
	best.Tol, best.Passes = 1e-6, 10000
	optimum := mustTrain(t, p.Dense, p.Y, Trainer{Config: best}).Result
	if optimum.Gap > 1e-6 || optimum.Passes >= 10000 {
		t.Fatalf("the optimum was not reached: %+v", optimum)
	}
	for _, c := range []Config{
		{}, {Passes: 1}, {Finish: pegasos.FinishNone, Epochs: 1}, {Finish: pegasos.FinishNone},
		{Finish: pegasos.FinishNone, Average: pegasos.LastIterate},
		{Finish: pegasos.FinishNone, Offset: pegasos.OffsetNone},
		{Order: pegasos.Sequential}, {Steps: 777},
		{Finish: pegasos.FinishNone, Order: pegasos.IID},
	} {
		c.Gamma, c.Lambda = cfg.Gamma, cfg.Lambda
		m := mustTrain(t, p.Dense, p.Y, Trainer{Config: c})
		coef, rows := m.Coefficients(0), m.SupportRows().(*dense.Matrix)
		var square, loss float64
		for i, a := range coef {
			for j, b := range coef {
				square += float64(a) * float64(b) * kernel64(c, rows.Row(i), rows.Row(j))
			}
		}
		for i, s := range m.DecisionAll(p.Dense) {
			loss += max(0, 1-(2*float64(p.Y[i])-1)*s)
		}
		want := c.Lambda/2*square + loss/300
		r := m.Result
		t.Logf("%+v: objective %.6f, bound %.6f, optimum %.6f, %d support rows", c, r.Objective,
			r.DualObjective, optimum.Objective, len(coef))
		if math.Abs(r.Objective-want) > 1e-5*want {
			t.Errorf("%+v: objective %v, want %v", c, r.Objective, want)
		}
		if c.Order == pegasos.IID {
			if r.Gap == r.Gap || r.DualObjective == r.DualObjective {
				t.Errorf("%+v: a bound with the order IID: %v", c, r)
			}
			continue
		}
		if r.Objective < optimum.DualObjective*(1-1e-6) ||
			r.DualObjective > optimum.Objective*(1+1e-6) || !(r.Gap >= 0) {
			t.Errorf("%+v: objective %v and bound %v do not enclose the optimum %v", c,
				r.Objective, r.DualObjective, optimum.Objective)
		}
		if c.Finish == "" && c.Passes == 0 && r.Gap > 0.01 {
			t.Errorf("%+v: gap %v, want at most 0.01", c, r.Gap)
		}
	}
}

func TestTolerances(t *testing.T) {
	many, few := sample.Random(25, 2500, 10, 2, 1), sample.Random(26, 150, 4, 2, 1)
	for name, c := range map[string]struct {
		p   sample.Pair
		cfg Config
	}{
		"roundings": {many, Config{Gamma: 20}}, "short moves": {few, Config{Gamma: 50, C: 1e4}},
	} {
		for _, tol := range []float64{0.1, 0.01, 0.001} {
			c.cfg.Tol = tol
			if r := mustTrain(t, c.p.Dense, c.p.Y, Trainer{Config: c.cfg}).Result; !(r.Gap <= tol) {
				t.Errorf("%s: gap %v after %d passes, want at most %v", name, r.Gap, r.Passes, tol)
			}
		}
	}
}

func TestMulticlass(t *testing.T) {
	p := sample.Random(10, 600, 4, 4, 1)
	for _, classes := range []pegasos.Multiclass{pegasos.OneVsOne, pegasos.OneVsRest} {
		cfg := Config{Gamma: 1, Lambda: 1e-3, Multiclass: classes, Tol: 1e-5, Passes: 1000}
		m := mustTrain(t, p.Dense, p.Y, Trainer{Config: cfg})
		if a := accuracy(m, p.Dense, p.Y); a < 0.85 {
			t.Errorf("%s: accuracy %v, want at least 0.85", classes, a)
		}
		scores := m.DecisionAll(p.Dense)
		var objective float64
		for k := range m.Problems() {
			var rows []int
			var y []float32
			first, second := -1, k
			if classes == pegasos.OneVsOne {
				pair := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}[k]
				first, second = pair[0], pair[1]
			}
			for i, v := range p.Y {
				if int(v) == second {
					rows, y = append(rows, i), append(y, 1)
				} else if first < 0 || int(v) == first {
					rows, y = append(rows, i), append(y, -1)
				}
			}
			x := dense.New(len(rows), 4)
			for i, row := range rows {
				copy(x.Row(i), p.Dense.Row(row))
			}
			one := mustTrain(t, x, y, Trainer{Config: cfg})
			objective += one.Result.Objective / float64(m.Problems())
			for i, s := range one.DecisionAll(x) {
				if d := math.Abs(s - scores[rows[i]*m.Problems()+k]); d > 0.05 {
					t.Fatalf("%s: problem %d: score %v, trained alone %v", classes, k,
						scores[rows[i]*m.Problems()+k], s)
				}
			}
		}
		if math.Abs(objective-m.Result.Objective) > 1e-4*objective {
			t.Errorf("%s: objective %v, trained alone %v", classes, m.Result.Objective, objective)
		}
	}
	cfg := Config{Gamma: 1, C: 2}
	r, err := newRun(&Trainer{Config: cfg}, p.Dense, p.Y)
	if err != nil {
		t.Fatal(err)
	}
	for k := range r.pairs {
		q, err := r.problem(k)
		if err != nil {
			t.Fatal(err)
		}
		if want := 1 / (2 * float64(q.N)); math.Abs(q.Lambda-want) > 1e-12 || q.N >= 600 {
			t.Errorf("problem %d of %d rows: lambda %v, want %v", k, q.N, q.Lambda, want)
		}
	}
}

func TestQueries(t *testing.T) {
	for name, p := range map[string]sample.Pair{"sevenths": sample.Random(11, 200, 30, 3, 0.4),
		"zeros and ones": sample.ZerosAndOnes(sample.Random(12, 200, 30, 3, 0.4))} {
		for form, x := range map[string]pegasos.Examples{"dense": p.Dense, "sparse": p.Sparse} {
			m := mustTrain(t, x, p.Y, Trainer{Config: Config{Gamma: 0.1}})
			q := sample.Random(13, 100, 30, 2, 0.5)
			want := m.DecisionAll(q.Dense)
			narrow, wide := dense.New(100, 20), dense.New(100, 45)
			cut := dense.New(100, 30)
			for i := range 100 {
				copy(narrow.Row(i), q.Dense.Row(i))
				copy(cut.Row(i), narrow.Row(i))
				copy(wide.Row(i), q.Dense.Row(i))
				wide.Row(i)[40] = 3
			}
			for what, pair := range map[string][2][]float64{
				"sparse":        {m.DecisionAll(q.Sparse), want},
				"custom":        {m.DecisionAll(sample.UserRows(q.Dense)), want},
				"wide":          {m.DecisionAll(wide), want},
				"wide sparse":   {m.DecisionAll(sample.ToSparse(wide)), want},
				"wide custom":   {m.DecisionAll(sample.UserRows(wide)), want},
				"narrow":        {m.DecisionAll(narrow), m.DecisionAll(cut)},
				"narrow sparse": {m.DecisionAll(sample.ToSparse(narrow)), m.DecisionAll(cut)},
				"narrow custom": {m.DecisionAll(sample.UserRows(narrow)), m.DecisionAll(cut)},
			} {
				if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
					t.Errorf("%s, %s: scores of %s rows differ", name, form, what)
				}
			}
			rows := m.SupportRows()
			for i := range 100 {
				for k := range m.Problems() {
					var sum float64
					for j, a := range m.Coefficients(k) {
						z := make([]float32, 30)
						rows.Axpy(j, 1, z)
						sum += float64(a) * kernel64(m.Config, q.Dense.Row(i), z)
					}
					if have := want[i*m.Problems()+k]; math.Abs(have-sum) > 1e-3 {
						t.Fatalf("%s, %s: score %v, want %v", name, form, have, sum)
					}
				}
			}
		}
	}
}

func TestFewSteps(t *testing.T) {
	p := sample.Random(14, 2000, 5, 2, 1)
	for _, order := range []pegasos.Order{pegasos.Permutation, pegasos.IID, pegasos.Sequential} {
		var values int64
		m := mustTrain(t, p.Dense, p.Y, Trainer{
			Config:   Config{Gamma: 1, Steps: 300, Order: order},
			Progress: func(pr Progress) { values = pr.Values },
		})
		if n := m.SupportRows().Rows(); n == 0 || n > 300 || values > 300*301+300*300 {
			t.Errorf("%s: %d support rows, %d kernel values in 300 steps", order, n, values)
		}
		if r := m.Result; r.Objective == r.Objective || r.Gap == r.Gap || r.Steps != 300 {
			t.Errorf("%s: result %+v, want 300 steps and no objective", order, r)
		}
		if a := accuracy(m, p.Dense, p.Y); a < 0.75 {
			t.Errorf("%s: accuracy %v, want at least 0.75", order, a)
		}
	}
}

// Some steps visit no row of a class.
func TestFewestSteps(t *testing.T) {
	p := sample.Random(14, 40, 5, 6, 1)
	for steps := range int64(4) {
		for seed := range uint64(8) {
			for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsOne, pegasos.OneVsRest} {
				m := mustTrain(t, p.Dense, p.Y, Trainer{Config: Config{Steps: 1 + steps, Seed: seed,
					Multiclass: multiclass}})
				read, err := Read(bytes.NewReader(encode(t, m)))
				if err != nil || !slices.Equal(read.DecisionAll(p.Dense), m.DecisionAll(p.Dense)) {
					t.Errorf("%d steps, seed %d, %s: %v, or other scores when read", 1+steps, seed,
						multiclass, err)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	p := sample.Random(15, 20, 3, 2, 1)
	train := func(x pegasos.Examples, y []float32, tr Trainer) error {
		m, err := tr.Train(context.Background(), x, y)
		if (m == nil) != (err != nil) {
			t.Errorf("%+v: model %v and error %v, want one of them", tr, m, err)
		}
		return err
	}
	for _, c := range []struct {
		field string
		cfg   Config
	}{
		{"Kernel", Config{Kernel: "cosine"}}, {"Func", Config{Kernel: Function}},
		{"Gamma", Config{Gamma: -1}}, {"Gamma", Config{Gamma: math.NaN()}},
		{"Gamma", Config{Gamma: math.Inf(1)}},
		{"Gamma", Config{Gamma: 1, Kernel: Linear}}, {"Coef0", Config{Coef0: 1}},
		{"Coef0", Config{Coef0: -1, Kernel: Polynomial}},
		{"Coef0", Config{Coef0: math.NaN(), Kernel: Polynomial}},
		{"Degree", Config{Degree: 2}}, {"Degree", Config{Degree: -2, Kernel: Polynomial}},
		{"Degree", Config{Degree: 65, Kernel: Polynomial}},
		{"C", Config{C: 1, Lambda: 1}}, {"C", Config{C: -1}}, {"Lambda", Config{Lambda: 1e-13}},
		{"Lambda", Config{Lambda: math.NaN()}}, {"Steps", Config{Steps: 5, Epochs: 5}},
		{"Steps", Config{Steps: -1}},
		{"Epochs", Config{Epochs: -1}}, {"Order", Config{Order: pegasos.Blocks}},
		{"Offset", Config{Offset: "x"}},
		{"Average", Config{Average: "x"}}, {"Finish", Config{Finish: "x"}},
		{"Multiclass", Config{Multiclass: "x"}},
		{"Multiclass", Config{Multiclass: pegasos.CrammerSinger}},
		{"Finish", Config{Finish: pegasos.FinishDual, Order: pegasos.IID}},
		{"Finish", Config{Finish: pegasos.FinishDual, Kernel: Sigmoid}},
		{"Finish", Config{Finish: pegasos.FinishDual, Steps: 5}},
		{"Passes", Config{Finish: pegasos.FinishNone, Passes: 5}},
		{"Passes", Config{Steps: 5, Passes: 5}}, {"Tol", Config{Steps: 5, Tol: 0.1}},
		{"Passes", Config{Passes: -1}}, {"Tol", Config{Finish: pegasos.FinishNone, Tol: 0.1}},
		{"Tol", Config{Tol: 1}}, {"Tol", Config{Tol: -0.1}},
	} {
		var bad *pegasos.ConfigError
		if err := train(p.Dense, p.Y, Trainer{Config: c.cfg}); !errors.As(err, &bad) ||
			bad.Field != c.field {
			t.Errorf("%+v: %v, want an error of %s", c.cfg, err, c.field)
		}
	}
	if err := train(p.Dense, p.Y, Trainer{Config: Config{Steps: 5, Tol: 0.1}}); !strings.HasSuffix(
		err.Error(), "no effect with fewer Steps than rows: 5 and 20") {
		t.Error(err)
	}
	var bad *pegasos.ConfigError
	if err := train(p.Dense, p.Y, Trainer{Threads: -1}); !errors.As(err, &bad) {
		t.Error(err)
	}
	if err := train(p.Dense, p.Y, Trainer{Func: func(x, z Row) float32 { return 1 }}); !errors.As(
		err, &bad) {
		t.Error(err)
	}
	if err := train(dense.New(0, 3), nil, Trainer{}); err == nil {
		t.Error("no error for no rows")
	}
	if err := train(p.Dense, p.Y[:5], Trainer{}); err == nil {
		t.Error("no error for missing labels")
	}
	if err := train(p.Dense, make([]float32, 20), Trainer{}); err == nil {
		t.Error("no error for a single class")
	}
	var row *pegasos.RowError
	for v, want := range map[float32]string{float32(math.NaN()): "a value is NaN or infinite",
		float32(math.Inf(-1)): "a value is NaN or infinite",
		1e30:                  "the squared norm is above 1.7e38"} {
		d := dense.New(20, 3)
		d.Row(7)[1] = v
		for _, x := range []pegasos.Examples{d, sample.ToSparse(d)} {
			if err := train(x, p.Y, Trainer{}); !errors.As(err, &row) || row.Row != 7 ||
				row.Reason != want {
				t.Errorf("value %v: error %v, want a RowError of row 7", v, err)
			}
		}
	}
	d := dense.New(20, 3)
	d.Row(7)[1] = 1e10
	if err := train(d, p.Y, Trainer{Config: Config{Kernel: Polynomial, Gamma: 1}}); !errors.As(err,
		&row) || row.Row != 7 || !strings.HasPrefix(row.Reason, "the kernel value k(x,x)") {
		t.Error(err)
	}
	// The matrix verifies a row when the row is read; row 1 is damaged.
	damaged := errors.New("damaged")
	lazy, err := matrices.Lazy(2, []int64{0, 1, 2}, []int32{0, 1}, []float32{1, 2},
		matrices.Check{Verify: func(first, end int) error {
			if first == 1 {
				return damaged
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if err := train((*sparse.Matrix)(lazy), []float32{0, 1}, Trainer{}); !errors.Is(err, damaged) {
		t.Error(err)
	}
	// Values between different rows are NaN, which only the training steps find.
	var step *pegasos.StepError
	err = train(p.Dense, p.Y, Trainer{Config: Config{Kernel: Function},
		Func: func(x, z Row) float32 {
			if &x.Value[0] == &z.Value[0] {
				return 1
			}
			return float32(math.NaN())
		}})
	if !errors.As(err, &step) {
		t.Error(err)
	}
}

func TestInterrupted(t *testing.T) {
	two, three := sample.Random(16, 600, 5, 2, 1), sample.Random(16, 600, 5, 3, 1)
	for _, cfg := range []Config{{Gamma: 0.2}, {Gamma: 0.2, Finish: pegasos.FinishNone},
		{Gamma: 0.2, Tol: 1e-6}} {
		for stop := range 8 {
			p := two
			if stop%2 == 1 {
				p = three
			}
			stop := stop / 2
			ctx, cancel := context.WithCancel(context.Background())
			if stop == 0 {
				cancel()
			}
			calls := 0
			m, err := (&Trainer{Config: cfg, Progress: func(Progress) {
				if calls++; calls == stop {
					cancel()
				}
			}}).Train(ctx, p.Dense, p.Y)
			cancel()
			if !errors.Is(err, context.Canceled) || m == nil {
				t.Fatalf("%+v: stop %d: model %v, error %v", cfg, stop, m, err)
			}
			if r := m.Result; r.Objective == r.Objective || r.Gap == r.Gap {
				t.Errorf("%+v: an interrupted run has the result %+v", cfg, r)
			}
			if rows := m.SupportRows().Rows(); (rows == 0) != (stop == 0) {
				t.Errorf("%+v: stop %d: %d support rows", cfg, stop, rows)
			}
			if a := accuracy(m, p.Dense, p.Y); len(m.Classes) == 2 && stop > 0 && a < 0.8 {
				t.Errorf("%+v: stop %d: accuracy %v, want at least 0.8", cfg, stop, a)
			}
		}
	}
}

func TestMemory(t *testing.T) {
	rows, mb := 6000, 40
	if testing.Short() {
		rows, mb = 1500, 3
	}
	const cols = 20
	p := sample.Random(17, rows, cols, 2, 1)
	run := func(cacheMB int) (total uint64, values int64) {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		mustTrain(t, p.Dense, p.Y, Trainer{
			Config:  Config{Gamma: 0.5, Lambda: 1e-4, Passes: 8, Tol: 1e-6},
			Threads: 2, CacheMB: cacheMB, Progress: func(p Progress) { values = p.Values },
		})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, values
	}
	without, all := run(-1)
	with, some := run(mb)
	t.Logf("%.1f MB without a cache, %.1f MB more with one of %d MB, which saved %.0f %% of "+
		"the values",
		float64(without)/1e6, float64(with-without)/1e6, mb, 100*(1-float64(some)/float64(all)))
	if extra := float64(with) - float64(without); extra > 1.2*float64(mb)*1e6 ||
		extra < 0.8*float64(mb)*1e6 {
		t.Errorf("a cache of %d MB allocated %.1f MB", mb, extra/1e6)
	}
	if without > 12e6 {
		t.Errorf("without a cache a run allocated %.1f MB, want at most 12", float64(without)/1e6)
	}
	if some >= all {
		t.Errorf("%d kernel values computed with a cache, %d without", some, all)
	}
	for _, c := range []struct{ cols, mb, cache int }{{4, 0, 0}, {256, 0, 0},
		{257, 0, DefaultCacheMB}, {4, 1, 1}} {
		q := sample.ZerosAndOnes(sample.Random(19, 50, c.cols, 2, 0.5))
		r, err := newRun(&Trainer{CacheMB: c.mb}, q.Sparse, q.Y)
		if err != nil {
			t.Fatal(err)
		}
		if r.cacheMB != c.cache {
			t.Errorf("%d columns of zeros and ones: a cache of %d MB, want %d", c.cols, r.cacheMB,
				c.cache)
		}
	}
	// A row's kernel values with the 128 rows of its block are computed a second time to fill the
	// cache.
	if _, none := run(1000); none > int64(rows)*int64(rows)+2*all/int64(rows)*128 {
		t.Errorf("%d kernel values computed with a cache for all %d", none, rows*rows)
	}
}

func TestRealData(t *testing.T) {
	dir := sample.DataDir(t)
	if dir == "" {
		return
	}
	for _, c := range []struct {
		name, train, test string
		cols              int
		cfg               Config
		// slightly above known errors: LIBSVM's on Adult, and the paper's on money-fx
		wrong   float64
		support int
	}{
		{"Adult", "a9a/a9a.svm.gz", "a9a/a9a.t.svm.gz", 123, Config{Gamma: 0.05, Lambda: 3.07e-5},
			0.151, 14000},
		{"Adult, Pegasos alone", "a9a/a9a.svm.gz", "a9a/a9a.t.svm.gz", 123,
			Config{Gamma: 0.05, Lambda: 3.07e-5, Epochs: 2, Finish: pegasos.FinishNone},
			0.151, 14000},
		{"money-fx", "reuters-moneyfx/reuters.moneyfx.train.svm.gz",
			"reuters-moneyfx/reuters.moneyfx.test.svm.gz", 8315, Config{Gamma: 1, Lambda: 1.29e-4},
			0.03, 2000},
	} {
		x, y := sample.ReadSet(t, dir, c.train, c.cols)
		xt, yt := sample.ReadSet(t, dir, c.test, c.cols)
		start := time.Now()
		m := mustTrain(t, x, y, Trainer{Config: c.cfg})
		trained := time.Since(start)
		wrong := 1 - accuracy(m, xt, yt)
		r, support := m.Result, m.SupportRows().Rows()
		t.Logf("%s: error %.2f %%, %d support rows, gap %.2f %%, %.2f s to train, %.2f s to "+
			"predict %d rows",
			c.name, 100*wrong, support, 100*r.Gap, trained.Seconds(),
			(time.Since(start) - trained).Seconds(), xt.Rows())
		if wrong > c.wrong || support > c.support {
			t.Errorf("%s: error %v, want at most %v; %d support rows, want at most %d", c.name,
				wrong, c.wrong, support, c.support)
		}
		if c.cfg.Finish == "" && r.Gap > 0.01 {
			t.Errorf("%s: gap %v, want at most 0.01", c.name, r.Gap)
		}
	}
}

func TestCrossPredict(t *testing.T) {
	x, y := circle(3, 500)
	right := func(x pegasos.Examples, gamma float64) (n int) {
		tr := Trainer{Config: Config{Gamma: gamma}}
		predicted, err := tr.CrossPredict(context.Background(), x, y, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range predicted {
			if v == y[i] {
				n++
			}
		}
		return n
	}
	low, good, high := right(x, 1e-4), right(x, 2), right(x, 1e6)
	if good < 460 || low > 350 || high > 350 {
		t.Errorf("%d, %d and %d of 500 rows are right with a low, a good and a high gamma", low, good,
			high)
	}
	if n := right(sample.UserRows(x), 2); n != good {
		t.Errorf("%d rows of a custom type are right, want %d", n, good)
	}
	tr := new(Trainer)
	for _, folds := range []int{-1, 1, 501} {
		var bad *pegasos.ConfigError
		if _, err := tr.CrossPredict(context.Background(), x, y, folds); !errors.As(err, &bad) {
			t.Errorf("%d folds: error %v, want a ConfigError", folds, err)
		}
	}
	bad := dense.New(20, 2)
	bad.Row(17)[1] = float32(math.Inf(1))
	if _, err := tr.CrossPredict(context.Background(), bad, y[:20], 4); err == nil ||
		!strings.Contains(err.Error(), "row 17: ") {
		t.Errorf("%v, want an error for row 17", err)
	}
	if _, err := tr.CrossPredict(context.Background(), x, y[:3], 2); err == nil {
		t.Error("no error for missing labels")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tr.CrossPredict(ctx, x, y, 2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRealImages(t *testing.T) {
	dir := sample.DataDir(t)
	if dir == "" {
		return
	}
	all, labels := sample.ReadSet(t, dir,
		"fashion-mnist/train-images-idx3-ubyte.gz,fashion-mnist/train-labels-idx1-ubyte.gz", 0)
	xt, yt := sample.ReadSet(t, dir,
		"fashion-mnist/t10k-images-idx3-ubyte.gz,fashion-mnist/t10k-labels-idx1-ubyte.gz", 0)
	m, at := store.MatrixFrom(all, kernel.UpTo(all.Rows()/10))
	x, y := store.TakeMatrix(m, at).Examples(), labels[:len(at)]
	for _, classes := range []pegasos.Multiclass{pegasos.OneVsOne, pegasos.OneVsRest} {
		start := time.Now()
		m := mustTrain(t, x, y,
			Trainer{Config: Config{Gamma: 0.02, C: 2, Tol: 0.1, Multiclass: classes}})
		trained := time.Since(start)
		right := accuracy(m, xt, yt)
		t.Logf("%s: accuracy %.2f %%, %d support rows, gap %.2f %%, %.2f s to train, %.2f s "+
			"to predict", classes, 100*right,
			m.SupportRows().Rows(), 100*m.Result.Gap, trained.Seconds(),
			(time.Since(start) - trained).Seconds())
		if right < 0.855 {
			t.Errorf("%s: accuracy %v, want at least 0.855", classes, right)
		}
	}
}

func TestScales(t *testing.T) {
	p := sample.Random(3, 30, 3, 2, 1)
	for _, size := range []float32{1e-30, 1e-20, 1e-16, 1e-9, 1, 1e9, 1e16, 1e18} {
		d := dense.New(30, 3)
		for i := range 30 {
			for j, v := range p.Dense.Row(i) {
				d.Row(i)[j] = v * size
			}
		}
		far := size < 1e-10 || size > 1e10
		var row *pegasos.RowError
		var bad *pegasos.ConfigError
		_, err := Train(t.Context(), d, p.Y, Config{Kernel: RBF})
		if errors.As(err, &bad) != far || far && bad.Field != "Gamma" {
			t.Errorf("RBF, values of about %v: error %v", size, err)
		}
		square := float64(size) * float64(size)
		if far {
			if _, err := Train(t.Context(), d, p.Y, Config{Kernel: Linear}); size < 1e-18 &&
				(!errors.As(err, &row) || !row.Scale) {
				t.Errorf("linear, rows of %v: %v", size, err)
			}
			continue
		}
		m, err := Train(t.Context(), d, p.Y, Config{Kernel: Linear, Lambda: 1e-2 * square})
		if err != nil || m.Result.Gap > 0.02 {
			t.Errorf("linear, rows of %v: error %v, or a gap above 0.02", size, err)
		}
	}
}
