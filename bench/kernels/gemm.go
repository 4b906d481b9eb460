package main

import (
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"

	"github.com/pegasimd/pegasimd/dense"
)

// dim is the number of rows and columns of x and y, the square matrices that gemm multiplies.
var dim int

var gemm = operation{
	name: "Gemm, square matrices of", sizes: []int{16, 64, 100, 256, 512},
	prepare: func(n, _ int) {
		dim, out = n, memory{}.Floats(n*n)
		vectors(n*n, 0)
	},
	got: func() []float32 { return out },
	want: func() (values, sizes []float64) {
		return each(dim*dim, func(i int) (value, size float64) {
			return sums(dim, func(k int) float64 {
				return float64(x[i/dim*dim+k]) * float64(y[k*dim+i%dim])
			})
		})
	},
	ways: []way{
		{name: ours, loop: func(n int) {
			times(n, func() {
				dense.Gemm(dim, dim, dim, 1, dense.Factor{Data: x, Stride: dim},
					dense.Factor{Data: y, Stride: dim}, 0, out, dim, 1)
			})
		}},
		{name: "gonum", loop: func(n int) {
			times(n, func() {
				blasGo.Sgemm(blas.NoTrans, blas.NoTrans, dim, dim, dim, 1, x, dim, y, dim, 0,
					out, dim)
			})
		}},
		{name: "vek32", loop: func(n int) {
			times(n, func() { vek32.MatMul_Into(out, x, y, dim) })
		}},
	},
}
