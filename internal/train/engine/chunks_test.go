package engine_test

import (
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func chunksOf(t *testing.T, p sample.Pair, classes []float32, weights []float32,
	cuts ...int) (sets []*store.Set) {
	t.Helper()
	from := 0
	for _, to := range append(cuts, len(p.Y)) {
		var some []uint32
		for i := from; i < to; i++ {
			some = append(some, uint32(i))
		}
		o := store.SetOptions{Known: classes}
		if weights != nil {
			o.Weights = weights[from:to]
		}
		set, err := store.NewSet(p.Dense.Take(some), p.Y[from:to], o)
		if err != nil {
			t.Fatal(err)
		}
		sets, from = append(sets, set), to
	}
	return sets
}

// In sequential order and without an offset, no step depends on later rows.
func TestChunksAreAPass(t *testing.T) {
	data := sample.Random(81, 60, 5, 3, 1)
	for _, s := range []settings.Settings{
		{}, {Loss: "log", Bias: settings.BiasAugmented}, {Multiclass: settings.CrammerSinger},
		{Multiclass: settings.OneVsOne}, {Bias: settings.BiasUnregularised},
	} {
		s.Lambda, s.Epochs, s.Order, s.Offset = 0.05, 1, order.Sequential, settings.OffsetNone
		s.Average = settings.LastIterate
		whole := newSession(t, newJob(t, data.Dense, data.Y, s))
		if _, _, err := whole.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := whole.Now()
		c := engine.NewChunks(s.InForce(), []float32{0, 1, 2}, 5, nil)
		for k, set := range chunksOf(t, data, []float32{0, 1, 2}, nil, 7, 8, 40) {
			if err := c.Train(set, 1+k); err != nil {
				t.Fatal(err)
			}
		}
		have := c.Point()
		for k := range want.Weights {
			if !slices.Equal(have.Weights[k], want.Weights[k]) {
				t.Errorf("%+v: weights %v, want %v", s, have.Weights[k], want.Weights[k])
			}
		}
		if !slices.Equal(have.Bias, want.Bias) || have.Result.Steps != want.Result.Steps ||
			have.Result.Violations != want.Result.Violations || have.Result.Epochs != 4 ||
			have.Result.PerClass != nil && have.Result.PerClass[0].Lambda != 0.05 {
			t.Errorf("%+v: %+v, want %+v", s, have, want)
		}
	}
}

func TestChunksContinue(t *testing.T) {
	data := sample.Random(82, 40, 5, 2, 1)
	s := settings.Settings{Lambda: 0.05, Batch: 8, Bias: settings.BiasAugmented}.InForce()
	c := engine.NewChunks(s, []float32{0, 1}, 5, nil)
	sets := chunksOf(t, data, []float32{0, 1}, nil, 1, 20)
	for _, set := range append(sets, sets[1]) {
		if err := c.Train(set, 2); err != nil {
			t.Fatal(err)
		}
	}
	// Steps: 1 of one row, 3 of 19, 3 of 20, 3 of 19.
	if m := c.Point(); m.Result.Steps != 10 || m.Result.Epochs != 4 || !(m.Result.T0 > 0) {
		t.Errorf("want 10 steps, 4 epochs and a T0 above 0: %+v", m.Result)
	}
	s.Batch, s.Order = 0, order.Permutation
	twice := engine.NewChunks(s, []float32{0, 1}, 5, nil)
	twice.Train(sets[1], 1)
	first := twice.Point()
	twice.Train(sets[1], 1)
	start := engine.NewChunks(s, []float32{0, 1}, 5, first)
	start.Train(sets[1], 1)
	if a, b := twice.Point(), start.Point(); slices.Equal(a.Weights[0], b.Weights[0]) ||
		a.Result.Steps != b.Result.Steps {
		t.Errorf("equal weights or other steps: %+v, and with a start %+v", a, b)
	}
}

func TestChunksStart(t *testing.T) {
	data := sample.Random(83, 60, 5, 3, 1)
	s := settings.Settings{
		Lambda:     0.05,
		Multiclass: settings.OneVsOne,
		Bias:       settings.BiasAugmented,
	}
	start := train(t, newJob(t, data.Dense, data.Y, s))
	c := engine.NewChunks(s.InForce(), []float32{0, 1, 2}, 5, start)
	if m := c.Point(); digest(&engine.Point{Weights: m.Weights, Bias: m.Bias}) !=
		digest(&engine.Point{Weights: start.Weights, Bias: start.Bias}) ||
		m.Result.R2 != start.Result.R2 || m.Result.T0 != start.Result.T0 {
		t.Errorf("%+v, want %+v", m, start)
	}
	only := sample.Pair{Dense: data.Dense, Y: slices.Clone(data.Y)}
	for i := range only.Y {
		only.Y[i] = float32(i % 2)
	}
	if err := c.Train(chunksOf(t, only, []float32{0, 1, 2}, nil)[0], 1); err != nil {
		t.Fatal(err)
	}
	m := c.Point()
	steps := start.Result.PerClass
	if slices.Equal(m.Weights[0], start.Weights[0]) ||
		m.Result.PerClass[0].Steps != steps[0].Steps+60 {
		t.Errorf("the pair of both classes: %+v after %+v", m.Result.PerClass[0], steps[0])
	}
	if err := c.Train(chunksOf(t, only, []float32{0, 1, 2}, rowWeights(60))[0], 1); err != nil {
		t.Fatal(err)
	}
	if have := c.Point().Result.PerClass[0].Steps; have != steps[0].Steps+60+45 {
		t.Errorf("%d steps, want %d", have, steps[0].Steps+60+45)
	}
	empty := slices.Repeat([]float32{2}, 60) // class 2 alone: no pair has both classes
	set := chunksOf(t, sample.Pair{Dense: data.Dense, Y: empty}, []float32{0, 1, 2}, nil)[0]
	if err := c.Train(set, 1); err != nil {
		t.Error(err)
	}
}

func TestChunksAreReleased(t *testing.T) {
	data := sample.Random(82, 60, 5, 3, 1)
	s := settings.Settings{Lambda: 0.05}
	c := engine.NewChunks(s.InForce(), []float32{0, 1, 2}, 5, nil)
	x := data.Dense.Take([]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	rest := weak.Make(x)
	set, err := store.NewSet(x, data.Y[:10], store.SetOptions{Known: []float32{0, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Train(set, 1); err != nil {
		t.Fatal(err)
	}
	x, set = nil, nil
	if runtime.GC(); rest.Value() != nil {
		t.Error("the rows of the chunk are still in memory")
	}
	runtime.KeepAlive(c)
}
