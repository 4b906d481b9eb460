package pegasos_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Release notes must report changes of these hashes.
func TestGoldenModels(t *testing.T) {
	binary, text, many := random(1, 300, 37, 2, 1), random(2, 400, 3000, 2, 0.02), random(3, 500,
		70, 5, 0.5)
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		y    []float32
		cfg  pegasos.Config
		want string
	}{
		{"dense", binary.dense, binary.y, pegasos.Config{Lambda: 0.01, Bias: pegasos.BiasAugmented},
			"32e3c44c5ad8b9e067531c0a811863ca987e6b3b565b3a647da1daaad087bba4"},
		{"sparse", text.sparse, text.y, pegasos.Config{C: 1, Seed: 5},
			"22557088a07ff1f390be4c3a6424ef5d1cc879cb3b2e33e8f6bf7d876f54b2fe"},
		{"multiclass", many.dense, many.y, pegasos.Config{Epochs: 7},
			"e9e89125d4318d3372e8370bf434e1428b74a0758b15dc36340e525d642916a9"},
		{"sequential", binary.dense, binary.y, pegasos.Config{Order: pegasos.Sequential},
			"8f41b28d45595ec62cd2c2396b2e70695267ec150eb3928fd5da2b6250aa78d1"},
		{"blocks", text.sparse, text.y, pegasos.Config{Order: pegasos.Blocks, Block: 16},
			"2821d2df37275086dbbf12baeae53f568729f658053ac72044fe59ec9d09faa7"},
		{"batches", binary.dense, binary.y, pegasos.Config{Batch: 32, Bias: pegasos.BiasAugmented},
			"9e661ae0662fcc1a01c25ffe6a8c1b1f799896c5182893085c09af5bb1da4ce8"},
		{"batches, iid", text.sparse, text.y, pegasos.Config{Batch: 5, Order: pegasos.IID,
			Offset:  pegasos.OffsetNone,
			Project: true}, "a13fbc6f36549d6a3f2a2d05e04cb2dc7ec89b3c111c8ecdcf3cf9e0b969cdf1"},
		{"projection", many.dense, many.y, pegasos.Config{Offset: pegasos.OffsetNone, Project: true},
			"56fa5139053b203a01c32c4ce4d3423dce0687e9f5a271e8b1e168695c5b6121"},
		{"paper", binary.dense, binary.y, pegasos.Paper(),
			"1ef1a4cc4970ef5cb98cbf7d5f0b404480b2939482ab737503805e6160ba89a8"},
	} {
		for _, isa := range paths() {
			func() {
				defer asm.Use(asm.Use(isa))
				m := mustTrain(t, c.x, c.y, c.cfg)
				if m.Hash() != c.want {
					t.Errorf("%s on %v: %s, want %s", c.name, isa, m.Hash(), c.want)
				}
			}()
		}
	}
}

func TestSeeds(t *testing.T) {
	data := random(16, 50, 6, 2, 1)
	seen := make(map[string]bool)
	for seed := range uint64(5) {
		seen[mustTrain(t, data.dense, data.y, pegasos.Config{Seed: seed}).Hash()] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d models from 5 seeds", len(seen))
	}
}

func TestC(t *testing.T) {
	data := random(17, 50, 6, 2, 1)
	a := mustTrain(t, data.dense, data.y, pegasos.Config{C: 8})
	b := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1. / 400})
	if a.Lambda != b.Lambda || a.Hash() != b.Hash() {
		t.Errorf("C = 8 on 50 rows: lambda %v", a.Lambda)
	}
}

func TestEpochsAndSteps(t *testing.T) {
	data := random(18, 50, 6, 2, 1)
	a := mustTrain(t, data.dense, data.y, pegasos.Config{Epochs: 3})
	b := mustTrain(t, data.dense, data.y, pegasos.Config{Steps: 150})
	if a.Hash() != b.Hash() || a.Result.Steps != 150 || b.Result.Epochs != 3 {
		t.Errorf("3 epochs and 150 steps of 50 rows differ: %+v, %+v", a.Result, b.Result)
	}
	if m := mustTrain(t, data.dense, data.y, pegasos.Config{Steps: 1}); m.Result.Steps != 1 ||
		m.Result.Epochs != 0.02 {
		t.Errorf("one step: %+v", m.Result)
	}
}

func TestConfigErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	data := random(19, 10, 3, 2, 1)
	for _, c := range []struct {
		field string
		cfg   pegasos.Config
	}{
		{"Lambda", pegasos.Config{Lambda: -1}},
		{"Lambda", pegasos.Config{Lambda: nan}},
		{"Lambda", pegasos.Config{Lambda: inf}},
		{"Lambda", pegasos.Config{Lambda: 1e-13}},
		{"Lambda", pegasos.Config{Lambda: 1e300}},
		{"C", pegasos.Config{C: -1}},
		{"C", pegasos.Config{C: nan}},
		{"C", pegasos.Config{C: inf}},
		{"C", pegasos.Config{C: 1e12}},  // rejected by Train: lambda is too small with 10 rows
		{"C", pegasos.Config{C: 1e-45}}, // rejected by Train: lambda exceeds float32
		{"C", pegasos.Config{C: 1, Lambda: 1}},
		{"Epochs", pegasos.Config{Epochs: -1}},
		{"Epochs", pegasos.Config{Epochs: math.MaxInt}},
		{"Steps", pegasos.Config{Steps: -1}},
		{"Steps", pegasos.Config{Steps: math.MaxInt64}},
		{"Steps", pegasos.Config{Steps: 1, Epochs: 1}},
		{"Loss", pegasos.Config{Loss: "logistic"}},
		{"Epsilon", pegasos.Config{Epsilon: 0.1}},
		{"Epsilon", pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: -1}},
		{"Epsilon", pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: nan}},
		{"Epsilon", pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: inf}},
		{"Order", pegasos.Config{Order: "iId"}},
		{"Order", pegasos.Config{Order: pegasos.Permutation}},
		{"Block", pegasos.Config{Order: pegasos.Sequential, Block: 8}},
		{"Block", pegasos.Config{Order: pegasos.Blocks, Block: -1}},
		{"ClassWeight", pegasos.Config{ClassWeight: "1"}},
		{"ClassWeight", pegasos.Config{ClassWeight: "1=x"}},
		{"ClassWeight", pegasos.Config{ClassWeight: "1=-1"}},
		{"ClassWeight", pegasos.Config{ClassWeight: "1=NaN"}},
		{"ClassWeight", pegasos.Config{ClassWeight: "1=1e16"}},
		{"ClassWeight", pegasos.Config{ClassWeight: "1=1,1=2"}},
		{"ClassWeight", pegasos.Config{ClassWeight: "7=1"}}, // rejected by Train: no label 7
		{"ClassWeight", pegasos.Config{ClassWeight: pegasos.Balanced, Loss: pegasos.EpsInsensitive}},
		{"Tol", pegasos.Config{Tol: -0.1}},
		{"Tol", pegasos.Config{Tol: 1}},
		{"Tol", pegasos.Config{Tol: nan}},
		{"Tol", pegasos.Config{Tol: 0.1, Order: pegasos.IID}},
		{"Tol", pegasos.Config{Tol: 0.1, Bias: pegasos.BiasUnregularised,
			Multiclass: pegasos.CrammerSinger}},
		{"Patience", pegasos.Config{Patience: -1}},
		{"Patience", pegasos.Config{Patience: 1}}, // rejected by Train without Trainer.Valid
		{"Multiclass", pegasos.Config{Multiclass: "one-vs-all"}},
		{"Multiclass", pegasos.Config{Multiclass: pegasos.CrammerSinger, Loss: pegasos.Log}},
		{"Multiclass", pegasos.Config{Multiclass: pegasos.CrammerSinger, Loss: pegasos.SquaredHinge}},
		{"Multiclass", pegasos.Config{Multiclass: pegasos.CrammerSinger, Loss: pegasos.EpsInsensitive}},
		{"Multiclass", pegasos.Config{Multiclass: pegasos.Multinomial, Loss: pegasos.Hinge}},
		{"Multiclass", pegasos.Config{Multiclass: pegasos.OneVsOne, Loss: pegasos.EpsInsensitive}},
		{"BiasScale", pegasos.Config{Bias: pegasos.BiasUnregularised, BiasScale: 2}},
		{"Batch", pegasos.Config{Batch: -1}},
		{"Batch", pegasos.Config{Batch: 11}}, // rejected by Train: more than 10 rows
		{"Offset", pegasos.Config{Offset: "0"}},
		{"Average", pegasos.Config{Average: "all"}},
		{"Bias", pegasos.Config{Bias: "yes"}},
		{"BiasScale", pegasos.Config{Bias: pegasos.BiasAugmented, BiasScale: -1}},
		{"BiasScale", pegasos.Config{Bias: pegasos.BiasAugmented, BiasScale: nan}},
		{"BiasScale", pegasos.Config{Bias: pegasos.BiasAugmented, BiasScale: inf}},
		{"BiasScale", pegasos.Config{BiasScale: 2}},
	} {
		if c.field == "Epochs" && c.cfg.Epochs > 0 && math.MaxInt < maxSteps {
			continue // a 32-bit int holds no such number of epochs
		}
		m, err := fixed(t.Context(), data.dense, data.y, c.cfg)
		var e *pegasos.ConfigError
		if m != nil || !errors.As(err, &e) || e.Field != c.field || !strings.HasPrefix(err.Error(),
			"pegasos: "+c.field+": ") {
			t.Errorf("%+v: %v, want an error about %s", c.cfg, err, c.field)
		}
	}
	for _, cfg := range []pegasos.Config{
		{}, pegasos.Paper(), {BiasScale: 1}, {C: 1}, {Lambda: options.MinLambda},
		{Multiclass: pegasos.CrammerSinger},
		{Multiclass: pegasos.Multinomial}, {Multiclass: pegasos.Multinomial, Loss: pegasos.Log},
		{Multiclass: pegasos.OneVsOne, Loss: pegasos.SquaredHinge},
		{Bias: pegasos.BiasUnregularised, Tol: 0.1, Patience: 3}, {Multiclass: pegasos.CrammerSinger,
			Tol: 0.1},
	} {
		if err := cfg.Validate(); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
		if full := cfg.Plain(); full.Validate() != nil || full.Plain() != full {
			t.Errorf("%+v: defaults %+v: %v", cfg, full, full.Validate())
		}
	}
	if _, err := trainPlain(t.Context(), &pegasos.Trainer{Threads: -1}, data.dense,
		data.y); err == nil {
		t.Error("no error for -1 threads")
	}
}

func TestDataErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	x := matrix(t, 3, 2, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		y    []float32
		row  int // row that the error names; -1 for none
		text string
	}{
		{"no rows", dense.New(0, 2), nil, -1, "no rows"},
		{"too few labels", x, []float32{1, 2}, -1, "2 labels for 3 rows"},
		{"one class", x, []float32{4, 4, 4}, -1, "all rows have the same label"},
		{"zero and minus zero", x, []float32{0, float32(math.Copysign(0, -1)), 0}, -1,
			"all rows have the same label"},
		{"NaN label", x, []float32{1, 2, nan}, 2, "label is NaN"},
		{"infinite label", x, []float32{1, -inf, 2}, 1, "-Inf, want a finite number"},
		{"NaN", matrix(t, 3, 2, 1, 2, 3, nan, 5, 6), []float32{1, 2, 1}, 1, "NaN or infinite"},
		{"infinity", toSparse(matrix(t, 3, 2, 1, 2, 3, 4, inf, 6)), []float32{1, 2, 1}, 2,
			"NaN or infinite"},
		{"too large", matrix(t, 3, 2, 1, 2, 3, 4, 3e19, 6), []float32{1, 2, 1}, 2, "too large"},
	} {
		m, err := fixed(t.Context(), c.x, c.y, pegasos.Config{})
		var e *pegasos.RowError
		if m != nil || err == nil || !strings.Contains(err.Error(), c.text) ||
			!strings.HasPrefix(err.Error(), "pegasos: ") {
			t.Errorf("%s: %v, want %q", c.name, err, c.text)
		} else if errors.As(err, &e) != (c.row >= 0) || e != nil && e.Row != c.row {
			t.Errorf("%s: %v, want row %d", c.name, err, c.row)
		}
	}
	labels := make([]float32, maxClasses+1)
	for i := range labels {
		labels[i] = float32(i)
	}
	var e *pegasos.RowError
	if _, err := fixed(t.Context(), dense.New(len(labels), 1), labels,
		pegasos.Config{}); !errors.As(err,
		&e) ||
		e.Row != maxClasses {
		t.Errorf("%d classes: %v", len(labels), err)
	}
}

