package main

import (
	"math"
)

const matrixRows = 256

var (
	left []float32 // multiplies a matrix from the left
	dim  int       // order of x and y as square matrices
)

func onMatrix(name string, got func() []float32, want func() (values, sizes []float64)) *operation {
	return &operation{name: name + ", 256 rows in cache, a row of",
		sizes: []int{16, 64, 784}, per: func() int { return matrixRows }, got: got, want: want,
		prepare: func(n, _ int) {
			rows, left = memory{}.Floats(matrixRows*n), memory{}.Floats(matrixRows)
			x, out = memory{}.Floats(n), memory{}.Floats(n)
			for seed, v := range [][]float32{rows, left, x} {
				fill(v, uint64(seed))
			}
		}}
}

var gemvT = onMatrix("GemvT", outValues, func() (values, sizes []float64) {
	return each(len(x), func(j int) (value, size float64) {
		return sums(len(left), func(i int) float64 {
			return float64(left[i]) * float64(rows[i*len(x)+j])
		})
	})
})

var ger = func() *operation {
	o := onMatrix("Ger", func() []float32 { return rows }, func() (values, sizes []float64) {
		return each(len(rows), func(i int) (value, size float64) {
			old, v := float64(rows[i]), float64(alpha)*float64(left[i/len(x)])*float64(x[i%len(x)])
			return old + v, math.Abs(old) + math.Abs(v)
		})
	})
	o.alpha = 1e-6
	return o
}()

var gemm = &operation{
	name: "Gemm, square matrices of", sizes: []int{16, 64, 100, 256, 512},
	prepare: func(n, _ int) {
		dim, out = n, memory{}.Floats(n*n)
		vectors(n*n, 0)
	},
	got: outValues,
	want: func() (values, sizes []float64) {
		return each(dim*dim, func(i int) (value, size float64) {
			return sums(dim, func(k int) float64 {
				return float64(x[i/dim*dim+k]) * float64(y[k*dim+i%dim])
			})
		})
	},
}
