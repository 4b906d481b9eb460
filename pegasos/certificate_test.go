package pegasos_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

// optimum bounds the optimum of a hinge problem. bias is the value of the bias feature.
func optimum(t *testing.T, x *dense.Matrix, y []float64, lambda, bias float64) (low, high float64) {
	t.Helper()
	n, d := x.Rows(), x.Cols()+1
	rows := make([][]float64, n)
	for i := range rows {
		for _, v := range x.Row(i) {
			rows[i] = append(rows[i], float64(v))
		}
		rows[i] = append(rows[i], bias)
	}
	dot := func(a, b []float64) (s float64) {
		for j := range a {
			s += a[j] * b[j]
		}
		return s
	}
	alpha, w := make([]float64, n), make([]float64, d)
	for pass := range 200_000 {
		for i, row := range rows {
			q := dot(row, row)
			a := 1.0
			if q > 0 {
				a = alpha[i] + (1-y[i]*dot(w, row))*lambda*float64(n)/q
			}
			a = math.Min(1, math.Max(0, a))
			for j := range w {
				w[j] += (a - alpha[i]) * y[i] * row[j] / (lambda * float64(n))
			}
			alpha[i] = a
		}
		if pass%50 != 0 {
			continue
		}
		low, high = -lambda/2*dot(w, w), lambda/2*dot(w, w)
		for i, row := range rows {
			low += alpha[i] / float64(n)
			high += math.Max(0, 1-y[i]*dot(w, row)) / float64(n)
		}
		if high-low <= 1e-9*high {
			return low, high
		}
	}
	t.Fatalf("no optimum found: between %v and %v", low, high)
	return 0, 0
}

func signs(y []float32, class float32) []float64 {
	s := make([]float64, len(y))
	for i, v := range y {
		s[i] = -1
		if v == class {
			s[i] = 1
		}
	}
	return s
}

func TestBound(t *testing.T) {
	for seed := range uint64(8) {
		for _, lambda := range []float64{0.3, 0.01, 0.001} {
			data := random(seed, 40+int(seed), 6, 2, 0.8)
			for _, bias := range []float64{0, 1} {
				low, high := optimum(t, data.dense, signs(data.y, 1), lambda, bias)
				for _, x := range []pegasos.Examples{data.dense, data.sparse, sample.UserRows(data.dense)} {
					for _, cfg := range []pegasos.Config{{}, {Offset: pegasos.OffsetNone},
						{Average: pegasos.LastIterate},
						{Order: pegasos.Sequential}, {Order: pegasos.Blocks, Block: 3}, {Project: true},
						{Project: true, Offset: pegasos.OffsetNone}, {Batch: 7, Project: true},
						{Finish: pegasos.FinishDual}} {
						cfg.Lambda, cfg.Seed = lambda, seed
						cfg.Steps = 60*int64(x.Rows()) + int64(seed)*5
						if bias != 0 {
							cfg.Bias = pegasos.BiasAugmented
						}
						check := func(r pegasos.Result) {
							t.Helper()
							if !(r.DualObjective <= high) || !(r.DualObjective >= 0) {
								t.Errorf("seed %d lambda %v %+v: bound %v, optimum %v", seed,
									lambda, cfg, r.DualObjective, high)
							}
							if r.Objective < low*(1-1e-6) { // scores are rounded to float32
								t.Errorf("seed %d lambda %v: objective %v, optimum %v", seed,
									lambda, r.Objective, low)
							}
							want := (r.Objective - r.DualObjective) / r.DualObjective
							if r.DualObjective == 0 {
								want = math.Inf(1)
							}
							if r.Gap != want || r.Gap < 0 {
								t.Errorf("gap %v, want %v", r.Gap, want)
							}
						}
						tr := pegasos.Trainer{Config: cfg,
							Progress: func(p pegasos.Progress) { check(p.Measure()) },
							Early:    []float64{0.02, 0.1, 0.5, 0.9}}
						m, err := trainPlain(t.Context(), &tr, x, data.y)
						if err != nil {
							t.Fatal(err)
						}
						check(m.Result)
						if m.Result.DualObjective < 0.8*low {
							t.Errorf("seed %d lambda %v %+v: bound %v is far below the optimum %v",
								seed, lambda, cfg, m.Result.DualObjective, low)
						}
						if m.Result.Objective > 1.1*high && cfg.Average == pegasos.LastHalf {
							t.Errorf("seed %d lambda %v %+v: objective %v is far above the "+
								"optimum %v", seed, lambda, cfg, m.Result.Objective, high)
						}
					}
				}
			}
		}
	}
}

