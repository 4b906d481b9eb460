package kernelsvm

import (
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func BenchmarkTile(b *testing.B) {
	for _, form := range []string{"binary", "dense", "sparse"} {
		b.Run("form="+form, func(b *testing.B) {
			p := sample.Random(1, tileRows, 128, 2, 0.11)
			if form == "binary" {
				for i := range p.Dense.Rows() {
					for j, v := range p.Dense.Row(i) {
						if v != 0 {
							p.Dense.Row(i)[j] = 1
						}
					}
				}
			}
			at := make([]int32, tileRows)
			for i := range at {
				at[i] = int32(i)
			}
			var x pegasos.Examples = p.Dense
			if form == "sparse" {
				x = p.Sparse
			}
			s := newStore(function{kind: RBF, gamma: 0.05}, matrixOf(x), at, []int{tileRows}, false)
			if (s.words != nil) != (form == "binary") {
				b.Fatal("not the form")
			}
			var probes []probe
			var rows [][]float32
			for k := range tileProbes {
				probes = append(probes, s.probe(k))
				rows = append(rows, make([]float32, tileRows))
			}
			for b.Loop() {
				s.tile(rows, probes, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tileRows/tileProbes,
				"ns/value")
		})
	}
}
