package pegasos_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// Rows that are read from a file are announced before they are visited, each once an epoch but for
// the first part, and give the model that they give anyway.
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
	inFile := map[string]func(f matrices.WillNeed) (pegasos.Examples, error){
		"dense": func(f matrices.WillNeed) (pegasos.Examples, error) {
			padded, _ := (*matrices.Dense)(full).Padded()
			m, err := matrices.LazyDense(rows, cols, padded,
				matrices.Check{Shift: 6, WillNeed: f})
			return (*dense.Matrix)(m), err
		},
		"sparse": func(f matrices.WillNeed) (pegasos.Examples, error) {
			m, err := matrices.Lazy(cols, starts, indices, values,
				matrices.Check{Shift: 6, WillNeed: f})
			return (*sparse.Matrix)(m), err
		},
	}
	for name, open := range inFile {
		for _, cfg := range []pegasos.Config{
			{Order: pegasos.Blocks, Block: 100}, {Order: pegasos.Blocks, Block: 100,
				Batch: 7}, {Order: pegasos.Sequential},
			{Order: pegasos.Permutation}, {Order: pegasos.IID},
		} {
			cfg.Lambda, cfg.Epochs = 1e-2, 2
			announced, calls := make([]int, rows), 0
			inMemory, err := open(nil)
			if err != nil {
				t.Fatal(err)
			}
			hash := mustTrain(t, inMemory, y, cfg).Hash()
			x, err := open(func(first, end int) {
				calls++
				for i := first; i < end; i++ {
					announced[i]++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := mustTrain(t, x, y, cfg).Hash(); got != hash {
				t.Errorf("%s, %+v: another model", name, cfg)
			}
			most, sum := 0, 0
			for _, n := range announced {
				most, sum = max(most, n), sum+n
			}
			if cfg.Order == pegasos.IID {
				if sum > 0 {
					t.Errorf("%s, %+v: %d rows announced", name, cfg, sum)
				}
				continue
			}
			if most > cfg.Epochs || sum < cfg.Epochs*(rows-8192-7) || sum >= cfg.Epochs*rows {
				t.Errorf("%s, %+v: %d rows announced, one of them %d times", name, cfg, sum, most)
			}
			if cfg.Order == pegasos.Blocks && calls > sum/50 {
				t.Errorf("%s, %+v: %d calls for %d rows", name, cfg, calls, sum)
			}
		}
	}
}
