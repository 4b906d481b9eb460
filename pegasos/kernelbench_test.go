package pegasos

import "testing"

func BenchmarkKernelTile(b *testing.B) {
	for _, form := range []string{"binary", "dense", "sparse"} {
		b.Run("form="+form, func(b *testing.B) {
			p := random(1, kernelTile, 128, 2, 0.11)
			if form == "binary" {
				for i := range p.dense.Rows() {
					for j, v := range p.dense.Row(i) {
						if v != 0 {
							p.dense.Row(i)[j] = 1
						}
					}
				}
			}
			at := make([]int32, kernelTile)
			for i := range at {
				at[i] = int32(i)
			}
			var x Examples = p.dense
			if form == "sparse" {
				x = p.sparse
			}
			s := newKernelStore(kernel{kind: RBF, gamma: 0.05}, x, at, []int{kernelTile})
			if (s.words != nil) != (form == "binary") {
				b.Fatal("not the form")
			}
			var probes []probe
			var rows [][]float32
			for k := range kernelProbes {
				probes = append(probes, s.probe(k))
				rows = append(rows, make([]float32, kernelTile))
			}
			for b.Loop() {
				s.tile(rows, probes, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/kernelTile/kernelProbes, "ns/value")
		})
	}
}