func TestOverflow(t *testing.T) {
	large := random(20, 100, 5, 2, 1)
	for i := range 100 {
		dense.Scale(0.4e19, large.dense.Row(i))
	}
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		y    []float32
		cfg  pegasos.Config
		row  bool // whether the error names a row
		text string
	}{
		// The squared norms are finite, but the dot product of a row and a sum of rows is not.
		{"score", large.dense, large.y, pegasos.Config{Lambda: 1e37}, true, "the score is not finite"},
		{"score", toSparse(large.dense), large.y, pegasos.Config{Lambda: 1e37, Offset: pegasos.OffsetNone,
			Average: pegasos.LastIterate}, true, "the score is not finite"},
		// The sum v of rows is finite, but w = v/lambda or the scores of w are not.
		{"weight", matrix(t, 2, 1, 1e18, 1e18), []float32{1, 2}, pegasos.Config{Lambda: 1e-12, Steps: 1,
			Offset: pegasos.OffsetNone}, false, "finite"},
		{"objective", matrix(t, 2, 1, 1e15, 1e15), []float32{1, 2}, pegasos.Config{Lambda: 1e-12,
			Steps:  1,
			Offset: pegasos.OffsetNone}, false, "finite"},
	} {
		m, err := fixed(t.Context(), c.x, c.y, c.cfg)
		var e *pegasos.StepError
		if m != nil || !errors.As(err, &e) || e.Step < 1 || e.Step > 2000 ||
			(e.Row >= 0) != c.row || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, %v, want %q", c.name, m, err, c.text)
		}
	}
	// A score of +Inf is an error, although its row does not violate its margin.
	var up *pegasos.StepError
	_, err := fixed(t.Context(), matrix(t, 5, 1, 1.5e19, 1.5e19, 1.5e19, 1.5e19, 0),
		[]float32{2, 2, 2, 2, 1},
		pegasos.Config{Lambda: 3e38, Offset: pegasos.OffsetNone, Order: pegasos.Sequential})
	if !errors.As(err, &up) || up.Step != 3 || up.Row != 2 {
		t.Errorf("score of +Inf: %v", err)
	}
}

func TestExtremes(t *testing.T) {
	data := random(21, 30, 4, 2, 1)
	for _, lambda := range []float64{options.MinLambda, 1e-8, 1, 1e30, math.MaxFloat32} {
		for _, offset := range []pegasos.Offset{pegasos.OffsetR2, pegasos.OffsetNone} {
			for _, steps := range []int64{1, 2, 29, 30, 31, 3000} {
				m := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: lambda, Steps: steps,
					Offset: offset, Bias: pegasos.BiasAugmented})
				if err := m.Validate(); err != nil || !(m.Result.Gap >= 0) {
					t.Errorf("lambda %v, %d steps: %v, %+v", lambda, steps, err, m.Result)
				}
			}
		}
	}
}

func TestCancel(t *testing.T) {
	data := random(22, 50, 6, 3, 1)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	m, err := pegasos.Train(done, data.dense, data.y, pegasos.Config{})
	if err != context.Canceled || m == nil || m.Validate() != nil || m.Result.Steps != 0 {
		t.Fatalf("canceled at once: %v, %v", m, err)
	}
	if m.Predict(data.dense, 0) != 0 || !math.IsNaN(m.Result.Objective) ||
		!math.IsNaN(m.Result.Gap) {
		t.Errorf("a model of no steps: %+v", m.Result)
	}
	for _, average := range []pegasos.Average{pegasos.LastHalf, pegasos.LastIterate} {
		ctx, cancel := context.WithCancel(t.Context())
		var want pegasos.Result
		tr := pegasos.Trainer{
			Config: pegasos.Config{Average: average},
			Progress: func(p pegasos.Progress) {
				if p.Epoch == 7 {
					want = p.Measure()
					cancel()
				}
			},
		}
		m, err := trainPlain(ctx, &tr, data.dense, data.y)
		if err != context.Canceled || m.Validate() != nil || m.Result.Steps != 7*50 ||
			m.Result.Violations != want.Violations {
			t.Fatalf("canceled after 7 epochs: %v, %+v", err, m.Result)
		}
		if !(want.Objective > 0 && want.Objective < 1) {
			t.Errorf("after 7 epochs: %+v", want)
		}
		var b strings.Builder
		if err := m.Write(&b); err != nil {
			t.Errorf("can't be written: %v", err)
		}
	}
}

