package main

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/half"
	"github.com/pegasimd/pegasimd/quant"
)

var lengths = []int{3, 8, 16, 31, 48, 64, 100, 128, 256, 384, 768, 784, 1024, 1536, 4096, 65536}

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
	name: "Dot", sizes: lengths, both: true, ten: true, prepare: vectors, got: sunk,
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
	name: "Axpy", sizes: lengths, both: true, ten: true, alpha: 1e-6, prepare: vectors,
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
	name: "Scale", sizes: lengths, both: true, ten: true, alpha: -1, prepare: vectors, // nothing grows
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
	name: "Sum", sizes: lengths, both: true, ten: true, prepare: vectors, got: sunk,
	want: summed(func(x, _ float64) float64 { return x }),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.Sum(x) }) }},
		{name: "vek32", loop: func(n int) { times(n, func() { sink = vek32.Sum(x) }) }},
		{name: "tphakala", loop: func(n int) { times(n, func() { sink = f32.Sum(x) }) }},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = loopSum(x) }) }},
	},
}

var sumSquares = operation{
	name: "SumSquares", sizes: lengths, both: true, ten: true, prepare: vectors, got: sunk,
	want: summed(func(x, _ float64) float64 { return x * x }),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.SumSquares(x) }) }},
		{name: "vek32 Dot", loop: func(n int) { times(n, func() { sink = vek32.Dot(x, x) }) }},
		{name: "tphakala", loop: func(n int) { times(n, func() { sink = f32.SumOfSquares(x) }) }},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = loopDot(x, x) }) }},
	},
}

var norm = operation{
	name: "Norm", sizes: lengths, both: true, ten: true, prepare: vectors, got: sunk,
	want: rooted(sumSquares.want),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.Norm(x) }) }},
		{name: "gonum", loop: func(n int) {
			times(n, func() { sink = blasGo.Snrm2(len(x), x, 1) })
		}},
		{name: "vek32", loop: func(n int) { times(n, func() { sink = vek32.Norm(x) }) }},
		{name: "tphakala, and a root", loop: func(n int) {
			times(n, func() { sink = root(f32.SumOfSquares(x)) })
		}},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = root(loopDot(x, x)) }) }},
	},
}

var squaredDistance = operation{
	name: "SquaredDistance", sizes: lengths, both: true, ten: true, prepare: vectors, got: sunk,
	want: summed(func(x, y float64) float64 { return (x - y) * (x - y) }),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.SquaredDistance(x, y) }) }},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = loopDistance(x, y) }) }},
	},
}

var distance = operation{
	name: "Distance", sizes: lengths, both: true, ten: true, prepare: vectors, got: sunk,
	want: rooted(squaredDistance.want),
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = dense.Distance(x, y) }) }},
		{name: "vek32", loop: func(n int) { times(n, func() { sink = vek32.Distance(x, y) }) }},
		{name: "tphakala", loop: func(n int) {
			times(n, func() { sink = f32.EuclideanDistance(x, y) })
		}},
		{name: "Go loop", loop: func(n int) {
			times(n, func() { sink = root(loopDistance(x, y)) })
		}},
	},
}

// rooted wants the root of a sum.
func rooted(sum func() (values, sizes []float64)) func() (values, sizes []float64) {
	return func() (values, sizes []float64) {
		values, _ = sum()
		values[0] = math.Sqrt(values[0])
		return values, values
	}
}

func root(v float32) float32 { return float32(math.Sqrt(float64(v))) }

var cosine = operation{
	name: "Cosine", sizes: lengths, both: true, ten: true, prepare: vectors, got: sunk,
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

var cosine64 = operation{
	name: "Cosine64", sizes: lengths, both: true, prepare: vectors, got: sunk, want: cosine.want,
	ways: []way{
		{name: ours, loop: func(n int) { times(n, func() { sink = float32(dense.Cosine64(x, y)) }) }},
		{name: ours + ", three Dot64", loop: func(n int) {
			times(n, func() {
				sink = float32(dense.Dot64(x, y) /
					math.Sqrt(dense.Dot64(x, x)*dense.Dot64(y, y)))
			})
		}},
		{name: "Go loop", loop: func(n int) { times(n, func() { sink = float32(loopCosine64(x, y)) }) }},
	},
}

var (
	float16s  []half.Float16
	bfloat16s []half.Bfloat16
)

// halfDot has products of numbers that both kinds of halves hold.
var halfDot = operation{
	name: "Dot of halves", sizes: lengths, both: true, got: sunk,
	prepare: func(n, off int) {
		vectors(n, off)
		for i, v := range y {
			y[i] = float32(math.Round(64*float64(v)) / 64)
		}
		float16s, bfloat16s = make([]half.Float16, n), make([]half.Bfloat16, n)
		half.Quantize(float16s, y)
		half.Quantize(bfloat16s, y)
	},
	want: dot.want,
	ways: []way{
		{name: ours + ", float32", loop: func(n int) { times(n, func() { sink = dense.Dot(x, y) }) }},
		{name: ours + ", float16", loop: func(n int) {
			times(n, func() { sink = half.Dot(x, float16s) })
		}},
		{name: ours + ", bfloat16", loop: func(n int) {
			times(n, func() { sink = half.Dot(x, bfloat16s) })
		}},
		{name: "Go loop, float16", loop: func(n int) {
			times(n, func() {
				sink = 0
				for i, v := range x {
					sink += v * float16s[i].Float32()
				}
			})
		}},
	},
}

// byteVectors makes bytesX and bytesY, off bytes after a multiple of 64.
func byteVectors(n, off int) {
	vectors(2*n+64, 0)
	all := unsafe.Slice((*uint8)(unsafe.Pointer(&x[0])), 2*n+128)
	bytesX, bytesY = all[off:][:n], all[(n+63)/64*64+off:][:n]
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range bytesX {
		bytesX[i], bytesY[i] = uint8(r.Uint32()), uint8(r.Uint32())
	}
}

// dotOfBytes is the dot product of two views of bytesX and bytesY.
func dotOfBytes[T quant.Byte](name string, x, y *[]T) operation {
	return operation{
		name: name, sizes: lengths, both: true, got: sunk,
		prepare: func(n, off int) {
			byteVectors(n, off)
			*x, *y = *(*[]T)(unsafe.Pointer(&bytesX)), *(*[]T)(unsafe.Pointer(&bytesY))
		},
		want: func() (values, sizes []float64) {
			return each(1, func(int) (value, size float64) {
				return sums(len(*x), func(i int) float64 { return float64((*x)[i]) * float64((*y)[i]) })
			})
		},
	}
}

var (
	int8X, int8Y []int8
	uint8Dot     = dotOfBytes("uint8 Dot", &bytesX, &bytesY)
	int8Dot      = dotOfBytes("int8 Dot", &int8X, &int8Y)
)

// The loops know their type, as a program does.
func init() {
	int8Dot.ten = true
	uint8Dot.ways = []way{
		{name: ours, loop: func(n int) {
			times(n, func() { sink = float32(quant.Dot(bytesX, bytesY)) })
		}},
		{name: "Go loop", loop: func(n int) {
			times(n, func() { sink = float32(loopBytes(bytesX, bytesY)) })
		}},
	}
	int8Dot.ways = []way{
		{name: ours, loop: func(n int) {
			times(n, func() { sink = float32(quant.Dot(int8X, int8Y)) })
		}},
		{name: "Go loop", loop: func(n int) {
			times(n, func() { sink = float32(loopBytes(int8X, int8Y)) })
		}},
	}
}
