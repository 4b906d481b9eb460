package store

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

func TestSums(t *testing.T) {
	for _, n := range []int{1, 4096, 4097, 9000, 40_000} {
		x, a := dense.New(n, 3), make([]float32, n)
		norms, all := make([]float32, n), make([]uint32, n)
		one, wide, sum := make([]float64, 3), 0.0, 0.0
		for i := range n {
			a[i], norms[i], all[i] = float32(i%7)/3, float32(i%11)/7, uint32(i)
			wide += float64(norms[i])
			for j := range 3 {
				x.Row(i)[j] = float32(i%(5+j)) / 9
				one[j] += float64(float64(a[i]) * float64(x.Row(i)[j]))
			}
		}
		v := View{X: Of(x), Norms: norms}
		var first []float64
		for _, threads := range []int{0, 1, 2, 3, 16} {
			for _, v.Only = range [][]uint32{nil, all} {
				v.Threads = threads
				u := make([]float64, 3)
				v.AddTo(u, a)
				sum = v.AddUp(func(_ Rows, from, to int) (s [4]float64) {
					for j := from; j < to; j++ {
						s[1] += float64(norms[v.Row(j)])
					}
					return s
				})[1]
				if u = append(u, sum, v.DotSize()); first == nil {
					first = u
				}
				if !slices.Equal(u, first) {
					t.Fatalf("%d rows, %d goroutines: %v, want %v", n, threads, u, first)
				}
			}
		}
		if n <= 4096 && (!slices.Equal(first[:3], one) || sum != wide) {
			t.Errorf("%d rows: %v, %v, want %v, %v", n, first, sum, one, wide)
		}
		for j, z := range one {
			if d := math.Abs(first[j] - z); d > 2*v.AddError()*z {
				t.Errorf("%d rows: column %d is off by %v", n, j, d)
			}
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ rows, cols, want int }{
		{0, 5, 1}, {8191, 5, 1}, {8192, 5, 2}, {200_000, 54, 8}, {25_000, 28_000, 4},
		{25_000, 1 << 20, 1}, {1 << 20, 1 << 20, 8},
	} {
		if got := partsOf(c.rows, c.cols); got != c.want {
			t.Errorf("%d rows of %d columns: %d parts, want %d", c.rows, c.cols, got, c.want)
		}
	}
}
