package pegasos_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// The values are 8-bit pixels divided by 255.
func images(seed uint64, rows, cols, classes int) (*dense.Matrix, []float32) {
	r := rand.New(rand.NewPCG(seed, 0))
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range y {
		y[i] = float32(i % classes)
		for j := range x.Row(i) {
			if r.IntN(2) == 0 {
				x.Row(i)[j] = float32(r.IntN(200)+(j+i%classes)%56) / 255
			}
		}
	}
	x.Row(0)[0] = 1. / 255
	return x, y
}

// All nonzeros of a row are 1 or, if unit is true, the value that gives the row the length 1.
func oneValue(seed uint64, rows, cols, classes int, unit bool) (*sparse.Matrix, []float32) {
	p := zerosAndOnes(random(seed, rows, cols, classes, 0.2))
	if unit {
		for i := range rows {
			if s := p.dense.SumSquares(i); s > 0 {
				dense.Scale(float32(1/math.Sqrt(float64(s))), p.dense.Row(i))
			}
		}
	}
	return toSparse(p.dense), p.y
}

func TestCompactLayouts(t *testing.T) {
	defer func(bytes, same, copies int) {
		store.MinPixelSize, store.MinConstantSize, store.MinCopySize = bytes, same, copies
	}(store.MinPixelSize, store.MinConstantSize, store.MinCopySize)
	pixels, y := images(1, 300, 53, 4)
	binary, z := oneValue(2, 300, 60, 4, false)
	two, sign := oneValue(3, 300, 60, 2, true)
	unit, _ := oneValue(2, 300, 60, 4, true)
	threads := []int{0, 1, 2, 3}
	if testing.Short() {
		threads = threads[2:3]
	}
	for kind, data := range map[string]struct {
		x pegasos.Examples
		y []float32
	}{"pixels": {pixels, y}, "ones": {binary, z}, "unit": {unit, z}, "two": {two, sign}} {
		start := mustTrain(t, data.x, data.y, pegasos.Config{Epochs: 2})
		for name, tr := range map[string]pegasos.Trainer{
			"rest":       {},
			"pairs":      {Config: pegasos.Config{Multiclass: pegasos.OneVsOne, Epochs: 4}},
			"long pairs": {Config: pegasos.Config{Multiclass: pegasos.OneVsOne, Epochs: 16}},
			"joint":      {Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}},
			"paper":      {Config: pegasos.Paper()},
			"weights":    {Weights: some(300)},
			"log":        {Config: pegasos.Config{Loss: pegasos.Log}},
			"numbers":    {Config: pegasos.Config{Loss: pegasos.EpsInsensitive}},
			"prior":      {Prior: start},
			"start":      {Start: start},
			"dual":       {Config: pegasos.Config{Finish: pegasos.FinishDual}},
			"bias":       {Config: pegasos.Config{Bias: pegasos.BiasUnregularised}},
			"tol":        {Config: pegasos.Config{Tol: 0.5, Epochs: 30}},
			"batches":    {Config: pegasos.Config{Batch: 7}},
			"projected":  {Config: pegasos.Config{Project: true, Offset: pegasos.OffsetNone}},
		} {
			tr.Lambda, tr.Seed = 0.01, 5
			if tr.Epochs == 0 && tr.Steps == 0 {
				tr.Epochs = 12
			}
			want := ""
			for _, from := range []int{math.MaxInt, 0} {
				store.MinPixelSize, store.MinConstantSize, store.MinCopySize = from, from, from
				for _, tr.Threads = range threads {
					m, err := trainPlain(t.Context(), &tr, data.x, data.y)
					if err != nil {
						t.Fatalf("%s, %s: %v", kind, name, err)
					}
					have := fmt.Sprint(m.Hash(), m.Result)
					if want == "" {
						want = have
					}
					if have != want {
						t.Errorf("%s, %s, %d threads, compact from %d bytes on: %s, want %s", kind, name,
							tr.Threads, from, have, want)
					}
				}
			}
		}
	}
}

// everyLayout calls f while training copies matrices of any size, and again while it copies none.
func everyLayout(f func()) {
	defer func(old int) { store.MinCopySize = old }(store.MinCopySize)
	for _, store.MinCopySize = range []int{0, math.MaxInt} {
		f()
	}
}

func TestShuffledLayouts(t *testing.T) {
	data := random(71, 300, 6, 4, 0.5)
	weights := some(300)
	start := mustTrain(t, data.dense, data.y, pegasos.Config{Epochs: 2})
	for name, tr := range map[string]pegasos.Trainer{
		"plain": {}, "paper": {Config: pegasos.Paper()}, "weights": {Weights: weights},
		"pairs":   {Config: pegasos.Config{Multiclass: pegasos.OneVsOne}},
		"joint":   {Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}},
		"numbers": {Config: pegasos.Config{Loss: pegasos.EpsInsensitive}},
		"batch":   {Config: pegasos.Config{Batch: 7}},
		"balanced": {Config: pegasos.Config{ClassWeight: pegasos.Balanced,
			Bias: pegasos.BiasAugmented}},
		"prior": {Prior: start}, "start": {Start: start},
		"dual": {Config: pegasos.Config{Finish: pegasos.FinishDual}, Weights: weights},
		"joint dual": {Config: pegasos.Config{Finish: pegasos.FinishDual,
			Multiclass: pegasos.CrammerSinger}},
		"small blocks": {Config: pegasos.Config{Block: 2}},
	} {
		tr.Lambda, tr.Seed = 0.01, 5
		for _, sparse := range []bool{false, true} {
			want := ""
			everyLayout(func() {
				for _, hidden := range []bool{false, true} {
					var x pegasos.Examples = data.dense
					if sparse {
						x = data.sparse
					}
					if hidden {
						x = sample.UserRows(x)
					}
					m, err := trainPlain(t.Context(), &tr, x, data.y)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					have := m.Hash()
					if !hidden { // the Result of user-defined rows is rounded differently
						have += fmt.Sprint(m.Result)
					} else if want[:len(have)] != have {
						t.Errorf("%s: user-defined rows give another hash", name)
						continue
					}
					if want != "" && !hidden && have != want {
						t.Errorf("%s: %s without copies, %s with copies", name, have, want)
					}
					if !hidden {
						want = have
					}
				}
			})
		}
	}
	// The Row of a RowError is the index in the data, even if rows are copied. The Row of a
	// StepError is this index or -1.
	data.dense.Row(123)[2] = float32(math.NaN())
	everyLayout(func() {
		var e *pegasos.RowError
		if _, err := fixed(t.Context(), data.dense, data.y, pegasos.Config{}); !errors.As(err, &e) ||
			e.Row != 123 {
			t.Error(err)
		}
	})
	huge := matrix(t, 4, 1, 1, 1, 1e19, 1)
	everyLayout(func() {
		var e *pegasos.StepError
		_, err := fixed(t.Context(), huge, []float32{1, 0, 1, 0},
			pegasos.Config{Offset: pegasos.OffsetNone, ClassWeight: "1=1e15"})
		if !errors.As(err, &e) || e.Row != 2 && e.Row != -1 {
			t.Error(err)
		}
	})
}
