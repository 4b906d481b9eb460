package main

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/pegasimd/pegasimd/half"
	"github.com/pegasimd/pegasimd/quant"
)

var lengths = []int{3, 8, 16, 31, 48, 64, 100, 128, 256, 384, 768, 784, 1024, 1536, 4096, 65536}

var blasGo gonum.Implementation

// x and y start off floats after a multiple of 64 bytes. Their offsets in a page differ by half a
// page, because a load waits for an unrelated store to the same offset in another page.
func vectors(n, off int) {
	all := memory{off: off}.Floats(2*n + 4*page)
	x, y = all[:n:n], all[(n+page-1)/page*page+page/2:][:n:n]
	fill(x, 1)
	fill(y, 2)
}

const page = 1024 // floats in 4 KiB

// onVectors returns one of the ten operations. Its result is in sink.
func onVectors(name string, want func() (values, sizes []float64)) *operation {
	return &operation{name: name, sizes: lengths, both: true, ten: true,
		prepare: vectors, got: func() []float32 { return []float32{sink} }, want: want}
}

// onY is onVectors for an operation that changes y to term(alpha, x, y). In timed calls alpha is
// factor.
func onY(name string, factor float32, term func(alpha, x, y float64) (v, size float64)) *operation {
	o := onVectors(name, func() (values, sizes []float64) {
		return each(len(x), func(i int) (value, size float64) {
			return term(float64(alpha), float64(x[i]), float64(y[i]))
		})
	})
	o.alpha, o.got = factor, func() []float32 { return y }
	return o
}

func summed(term func(x, y float64) float64) func() (values, sizes []float64) {
	return func() (values, sizes []float64) {
		return each(1, func(int) (value, size float64) {
			return sums(len(x), func(i int) float64 { return term(float64(x[i]), float64(y[i])) })
		})
	}
}

func rooted(sum func() (values, sizes []float64)) func() (values, sizes []float64) {
	return func() (values, sizes []float64) {
		values, _ = sum()
		values[0] = math.Sqrt(values[0])
		return values, values
	}
}

func root(v float32) float32 { return float32(math.Sqrt(float64(v))) }

func cosineOf(x, y []float32) float64 {
	var xy, xx, yy float64
	for i, v := range x {
		a, b := float64(v), float64(y[i])
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
	}
	return xy / math.Sqrt(xx*yy)
}

func wantCosine() (values, sizes []float64) { return []float64{cosineOf(x, y)}, []float64{1} }

var (
	wantDot      = summed(func(x, y float64) float64 { return x * y })
	wantSquares  = summed(func(x, _ float64) float64 { return x * x })
	wantDistance = summed(func(x, y float64) float64 { return (x - y) * (x - y) })
)

// With alpha 1e-6 or -1 the values stay small over many calls.
var onFloats = []*operation{
	onVectors("Dot", wantDot),
	onY("Axpy", 1e-6, func(alpha, x, y float64) (v, size float64) {
		return alpha*x + y, math.Abs(alpha*x) + math.Abs(y)
	}),
	onY("Scale", -1, func(alpha, _, y float64) (v, size float64) {
		return alpha * y, math.Abs(alpha * y)
	}),
	onVectors("Sum", summed(func(x, _ float64) float64 { return x })),
	onVectors("SumSquares", wantSquares),
	onVectors("Norm", rooted(wantSquares)),
	onVectors("SquaredDistance", wantDistance),
	onVectors("Distance", rooted(wantDistance)),
	onVectors("Cosine", wantCosine),
	other(onVectors("Cosine64", wantCosine), vectors),
	other(onVectors("Dot of halves", wantDot), func(n, off int) { // y is exact in half precision
		vectors(n, off)
		for i, v := range y {
			y[i] = float32(math.Round(64*float64(v)) / 64)
		}
		float16s, bfloat16s = make([]half.Float16, n), make([]half.Bfloat16, n)
		half.Quantize(float16s, y)
		half.Quantize(bfloat16s, y)
	}),
	other(dotOfBytes("uint8 Dot", &bytesX, &bytesY), byteVectors),
	dotOfBytes("int8 Dot", &int8X, &int8Y),
}

func other(o *operation, prepare func(n, off int)) *operation {
	o.ten, o.prepare = false, prepare
	return o
}

var (
	float16s       []half.Float16
	bfloat16s      []half.Bfloat16
	bytesX, bytesY []uint8
	int8X, int8Y   []int8 // in the memory of bytesX and bytesY
)

// bytesX and bytesY start off bytes after a multiple of 64 bytes.
func byteVectors(n, off int) {
	vectors(2*n+64, 0)
	all := unsafe.Slice((*uint8)(unsafe.Pointer(&x[0])), 2*n+128)
	bytesX, bytesY = all[off:][:n], all[(n+63)/64*64+off:][:n]
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range bytesX {
		bytesX[i], bytesY[i] = uint8(r.Uint32()), uint8(r.Uint32())
	}
	int8X, int8Y = *(*[]int8)(unsafe.Pointer(&bytesX)), *(*[]int8)(unsafe.Pointer(&bytesY))
}

func dotOfBytes[T quant.Byte](name string, x, y *[]T) *operation {
	o := onVectors(name, func() (values, sizes []float64) {
		return each(1, func(int) (value, size float64) {
			return sums(len(*x), func(i int) float64 { return float64((*x)[i]) * float64((*y)[i]) })
		})
	})
	o.prepare = byteVectors
	return o
}
