package main

import (
	"math"

	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/pegasimd/pegasimd/dense"
)

var lengths = []int{8, 16, 31, 54, 100, 128, 300, 784, 1024, 4096, 16384, 65536, 1 << 20}

var blasGo gonum.Implementation

// vectors makes x and y, which start off floats after a multiple of 64 bytes, half a page apart
// within their pages: with equal addresses in a page, loads wait for stores that they have nothing
// to do with.
func vectors(n, off int) {
	all := memory{off: off}.Floats(2*n + 4*page)
	x, y = all[:n:n], all[(n+page-1)/page*page+page/2:][:n:n]
	fill(x, 1)
	fill(y, 2)
}

const page = 1024 // floats

// summed wants one sum of terms of x and y.
func summed(term func(x, y float64) float64) func() (values, sizes []float64) {
	return func() (values, sizes []float64) {
		return each(1, func(int) (value, size float64) {
			return sums(len(x), func(i int) float64 { return term(float64(x[i]), float64(y[i])) })
		})
	}
}

func sunk() []float32 { return []float32{sink} }

var dot = operation{
	name: "Dot", sizes: lengths, both: true, prepare: vectors, got: sunk,
	want: summed(func(x, y float64) float64 { return x * y }),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.Dot(x, y) }) }},
		{name: "gonum", loop: func(n int) {
			times(n, func() { sink = blasGo.Sdot(len(x), x, 1, y, 1) })
		}},
		{name: "vek32", loop: func(n int) { times(n, func() { sink = vek32.Dot(x, y) }) }},
		{name: "tphakala", loop: func(n int) { times(n, func() { sink = f32.DotProduct(x, y) }) }},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = loopDot(x, y) }) }},
	},
}

var axpy = operation{
	name: "Axpy", sizes: lengths, both: true, alpha: 1e-6, prepare: vectors,
	got: func() []float32 { return y },
	want: func() (values, sizes []float64) {
		return each(len(x), func(i int) (value, size float64) {
			ax, y := float64(alpha)*float64(x[i]), float64(y[i])
			return ax + y, math.Abs(ax) + math.Abs(y)
		})
	},
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { dense.Axpy(alpha, x, y) }) }},
		{name: "gonum", loop: func(n int) {
			times(n, func() { blasGo.Saxpy(len(x), alpha, x, 1, y, 1) })
		}},
		{name: "tphakala", loop: func(n int) { times(n, func() { f32.AddScaled(y, alpha, x) }) }},
		{name: "Go loop", loop: func(n int) { times(n, func() { loopAxpy(alpha, x, y) }) }},
	},
}

var scale = operation{
	name: "Scale", sizes: lengths, both: true, alpha: -1, prepare: vectors, // nothing grows
	got: func() []float32 { return y },
	want: func() (values, sizes []float64) {
		return each(len(y), func(i int) (value, size float64) {
			v := float64(alpha) * float64(y[i])
			return v, math.Abs(v)
		})
	},
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { dense.Scale(alpha, y) }) }},
		{name: "gonum", loop: func(n int) {
			times(n, func() { blasGo.Sscal(len(y), alpha, y, 1) })
		}},
		{name: "vek32", loop: func(n int) {
			times(n, func() { vek32.MulNumber_Inplace(y, alpha) })
		}},
		{name: "tphakala", loop: func(n int) { times(n, func() { f32.Scale(y, y, alpha) }) }},
		{name: "Go loop", loop: func(n int) { times(n, func() { loopScale(alpha, y) }) }},
	},
}

var sum = operation{
	name: "Sum", sizes: lengths, both: true, prepare: vectors, got: sunk,
	want: summed(func(x, _ float64) float64 { return x }),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.Sum(x) }) }},
		{name: "vek32", loop: func(n int) { times(n, func() { sink = vek32.Sum(x) }) }},
		{name: "tphakala", loop: func(n int) { times(n, func() { sink = f32.Sum(x) }) }},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = loopSum(x) }) }},
	},
}

var distance = operation{
	name: "SquaredDistance", sizes: lengths, both: true, prepare: vectors, got: sunk,
	want: summed(func(x, y float64) float64 { return (x - y) * (x - y) }),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.SquaredDistance(x, y) }) }},
		{name: "vek32, with root", loop: func(n int) {
			times(n, func() { sink = square(vek32.Distance(x, y)) })
		}},
		{name: "tphakala, with root", loop: func(n int) {
			times(n, func() { sink = square(f32.EuclideanDistance(x, y)) })
		}},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = loopDistance(x, y) }) }},
	},
}

func square(v float32) float32 { return v * v }

var cosine = operation{
	name: "Cosine", sizes: lengths, both: true, prepare: vectors, got: sunk,
	want: func() (values, sizes []float64) {
		var xy, xx, yy float64
		for i, v := range x {
			a, b := float64(v), float64(y[i])
			xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
		}
		return []float64{xy / math.Sqrt(xx*yy)}, []float64{1}
	},
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.Cosine(x, y) }) }},
		{name: "vek32", loop: func(n int) {
			times(n, func() { sink = vek32.CosineSimilarity(x, y) })
		}},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = loopCosine(x, y) }) }},
	},
}
