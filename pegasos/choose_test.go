package pegasos_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func apart(seed uint64, rows, cols, classes int) pair {
	p := random(seed, rows, cols, classes, 1)
	g := rand.New(rand.NewPCG(seed, 9))
	x := dense.New(rows, cols)
	for j := range cols {
		scale := []float64{0.01, 0.1, 1, 10, 100}[g.IntN(5)] * (1 + g.Float64())
		mean := 8*g.Float64() - 4
		for i := range rows {
			x.Row(i)[j] = float32(scale * (float64(p.dense.Row(i)[j]) + mean))
		}
	}
	return pair{x, toSparse(x), p.y}
}

// If unit is true, the rows have length 1.
func text(seed uint64, rows, cols int, unit bool) pair {
	g := rand.New(rand.NewPCG(seed, 5))
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		n := 5 + g.IntN(20)
		for range n {
			j := int(float64(cols) * g.Float64() * g.Float64())
			x.Row(i)[j] = 1 + float32(g.IntN(3))
		}
		if y[i] = 1; x.Row(i)[0]+x.Row(i)[2] > x.Row(i)[1]+x.Row(i)[3] {
			y[i] = -1
		}
		if unit {
			dense.Scale(float32(1/math.Sqrt(float64(x.SumSquares(i)))), x.Row(i))
		}
	}
	return pair{x, toSparse(x), y}
}

