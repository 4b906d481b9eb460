package gram

import (
	"fmt"
	"testing"
)

func report(b *testing.B, n, dim int) {
	work := float64(n) * float64(dim) * float64(dim+1) * float64(b.N)
	b.ReportMetric(work/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkSum(b *testing.B) {
	const n = 4096
	for _, dim := range []int{54, 123, 784, 2000} {
		x, c := rows(n, dim, dim)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("d=%d/threads=%d", dim, threads), func(b *testing.B) {
				s := New(dim)
				for b.Loop() {
					s.Reset()
					s.AddRows(x, dim, c, threads)
					s.flush()
				}
				report(b, n, dim)
			})
		}
	}
}

// An integer operation counts as one FLOP.
func BenchmarkBytes(b *testing.B) {
	const n = 4096
	for _, dim := range []int{123, 784} {
		x := byteRows(n, dim)
		b.Run(fmt.Sprintf("d=%d", dim), func(b *testing.B) {
			s := NewBytes(dim)
			for b.Loop() {
				s.Reset()
				s.Add(n, func(r int) []byte { return x[r] }, 1)
			}
			report(b, n, dim)
		})
	}
}

func BenchmarkWide(b *testing.B) {
	const n = 4096
	for _, dim := range []int{123, 300, 2000} {
		sparse, _ := sparseRows(n, dim, 14)
		b.Run(fmt.Sprintf("d=%d", dim), func(b *testing.B) {
			s := NewSparseSum(dim)
			for b.Loop() {
				s.Reset()
				addAll(s, sparse, 1)
			}
		})
	}
}