func TestChooseR2(t *testing.T) {
	x, y := matrix(t, 4, 2, 3, 4, 1, 0, 0, 2, 5, 5), []float32{1, 2, 1, 2}
	cfg := pegasos.Config{Lambda: 0.5}.Plain()
	for want, weights := range map[float64][]float32{20: nil, 10: {2, 1, 3, 0}} {
		tr := pegasos.Trainer{Config: cfg, Weights: weights}
		have, r2, err := tr.Choose(t.Context(), x, y)
		if err != nil || have != cfg || math.Abs(r2-want) > 1e-12 {
			t.Errorf("weights %v: %+v, R^2 %v, want %v; %v", weights, have, r2, want, err)
		}
	}
	tr := pegasos.Trainer{Config: pegasos.Config{Lambda: 0.5, Scale: pegasos.ScaleUnit}}
	have, r2, err := tr.Choose(t.Context(), x, y)
	if err != nil || have.Scale != pegasos.ScaleUnit || have.Lambda != 0.5 || have.Bias == "" ||
		math.Abs(r2-1) > 1e-6 {
		t.Errorf("rows of length 1: %+v, R^2 %v; %v", have, r2, err)
	}
}

func TestProgress(t *testing.T) {
	data := random(23, 50, 6, 2, 1)
	cfg := pegasos.Config{Steps: 5*50 + 20}
	want := mustTrain(t, data.dense, data.y, cfg)
	var seen []string
	var last pegasos.Result
	m, err := trainPlain(
		t.Context(),
		&pegasos.Trainer{Config: cfg, Progress: func(p pegasos.Progress) {
			seen = append(seen, fmt.Sprint(p.Epoch, p.Steps, p.TotalSteps))
			last = p.Measure()
			if last.Violations != p.Violations || last.Steps != p.Steps {
				t.Errorf("%+v and %+v", p, last)
			}
		}},
		data.dense,
		data.y,
	)
	if err != nil {
		t.Fatal(err)
	}
	if have := strings.Join(seen, ", "); have != "1 50 270, 2 100 270, 3 150 270, 4 200 270, 5 "+
		"250 270, 6 270 270" {
		t.Error(have)
	}
	if m.Hash() != want.Hash() || fmt.Sprint(m.Result) != fmt.Sprint(last) ||
		fmt.Sprint(m.Result) != fmt.Sprint(want.Result) {
		t.Errorf("%+v, last measurement %+v, without Progress %+v", m.Result, last, want.Result)
	}
}

