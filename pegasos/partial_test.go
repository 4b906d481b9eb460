package pegasos_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

func rowsOf(d pair, from, to int) (*dense.Matrix, []float32) {
	return d.dense.Take(sequence(to)[from:]), d.y[from:to]
}

func mustPartial(t *testing.T, cfg pegasos.Config, classes []float32, cols int) *pegasos.Partial {
	t.Helper()
	p, err := pegasos.NewPartial(cfg, classes, cols)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func partialModel(t *testing.T, p *pegasos.Partial) *pegasos.Model {
	t.Helper()
	m, err := p.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// With Sequential, OffsetNone and LastIterate, chunks give the hash of one epoch over all rows.
func TestPartialIsOnePass(t *testing.T) {
	data := random(41, 90, 5, 3, 1)
	for _, cfg := range []pegasos.Config{
		{}, {Multiclass: pegasos.OneVsOne}, {Multiclass: pegasos.CrammerSinger}, {Multiclass: pegasos.Multinomial},
		{Bias: pegasos.BiasAugmented}, {Bias: pegasos.BiasUnregularised},
		{Loss: pegasos.Log}, {Project: true}, {Loss: pegasos.EpsInsensitive}, {ClassWeight: "0=1,1=1,2=1"},
		{Loss: pegasos.Squared},
	} {
		cfg.Lambda, cfg.Order = 0.02, pegasos.Sequential
		cfg.Offset, cfg.Average = pegasos.OffsetNone, pegasos.LastIterate
		classes := []float32{2, 0, 1}
		if cfg.Loss.Regression() {
			classes = nil
		}
		for _, cuts := range [][]int{{0, 90}, {0, 1, 30, 30, 90}, {0, 45, 60, 90}} {
			p := mustPartial(t, cfg, classes, 5)
			for k := range cuts[1:] {
				x, y := rowsOf(data, cuts[k], cuts[k+1])
				if err := p.Fit(x, y); err != nil {
					t.Fatal(err)
				}
			}
			cfg := cfg
			cfg.Epochs = 1
			want, have := mustTrain(t, data.dense, data.y, cfg), partialModel(t, p)
			if have.Hash() != want.Hash() || have.Result.Steps != want.Result.Steps ||
				have.Result.Violations != want.Result.Violations {
				t.Errorf("%+v %v: %+v, want %+v", cfg, cuts, have.Result, want.Result)
			}
		}
	}
}

func TestPartialConverges(t *testing.T) {
	data := random(42, 600, 6, 3, 1)
	for _, cfg := range []pegasos.Config{{}, {Multiclass: pegasos.OneVsOne},
		{Multiclass: pegasos.CrammerSinger},
		{Multiclass: pegasos.Multinomial}, {Loss: pegasos.Log, Order: pegasos.IID}, {Batch: 7}} {
		cfg.Lambda = 0.01
		hash := ""
		for threads := range 3 {
			p := mustPartial(t, cfg, []float32{0, 1, 2}, 6)
			p.Threads = threads
			for k := range 60 {
				from := k % 12 * 50
				x, y := rowsOf(data, from, from+50)
				if err := p.Fit(toSparse(x), y); err != nil {
					t.Fatal(err)
				}
			}
			m := partialModel(t, p)
			if threads > 0 && m.Hash() != hash {
				t.Errorf("%+v: another hash with %d threads", cfg, threads)
			}
			hash = m.Hash()
			all := cfg
			all.Epochs = 100
			best := mustTrain(t, data.dense, data.y, all).Result.Objective
			if have := m.Objective(m.DecisionAll(data.dense), data.y, nil); !(have < 1.1*best) {
				t.Errorf("%+v: objective %v, from all rows at once %v", cfg, have, best)
			}
		}
	}
}

func TestPartialLacks(t *testing.T) {
	data := random(43, 60, 4, 2, 1)
	for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne,
		pegasos.CrammerSinger, pegasos.Multinomial} {
		p := mustPartial(t, pegasos.Config{Multiclass: multiclass}, []float32{0, 1, 7, 8}, 4)
		if m := partialModel(t, p); m.Predict(data.dense, 0) != 0 || m.Result.Steps != 0 {
			t.Errorf("%s: before the first chunk, another class than 0 is predicted, or %d steps",
				multiclass, m.Result.Steps)
		}
		if err := p.Fit(dense.New(0, 4), nil); err != nil {
			t.Error(err)
		}
		if err := p.Fit(data.dense, data.y); err != nil {
			t.Fatal(err)
		}
		m := partialModel(t, p)
		if multiclass == pegasos.OneVsOne && (norm(m.Weights[5]) != 0 || norm(m.Weights[0]) == 0) {
			t.Error("the weights of the pair without rows are not 0, or those of the pair with rows are")
		}
		encode(t, m)
		before := m.Hash()
		bad := append([]float32(nil), data.y...)
		bad[17] = 3
		var e *pegasos.RowError
		if err := p.Fit(data.dense, bad); !errors.As(err, &e) || e.Row != 17 {
			t.Errorf("%s: an unknown label: %v", multiclass, err)
		}
		if partialModel(t, p).Hash() != before {
			t.Errorf("%s: the model has changed", multiclass)
		}
	}
}

func TestPartialRefuses(t *testing.T) {
	two := []float32{0, 1}
	for name, c := range map[string]struct {
		cfg     pegasos.Config
		classes []float32
		cols    int
	}{
		"C":             {pegasos.Config{C: 1}, two, 3},
		"epochs":        {pegasos.Config{Epochs: 2}, two, 3},
		"tol":           {pegasos.Config{Tol: 0.1}, two, 3},
		"balanced":      {pegasos.Config{ClassWeight: pegasos.Balanced}, two, 3},
		"unknown label": {pegasos.Config{ClassWeight: "5=2"}, two, 3},
		"lambda":        {pegasos.Config{Lambda: -1}, two, 3},
		"one class":     {pegasos.Config{}, two[:1], 3},
		"no class":      {pegasos.Config{}, nil, 3},
		"twice":         {pegasos.Config{}, []float32{1, 0, 1}, 3},
		"NaN":           {pegasos.Config{}, []float32{1, float32(math.NaN())}, 3},
		"regression":    {pegasos.Config{Loss: pegasos.EpsInsensitive}, two, 3},
		"columns":       {pegasos.Config{}, two, -1},
	} {
		if _, err := pegasos.NewPartial(c.cfg, c.classes, c.cols); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for want, cfg := range map[string]pegasos.Config{
		"pegasos: Steps: it can't be set for chunks":              {Steps: 2, Finish: "dual"},
		`pegasos: Finish: for chunks it can only be "none"`:       {Finish: "dual"},
		`pegasos: ClassWeight: for chunks it can't be "balanced"`: {ClassWeight: pegasos.Balanced},
		`pegasos: Project: it can't be set for chunks with the Loss `: {Project: true,
			Loss: pegasos.Squared},
	} {
		_, err := pegasos.NewPartial(cfg, nil, 1)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	p := mustPartial(t, pegasos.Config{ClassWeight: "1=1e15"}, two, 1)
	if err := p.Fit(dense.New(1, 2), []float32{1}); err == nil {
		t.Error("Fit accepts too many columns")
	}
	if err := p.Fit(dense.New(1, 1), two); err == nil {
		t.Error("Fit accepts too many labels")
	}
	var e *pegasos.StepError
	err := p.Fit(matrix(t, 2, 1, 1e19, 1e19), []float32{1, 1})
	if _, again := p.Model(); !errors.As(err, &e) || again != err ||
		p.Fit(dense.New(1, 1), []float32{1}) != err {
		t.Errorf("%v, then %v", err, again)
	}
}

func TestPartialChoosesNothing(t *testing.T) {
	p := apart(1, 300, 6, 3)
	fit := func(cfg pegasos.Config, x *dense.Matrix) *pegasos.Model {
		partial := mustPartial(t, cfg, []float32{0, 1, 2}, 6)
		if err := partial.Fit(x, p.y); err != nil {
			t.Fatal(err)
		}
		return partialModel(t, partial)
	}
	plain := pegasos.Config{}.Plain()
	m, written := fit(pegasos.Config{}, p.dense), fit(pegasos.Config{Lambda: plain.Lambda,
		Bias: plain.Bias, Multiclass: plain.Multiclass, Scale: plain.Scale, Loss: plain.Loss}, p.dense)
	if m.Hash() != written.Hash() || m.Config != written.Config || m.Bias != nil ||
		m.Scaling != nil || m.Config.Multiclass != pegasos.OneVsRest || m.Lambda != pegasos.DefaultLambda {
		t.Errorf("Config %+v or another model, want that of %+v", m.Config, written.Config)
	}
	chosen := train(t, p.dense, p.y, pegasos.Trainer{})
	scaled := dense.New(300, 6)
	for i := range 300 {
		for j, v := range p.dense.Row(i) {
			scaled.Row(i)[j] = float32((float64(v) - float64(chosen.Scaling.Shift[j])) *
				float64(chosen.Scaling.Factor[j]))
		}
	}
	of := chosen.Config
	m = fit(pegasos.Config{Lambda: of.Lambda, Bias: of.Bias, BiasScale: of.BiasScale,
		Multiclass: of.Multiclass}, scaled)
	same := 0
	for i := range 300 {
		if m.Predict(scaled, i) == chosen.Predict(p.dense, i) {
			same++
		}
	}
	if same < 270 || m.Lambda != chosen.Lambda || len(m.Weights) != len(chosen.Weights) {
		t.Errorf("only %d of 300 predictions agree, or lambda or the scheme differs: %+v", same, m.Config)
	}
	if _, err := pegasos.NewPartial(of, []float32{0, 1, 2}, 6); err == nil {
		t.Error("NewPartial accepts a chosen scaling")
	}
}
