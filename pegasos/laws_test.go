package pegasos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// integers returns p with values multiplied by 7 and rounded. Their sums are exact in float32.
func (p pair) integers() pair {
	d := dense.New(p.dense.Rows(), p.dense.Cols())
	for i := range d.Rows() {
		for j, v := range p.dense.Row(i) {
			d.Row(i)[j] = float32(math.Round(float64(v) * 7))
		}
	}
	return pair{d, toSparse(d), p.y}
}

// Column j of the result is column from[j] of p, or zeros if from[j] is -1.
func (p pair) columns(from []int) pair {
	d := dense.New(p.dense.Rows(), len(from))
	for i := range d.Rows() {
		for j, k := range from {
			if k >= 0 {
				d.Row(i)[j] = p.dense.Row(i)[k]
			}
		}
	}
	return pair{d, toSparse(d), p.y}
}

func (p pair) scaled(c float32) pair {
	d := dense.New(p.dense.Rows(), p.dense.Cols())
	for i := range d.Rows() {
		copy(d.Row(i), p.dense.Row(i))
		dense.Scale(c, d.Row(i))
	}
	return pair{d, toSparse(d), p.y}
}

func (p pair) stores() []pegasos.Examples { return []pegasos.Examples{p.dense, p.sparse} }

func lawConfigs() (all []pegasos.Config) {
	for _, l := range losses {
		for _, cfg := range []pegasos.Config{
			{}, {Order: pegasos.IID, Average: pegasos.LastIterate}, {Order: pegasos.Sequential, Batch: 7},
			{Order: pegasos.Blocks, Block: 3, Project: true},
			{Project: true, Batch: 5, Order: pegasos.IID}, {Batch: 64},
		} {
			cfg.Loss, cfg.Epsilon = l.cfg.Loss, l.cfg.Epsilon
			cfg.Lambda, cfg.Epochs, cfg.Bias = 1./512, 6, pegasos.BiasAugmented
			all = append(all, cfg)
		}
	}
	return all
}

func (p pair) under(cfg pegasos.Config) pair {
	if cfg.Loss.Regression() {
		return p.numbers(1)
	}
	return p
}

