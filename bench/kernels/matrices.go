package main

import (
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/gram"
)

// gemm multiplies square matrices, x by y.
var gemm = operation{
	name: "Gemm", sizes: []int{64, 256, 512}, got: func() []float32 { return out },
	prepare: func(n, _ int) {
		x, y, out = aligned(n*n), aligned(n*n), aligned(n*n)
		dim = n
		fill(x, 8)
		fill(y, 9)
		clear(out)
	},
	want: func() (values, sizes []float64) {
		for i := range dim {
			for j := range dim {
				v, size := sums(dim, func(k int) float64 {
					return float64(x[i*dim+k]) * float64(y[k*dim+j])
				})
				values, sizes = append(values, v), append(sizes, size)
			}
		}
		return values, sizes
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
				blasGo.Sgemm(blas.NoTrans, blas.NoTrans, dim, dim, dim, 1, x, dim, y, dim, 0, out, dim)
			})
		}},
		{name: "vek32", loop: func(n int) {
			times(n, func() { vek32.MatMul_Into(out, x, y, dim) })
		}},
	},
}

// added is how many rows are added to a symmetric matrix at once.
const added = 1024

var (
	dim    int // of the square matrices
	gramOf *gram.Sum
)

// rankK adds the products of rows with themselves to the upper half of a symmetric matrix.
var rankK = operation{
	name: "Rank-k update by 1024 rows, a row of", sizes: []int{54, 123, 784},
	per: func() int { return added },
	prepare: func(n, _ int) {
		rows, out, dim, gramOf = aligned(added*n), aligned(n*n), n, gram.New(n)
		fill(rows, 5)
		clear(out)
	},
	want: func() (values, sizes []float64) {
		for i := range dim {
			for j := i; j < dim; j++ {
				v, size := sums(added, func(r int) float64 {
					return float64(rows[r*dim+i]) * float64(rows[r*dim+j])
				})
				values, sizes = append(values, v), append(sizes, size)
			}
		}
		return values, sizes
	},
	got: func() []float32 { return upper(func(i, j int) float32 { return out[i*dim+j] }) },
	ways: []way{
		{name: ours, got: func() []float32 { return upper(gramOf.At) }, loop: func(n int) {
			times(n, func() {
				gramOf.AddRows(rows, dim, nil, 1)
				sink = gramOf.At(0, 0)
			})
		}},
		{name: "gonum Ssyrk", loop: func(n int) {
			times(n, func() {
				blasGo.Ssyrk(blas.Upper, blas.Trans, dim, added, 1, rows, dim, 1, out, dim)
			})
		}},
	},
}

func upper(at func(i, j int) float32) (all []float32) {
	for i := range dim {
		for j := i; j < dim; j++ {
			all = append(all, at(i, j))
		}
	}
	return all
}
