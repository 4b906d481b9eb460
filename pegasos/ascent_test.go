package pegasos

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// everyLayout calls f with rows copied and not.
func everyLayout(f func()) {
	defer func(old int) { rows.CopyFrom = old }(rows.CopyFrom)
	for _, rows.CopyFrom = range []int{0, math.MaxInt} {
		f()
	}
}

// Copies of the rows in shuffled order, and the rows themselves, give the same bits; so do a matrix
// and a user's own store.
func TestShuffledLayouts(t *testing.T) {
	data := random(71, 300, 6, 4, 0.5)
	weights := some(300)
	start := mustTrain(t, data.dense, data.y, Config{Epochs: 2})
	for name, tr := range map[string]Trainer{
		"plain": {}, "paper": {Config: Paper()}, "weights": {Weights: weights},
		"pairs":   {Config: Config{Multiclass: OneVsOne}},
		"joint":   {Config: Config{Multiclass: CrammerSinger}},
		"numbers": {Config: Config{Loss: EpsInsensitive}}, "batch": {Config: Config{Batch: 7}},
		"balanced": {Config: Config{ClassWeight: Balanced, Bias: BiasAugmented}},
		"prior":    {Prior: start}, "start": {Start: start},
		"dual":         {Config: Config{Finish: FinishDual}, Weights: weights},
		"joint dual":   {Config: Config{Finish: FinishDual, Multiclass: CrammerSinger}},
		"small blocks": {Config: Config{Block: 2}},
	} {
		tr.Lambda, tr.Seed = 0.01, 5
		for _, sparse := range []bool{false, true} {
			want := ""
			everyLayout(func() {
				for _, hidden := range []bool{false, true} {
					var x Examples = data.dense
					if sparse {
						x = data.sparse
					}
					if hidden {
						x = foreign{x}
					}
					m, err := tr.plain(t.Context(), x, data.y)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					have := m.Hash()
					if !hidden { // the bound of a foreign store is looser
						have += fmt.Sprint(m.Result)
					} else if want[:len(have)] != have {
						t.Errorf("%s: a foreign store gives another model", name)
						continue
					}
					if want != "" && !hidden && have != want {
						t.Errorf("%s: %s with rows as they are, %s with copies", name, have, want)
					}
					if !hidden {
						want = have
					}
				}
			})
		}
	}
	// Errors name the rows as the data do.
	data.dense.Row(123)[2] = float32(math.NaN())
	everyLayout(func() {
		var e *RowError
		if _, err := fixed(t.Context(), data.dense, data.y, Config{}); !errors.As(err, &e) ||
			e.Row != 123 {
			t.Error(err)
		}
	})
	huge := matrix(t, 4, 1, 1, 1, 1e19, 1)
	everyLayout(func() {
		var e *StepError
		_, err := fixed(t.Context(), huge, []float32{1, 0, 1, 0},
			Config{Offset: OffsetNone, ClassWeight: "1=1e15"})
		if !errors.As(err, &e) || e.Row != 2 && e.Row != -1 {
			t.Error(err)
		}
	})
}

