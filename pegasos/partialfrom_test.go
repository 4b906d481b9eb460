package pegasos_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestPartialFrom(t *testing.T) {
	plain := pegasos.Config{Offset: pegasos.OffsetNone, Average: pegasos.LastIterate,
		Order: pegasos.Sequential, Epochs: 3}
	numbers := func(cfg pegasos.Config) pegasos.Config {
		cfg.Loss, cfg.Bias = pegasos.EpsInsensitive, pegasos.BiasNone
		return cfg
	}
	pairs := func(cfg pegasos.Config) pegasos.Config { cfg.Multiclass = pegasos.OneVsOne; return cfg }
	scaled := func(cfg pegasos.Config, s pegasos.Scale) pegasos.Config { cfg.Scale = s; return cfg }
	for _, c := range []struct {
		classes int
		cfg     pegasos.Config
	}{
		{2, plain}, {3, plain}, {3, pairs(plain)}, {2, scaled(plain, pegasos.ScaleUnit)},
		{3, scaled(plain, pegasos.ScaleMaxAbs)}, {2, scaled(plain, pegasos.ScaleNone)}, {1,
			numbers(plain)},
	} {
		p := apart(31, 120, 5, max(c.classes, 2))
		if c.classes == 1 {
			for i := range p.y {
				p.y[i] = 40 + p.dense.Row(i)[1]*3
			}
		}
		first := train(t, p.dense, p.y, pegasos.Trainer{Config: c.cfg})
		first.Names = make([]string, len(first.Classes))
		for k := range first.Names {
			first.Names[k] = string(rune('a' + k))
		}
		if s := first.Scaling; c.classes == 1 {
			e := &first.Config.Epsilon // choose a value that differs from Epsilon/Spread*Spread
			for *e/s.Spread*s.Spread == *e {
				*e = math.Nextafter(*e, math.Inf(1))
			}
		}
		part, err := pegasos.NewPartialFrom(first)
		if err != nil {
			t.Fatal(err)
		}
		same := partialModel(t, part)
		for i := range p.y {
			had := first.Decision(p.dense, i, nil)
			for k, z := range same.Decision(p.dense, i, nil) {
				want := had[k]
				if math.Abs(z-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%+v: score %v before the first chunk, want %v", c, z, want)
				}
			}
		}
		if err := part.Fit(p.dense, p.y); err != nil {
			t.Fatal(err)
		}
		m := partialModel(t, part)
		next := c.cfg
		next.Epochs, next.Scale, next.Finish = 1, "", pegasos.FinishNone
		want := train(t, p.dense, p.y, pegasos.Trainer{Config: next, Start: first})
		if want.Names = first.Names; m.Hash() != want.Hash() || m.Result.Steps != want.Result.Steps {
			t.Errorf("%+v: %d steps, %v %v, want %d, %v %v", c, m.Result.Steps, m.Weights, m.Bias,
				want.Result.Steps, want.Weights, want.Bias)
		}
		if m.Config.Scale != first.Config.Scale || m.Config.Lambda != first.Lambda ||
			m.Config.Multiclass != first.Config.Multiclass || m.Config.Bias != first.Config.Bias ||
			m.Config.Epsilon != first.Config.Epsilon || !reflect.DeepEqual(m.Names, first.Names) {
			t.Errorf("%+v: Config %+v or other names, want those of the first model, %+v", c, m.Config,
				first.Config)
		}
		if clone(t, m).Hash() != m.Hash() {
			t.Errorf("%+v: the written model has another hash", c)
		}
	}
}

func TestPartialFromSomeClasses(t *testing.T) {
	p := apart(32, 150, 4, 3)
	first := train(t, p.dense, p.y,
		pegasos.Trainer{Config: pegasos.Config{Multiclass: pegasos.OneVsOne}})
	part, err := pegasos.NewPartialFrom(first)
	if err != nil {
		t.Fatal(err)
	}
	var rows []uint32
	for i, y := range p.y {
		if y != first.Classes[2] {
			rows = append(rows, uint32(i))
		}
	}
	y := make([]float32, len(rows))
	for k, i := range rows {
		y[k] = p.y[i]
	}
	steps := vectorResult(first, 0).Steps
	for chunk := range int64(2) {
		if err := part.Fit(p.dense.Take(rows), y); err != nil {
			t.Fatal(err)
		}
		m := partialModel(t, part)
		if have, want := vectorResult(m, 0).Steps, steps+(chunk+1)*int64(len(rows)); have != want {
			t.Errorf("%d steps of the first pair, want %d", have, want)
		}
	}
	m := partialModel(t, part)
	if reflect.DeepEqual(m.Weights[0], first.Weights[0]) {
		t.Error("the weights of the pair with rows have not changed")
	}
	if right := accuracy(m, p.dense, p.y); right < 0.73 {
		t.Errorf("accuracy %v", right)
	}
}

func TestPartialFromPartial(t *testing.T) {
	p := apart(32, 60, 5, 2)
	part, err := pegasos.NewPartial(pegasos.Config{Order: pegasos.Shuffled}, []float32{0, 1}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Fit(p.dense, p.y); err != nil {
		t.Fatal(err)
	}
	first := clone(t, partialModel(t, part))
	if first.Config.Order != pegasos.Permutation || first.Config.Block != 0 {
		t.Fatalf("%+v", first)
	}
	if part, err = pegasos.NewPartialFrom(first); err != nil {
		t.Fatal(err)
	}
	if err := part.Fit(p.dense, p.y); err != nil {
		t.Fatal(err)
	}
	if m := partialModel(t, part); m.Config != first.Config || m.Result.Steps != 120 {
		t.Errorf("%+v, want the Config %+v", m, first.Config)
	}
	var e *pegasos.ConfigError
	if _, err := pegasos.Train(t.Context(), p.dense, p.y, first.Config); !errors.As(err, &e) ||
		e.Field != "Order" {
		t.Errorf("%v, want a ConfigError for Order", err)
	}
}

func TestPartialFromRefuses(t *testing.T) {
	p := apart(33, 90, 4, 3)
	for field, cfg := range map[string]pegasos.Config{
		"C":           {C: 2, Multiclass: pegasos.OneVsOne, Epochs: 1},
		"ClassWeight": {ClassWeight: pegasos.Balanced, Epochs: 1},
	} {
		y := p.y
		if field == "C" { // gives the pairs different numbers of rows, and so different lambdas
			y = append([]float32(nil), p.y...)
			for i := range 10 {
				y[i] = y[0]
			}
		}
		var e *pegasos.ConfigError
		m := train(t, p.dense, y, pegasos.Trainer{Config: cfg})
		if _, err := pegasos.NewPartialFrom(m); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := pegasos.NewPartialFrom(nil); err == nil {
		t.Error("NewPartialFrom accepts nil")
	}
}
