package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas/gonum"
)

// A vectorOp reads x and y and returns a sum, or reads x and y and writes y.
type vectorOp struct {
	name, title string
	sizes       []int
	offsets     []int   // in floats from a multiple of 64 bytes
	alpha       float32 // while timing
	writes      bool
	// of the sum, or the new y; size bounds what is rounded
	term  func(a, x, y float64) (value, size float64)
	whole func(x, y []float32) float64 // in place of term: the result, at most 1
	peers []vectorPeer
}

// A vectorPeer's loop makes n calls. Each has its own, so that it is called as a user's program
// would call it.
type vectorPeer struct {
	name string
	kind kind
	loop func(n int, x, y []float32)
}

func (p vectorPeer) describe() (string, kind) { return p.name, p.kind }

const maxLength = 1 << 24

var (
	allSizes = []int{
		1, 4, 8, 16, 31, 54, 100, 128, 300, 784, 1024, 4096, 16384, 65536, 1 << 20, 1 << 24,
	}
	someSizes = []int{16, 54, 100, 300, 784, 4096, 65536, 1 << 20}
)

var blasGo gonum.Implementation

var dot = vectorOp{
	name: "dot", title: "Dot", sizes: allSizes, offsets: []int{0, 1},
	term: func(_, x, y float64) (float64, float64) { return x * y, math.Abs(x * y) },
	peers: []vectorPeer{
		{"Pegasimd", ours, func(n int, x, y []float32) {
			for range n {
				sink = dense.Dot(x, y)
			}
		}},
		{"gonum", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = blasGo.Sdot(len(x), x, 1, y, 1)
			}
		}},
		{"vek32", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = vek32.Dot(x, y)
			}
		}},
		{"tphakala", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = f32.DotProduct(x, y)
			}
		}},
		{"Go loop", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = loopDot(x, y)
			}
		}},
		{"Go loop, 4 sums", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = fourDot(x, y)
			}
		}},
	},
}

var axpy = vectorOp{
	name: "axpy", title: "Axpy", sizes: allSizes, offsets: []int{0, 1}, alpha: 1e-6, writes: true,
	term: func(a, x, y float64) (float64, float64) { return a*x + y, math.Abs(a*x) + math.Abs(y) },
	peers: []vectorPeer{
		{"Pegasimd", ours, func(n int, x, y []float32) {
			for range n {
				dense.Axpy(alpha, x, y)
			}
		}},
		{"gonum", goPeer, func(n int, x, y []float32) {
			for range n {
				blasGo.Saxpy(len(x), alpha, x, 1, y, 1)
			}
		}},
		{"tphakala", goPeer, func(n int, x, y []float32) {
			for range n {
				f32.AddScaled(y, alpha, x)
			}
		}},
		{"Go loop", goPeer, func(n int, x, y []float32) {
			for range n {
				loopAxpy(alpha, x, y)
			}
		}},
		{"Go loop, 4 at a time", goPeer, func(n int, x, y []float32) {
			for range n {
				fourAxpy(alpha, x, y)
			}
		}},
	},
}

var scal = vectorOp{
	// -1, so that nothing grows
	name: "scal", title: "Scale", sizes: someSizes, offsets: []int{0, 1}, alpha: -1, writes: true,
	term: func(a, _, y float64) (float64, float64) { return a * y, math.Abs(a * y) },
	peers: []vectorPeer{
		{"Pegasimd", ours, func(n int, _, y []float32) {
			for range n {
				dense.Scale(alpha, y)
			}
		}},
		{"gonum", goPeer, func(n int, _, y []float32) {
			for range n {
				blasGo.Sscal(len(y), alpha, y, 1)
			}
		}},
		{"vek32", goPeer, func(n int, _, y []float32) {
			for range n {
				vek32.MulNumber_Inplace(y, alpha)
			}
		}},
		{"tphakala", goPeer, func(n int, _, y []float32) {
			for range n {
				f32.Scale(y, y, alpha)
			}
		}},
		{"Go loop", goPeer, func(n int, _, y []float32) {
			for range n {
				loopScale(alpha, y)
			}
		}},
	},
}