// For a power of two c, multiplying the rows and the bias scale by c, lambda by c^2, and the start
// and the prior by 1/c divides the weights by c, to the bit.
func TestLawScale(t *testing.T) {
	for _, cfg := range lawConfigs() {
		data := random(61, 64, 9, 2, 0.8).under(cfg)
		weights := make([]float32, 64)
		for i := range weights {
			weights[i] = float32(i%3 + 1)
		}
		plain := pegasos.Config{Lambda: 1, Loss: cfg.Loss, Bias: pegasos.BiasAugmented}
		models := []*pegasos.Model{
			mustTrain(t, data.dense, data.y, cfg), mustTrain(t, data.sparse, data.y, plain),
		}
		train := func(x pegasos.Examples, cfg pegasos.Config, models []*pegasos.Model) *pegasos.Model {
			tr := pegasos.Trainer{Config: cfg, Weights: weights, Start: models[0], Prior: models[1]}
			m, err := trainPlain(t.Context(), &tr, x, data.y)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		for store, x := range data.stores() {
			a := train(x, cfg, models)
			for _, c := range []float32{2, 1. / 16, 1 << 9} {
				scaled := data.scaled(c)
				cfg := cfg
				cfg.Lambda *= float64(c) * float64(c)
				cfg.BiasScale = float64(c)
				var small []*pegasos.Model
				for _, m := range models {
					m := *m
					m.Weights = [][]float32{slices.Clone(m.Weights[0])}
					dense.Scale(1/c, m.Weights[0])
					small = append(small, &m)
				}
				b := train(scaled.stores()[store], cfg, small)
				for j, v := range a.Weights[0] {
					if b.Weights[0][j] != v/c {
						t.Fatalf("%+v c %v: weight %d is %v, want %v", cfg, c, j,
							b.Weights[0][j], v/c)
					}
				}
				if b.Bias[0] != a.Bias[0] || b.Result.Violations != a.Result.Violations ||
					math.Abs(b.Result.Objective-a.Result.Objective) > 1e-12 {
					t.Errorf("%+v c %v: bias %v, %+v; want %v, %+v", cfg, c, b.Bias[0], b.Result,
						a.Bias[0], a.Result)
				}
			}
		}
	}
}

// With OffsetNone, multiplying the targets and epsilon by a power of two c and dividing lambda by c
// multiplies the weights by c, to the bit.
func TestLawScaleNumbers(t *testing.T) {
	data := random(62, 64, 9, 2, 0.8).numbers(2)
	cfg := pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: 0.25, Lambda: 1. / 32, Epochs: 6,
		Bias: pegasos.BiasAugmented, Offset: pegasos.OffsetNone}
	a := mustTrain(t, data.dense, data.y, cfg)
	for _, c := range []float32{4, 1. / 8} {
		y := slices.Clone(data.y)
		dense.Scale(c, y)
		cfg := cfg
		cfg.Epsilon *= float64(c)
		cfg.Lambda /= float64(c)
		b := mustTrain(t, data.dense, y, cfg)
		for j, v := range a.Weights[0] {
			if b.Weights[0][j] != v*c || b.Bias[0] != a.Bias[0]*float64(c) {
				t.Fatalf("c %v: weight %d is %v, want %v; bias %v, want %v", c, j, b.Weights[0][j],
					v*c, b.Bias[0], a.Bias[0]*float64(c))
			}
		}
		if want := a.Result.Objective * float64(c); math.Abs(b.Result.Objective-want) > 1e-12*want {
			t.Errorf("c %v: objective %v, want %v", c, b.Result.Objective, want)
		}
	}
}

// Negating the two labels or the targets changes only the signs of the weights and the bias.
func TestLawFlip(t *testing.T) {
	for _, cfg := range lawConfigs() {
		data := random(63, 64, 9, 2, 0.8).under(cfg)
		flipped := make([]float32, 64)
		for i, v := range data.y {
			flipped[i] = -v
		}
		for _, x := range data.stores() {
			a, b := mustTrain(t, x, data.y, cfg), mustTrain(t, x, flipped, cfg)
			for j, v := range a.Weights[0] {
				if b.Weights[0][j] != -v {
					t.Fatalf("%+v: weight %d: %v, flipped %v", cfg, j, v, b.Weights[0][j])
				}
			}
			if a.Bias[0] != -b.Bias[0] || a.Result.Objective != b.Result.Objective ||
				a.Result.Gap != b.Result.Gap && a.Result.Gap == a.Result.Gap {
				t.Errorf("%+v: bias %v, flipped %v; %+v, flipped %+v", cfg, a.Bias[0], b.Bias[0], a.Result,
					b.Result)
			}
			if !cfg.Loss.Regression() && math.Float32bits(b.Classes[1]) != 0 {
				t.Errorf("%+v: the label -0 gives a class of -0", cfg)
			}
		}
	}
}

func TestLawClassNames(t *testing.T) {
	data := random(64, 80, 6, 4, 1)
	name := []float32{7, -1, 100, 0} // label of each class; in ascending order: classes 1, 3, 0, 2
	renamed := make([]float32, 80)
	for i, v := range data.y {
		renamed[i] = name[int(v)]
	}
	cfg := pegasos.Config{Bias: pegasos.BiasAugmented, ClassWeight: pegasos.Balanced}
	a, b := mustTrain(t, data.sparse, data.y, cfg), mustTrain(t, data.sparse, renamed, cfg)
	for k, old := range []int{1, 3, 0, 2} {
		if b.Classes[k] != name[old] || distance(a.Weights[old], b.Weights[k]) != 0 ||
			a.Bias[old] != b.Bias[k] || a.Result.PerClass[old] != b.Result.PerClass[k] {
			t.Errorf("class %v differs from class %d before the renaming", b.Classes[k], old)
		}
	}
}

