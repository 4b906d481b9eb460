package pegasos

import (
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// Rows that are read from a file are announced before they are met, each once an epoch but for the first stretch, and give
// the model that they give anyway.
func TestReadAhead(t *testing.T) {
	const rows, cols = 20_000, 3
	r := rand.New(rand.NewPCG(1, 1))
	var y []float32
	starts, values := []int64{0}, []float32(nil)
	var indices []int32
	full := dense.New(rows, cols)
	for i := range rows {
		y = append(y, float32(r.IntN(2)))
		j := r.IntN(cols)
		v := 1 + float32(r.IntN(9))
		indices, values = append(indices, int32(j)), append(values, v)
		starts = append(starts, int64(len(values)))
		full.Row(i)[j] = v
	}
	thin, err := sparse.New(cols, starts, indices, values)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []interface {
		Examples
		OnWillNeed(func(first, end int))
	}{full, thin} {
		for _, cfg := range []Config{
			{Order: Blocks, Block: 100}, {Order: Blocks, Block: 100, Batch: 7}, {Order: Sequential}, {Order: Permutation}, {Order: IID},
		} {
			cfg.Lambda, cfg.Epochs = 1e-2, 2
			x.OnWillNeed(nil)
			hash := mustTrain(t, x, y, cfg).Hash()
			announced, calls := make([]int, rows), 0
			x.OnWillNeed(func(first, end int) {
				calls++
				for i := first; i < end; i++ {
					announced[i]++
				}
			})
			if got := mustTrain(t, x, y, cfg).Hash(); got != hash {
				t.Errorf("%+v: another model", cfg)
			}
			most, sum := 0, 0
			for _, n := range announced {
				most, sum = max(most, n), sum+n
			}
			if cfg.Order == IID {
				if sum > 0 {
					t.Errorf("%+v: %d rows announced", cfg, sum)
				}
				continue
			}
			if most > cfg.Epochs || sum < cfg.Epochs*(rows-8192-7) || sum >= cfg.Epochs*rows {
				t.Errorf("%+v: %d rows announced, one of them %d times", cfg, sum, most)
			}
			if cfg.Order == Blocks && calls > sum/50 {
				t.Errorf("%+v: %d calls for %d rows", cfg, calls, sum)
			}
		}
	}
}