// User-defined rows give the model and certificate of the same matrix, to the bit.
func TestUserRowsTol(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for _, l := range losses {
		for seed := range seeds {
			data := random(seed, 200, 20, 3, 0.5)
			if l.cfg.Loss.Regression() {
				data = data.numbers(seed)
			}
			for _, cfg := range []pegasos.Config{
				{Tol: 0.1}, {Tol: 0.02, Bias: pegasos.BiasAugmented}, {Tol: 0.05,
					Bias: pegasos.BiasUnregularised},
				{Tol: 1e-5, Finish: pegasos.FinishDual}, {Tol: 0.02, Finish: pegasos.FinishAuto},
				{Tol: 0.05, Multiclass: pegasos.CrammerSinger}, {Tol: 0.05, Multiclass: pegasos.Multinomial},
				{Tol: 1e-5, Finish: pegasos.FinishDual, Bias: pegasos.BiasUnregularised},
				{Tol: 1e-4, Finish: pegasos.FinishDual, Multiclass: pegasos.CrammerSinger},
				{Tol: 1e-4, Finish: pegasos.FinishDual, Multiclass: pegasos.Multinomial},
				{Tol: 0.05, Multiclass: pegasos.OneVsOne, Order: pegasos.Sequential},
			} {
				cfg.Loss, cfg.Epsilon, cfg.Lambda, cfg.Epochs = l.cfg.Loss, l.cfg.Epsilon, 0.01, 60
				if cfg.Multiclass == pegasos.CrammerSinger {
					cfg.Loss = pegasos.Hinge
				}
				if cfg.Validate() != nil {
					continue
				}
				for _, x := range []pegasos.Examples{data.dense, data.sparse} {
					want := mustTrain(t, x, data.y, cfg)
					have := mustTrain(t, sample.UserRows(x), data.y, cfg)
					if !reflect.DeepEqual(have, want) {
						t.Errorf("%T %+v: %+v, with user-defined rows %+v", x, cfg, want.Result,
							have.Result)
					}
				}
			}
		}
	}
}

func TestNoCertificate(t *testing.T) {
	data := random(13, 30, 5, 3, 1)
	r := mustTrain(t, data.dense, data.y, pegasos.Config{Order: pegasos.IID}).Result
	if !math.IsNaN(r.DualObjective) || !math.IsNaN(r.Gap) || !(r.Objective > 0) {
		t.Errorf("i.i.d. order: %+v", r)
	}
	for _, c := range r.PerClass {
		if !math.IsNaN(c.DualObjective) || !(c.Objective > 0) {
			t.Errorf("i.i.d. order: %+v", c)
		}
	}
}

func TestEmptyRows(t *testing.T) {
	for _, cols := range []int{0, 3} {
		m := mustTrain(t, dense.New(4, cols), []float32{1, 2, 2, 1}, pegasos.Config{})
		if r := m.Result; r.Objective != 1 || !(r.Gap >= 0 && r.Gap < 1e-12) {
			t.Errorf("%d columns: %+v", cols, r)
		}
		if m.Predict(dense.New(1, cols), 0) != 1 {
			t.Errorf("%d columns: the larger label is predicted at the score 0", cols)
		}
		for _, c := range []struct {
			kind pegasos.Multiclass
			want float64
		}{{pegasos.OneVsOne, 1}, {pegasos.CrammerSinger, 1}, {pegasos.Multinomial, math.Log(3)}} {
			m := mustTrain(t, dense.New(6, cols), []float32{1, 2, 3, 3, 2, 1},
				pegasos.Config{Multiclass: c.kind})
			r := m.Result
			if math.Abs(r.Objective-c.want) > 1e-15 || r.Gap > 1e-6 ||
				m.Predict(dense.New(1, cols), 0) != 1 {
				t.Errorf("%s, %d columns: %+v", c.kind, cols, r)
			}
		}
	}
}

