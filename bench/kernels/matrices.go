package main

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"github.com/pegasimd/pegasimd/dense"
)

// Matrices of matrixRows rows, in cache, each row as long as x or y.
const matrixRows = 256

var matrixCols = []int{16, 64, 784}

// left is the vector that multiplies a matrix from the left.
var left []float32

func prepareMatrix(n, _ int) {
	rows, left = memory{}.Floats(matrixRows*n), memory{}.Floats(matrixRows)
	x, out = memory{}.Floats(n), memory{}.Floats(n)
	for seed, v := range [][]float32{rows, left, x} {
		fill(v, uint64(seed))
	}
}

func perMatrixRow() int { return matrixRows }

var gemvT = operation{
	name: "GemvT, 256 rows in cache, a row of", sizes: matrixCols, prepare: prepareMatrix,
	per: perMatrixRow, got: func() []float32 { return out },
	want: func() (values, sizes []float64) {
		return each(len(x), func(j int) (value, size float64) {
			return sums(len(left), func(i int) float64 {
				return float64(left[i]) * float64(rows[i*len(x)+j])
			})
		})
	},
	ways: []way{
		{name: ours, loop: func(n int) {
			times(n, func() { dense.GemvT(1, rows, len(x), left, 0, out) })
		}},
		{name: "gonum", loop: func(n int) {
			times(n, func() {
				blasGo.Sgemv(blas.Trans, len(left), len(x), 1, rows, len(x), left, 1, 0, out, 1)
			})
		}},
		{name: "Go loop", loop: func(n int) {
			times(n, func() {
				clear(out)
				for i, v := range left {
					loopAxpy(v, row(i), out)
				}
			})
		}},
	},
}

var ger = operation{
	name: "Ger, 256 rows in cache, a row of", sizes: matrixCols, alpha: 1e-6,
	prepare: prepareMatrix, per: perMatrixRow, got: func() []float32 { return rows },
	want: func() (values, sizes []float64) {
		return each(len(rows), func(i int) (value, size float64) {
			old, v := float64(rows[i]), float64(alpha)*float64(left[i/len(x)])*float64(x[i%len(x)])
			return old + v, math.Abs(old) + math.Abs(v)
		})
	},
	ways: []way{
		{name: ours, loop: func(n int) {
			times(n, func() { dense.Ger(alpha, left, x, rows, len(x)) })
		}},
		{name: "gonum", loop: func(n int) {
			times(n, func() {
				blasGo.Sger(len(left), len(x), alpha, left, 1, x, 1, rows, len(x))
			})
		}},
		{name: "Go loop", loop: func(n int) {
			times(n, func() {
				for i, v := range left {
					loopAxpy(alpha*v, x, row(i))
				}
			})
		}},
	},
}
