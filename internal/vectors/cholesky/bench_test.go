package cholesky

import (
	"fmt"
	"testing"
)

func BenchmarkFactor(b *testing.B) {
	for _, dim := range []int{54, 123, 784, 2000} {
		m := dense{dim, make([]float64, dim*dim)}
		for i := range dim {
			for j := range dim {
				m.a[i*dim+j] = 1 / float64(1+(i-j)*(i-j))
			}
		}
		f, x := New(dim), make([]float64, dim)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("d=%d/threads=%d", dim, threads), func(b *testing.B) {
				for b.Loop() {
					if err := f.Decompose(m, 1, 1, threads); err != nil {
						b.Fatal(err)
					}
				}
				cubed := float64(dim) * float64(dim) * float64(dim)
				b.ReportMetric(cubed/3*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
		b.Run(fmt.Sprintf("d=%d/solve", dim), func(b *testing.B) {
			for b.Loop() {
				for i := range x {
					x[i] = 1
				}
				f.Solve(x)
			}
		})
	}
}