// Step by step in float64, as the two papers have it.
func TestAscentSteps(t *testing.T) {
	for _, loss := range []Loss{Hinge, SquaredHinge, Squared} {
		for _, weighted := range []bool{false, true} {
			data := random(72, 70, 5, 2, 1)
			y, target := signs(data.y, 1), make([]float64, 70)
			if loss.Regression() {
				data = data.numbers(72)
				target = float64s(data.y)
				for i := range y {
					y[i] = 1
				}
			}
			tr := Trainer{Config: Config{Loss: loss, Lambda: 0.03, Order: Sequential, Epochs: 8,
				Finish: FinishDual, Bias: BiasAugmented, BiasScale: 1.5}}
			if weighted {
				tr.Weights = make([]float32, 70)
				for i := range tr.Weights {
					tr.Weights[i] = float32(1 + i%3)
				}
			}
			r, err := newRun(data.sparse, data.y, &tr)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.advance(t.Context(), math.MaxInt64); err != nil {
				t.Fatal(err)
			}
			p := r.problems[0]
			if p.ascent() == nil {
				t.Fatal("no ascent")
			}
			alpha := make([]float64, 70)
			v := make([]float64, 6) // the last is the appended feature's
			row := func(i int) []float64 {
				x := make([]float64, 6)
				for j, z := range data.dense.Row(i) {
					x[j] = float64(z)
				}
				x[5] = 1.5
				return x
			}
			for i := range alpha {
				alpha[i] = float64(p.ascent().Alpha[i])
				for j, z := range row(i) {
					v[j] += alpha[i] * y[i] * z
				}
			}
			s := 0.03 * 70
			resting, rested := make([]bool, 70), 0
			for pass := range 6 {
				for i := range uint32(70) {
					p.TakeSteps([]uint32{i})
					if pass != 0 && pass != 3 && resting[i] {
						rested++ // it is as it was, which is compared below
					} else {
						x, c := row(int(i)), p.Share(int(i))
						var dot, square float64
						for j, z := range x {
							dot += v[j] * z / s
							square += z * z
						}
						g, bend, low, top := y[i]*dot-1, square/s, 0.0, c
						switch loss {
						case SquaredHinge:
							g, bend, top = g+alpha[i]/(2*c), bend+1/(2*c), math.Inf(1)
						case Squared:
							g, bend = dot-target[i]+alpha[i]/c, bend+1/c
							low, top = math.Inf(-1), math.Inf(1)
						}
						next := math.Max(low, math.Min(alpha[i]-g/bend, top))
						resting[i] = next == alpha[i]
						for j, z := range x {
							v[j] += (next - alpha[i]) * y[i] * z
						}
						alpha[i] = next
					}
					if math.Abs(float64(p.ascent().Alpha[i])-alpha[i]) > 1e-4 {
						t.Fatalf("%s, pass %d, row %d: %v, want %v", loss, pass, i,
							p.ascent().Alpha[i], alpha[i])
					}
					for j, z := range p.V {
						if math.Abs(float64(z)-v[j]) > 1e-3 {
							t.Fatalf("%s, pass %d, row %d: %v, want %v", loss, pass, i, p.V, v)
						}
					}
					if math.Abs(p.Biases[0]-v[5]) > 1e-3 {
						t.Fatalf("%s, pass %d, row %d: %v, want %v", loss, pass, i, p.Biases, v[5])
					}
				}
				p.EndEpoch(pass + 2)
			}
			if (rested == 0) != (loss == Squared) { // where nothing is a bound nothing rests
				t.Errorf("%s: %d rows rested", loss, rested)
			}
		}
	}
}

// After the first epoch v is what the rows' shares make of it.
func TestAscentBegins(t *testing.T) {
	data := random(73, 300, 6, 3, 0.7)
	for _, cfg := range []Config{{}, {Loss: SquaredHinge}, {Bias: BiasAugmented}, {Epochs: 2},
		{Epochs: 7}, {Loss: Squared, Bias: BiasAugmented}} {
		for _, weights := range [][]float32{nil, some(300)} {
			cfg.Lambda, cfg.Finish = 0.004, FinishNone
			r, err := newRun(data.sparse, data.y, &Trainer{Config: cfg, Weights: weights})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.advance(t.Context(), math.MaxInt64); err != nil {
				t.Fatal(err)
			}
			p := r.problems[0]
			_, wantFactor, wantBound := p.Recent.Best(&p.Of, p.Done(), r.R2)
			_, factor, bound, ok := dual.SharesOfV(&p.State, &p.Of)
			if !ok || math.Abs(factor/wantFactor-1) > 1e-5 || math.Abs(bound/wantBound-1) > 1e-5 {
				t.Fatalf("%+v: factor %v and bound %v, want %v and %v", cfg, factor, bound,
					wantFactor, wantBound)
			}
			p.learner.StartAscent(r.R2, 0)
			if p.ascent() == nil {
				t.Fatal("no ascent")
			}
			v, vb := slices.Clone(p.V), p.Biases[0]
			p.ascent().SumUp()
			for j, z := range p.V {
				if math.Abs(float64(z-v[j])) > 1e-4 {
					t.Fatalf("%+v: v is %v, and the rows make %v", cfg, v, p.V)
				}
			}
			if math.Abs(p.Biases[0]-vb) > 1e-4 {
				t.Fatalf("%+v: v of the bias is %v, and the rows make %v", cfg, vb, p.Biases[0])
			}
		}
	}
}