var sumSquares = vectorOp{
	name: "sumsq", title: "SumSquares", sizes: someSizes, offsets: []int{0},
	term: func(_, x, _ float64) (float64, float64) { return x * x, x * x },
	peers: []vectorPeer{
		{"Pegasimd", ours, func(n int, x, _ []float32) {
			for range n {
				sink = dense.SumSquares(x)
			}
		}},
		{"gonum (Sdot)", goPeer, func(n int, x, _ []float32) {
			for range n {
				sink = blasGo.Sdot(len(x), x, 1, x, 1)
			}
		}},
		{"vek32 (Norm)", goPeer, func(n int, x, _ []float32) {
			for range n {
				r := vek32.Norm(x)
				sink = r * r
			}
		}},
		{"tphakala", goPeer, func(n int, x, _ []float32) {
			for range n {
				sink = f32.SumOfSquares(x)
			}
		}},
		{"Go loop", goPeer, func(n int, x, _ []float32) {
			for range n {
				sink = loopDot(x, x)
			}
		}},
		{"Go loop, 4 sums", goPeer, func(n int, x, _ []float32) {
			for range n {
				sink = fourDot(x, x)
			}
		}},
	},
}

var distance = vectorOp{
	name: "dist", title: "SquaredDistance", sizes: someSizes, offsets: []int{0},
	term: func(_, x, y float64) (float64, float64) { return (x - y) * (x - y), (x - y) * (x - y) },
	peers: []vectorPeer{
		{"Pegasimd", ours, func(n int, x, y []float32) {
			for range n {
				sink = dense.SquaredDistance(x, y)
			}
		}},
		{"vek32 (with root)", goPeer, func(n int, x, y []float32) {
			for range n {
				r := vek32.Distance(x, y)
				sink = r * r
			}
		}},
		{"tphakala (with root)", goPeer, func(n int, x, y []float32) {
			for range n {
				r := f32.EuclideanDistance(x, y)
				sink = r * r
			}
		}},
		{"Go loop", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = loopDistance(x, y)
			}
		}},
		{"Go loop, 4 sums", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = fourDistance(x, y)
			}
		}},
	},
}

var cosine = vectorOp{
	name: "cosine", title: "Cosine", offsets: []int{0, 1},
	sizes: []int{8, 12, 16, 24, 32, 48, 64, 128, 384, 768, 1536},
	whole: wideCosine,
	peers: []vectorPeer{
		{"Pegasimd", ours, func(n int, x, y []float32) {
			for range n {
				sink = dense.Cosine(x, y)
			}
		}},
		{"vek32", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = vek32.CosineSimilarity(x, y)
			}
		}},
		{"Go loop", goPeer, func(n int, x, y []float32) {
			for range n {
				sink = loopCosine(x, y)
			}
		}},
	},
}

func (o *vectorOp) flag() string { return o.name }

func (o *vectorOp) cells(sizes []int) (cells []*cell) {
	if sizes == nil {
		sizes = o.sizes
	}
	for _, offset := range o.offsets {
		table := o.title
		if offset == 1 {
			table += ", one float off"
		} else if len(o.offsets) > 1 {
			table += ", aligned"
		}
		for _, n := range sizes {
			cells = append(cells, &cell{table: table, column: strconv.Itoa(n), n: n, per: 1,
				setup: func() (cs []contender) {
					x, y := vectorPair(n, offset)
					fill(x, 1)
					fill(y, 2)
					alpha = o.alpha
					for _, p := range o.peers {
						cs = append(cs,
							contender{p.name, p.kind, func(calls int) { p.loop(calls, x, y) }})
					}
					return cs
				}})
		}
	}
	return cells
}

// memory is what all operands come from, one cell after the other. A page of slack follows each of
// two long vectors.
var memory = aligned(2*maxLength + 4*page)

const page = 1024 // floats

// aligned returns n floats that start at a page.
func aligned(n int) []float32 {
	s := make([]float32, n+page)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s)))%(4*page)) / 4
	return s[skip:][:n:n]
}

// vectorPair returns two vectors that start offset floats after a multiple of 64 bytes, half a page
// apart within their pages: with equal addresses in a page, loads wait for stores that they have
// nothing to do with.
func vectorPair(n, offset int) (x, y []float32) {
	second := (n+offset+page-1)/page*page + page/2
	return memory[offset:][:n:n], memory[second+offset:][:n:n]
}

func fill(v []float32, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(len(v))))
	for i := range v {
		v[i] = 2*r.Float32() - 1
	}
}
