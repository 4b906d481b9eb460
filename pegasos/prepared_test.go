package pegasos_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// A score that is not finite ends runPrepared where it ends run, wherever in what is prepared at
// once it comes.
func TestRunPreparedEndsWhereRunDoes(t *testing.T) {
	defer func(old int) { store.SameFrom = old }(store.SameFrom)
	const rows, cols = 200, 21
	for _, bad := range []int{0, 1, 64 - 1, 64, 64 + 1,
		rows - 1, rows} {
		starts, y, all := []int64{0}, make([]float32, rows), make([]uint32, rows)
		var indices []int32
		var values []float32
		for i := range rows {
			row := []int32{int32(i % 7), int32(7 + i%5)}
			if i >= bad {
				row = append(row, cols-1)
			}
			for _, j := range row {
				indices, values = append(indices, j), append(values, 8)
			}
			starts, y[i], all[i] = append(starts, int64(len(indices))), float32(i%3%2), uint32(i)
		}
		x, err := sparse.New(cols, starts, indices, values)
		if err != nil {
			t.Fatal(err)
		}
		var ends []string
		for k, from := range []int{math.MaxInt, 0} {
			store.SameFrom = from
			p := mustRun(t, x, y, pegasos.Config{Order: pegasos.Sequential}).problems[0]
			if prepared := p.X.Steps() != nil; prepared != (k == 1) {
				t.Fatalf("rows are a %T", p.X)
			}
			p.V[cols-1] = math.MaxFloat32
			p.Steps(all)
			if (p.Err != nil) != (bad < rows) || p.T != int64(bad) {
				t.Errorf("row %d: %v after %d steps", bad, p.Err, p.T)
			}
			if p.Err != nil {
				p.V = nil // what is left there is of no use
			}
			ends = append(ends, fmt.Sprint(p.Err, p.Violations, p.V))
		}
		if ends[0] != ends[1] {
			t.Errorf("row %d: %s, and of rows of one value %s", bad, ends[0], ends[1])
		}
	}
}

// BenchmarkRunPrepared times steps with rows of one value, prepared some at once and one by one.
// With labels of which a share was drawn more rows violate.
func BenchmarkRunPrepared(b *testing.B) {
	defer func(same, most int) {
		store.SameFrom, store.StepsMost = same, most
	}(store.SameFrom, store.StepsMost)
	store.SameFrom = 0
	const rows, cols = 30_000, 1000
	for _, nnz := range []int{3, 7, 14, 30, 60, 120} {
		for _, drawn := range []float64{0, 0.2, 0.8} {
			r := rand.New(rand.NewPCG(1, 1))
			starts, y, all := []int64{0}, make([]float32, rows), make([]uint32, rows)
			var indices []int32
			for i := range rows {
				row := map[int32]bool{}
				for len(row) < nnz {
					// some are frequent
					row[int32(min(r.IntN(cols), r.IntN(cols), r.IntN(cols)))] = true
				}
				indices = append(indices, slices.Sorted(maps.Keys(row))...)
				score := 0
				for j := range row {
					score += int(j%2)*2 - 1
				}
				if score > 0 || r.Float64() < drawn && r.IntN(2) == 0 {
					y[i] = 1
				}
				starts, all[i] = append(starts, int64(len(indices))), uint32(i)
			}
			values := slices.Repeat([]float32{1}, len(indices))
			x, err := sparse.New(cols, starts, indices, values)
			if err != nil {
				b.Fatal(err)
			}
			for _, store.StepsMost = range []int{0, cols} {
				b.Run(fmt.Sprintf("nnz=%d/drawn=%v/at-once=%v", nnz, drawn, store.StepsMost > 0),
					func(b *testing.B) {
						p := mustRun(b, x, y, pegasos.Config{Order: pegasos.Sequential}).problems[0]
						p.Steps(all)
						before := p.Violations
						b.ResetTimer()
						for range b.N {
							p.Steps(all)
						}
						steps := float64(b.N * rows)
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/steps, "ns/step")
						b.ReportMetric(100*float64(p.Violations-before)/steps, "%violate")
					})
			}
		}
	}
}