// What is chosen is the best by P of what there is, or nearly.
func TestAscentChooses(t *testing.T) {
	chosen := make(map[int]bool)
	for seed := range uint64(30) {
		data := random(110+seed, 3000, 12, 3, 0.5)
		for _, lambda := range []float64{1e-2, 1e-3, 1e-7} {
			r, err := newRun(data.sparse, data.y,
				&Trainer{Config: Config{Lambda: lambda, Epochs: int(2 + seed), Finish: FinishDual,
					Seed: seed}})
			if err != nil {
				t.Fatal(err)
			}
			for r.T < r.Total {
				if err := r.advance(t.Context(), math.MaxInt64); err != nil {
					t.Fatal(err)
				}
			}
			p := r.problems[0]
			if p.ascent().ChosenAt != p.T {
				t.Fatal("nothing is chosen at the end of the run")
			}
			w, b := iterate.Zeros(1, len(p.V)), make([]float64, 1)
			p.State.Weights(w, b)
			objectives := []float64{p.Of.At(w, b), 0,
				p.Of.At(p.ascent().W, p.ascent().B)}
			p.ascent().Last(w, b)
			objectives[dual.LastIterate] = p.Of.At(w, b)
			p.learner.Result(w, b)
			have, best := p.Of.At(w, b), slices.Min(objectives)
			if have != objectives[p.ascent().Chosen] || have > best*1.002 {
				t.Errorf("lambda %v, seed %d: chose %d of %v, which gives %v", lambda, seed,
					p.ascent().Chosen, objectives, have)
			}
			chosen[p.ascent().Chosen] = true
		}
	}
	if len(chosen) < 3 {
		t.Errorf("of the three only %v were chosen", chosen)
	}
}

// The gap closes, the bound holds, and the result is at least as good as that of Pegasos and of
// each other way there.
func TestAscentCloses(t *testing.T) {
	for seed := range uint64(4) {
		data := random(80+seed, 200, 8, 3, 0.6)
		weights := some(200)
		for _, cfg := range []Config{
			{}, {Loss: SquaredHinge}, {Bias: BiasAugmented}, {Multiclass: OneVsOne},
			{Order: Permutation}, {Order: Sequential}, {Order: Blocks},
			{Average: LastIterate}, {ClassWeight: Balanced},
		} {
			for _, w := range [][]float32{nil, weights} {
				cfg.Lambda, cfg.Epochs, cfg.Seed = 0.003, 200, seed
				plain := Trainer{Config: cfg, Weights: w}
				p, err := plain.plain(t.Context(), data.sparse, data.y)
				if err != nil {
					t.Fatal(err)
				}
				tr := Trainer{Config: cfg, Weights: w}
				tr.Finish = FinishDual
				best := math.Inf(-1)
				tr.Progress = func(p Progress) { best = math.Max(best, p.Measure().DualObjective) }
				m, err := tr.plain(t.Context(), data.sparse, data.y)
				if err != nil {
					t.Fatal(err)
				}
				r := m.Result
				if !(r.Gap < 5e-4) || r.Objective > p.Result.Objective*(1+1e-6) ||
					best > p.Result.Objective || p.Result.DualObjective > r.Objective {
					t.Errorf("gap %v, bound %v: %+v weights %v: %+v, Pegasos alone %+v", r.Gap,
						best, tr.Config, w != nil, r, p.Result)
				}
			}
		}
	}
}

// Where Newton's method can't be taken auto waits until the gap is known to be small.
func TestAscentAuto(t *testing.T) {
	data := random(90, 400, 6, 2, 1)
	for _, lambda := range []float64{0.1, 1e-7} {
		r, err := newRun(data.dense, data.y,
			&Trainer{Config: Config{Lambda: lambda, Epochs: 6, Finish: FinishAuto, Patience: 9},
				Valid: &Labelled{data.dense, data.y}})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if err := r.advance(t.Context(), math.MaxInt64); err != nil {
				t.Fatal(err)
			}
		}
		if (r.problems[0].ascent() != nil) != (lambda == 0.1) {
			t.Errorf("lambda %v: ascent %v", lambda, r.problems[0].ascent() != nil)
		}
	}
}