// Rearranging columns and inserting columns of zeros rearranges the weights: within rounding, and
// to the bit if sums are exact.
func TestLawColumns(t *testing.T) {
	from := rand.New(rand.NewPCG(1, 5)).Perm(30)
	for k := range 9 {
		from = slices.Insert(from, 4*k, -1)
	}
	compare := func(a, b *pegasos.Model, tolerance float64) error {
		for k := range a.Weights {
			for j, old := range from {
				want := float32(0)
				if old >= 0 {
					want = a.Weights[k][old]
				}
				have := b.Weights[k][j]
				if math.Abs(float64(have-want)) > tolerance*norm(a.Weights[k]) {
					return fmt.Errorf("weight %d of vector %d is %v, want %v", j, k, have, want)
				}
			}
		}
		return nil
	}
	for seed := range uint64(5) {
		for _, cfg := range []pegasos.Config{
			{}, {Batch: 4, Average: pegasos.LastIterate}, {Order: pegasos.Sequential,
				Offset: pegasos.OffsetNone},
			{Loss: pegasos.Log}, {Project: true},
		} {
			cfg.Lambda, cfg.Epochs = 1./64, 5
			data := random(seed, 64, 30, 3, 0.6)
			moved := data.columns(from)
			for store, x := range data.stores() {
				a := mustTrain(t, x, data.y, cfg)
				b := mustTrain(t, moved.stores()[store], data.y, cfg)
				if err := compare(a, b, 1e-5); err != nil {
					t.Errorf("seed %d %+v: %v", seed, cfg, err)
				}
			}
			if cfg.Loss == pegasos.Log || cfg.Project {
				continue
			}
			data, moved = data.integers(), moved.integers()
			for store, x := range data.stores() {
				a := mustTrain(t, x, data.y, cfg)
				b := mustTrain(t, moved.stores()[store], data.y, cfg)
				if err := compare(a, b, 0); err != nil {
					t.Errorf("seed %d %+v, without rounding: %v", seed, cfg, err)
				}
			}
		}
	}
}

// If sums are exact, and each pair of duplicates or all rows are in one batch, a run has the hash
// of a run without duplicates.
func TestLawDuplicates(t *testing.T) {
	for _, l := range losses {
		data := random(65, 64, 6, 2, 1).under(l.cfg)
		twice := data.repeat(slices.Repeat([]float32{2}, 64))
		cfg := l.cfg
		cfg.Lambda, cfg.Epochs = 0.05, 400
		a := mustTrain(t, data.dense, data.y, cfg).Result
		b := mustTrain(t, twice.dense, twice.y, cfg).Result
		if a.DualObjective > b.Objective || b.DualObjective > a.Objective ||
			math.Abs(a.Objective-b.Objective) > 2e-3*a.Objective {
			t.Errorf("%s: optimum %v to %v, with duplicated rows %v to %v", l.cfg.Loss,
				a.DualObjective, a.Objective, b.DualObjective, b.Objective)
		}
	}
	for seed := range uint64(5) {
		data := random(seed, 64, 6, 2, 1).integers().scaled(2)
		twice := data.repeat(slices.Repeat([]float32{2}, 64))
		for store, x := range data.stores() {
			for _, average := range []pegasos.Average{pegasos.LastHalf, pegasos.LastIterate} {
				for _, c := range []struct {
					name      string
					one, both pegasos.Config
				}{
					{"pairs", pegasos.Config{Order: pegasos.Sequential, Offset: pegasos.OffsetR2},
						pegasos.Config{Order: pegasos.Sequential, Batch: 2}},
					{"all", pegasos.Config{Batch: 64}, pegasos.Config{Batch: 128}},
				} {
					for _, cfg := range []*pegasos.Config{&c.one, &c.both} {
						cfg.Lambda, cfg.Epochs, cfg.Average = 1./64, 50, average
					}
					one := mustTrain(t, x, data.y, c.one)
					both := mustTrain(t, twice.stores()[store], twice.y, c.both)
					a, b := one.Result, both.Result
					if one.Hash() != both.Hash() || a.Steps != b.Steps ||
						a.Violations != b.Violations ||
						math.Abs(a.Objective-b.Objective) > 1e-12*a.Objective ||
						math.Abs(a.DualObjective-b.DualObjective) > 1e-9*a.Objective {
						t.Errorf("%s, seed %d: %+v, with duplicated rows %+v",
							c.name, seed, a, b)
					}
				}
			}
		}
	}
}

