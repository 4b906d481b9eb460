package choose_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

func pick[T any](g *rand.Rand, of ...T) T { return of[g.IntN(len(of))] }

// newSet returns a set of x and y, with regression targets if the loss has them.
func newSet(t testing.TB, x store.Examples, y []float32, lossName string,
	o store.SetOptions) *store.Set {
	t.Helper()
	if kind, ok := loss.KindOf(lossName); ok {
		o.Regression = kind.Traits().Numbers
	}
	set, err := store.NewSet(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func tryRows(t testing.TB, x store.Examples, y []float32, o store.SetOptions, open choose.Open) (
	*choose.Choice, error,
) {
	t.Helper()
	open.Threads = 1
	open.Stopped = func() bool { return false }
	return choose.Settings(open, newSet(t, x, y, open.Loss, o))
}

// settled returns the result of choose.Settings, before Search and End.
func settled(t testing.TB, x store.Examples, y []float32, o store.SetOptions,
	open choose.Open) *choose.Choice {
	t.Helper()
	c, err := tryRows(t, x, y, o, open)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ended(t testing.TB, x store.Examples, y []float32, open choose.Open) *choose.Choice {
	t.Helper()
	c := settled(t, x, y, store.SetOptions{}, open)
	c.End()
	return c
}

func unequalColumns(seed uint64, rows, cols, classes int) sample.Pair {
	p := sample.Random(seed, rows, cols, classes, 1)
	g := rand.New(rand.NewPCG(seed, 9))
	x := dense.New(rows, cols)
	for j := range cols {
		scale := pick(g, 0.01, 0.1, 1, 10, 100) * (1 + g.Float64())
		mean := 8*g.Float64() - 4
		for i := range rows {
			x.Row(i)[j] = float32(scale * (float64(p.Dense.Row(i)[j]) + mean))
		}
	}
	return sample.Pair{Dense: x, Sparse: sample.ToSparse(x), Y: p.Y}
}

// words returns rows of small counts, like texts, scaled to length 1 if unit is set.
func words(seed uint64, rows, cols int, unit bool) sample.Pair {
	g := rand.New(rand.NewPCG(seed, 5))
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		row := x.Row(i)
		for range 5 + g.IntN(20) {
			row[int(float64(cols)*g.Float64()*g.Float64())] = 1 + float32(g.IntN(3))
		}
		if y[i] = 1; row[0]+row[2] > row[1]+row[3] {
			y[i] = -1
		}
		if unit {
			dense.Scale(float32(1/math.Sqrt(float64(x.SumSquares(i)))), row)
		}
	}
	return sample.Pair{Dense: x, Sparse: sample.ToSparse(x), Y: y}
}
