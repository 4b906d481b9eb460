package pegasos_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func descents(t *testing.T, rows int, f func(tr pegasos.Trainer, data pair)) {
	t.Helper()
	cases := []pegasos.Trainer{
		{Costs: costsOf3, Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}},
		{Config: pegasos.Config{Multiclass: pegasos.Multinomial}},
	}
	for _, l := range losses {
		cases = append(cases, pegasos.Trainer{Config: l.cfg})
	}
	for _, tr := range cases {
		data, other := random(72, rows, 5, 3, 1), random(73, rows, 5, 3, 1)
		if tr.Loss.Regression() {
			data, other = data.numbers(72), other.numbers(73)
		}
		clear(data.dense.Row(7))
		data.sparse = toSparse(data.dense)
		tr.Lambda = 0.02
		model := mustTrain(t, other.dense, other.y, tr.Config)
		weights := make([]float32, rows)
		for i := range weights {
			weights[i] = float32(1 + i%3)
		}
		tr.Finish = pegasos.FinishDual
		was := tr
		for _, change := range []func(){
			func() { tr.Bias, tr.BiasScale = pegasos.BiasAugmented, 1.5 }, func() { tr.Weights = weights },
			func() { tr.Prior = model }, func() { tr.Start = model },
			func() { tr.Bias = pegasos.BiasUnregularised },
		} {
			if change(); tr.Validate() == nil {
				f(tr, data)
			}
			tr = was
		}
	}
}

func TestDescentCloses(t *testing.T) {
	close := func(tr pegasos.Trainer, data pair) {
		t.Helper()
		tr.Lambda, tr.Epochs, tr.Finish = 0.01, 200, pegasos.FinishNone
		p, err := trainPlain(t.Context(), &tr, data.sparse, data.y)
		if err != nil {
			t.Fatal(err)
		}
		tr.Finish = pegasos.FinishDual
		best := math.Inf(-1)
		tr.Progress = func(p pegasos.Progress) { best = math.Max(best, p.Measure().DualObjective) }
		m, err := trainPlain(t.Context(), &tr, data.sparse, data.y)
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Result; !(r.Gap < 3e-3) || r.Objective > p.Result.Objective*(1+1e-6) ||
			best > p.Result.Objective || p.Result.DualObjective > r.Objective {
			t.Errorf("gap %v, largest bound %v: %+v: %+v, Pegasos alone %+v", r.Gap, best, tr.Config, r,
				p.Result)
		}
	}
	descents(t, 150, close)
	data := random(80, 200, 8, 3, 0.6)
	for _, cfg := range []pegasos.Config{{Multiclass: pegasos.OneVsOne},
		{Order: pegasos.Sequential}, {Order: pegasos.Blocks}, {Average: pegasos.LastIterate},
		{ClassWeight: pegasos.Balanced}} {
		close(pegasos.Trainer{Config: cfg}, data)
	}
	// A model with no steps, such as a model of liblinear, can be a Start.
	start := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1e-4})
	start.Result.Steps, start.Result.PerClass = 0, nil
	close(pegasos.Trainer{Start: start}, data)
}

func TestDescentRefuses(t *testing.T) {
	for _, cfg := range []pegasos.Config{{Order: pegasos.IID}, {Batch: 2}, {Project: true},
		{Multiclass: pegasos.CrammerSinger, Batch: 2}, {Multiclass: pegasos.CrammerSinger,
			Bias: pegasos.BiasUnregularised},
		{Multiclass: pegasos.Multinomial, Bias: pegasos.BiasUnregularised}} {
		cfg.Finish = pegasos.FinishDual
		var e *pegasos.ConfigError
		if err := cfg.Validate(); !errors.As(err, &e) || e.Field != "Finish" {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if (pegasos.Config{Finish: "other"}).Validate() == nil {
		t.Error("another finish: no error")
	}
}

func TestGoldenDescent(t *testing.T) {
	want := map[string]string{
		"crammer-singer":      "51b268836deafc788b47135887f18a857a46302513ae8dadeae28615f76f5a26",
		"multinomial":         "a4c84d2b08b1cae61638f685d84d919ae69b66b2f9e369778cb1c5a3870a71dd",
		"hinge":               "0876bb421b38b4ba20451902bb534fc4f3adb5a7c1c83c0c711e5cb36f4817a3",
		"squared-hinge":       "c28f16268da5b1c78e47b0d162bfbdbd5e30478912704f70db0d163f27983467",
		"log":                 "17f79e28a793c7067676406d039ad2ce3a4f192a90e4840b6305212d8ccae70d",
		"eps-insensitive":     "780b2893935da97c84fdc363eefd77739be9842dee43a1e358114a0d6619de3e",
		"eps-insensitive0.25": "8c6cbbea4cf6c17bdc0c6633170357b7c992e28686b3b6aea9d31ee323534a08",
		"squared":             "73db9503e67c71b791a5d143d2dbb35ce9cb3201591d9f60d265819f5875ff5e",
	}
	for _, isa := range paths() {
		for threads := 1; threads <= 3; threads++ {
			defer asm.Use(asm.Use(isa))
			hashes := make(map[string]hash.Hash)
			descents(t, 200, func(tr pegasos.Trainer, data pair) {
				of := string(tr.Loss) + string(tr.Multiclass)
				if tr.Epsilon != 0 {
					of += fmt.Sprint(tr.Epsilon)
				}
				if hashes[of] == nil {
					hashes[of] = sha256.New()
				}
				tr.Threads, tr.Epochs, tr.Tol = threads, 30, 1e-3
				pairs := tr
				pairs.Multiclass = pegasos.OneVsOne
				all := []pegasos.Trainer{tr, pairs}
				if tr.Loss.Regression() || tr.Prior != nil || tr.Start != nil ||
					tr.Multiclass.Joint() {
					all = all[:1]
				}
				for _, tr := range all {
					var x pegasos.Examples = data.sparse
					if threads == 3 {
						x = sample.UserRows(x)
					}
					m, err := trainPlain(t.Context(), &tr, x, data.y)
					if err != nil {
						t.Fatal(err)
					}
					io.WriteString(hashes[of], m.Hash())
				}
			})
			for of, want := range want {
				if have := hex.EncodeToString(hashes[of].Sum(nil)); have != want {
					t.Errorf("%s on %s, %d threads: %s, want %s", of, isa, threads, have, want)
				}
			}
		}
	}
}

var costsOf3 = [][]float64{{0, 1, 2}, {0.5, 0, 3}, {2, 1, 0}}

// A model measured on the way must not change the run. Some of these runs end worse than at w = 0.
func TestProgressModel(t *testing.T) {
	replaced := 0
	for seed := range uint64(40) {
		g := rand.New(rand.NewPCG(seed, 3))
		x, y := dense.New(30, 1), make([]float32, 30)
		for i := range y {
			x.Row(i)[0], y[i] = float32(g.NormFloat64()), float32(i)
		}
		tr := pegasos.Trainer{Config: pegasos.Config{Multiclass: pegasos.CrammerSinger, Tol: .01,
			Lambda: .01, Offset: pegasos.OffsetR2, Finish: pegasos.FinishAuto, ClassWeight: "balanced"}}
		want := train(t, x, y, tr)
		tr.Progress = func(p pegasos.Progress) { p.Model() }
		have := train(t, x, y, tr)
		if !bytes.Equal(encode(t, have), encode(t, want)) {
			t.Errorf("seed %d: %+v, want %+v", seed, have.Result, want.Result)
		}
		replaced += have.Result.Replaced
	}
	if replaced == 0 {
		t.Error("no run ended worse than it began")
	}
}
