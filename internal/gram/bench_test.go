package gram

import (
	"fmt"
	"testing"
)

// BenchmarkSum measures sums of 4,096 rows, packing and all.
func BenchmarkSum(b *testing.B) {
	const n = 4096
	for _, dim := range []int{54, 123, 784, 2000} {
		x, _ := rows(n, dim, dim)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("d=%d/threads=%d", dim, threads), func(b *testing.B) {
				s := New(dim)
				for b.Loop() {
					s.Reset()
					s.AddRows(x, dim, nil, threads)
					s.flush()
				}
				work := float64(n) * float64(dim) * float64(dim+1) * float64(b.N)
				b.ReportMetric(work/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
