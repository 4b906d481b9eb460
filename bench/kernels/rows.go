package main

import (
	"math"
	"math/rand/v2"
	"sync"
	"unsafe"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/dense"
)

var (
	rowsInL1 = dotRowsIn("L1", func(c cpu.Caches) int { return c.L1 / 2 }, 16, 54, 128, 384, 768)
	rowsInL2 = dotRowsIn("L2", func(c cpu.Caches) int { return c.L2 / 2 }, 128, 384, 768, 1536)
	rowsInL3 = dotRowsIn("L3", func(c cpu.Caches) int {
		return max(min(c.L3/2, largestInCache), min(2*c.L2, c.L3))
	}, 128, 384, 768, 1536)
)

func dotRowsIn(level string, bytes func(c cpu.Caches) int, sizes ...int) *operation {
	return &operation{
		name: "DotRows, matrix in " + level + ", a row of", sizes: sizes,
		prepare: func(n, _ int) {
			count := max(bytes(cpu.Sizes())/(4*n), 4)
			rows, x, out = memory{}.Floats(count*n), memory{}.Floats(n), make([]float32, count)
			fill(rows, 3)
			fill(x, 4)
		},
		per: perRow, got: outValues,
		want: func() (values, sizes []float64) {
			return each(len(out), func(i int) (value, size float64) { return product(row(i)) })
		},
	}
}

func perRow() int          { return len(out) }
func outValues() []float32 { return out }

func product(row []float32) (value, size float64) {
	return sums(len(x), func(j int) float64 { return float64(x[j]) * float64(row[j]) })
}

func row(i int) []float32 { return rows[i*len(x):][:len(x):len(x)] }

// large is larger than ordinary caches. Read as float16 or bfloat16, its bits are normal numbers,
// too.
var large = sync.OnceValue(func() []float32 {
	const varied, exponent = 0x83ff83ff, 0x38003800
	v, r := memory{}.Floats(min(max(4*cpu.Sizes().L3, 256<<20), 2<<30-64)/4), rand.NewPCG(5, 5)
	for i := range v {
		v[i] = math.Float32frombits(uint32(r.Uint64())&varied | exponent)
	}
	return v
})

const (
	windows  = 16
	together = 32 // random rows in a call
)

var (
	turn   int            // calls of nextRows, including the one in prepare
	picked [1 << 18]int32 // random rows of all calls
	picks  []int32        // random rows of the current call
)

// nextRows moves to the next window of the large matrix, and to other random rows, so that rows are
// read from memory.
func nextRows() {
	size := len(out) * len(x)
	rows = large()[turn%windows*size:][:size]
	picks = picked[turn*together%len(picked):][:together]
	turn++
}

// planted is the row of the first window that the query equals.
const planted = 5

var hits = make([]dense.Hit, 10)

func prepareLarge(n, _ int) {
	count := len(large()) / n / windows
	x, out, turn = memory{}.Floats(n), make([]float32, count), 0
	hits[0].Row = -1
	nextRows()
	copy(x, row(planted))
}

func found() (values, sizes []float64) { return []float64{planted}, []float64{0} }

// nearest returns the row of the best hit or, without hits, the row of the largest product.
func nearest() []float32 {
	row := hits[0].Row
	if row < 0 {
		row = dense.ArgMax(out)
	}
	return []float32{float32(row)}
}

func overRows(call func()) func(n int) {
	return func(n int) {
		for range n {
			call()
			nextRows()
		}
	}
}

var rowsFromMemory = &operation{
	name: "Rows from memory, a row of", sizes: []int{128, 384, 768, 1536}, prepare: prepareLarge,
	per: perRow, want: found, got: nearest,
}

func int8s(v []float32) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

func pickedBy(metric string, score func(row []float32) (v, size float64)) *operation {
	return &operation{
		name: "Picked rows by " + metric + ", a row of", sizes: []int{384, 768, 1024, 1536},
		prepare: func(n, off int) {
			prepareLarge(n, off)
			r := rand.New(rand.NewPCG(1, 2))
			for k := range picked {
				picked[k] = int32(r.IntN(len(large()) / n))
			}
			out, turn = out[:together], 0
			nextRows()
		},
		per: perRow, got: outValues,
		want: func() (values, sizes []float64) {
			return each(len(out), func(i int) (v, size float64) { return score(pick(picks[i])) })
		},
	}
}

var (
	pickedByDot      = pickedBy("dot", product)
	pickedByDistance = pickedBy("distance", func(row []float32) (v, size float64) {
		return sums(len(x), func(j int) float64 {
			d := float64(x[j]) - float64(row[j])
			return d * d
		})
	})
	pickedByCosine = pickedBy("cosine", func(row []float32) (v, size float64) {
		return cosineOf(x, row), 1
	})
)

func asUint32(v []int32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

func pick(i int32) []float32 { return large()[int(i)*len(x):][:len(x)] }