func TestEarly(t *testing.T) {
	data := random(23, 50, 6, 3, 1)
	for _, cfg := range []pegasos.Config{{}, {Order: pegasos.IID}, {Batch: 7}, {Batch: 7,
		Order: pegasos.IID},
		{Order: pegasos.Blocks,
			Block: 4}, {Multiclass: pegasos.CrammerSinger}, {Multiclass: pegasos.OneVsOne}} {
		cfg.Epochs, cfg.Average = 3, pegasos.LastIterate
		want := mustTrain(t, data.dense, data.y, cfg)
		epoch := want.Result.Steps / 3
		early := []float64{0, 0.001, 0.02, 0.25, 0.5, 0.5, 0.99, 1, 17}
		var seen []int64
		m, err := trainPlain(
			t.Context(),
			&pegasos.Trainer{Config: cfg, Early: early, Progress: func(p pegasos.Progress) {
				seen = append(seen, p.Steps)
				if cfg.Multiclass == pegasos.OneVsOne {
					return // no Config.Steps ends all pairs after the same fraction of an epoch
				}
				if done := p.Epoch == int(p.Steps/epoch); !done {
					t.Errorf("%+v: %d epochs after %d steps", cfg, p.Epoch, p.Steps)
				}
				short := cfg
				short.Epochs, short.Steps = 0, p.Steps
				if a, b := p.Model(), mustTrain(t, data.dense, data.y, short); a.Hash() != b.Hash() ||
					a.Result.Objective != b.Result.Objective || a.Result.Epochs != b.Result.Epochs {
					t.Errorf("%+v: after %d steps %+v, in a run of these steps %+v", cfg, p.Steps,
						a.Result, b.Result)
				}
			}},
			data.dense,
			data.y,
		)
		if err != nil {
			t.Fatal(err)
		}
		all := []int64{1, 12, 25, 49, 50, 100, 150}
		if cfg.Batch == 7 {
			all = []int64{2, 4, 7, 8, 16, 24}
		}
		if cfg.Multiclass == pegasos.OneVsOne {
			all = seen
			if len(seen) != 6 || !slices.IsSorted(seen) {
				t.Errorf("one-vs-one: Progress after steps %v", seen)
			}
		}
		if !slices.Equal(seen, all) {
			t.Errorf("%+v: Progress after steps %v, want %v", cfg, seen, all)
		}
		if m.Hash() != want.Hash() || fmt.Sprint(m.Result) != fmt.Sprint(want.Result) {
			t.Errorf("%+v: another model or result", cfg)
		}
	}
}

func TestEarlyEnd(t *testing.T) {
	data := random(23, 50, 6, 3, 1)
	var seen []int64
	tr := pegasos.Trainer{Config: pegasos.Config{Steps: 20}, Early: []float64{0.25, 0.5, 0.99},
		Progress: func(p pegasos.Progress) { seen = append(seen, p.Steps) }}
	if _, err := trainPlain(t.Context(), &tr, data.dense, data.y); err != nil ||
		!slices.Equal(seen, []int64{12, 20}) {
		t.Errorf("%v, Progress after steps %v", err, seen)
	}
}

func TestAllocations(t *testing.T) {
	allocations := func(rows int) float64 {
		data := random(24, rows, 6, 2, 1)
		cfg := pegasos.Config{Epochs: 5}
		return testing.AllocsPerRun(2, func() { mustTrain(t, data.sparse, data.y, cfg) })
	}
	if few, many := allocations(200), allocations(2000); many > few+20 {
		t.Errorf("%v allocations in 10,000 steps, %v in 1,000", many, few)
	}
}

func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		rows, cols int
		fill       float64
		dense      bool
	}{
		{20_000, 123, 0.113, false},    // columns and density of a9a
		{2_000, 28_082, 0.0048, false}, // columns and density of texts
		{5_000, 784, 1, true},          // columns of 28 x 28 images
	} {
		data := random(1, c.rows, c.cols, 2, c.fill)
		x, layout := pegasos.Examples(data.sparse), "sparse"
		if c.dense {
			x, layout = data.dense, "dense"
		}
		b.Run(fmt.Sprintf("layout=%s/cols=%d/nnz=%.0f", layout, c.cols, c.fill*float64(c.cols)),
			func(b *testing.B) {
				mustTrain(b, x, data.y, pegasos.Config{Steps: int64(b.N)})
			})
	}
}

type askedContext struct {
	context.Context
	times atomic.Int64
}

func (c *askedContext) Err() error {
	c.times.Add(1)
	return c.Context.Err()
}

// Training checks its context at least once per 2^20 steps of all classes.
func TestManyClassesAreInterruptible(t *testing.T) {
	const classes, steps = 2000, 2000
	p := random(1, classes, 10, classes, 1)
	for i := range p.y {
		p.y[i] = float32(i)
	}
	ctx := &askedContext{Context: t.Context()}
	tr := pegasos.Trainer{Config: pegasos.Config{Steps: steps}, Threads: 1}
	if _, err := trainPlain(ctx, &tr, p.dense, p.y); err != nil {
		t.Fatal(err)
	}
	if n := ctx.times.Load(); n < classes*steps/(1<<20) {
		t.Errorf("asked %d times in %d steps of %d classes", n, steps, classes)
	}
}