// Dense and sparse matrices give models with the same hash if sums are exact, as with the hinge
// loss on a9a's zeros and ones.
func TestLawStores(t *testing.T) {
	exact := []pair{}
	for seed := range uint64(5) {
		exact = append(exact, random(seed, 64, 100, 3, 0.6).integers())
	}
	d, y := digits(t)
	exact = append(exact, pair{d, toSparse(d), y})
	if dir := dataDir(t); dir != "" {
		x, y := readSet(t, dir, "a9a/a9a.svm.gz", 123)
		d := dense.New(x.Rows(), x.Cols())
		for i := range x.Rows() {
			x.Axpy(i, 1, d.Row(i))
		}
		exact = append(exact, pair{d, toSparse(d), y})
	}
	for k, data := range exact {
		for _, cfg := range []pegasos.Config{
			{}, {Order: pegasos.IID, Offset: pegasos.OffsetNone}, {Batch: 4, Average: pegasos.LastIterate},
			{Order: pegasos.Blocks, Bias: pegasos.BiasAugmented},
		} {
			cfg.Lambda, cfg.Epochs = 1./64, 5
			a, b := mustTrain(t, data.dense, data.y, cfg), mustTrain(t, data.sparse, data.y, cfg)
			if a.Hash() != b.Hash() || a.Result.Violations != b.Result.Violations {
				t.Errorf("set %d %+v: dense and sparse rows give different models", k, cfg)
			}
		}
	}

	for i := range y {
		dense.Scale(float32(1/math.Sqrt(float64(d.SumSquares(i)))), d.Row(i))
	}
	s := toSparse(d)
	for _, c := range []struct {
		cfg pegasos.Config
		far float64 // largest distance of the weights, relative to their norm
	}{
		{pegasos.Config{Loss: pegasos.Log}, 1e-5}, {pegasos.Config{Loss: pegasos.SquaredHinge},
			1e-5}, {pegasos.Config{}, 1e-3},
		{pegasos.Config{Batch: 16}, 1e-3}, {pegasos.Paper(), 1e-3},
	} {
		a, b := mustTrain(t, d, y, c.cfg), mustTrain(t, s, y, c.cfg)
		far, other := distance(a.Weights[0], b.Weights[0])/norm(a.Weights[0]), 0
		have := b.PredictAll(s)
		for i, v := range a.PredictAll(d) {
			if v != have[i] {
				other++
			}
		}
		t.Logf("%s loss, order %q, batch %d: the weights differ by %.1e of their norm, %d of %d "+
			"predictions differ, objectives %.7f and %.7f",
			a.Config.Loss, c.cfg.Order, c.cfg.Batch, far, other, len(y), a.Result.Objective,
			b.Result.Objective)
		if far > c.far || other > 1 ||
			far == 0 && (c.cfg.Loss == pegasos.Log || c.cfg.Loss == pegasos.SquaredHinge) ||
			math.Abs(a.Result.Objective-b.Result.Objective) > c.far*a.Result.Objective {
			t.Errorf("%+v: the weights differ by %v of their norm, %d predictions differ, "+
				"objectives %v and %v", c.cfg, far, other, a.Result.Objective, b.Result.Objective)
		}
	}
}