// Training a class against the rest alone gives the same weights and, within rounding, the same
// result.
func TestPerClass(t *testing.T) {
	data := random(14, 90, 7, 4, 1)
	cfg := pegasos.Config{Lambda: 0.01, Bias: pegasos.BiasAugmented}
	m := mustTrain(t, data.dense, data.y, cfg)
	var objective, dual float64
	var violations int64
	for k, c := range m.Result.PerClass {
		y := make([]float32, len(data.y))
		for i, s := range signs(data.y, m.Classes[k]) {
			y[i] = float32(s)
		}
		alone := mustTrain(t, data.dense, y, cfg)
		if distance(alone.Weights[0], m.Weights[k]) != 0 || alone.Bias[0] != m.Bias[k] {
			t.Errorf("class %d has other weights or another bias than alone", k)
		}
		// The lower bounds allow for the rounding of the mean over the classes.
		r := alone.Result
		d := r.DualObjective - c.DualObjective
		if d < 0 || d > 1e-13 || r.Objective != c.Objective ||
			r.Violations != c.Violations || r.Steps != c.Steps {
			t.Errorf("class %d: %+v, alone %+v", k, c, r)
		}
		objective += c.Objective / 4
		dual += c.DualObjective / 4
		violations += c.Violations
	}
	if r := m.Result; math.Abs(objective-r.Objective) > 1e-15 ||
		math.Abs(dual-r.DualObjective) > 1e-15 || violations != r.Violations {
		t.Errorf("%+v; from the classes: objective %v, bound %v, violations %d", r, objective, dual,
			violations)
	}
}

// The terms of the prior's scores nearly cancel.
func TestPriorCancels(t *testing.T) {
	tight := 0
	for seed := range uint64(60) {
		data := random(seed, 30, 2, 2, 1)
		for i := range data.dense.Rows() {
			for j := range data.dense.Row(i) {
				data.dense.Row(i)[j] += 1000
			}
		}
		cfg := pegasos.Config{Lambda: 1000, Loss: losses[seed%uint64(len(losses))].cfg.Loss, Epochs: 50}
		if cfg.Loss.Regression() {
			data = data.numbers(seed)
		}
		prior := mustTrain(t, data.dense, data.y, cfg)
		prior.Weights[0] = []float32{-2000, 2000}
		if seed/6%2 == 1 {
			cfg.Finish = pegasos.FinishDual
		}
		tr := pegasos.Trainer{Config: cfg, Prior: prior}
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil {
			t.Fatal(err)
		}
		all, _ := (&trial{rows: data.dense, y: data.y, tr: tr}).problems(m)
		_, _, least := all[0].Minimize()
		if m.Result.DualObjective > least {
			t.Errorf("seed %d, %s: bound %v, but P can be %v", seed, cfg.Loss,
				m.Result.DualObjective, least)
		}
		if m.Result.DualObjective > 0.999*least {
			tight++
		}
	}
	if tight < 10 {
		t.Errorf("only %d lower bounds exceed 99.9 %% of the optimum", tight)
	}
}

func TestObjectiveIsExact(t *testing.T) {
	for seed := range uint64(10) {
		data := random(seed, 60, 8, 2, 1)
		tr := pegasos.Trainer{
			Config: pegasos.Config{Lambda: 1e-3, Epochs: 2000, Finish: pegasos.FinishDual, Tol: 1e-7},
		}
		m, err := trainPlain(t.Context(), &tr, data.sparse, data.y)
		if err != nil {
			t.Fatal(err)
		}
		all, _ := (&trial{rows: data.dense, y: data.y, tr: tr}).problems(m)
		truth := all[0].Objective([][]float64{floats.Float64s(m.Weights[0])}, []float64{0})
		if r := m.Result; math.Abs(r.Objective-truth) > 1e-13*truth || !(r.Gap <= 1e-3) {
			t.Errorf("seed %d: claimed objective %v, true objective %v: gap %v", seed, r.Objective,
				truth, r.Gap)
		}
	}
}