func train(t testing.TB, x pegasos.Examples, y []float32, tr pegasos.Trainer) *pegasos.Model {
	t.Helper()
	m, err := tr.Train(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestChoices(t *testing.T) {
	two, five, many := apart(1, 300, 6, 2), apart(2, 1200, 8, 5), apart(3, 300, 6, 8)
	words, counts := text(4, 400, 700, true), text(5, 400, 700, false)
	long := counts.dense.Take(sequence(400))
	for i := range 4 {
		dense.Scale(1000, long.Row(100*i))
	}
	images := random(6, 200, 300, 2, 1)
	enough, few := apart(7, 210, 6, 3), apart(7, 209, 6, 3)
	wide, larger := random(8, 300, 300, 3, 0.1), random(8, 600, 300, 3, 0.1)
	numbers := pegasos.Config{Loss: pegasos.EpsInsensitive}
	for _, c := range []struct {
		x    pegasos.Examples
		y    []float32
		cfg  pegasos.Config
		want string
	}{
		{two.dense, two.y, pegasos.Config{},
			"columns standardized, bias, lambda 0.0059 = 0.00099 mean |x|^2, up to 555 passes, until " +
				"within 1 % of the optimum (chosen by 5 folds: lambda of 6 values, curves or none)"},
		{two.dense, two.y, pegasos.Config{Scale: pegasos.ScaleNone},
			"features not scaled, bias, lambda "},
		{two.dense, two.y, pegasos.Config{Bias: pegasos.BiasNone},
			"columns standardized, no bias, lambda 0.0059 = 0.00099 mean |x|^2, up to 555 passes, unti"},
		{two.dense, two.y, pegasos.Config{Lambda: 0.5},
			"columns standardized, bias, lambda 0.5 = 0.083 mean |x|^2, up to 555 passes, until within"},
		{two.dense, two.y, pegasos.Config{C: 2},
			"columns standardized, bias, C 2, up to 555 passes, until w"},
		{two.dense, two.y, pegasos.Config{Finish: pegasos.FinishNone},
			"columns standardized, bias, lambda 0.0059 = 0.00099 mean |x|^2, up to 555 passes, until wit"},
		{two.dense, two.y, pegasos.Config{Epochs: 3},
			"columns standardized, bias, lambda 0.0059 = 0.00099 mean |x|^2, 3 passes"},
		{two.dense, two.y, pegasos.Config{Steps: 3},
			"columns standardized, bias, lambda 0.0059 = 0.00099 mean |x|^2, 3 steps"},
		{five.sparse, five.y, pegasos.Config{},
			"columns standardized, bias, one-vs-one of 5 classes, lambda"},
		{five.dense, five.y, pegasos.Config{Multiclass: pegasos.OneVsRest},
			"columns standardized, bias, one-vs-rest of 5 classes, lambda"},
		{many.dense, many.y, pegasos.Config{},
			"columns standardized, bias, Crammer-Singer of 8 classes, la"},
		{many.dense, many.y, pegasos.Config{Loss: pegasos.Log},
			"columns standardized, bias, multinomial of 8 classes, lambda"},
		{many.dense, many.y, pegasos.Config{Loss: pegasos.SquaredHinge},
			"columns standardized, bias, one-vs-one of 8 classes, lambda"},
		{enough.dense, enough.y, pegasos.Config{}, "columns standardized, bias, one-vs-one of 3 classes"},
		{few.dense, few.y, pegasos.Config{Lambda: 0.01},
			"columns standardized, bias, Crammer-Singer of 3 classes"},
		{wide.sparse, wide.y, pegasos.Config{},
			"features not scaled, bias, Crammer-Singer of 3 classes"},
		{larger.sparse, larger.y, pegasos.Config{},
			"features not scaled, bias, one-vs-one of 3 classes"},
		{words.sparse, words.y, pegasos.Config{}, "features not scaled, bias, lambda"},
		{words.dense, words.y, pegasos.Config{}, "features not scaled, bias, lambda"},
		{long, words.y, pegasos.Config{}, "rows divided by their length, bias, lambda"},
		{images.dense, images.y, pegasos.Config{}, "features not scaled, bias, lambda"},
		{two.dense, two.y, numbers,
			"columns standardized, bias, targets standardized, lambda 0.006 = 0.001 mean |x|^2, " +
				"up to 555 passes, unt"},
		{two.dense, two.y, pegasos.Config{Loss: pegasos.Squared},
			"columns standardized, bias, targets standardized, lambda 0.0006 = 0.0001 mean |x|^2, " +
				"Newton's "},
		{sample.UserRows(two.dense), two.y, pegasos.Config{}, "features not scaled, bias, lambda"},
		{sample.UserRows(two.dense), two.y, pegasos.Config{Scale: pegasos.ScaleStandard},
			"columns standardized, bias, lambda"},
	} {
		m := train(t, c.x, c.y, pegasos.Trainer{Config: c.cfg})
		if have := m.Settings(); !strings.HasPrefix(have, c.want) {
			t.Errorf("%T, %+v: %s", c.x, c.cfg, have)
		}
		if m.Config.Plain() != m.Config || m.Config.Validate() != nil || m.Config.Scale == "" {
			t.Errorf("%+v", m.Config)
		}
	}
	m := train(t, two.dense, two.y, pegasos.Trainer{})
	if m.Result.Gap > 0.01 || m.Result.Epochs > 300 {
		t.Errorf("gap %v after %v epochs", m.Result.Gap, m.Result.Epochs)
	}
	m = train(t, two.dense, two.y, pegasos.Trainer{Config: pegasos.Config{Epochs: 500}})
	if m.Result.Epochs != 500 || m.Config.Tol != 0 {
		t.Errorf("%v epochs, want 500; Tol %v", m.Result.Epochs, m.Config.Tol)
	}
	for _, cfg := range []pegasos.Config{{Patience: 1}, {Tol: 0.3}, {Order: pegasos.IID},
		{Finish: pegasos.FinishDual}} {
		tr := pegasos.Trainer{Config: cfg, Valid: &pegasos.Labelled{X: two.dense, Y: two.y}}
		if m := train(t, two.dense, two.y, tr); m.Config.Tol != cfg.Tol {
			t.Errorf("%+v: Tol %v", cfg, m.Config.Tol)
		}
	}
	m = train(t, sample.UserRows(two.dense), two.y, pegasos.Trainer{})
	if !strings.Contains(m.Settings(), "are not copied: scaling (standard) was left out") {
		t.Error(m.Settings())
	}
	m = train(t, two.dense, two.y, pegasos.Trainer{MaxMemory: 9000, Config: pegasos.Config{Epochs: 1}})
	if !strings.Contains(m.Settings(), "a copy of the rows would take") {
		t.Error(m.Settings())
	}
	var e *pegasos.ConfigError
	little := &pegasos.Trainer{MaxMemory: 7000, Config: pegasos.Config{Scale: pegasos.ScaleStandard}}
	if _, err := little.Train(t.Context(), two.dense, two.y); !errors.As(err, &e) ||
		e.Field != "MaxMemory" {
		t.Error(err)
	}
	var row *pegasos.RowError
	bad := two.dense.Take(sequence(300))
	bad.Row(7)[2] = float32(math.NaN())
	if _, err := pegasos.Train(t.Context(), bad, two.y, pegasos.Config{}); !errors.As(err, &row) ||
		row.Row != 7 {
		t.Error(err)
	}
	for _, bad := range []pegasos.Config{{Scale: "x"}, {TargetScale: pegasos.ScaleUnit},
		{TargetScale: pegasos.ScaleStandard}} {
		if _, err := pegasos.Train(t.Context(), two.dense, two.y, bad); !errors.As(err, &e) ||
			!strings.Contains(e.Field, "Scale") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestFold(t *testing.T) {
	p := apart(7, 200, 6, 3)
	// the mean of column 2 is too large, relative to its deviation, to fold a standard scaling
	far := p.dense.Take(sequence(200))
	for i := range 200 {
		far.Row(i)[2] += 1e6
	}
	zeros := random(8, 200, 6, 3, 0.2)
	before := slices.Clone(p.dense.Row(5))
	for name, x := range map[string]pegasos.Examples{"dense": p.dense, "sparse": p.sparse,
		"user rows": sample.UserRows(p.dense), "far": far, "zeros": zeros.sparse} {
		for _, cfg := range []pegasos.Config{
			{Scale: pegasos.ScaleStandard}, {Scale: pegasos.ScaleMaxAbs}, {Scale: pegasos.ScaleUnit}, {},
			{Scale: pegasos.ScaleStandard, Loss: pegasos.Squared}, {Scale: pegasos.ScaleUnit,
				Loss: pegasos.EpsInsensitive},
			{Scale: pegasos.ScaleMaxAbs, Loss: pegasos.EpsInsensitive, Bias: pegasos.BiasNone},
		} {
			cfg.Epochs = 5
			if cfg.Loss == pegasos.Squared {
				cfg.Finish = pegasos.FinishNone
			}
			m := train(t, x, p.y, pegasos.Trainer{Config: cfg})
			folded := m.Scaling.Folded
			if folded != (m.Config.Scale != pegasos.ScaleUnit &&
				!(name == "far" && m.Scaling.Shift != nil)) {
				t.Errorf("%s, %+v: folded %v", name, cfg, folded)
			}
			raw := p.dense
			switch name {
			case "far":
				raw = far
			case "zeros":
				raw = zeros.dense
			}
			scores := m.DecisionAll(x)
			same := clone(t, m)
			if same.Hash() != m.Hash() || same.Scaling.R2 != m.Scaling.R2 {
				t.Fatalf("%s, %+v: the read model has another hash or R2", name, cfg)
			}
			for i := range 200 {
				row := scaledRow(m.Scaling, raw.Row(i))
				for k := range m.Weights {
					w, b := m.Scaling.Exact(m, k)
					var size float64
					for j, v := range row {
						b += v * w[j]
						size += math.Abs(v * w[j])
					}
					s := 1.0
					if m.Scaling.Spread != 0 {
						s = m.Scaling.Spread
					}
					b = b*s + m.Scaling.Centre
					at := scores[i*len(m.Weights)+k]
					if d := math.Abs(at - b); d > 1e-3*(size*s+math.Abs(b))+1e-6 {
						t.Fatalf("%s, %+v: row %d has the score %v, want %v", name, cfg, i, at, b)
					}
				}
				z := same.Decision(x, i, nil)
				if !slices.Equal(z, scores[i*len(z):][:len(z)]) {
					t.Fatalf("%s, %+v: the read model gives row %d the scores %v", name, cfg, i, z)
				}
			}
			if s := m.Scaling; s.Shift != nil { // missing features count as 0
				less := dense.New(3, 4)
				full := dense.New(3, 6)
				for i := range 3 {
					copy(less.Row(i), raw.Row(i))
					copy(full.Row(i), raw.Row(i)[:4])
				}
				a, b := m.DecisionAll(less), m.DecisionAll(full)
				for i := range a {
					if math.Abs(a[i]-b[i]) > 1e-3*(1+math.Abs(b[i])) {
						t.Errorf("%s, %+v: score %v without the last features, %v with zeros", name, cfg,
							a[i], b[i])
					}
				}
			}
		}
	}
	if !slices.Equal(before, p.dense.Row(5)) {
		t.Error("the caller's rows were changed")
	}
}

// scaledRow leaves out the terms of an expansion.
func scaledRow(s *pegasos.Scaling, row []float32) []float64 {
	scaled, length := make([]float64, len(row)), 0.0
	for j, v := range row {
		scaled[j] = float64(v)
		length += float64(v) * float64(v)
	}
	for j := range scaled {
		switch {
		case s.Kind == pegasos.ScaleUnit && length > 0:
			scaled[j] /= math.Sqrt(length)
		case s.Kind == pegasos.ScaleStandard:
			scaled[j] = (scaled[j] - float64(s.Shift[j])) * float64(s.Factor[j])
		case s.Kind == pegasos.ScaleMaxAbs:
			scaled[j] *= float64(s.Factor[j])
		}
	}
	return scaled
}

func TestChoose(t *testing.T) {
	two, five, words := apart(1, 300, 6, 2), apart(2, 1200, 8, 5), text(4, 400, 700, true)
	numbers := make([]float32, 300)
	for i := range numbers {
		numbers[i] = 40 + 7*two.dense.Row(i)[1]
	}
	weights := make([]float32, 300)
	for i := range 200 {
		weights[i] = 2
	}
	for i, c := range []struct {
		x  pegasos.Examples
		y  []float32
		tr pegasos.Trainer
	}{
		{two.dense, two.y, pegasos.Trainer{}},
		{two.dense, two.y, pegasos.Trainer{Weights: weights,
			Config: pegasos.Config{Loss: pegasos.Squared}}},
		{two.dense, two.y, pegasos.Trainer{Weights: weights, Config: pegasos.Config{}.Plain()}},
		{five.sparse, five.y, pegasos.Trainer{Config: pegasos.Config{C: 3, Finish: pegasos.FinishDual}}},
		{words.sparse, words.y, pegasos.Trainer{Config: pegasos.Config{Scale: pegasos.ScaleNone,
			Epochs: 1}}},
		{two.dense, numbers, pegasos.Trainer{Config: pegasos.Config{Loss: pegasos.EpsInsensitive}}},
		{two.dense, numbers, pegasos.Trainer{Config: pegasos.Config{Loss: pegasos.EpsInsensitive,
			Epsilon: 0.25}}},
	} {
		cfg, r2, err := c.tr.Choose(t.Context(), c.x, c.y)
		m := train(t, c.x, c.y, c.tr)
		b := 0.0
		if m.Config.Bias == pegasos.BiasAugmented {
			b = m.Config.BiasScale * m.Config.BiasScale
		}
		want := m.Config
		if want.BiasScale == 0 { // the model has no bias feature
			cfg.BiasScale = 0
		}
		if e := c.tr.Config.Epsilon; e > 0 && want.Epsilon != e {
			t.Errorf("%d: the model has the Epsilon %v, not %v", i, want.Epsilon, e)
		}
		if want.Epsilon != 0 {
			want.Epsilon /= m.Scaling.Spread
		}
		if err != nil || cfg != want || c.tr.Weights == nil && len(m.Weights) == 1 &&
			math.Abs(r2+b-m.Result.R2) > 1e-6*r2 || m.Scaling != nil && r2 != m.Scaling.R2 {
			t.Errorf("%d: %+v, R^2 %v, %v; want %+v, %v", i, cfg, r2, err, want, m.Result.R2-b)
		}
	}
	if _, _, err := (&pegasos.Trainer{}).Choose(t.Context(), two.dense, two.y[1:]); err == nil {
		t.Error("Choose accepts 299 labels for 300 rows")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (&pegasos.Trainer{}).Choose(ctx, two.dense, two.y); err != context.Canceled {
		t.Error(err)
	}
}

func TestChosenBits(t *testing.T) {
	p := apart(9, 3000, 5, 2)
	want := train(t, p.dense, p.y, pegasos.Trainer{Threads: 1, Config: pegasos.Config{Epochs: 3}})
	for _, threads := range []int{2, 5} {
		m := train(t, p.dense, p.y, pegasos.Trainer{Threads: threads, Config: pegasos.Config{Epochs: 3}})
		if m.Hash() != want.Hash() || !reflect.DeepEqual(m.Config, want.Config) {
			t.Errorf("%d threads: another hash or Config", threads)
		}
	}
}

func TestInvariance(t *testing.T) {
	for _, classes := range []int{2, 4} {
		for _, p := range []pair{apart(11, 600, 7, classes), text(12, 600, 500, true)} {
			accuracy := func(x *dense.Matrix, y []float32) float64 {
				var rows pegasos.Examples = x
				if x.Cols() > 256 {
					rows = toSparse(x)
				}
				m := train(t, rows, y, pegasos.Trainer{})
				return metrics.Accuracy(y, m.PredictAll(rows), nil)
			}
			rows, cols := p.dense.Rows(), p.dense.Cols()
			made := func(cols int, at func(i, j int) float32) *dense.Matrix {
				x := dense.New(rows, cols)
				for i := range rows {
					for j := range cols {
						x.Row(i)[j] = at(i, j)
					}
				}
				return x
			}
			old := func(i, j int) float32 { return p.dense.Row(i)[j] }
			order := rand.New(rand.NewPCG(1, 1)).Perm(rows)
			shuffled := make([]float32, rows)
			for i, k := range order {
				shuffled[i] = p.y[k]
			}
			twice := append(sequence(rows), sequence(rows)...)
			want := accuracy(p.dense, p.y)
			for name, c := range map[string]struct {
				x    *dense.Matrix
				y    []float32
				most float64
			}{
				"x .001": {made(cols, func(i, j int) float32 { return old(i, j) * 0.001 }), p.y, .01},
				"x 1000": {made(cols, func(i, j int) float32 { return old(i, j) * 1000 }), p.y, .01},
				"constant": {made(cols+1, func(i, j int) float32 {
					if j == cols {
						return 0.5
					}
					return old(i, j)
				}), p.y, .01},
				"permuted": {made(cols, func(i, j int) float32 { return old(i, (j+3)%cols) }), p.y, .01},
				"shuffled": {made(cols, func(i, j int) float32 { return old(order[i], j) }),
					shuffled, .01},
				"twice": {p.dense.Take(twice), append(slices.Clone(p.y), p.y...), .015},
			} {
				if have := accuracy(c.x, c.y); math.Abs(have-want) > c.most {
					t.Errorf("%d classes, %d columns, %s: accuracy %v, before the change %v", classes, cols,
						name, have, want)
				}
			}
		}
	}
}

func TestChosenBefore(t *testing.T) {
	p := apart(13, 200, 5, 3)
	for _, scale := range []pegasos.Scale{"", pegasos.ScaleMaxAbs, pegasos.ScaleUnit} {
		first := train(t, p.dense, p.y,
			pegasos.Trainer{Config: pegasos.Config{Scale: scale, Bias: pegasos.BiasNone, C: 3}})
		x := p.dense.Take(sequence(60))
		for _, tr := range []pegasos.Trainer{{Start: first}, {Prior: first}} {
			tr.Epochs = 4
			m := train(t, x, p.y[:60], tr)
			if c := m.Config; c.Scale != first.Config.Scale || c.Bias != pegasos.BiasNone || c.C != 3 ||
				c.Lambda != 0 || c.Multiclass != first.Config.Multiclass ||
				!m.Scaling.Same(first.Scaling) {
				t.Errorf("%s: %+v, %+v", scale, c, m.Scaling)
			}
			if tr.Prior != nil && m.Prior != first.Hash() {
				t.Errorf("%s: the prior's hash is %s", scale, m.Prior)
			}
		}
		// With a large lambda the scores are nearly the prior's scores.
		m := train(t, p.dense, p.y, pegasos.Trainer{Prior: first, Config: pegasos.Config{Lambda: 1e9}})
		a, b := first.DecisionAll(p.dense), m.DecisionAll(p.dense)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-3*(1+math.Abs(a[i])) {
				t.Fatalf("%s: score %v, the prior's score %v", scale, b[i], a[i])
			}
		}
		cfg := pegasos.Config{Scale: scale}
		whole := train(t, p.dense, p.y, pegasos.Trainer{Config: cfg})
		half, err := (&pegasos.Trainer{Config: cfg, KeepState: true, Pause: 300}).Train(t.Context(),
			p.dense, p.y)
		if !errors.Is(err, pegasos.ErrPaused) {
			t.Fatal(err)
		}
		if m := train(t, p.dense, p.y, pegasos.Trainer{Resume: half}); m.Hash() != whole.Hash() ||
			!reflect.DeepEqual(m.Result, whole.Result) {
			t.Errorf("%s: resumed %+v, want %+v", scale, m.Result, whole.Result)
		}
	}
	var e *pegasos.ConfigError
	unit := train(t, p.dense, p.y,
		pegasos.Trainer{Config: pegasos.Config{Scale: pegasos.ScaleUnit, Epochs: 1}})
	raw := &pegasos.Trainer{Start: unit, Config: pegasos.Config{Scale: pegasos.ScaleNone}}
	if _, err := raw.Train(t.Context(), p.dense, p.y); !errors.As(err, &e) ||
		e.Reason != `the model's Scale is "unit", the run's is "none": the model's weights can't be `+
			"converted" {
		t.Error(err)
	}
	_, err := pegasos.NewPartial(pegasos.Config{Scale: pegasos.ScaleStandard}, []float32{0, 1}, 3)
	if !errors.As(err, &e) || e.Field != "Scale" {
		t.Error(err)
	}
}

func TestVerifyScaled(t *testing.T) {
	p := apart(14, 150, 5, 3)
	for _, x := range []pegasos.Examples{p.dense, p.sparse} {
		for _, cfg := range []pegasos.Config{{}, {Scale: pegasos.ScaleUnit},
			{Scale: pegasos.ScaleMaxAbs,
				Multiclass: pegasos.OneVsRest}, {Loss: pegasos.Squared}, {Loss: pegasos.EpsInsensitive},
			{Loss: pegasos.Log, Multiclass: pegasos.Multinomial}} {
			m := train(t, x, p.y, pegasos.Trainer{Config: cfg, KeepProof: true})
			for _, proof := range []*pegasos.Proof{nil, m.Proof} {
				v, err := (&pegasos.Trainer{}).Verify(t.Context(), m, x, p.y,
					pegasos.VerifyOptions{Proof: proof})
				if err != nil {
					t.Fatalf("%+v: %v", cfg, err)
				}
				if v.Verdict == pegasos.Contradicted || proof != nil && v.Verdict != pegasos.Confirmed ||
					!v.Known {
					t.Errorf("%+v, proof %v: %+v", cfg, proof != nil, v)
				}
			}
			m.Result.Objective *= 0.99
			if len(m.Result.PerClass) > 0 {
				m.Result.PerClass[0].Objective *= 0.97
			}
			if v, err := (&pegasos.Trainer{}).Verify(t.Context(), m, x, p.y,
				pegasos.VerifyOptions{}); err != nil ||
				v.Verdict != pegasos.Contradicted {
				t.Errorf("%+v: a lowered objective: %+v, %v", cfg, v, err)
			}
		}
	}
}

func TestChosenGolden(t *testing.T) {
	two, four, words := apart(15, 120, 4, 2), apart(16, 900, 4, 4), text(17, 150, 400, true)
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		y    []float32
		cfg  pegasos.Config
		hash string
	}{
		{"two", two.dense, two.y, pegasos.Config{},
			"12df2bd1457b5a52c35f41d059c428424901a678aa9f1ab65f06b2e61472b07d"},
		{"four", four.dense, four.y, pegasos.Config{},
			"c2e71c66dd2c86cac61c3b43bfafc124fd9a9d9aba3732136469bffcb23ff15b"},
		{"words", words.sparse, words.y, pegasos.Config{},
			"e19490d4f4f29923100e799288f7a09378ce1dfbc4a6e3320dd2118a86b977ce"},
		{"unit", words.sparse, words.y, pegasos.Config{Scale: pegasos.ScaleUnit},
			"a652140d010f9ebfd35e68d2c945689ef5147f123e164f8028163b37a516e1ba"},
		{"max-abs", words.sparse, words.y, pegasos.Config{Scale: pegasos.ScaleMaxAbs},
			"e01701f21dc41b575e6cca2baf3aa7acfd2eeeb9dbe8ac9932391c77fd9ff89e"},
		{"numbers", two.dense, two.y, pegasos.Config{Loss: pegasos.EpsInsensitive},
			"f53779ab721ca6f248025d2feaaeb9e62e94c2e3d6d3d03e335165c1ca4b82bb"},
		{"ridge", two.dense, two.y, pegasos.Config{Loss: pegasos.Squared},
			"42976072498c4829c4a9d5672847c8cd41b64fa50feb30bb8b7901514fb05460"},
	} {
		m := train(t, c.x, c.y, pegasos.Trainer{Config: c.cfg})
		if have := m.Hash(); have != c.hash {
			t.Errorf("%s: hash %s, want %s", c.name, have, c.hash)
		}
	}
}

func TestEmptyColumns(t *testing.T) {
	for seed := range uint64(8) {
		g := rand.New(rand.NewPCG(seed, 39))
		rows, cols := 60+g.IntN(200), 2+g.IntN(40)
		p := random(seed, rows, cols, 2+g.IntN(3), 0.05+0.95*g.Float64())
		for j := range cols { // give the columns different units
			unit := float32(math.Pow(10, 2*g.Float64()))
			for i := range rows {
				p.dense.Row(i)[j] *= unit
			}
		}
		wide := dense.New(rows, cols+1+g.IntN(60))
		for i := range rows {
			copy(wide.Row(i), p.dense.Row(i))
		}
		for _, x := range [][2]pegasos.Examples{{p.dense, wide},
			{toSparse(p.dense), toSparse(wide)}} {
			want := train(t, x[0], p.y, pegasos.Trainer{})
			have := train(t, x[1], p.y, pegasos.Trainer{})
			if have.Config != want.Config || have.Scaling.Kind != want.Scaling.Kind {
				t.Errorf("seed %d, %T, %d columns, %d with empty columns: %+v %s, want %+v %s", seed,
					x[0], cols, wide.Cols(), have.Config, have.Scaling.Kind, want.Config,
					want.Scaling.Kind)
			}
			a, b := have.Result.Objective, want.Result.Objective
			if math.Abs(a-b) > 0.02*min(a, b) {
				t.Errorf("seed %d, %T: objective %v, want %v", seed, x[0], a, b)
			}
		}
	}
}

func TestChosenConfigAgain(t *testing.T) {
	x, y := random(7, 9, 5, 2, 1).dense, []float32{1, 5, 2, -3, 4, 9, -1, 0, 3}
	m := train(t, x, y, pegasos.Trainer{Config: pegasos.Config{Loss: pegasos.EpsInsensitive}})
	if m.Config.Tol == 0 || m.Result.Solver != "" {
		t.Fatalf("%+v, solver %q, want steps up to a chosen Tol", m.Config, m.Result.Solver)
	}
	again := train(t, x, y, pegasos.Trainer{Config: m.Config})
	if again.Hash() != m.Hash() {
		t.Errorf("the chosen %+v train another model", m.Config)
	}
}
