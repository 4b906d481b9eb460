package kernel

import (
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
)

func BenchmarkTile(b *testing.B) {
	for _, form := range []string{"binary", "dense", "sparse"} {
		b.Run("form="+form, func(b *testing.B) {
			p := sample.Random(1, TileRows, 128, 2, 0.11)
			if form == "binary" {
				p = sample.ZerosAndOnes(p)
			}
			var x store.Examples = p.Dense
			if form == "sparse" {
				x = p.Sparse
			}
			m, at := store.MatrixFrom(x, UpTo(TileRows))
			rows := NewRows(Function{Kind: RBF, Gamma: 0.05}, m, at, []int{TileRows})
			if (rows.words != nil) != (form == "binary") {
				b.Fatal("the rows are not stored as " + form)
			}
			var probes []Probe
			var values [][]float32
			for k := range 64 {
				probes, values = append(probes, rows.Probe(k)), append(values, make([]float32, TileRows))
			}
			for b.Loop() {
				Values(rows, values, probes, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/TileRows/64,
				"ns/value")
		})
	}
}