func TestAscentRefuses(t *testing.T) {
	for _, cfg := range []Config{
		{Loss: Log}, {Loss: EpsInsensitive}, {Multiclass: Multinomial}, {Order: IID}, {Batch: 2},
		{Project: true}, {Bias: BiasUnregularised}, {Multiclass: CrammerSinger, Batch: 2},
		{Multiclass: CrammerSinger, Bias: BiasUnregularised},
	} {
		cfg.Finish = FinishDual
		var e *ConfigError
		if err := cfg.Validate(); !errors.As(err, &e) || e.Field != "Finish" {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if (Config{Finish: "other"}).Validate() == nil {
		t.Error("another finish: no error")
	}
	data := random(91, 20, 3, 2, 1)
	m := mustTrain(t, data.dense, data.y, Config{})
	if _, err := (&Trainer{Config: Config{Finish: FinishDual}, Prior: m}).plain(t.Context(),
		data.dense, data.y); err == nil {
		t.Error("with a prior: no error")
	}
}

// The same bits on every machine.
func TestGoldenAscent(t *testing.T) {
	data := random(92, 500, 20, 3, 0.4)
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Finish: FinishDual},
			"843db73ae62b45d008a133d730d6856990439c1e6d9c34ebdc9fd232ac1dd625"},
		{Config{Finish: FinishAuto, Loss: SquaredHinge, Bias: BiasAugmented, Multiclass: OneVsOne},
			"1d34c72169cae7b243cff069a5ee564667a81f2f6570f77e0b9339f73d7d0e79"},
		{Config{Finish: FinishDual, Loss: Squared, Bias: BiasAugmented},
			"73c7c21e3dfec9692b1882c8adb220a9c9ecfa28b4722a855ceb06a71cd986ab"},
	} {
		c.cfg.Lambda = 1e-3
		for _, isa := range paths() {
			for threads := 1; threads <= 3; threads++ {
				func() {
					defer asm.Use(asm.Use(isa))
					m, err := (&Trainer{Config: c.cfg, Threads: threads}).plain(t.Context(),
						data.sparse, data.y)
					if err != nil || m.Hash() != c.want {
						t.Errorf("%+v on %s, %d threads: %v %s, want %s", c.cfg, isa, threads, err,
							m.Hash(), c.want)
					}
				}()
			}
		}
	}
}

// A state with a pass that the run can't be at is refused, and does not keep the trainer busy.
// Whatever rests is taken as it comes.
func TestAscentHostile(t *testing.T) {
	data := random(93, 23, 4, 2, 1)
	cfg := Config{Lambda: 0.01, Epochs: 4, Finish: FinishDual}
	for _, pass := range []int{-1, 3, math.MaxInt, 1} {
		m, err := (&Trainer{Config: cfg, KeepState: true, Pause: 50}).plain(t.Context(),
			data.dense, data.y)
		if !errors.Is(err, ErrPaused) {
			t.Fatal(err)
		}
		m.State.state.Learners[0].Ascent.Pass = pass
		for _, a := range m.State.state.Arrays {
			if len(a) == 23 {
				for i := range a {
					a[i] = 7
				}
			}
		}
		var bad *ConfigError
		if _, err := (&Trainer{Config: cfg, Resume: m}).plain(t.Context(), data.dense,
			data.y); errors.As(err, &bad) != (pass != 1) {
			t.Errorf("pass %d: %v", pass, err)
		}
	}
}

// A model that has taken no steps, such as one of liblinear's, is a start like any other: the
// ascent begins with what the rows make of their shares, and not with the start's weights in v.
func TestAscentAfterStart(t *testing.T) {
	data, other := random(94, 200, 6, 2, 1), random(95, 100, 6, 2, 1)
	start := mustTrain(t, other.dense, other.y, Config{Lambda: 1e-4})
	start.Result.Steps, start.Result.PerClass = 0, nil
	for _, loss := range []Loss{Hinge, SquaredHinge} {
		cfg := Config{Loss: loss, Lambda: 0.01, Epochs: 200, Finish: FinishDual}
		tr := Trainer{Config: cfg, Start: start}
		m, err := tr.plain(t.Context(), data.dense, data.y)
		if err != nil || !(m.Result.Gap < 1e-3) {
			t.Errorf("%s: %v, gap %v", loss, err, m.Result.Gap)
		}
	}
}
