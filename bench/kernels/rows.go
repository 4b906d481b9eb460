package main

import (
	"math"
	"math/rand/v2"
	"sync"
	"unsafe"

	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/sys/bandwidth"
)

// The operations that multiply the rows of a matrix, which are contiguous, by one vector. The
// matrix fills about half of a cache, or exceeds all caches.
var (
	rowsInL1 = dotRowsIn("L1", func(c cpu.Caches) int { return c.L1 / 2 }, 16, 54, 128, 384, 768)
	rowsInL2 = dotRowsIn("L2", func(c cpu.Caches) int { return c.L2 / 2 }, 128, 384, 768, 1536)
	rowsInL3 = dotRowsIn("L3", func(c cpu.Caches) int {
		return max(min(c.L3/2, largestInCache), min(2*c.L2, c.L3))
	}, 128, 384, 768, 1536)
)

// dotRowsIn returns the operation on a matrix whose size in bytes the function bytes returns.
func dotRowsIn(level string, bytes func(c cpu.Caches) int, sizes ...int) operation {
	return operation{
		name: "DotRows, matrix in " + level + ", a row of", sizes: sizes,
		prepare: func(n, _ int) {
			count := max(bytes(cpu.Sizes())/(4*n), 4)
			rows, x, out = memory{}.Floats(count*n), memory{}.Floats(n), make([]float32, count)
			fill(rows, 3)
			fill(x, 4)
		},
		per: perRow, got: outValues, ways: ways["DotRows"],
		want: func() (values, sizes []float64) {
			return each(len(out), func(i int) (value, size float64) { return product(row(i)) })
		},
	}
}

func perRow() int          { return len(out) }
func outValues() []float32 { return out }

// product returns the dot product of x and a row in float64.
func product(row []float32) (value, size float64) {
	return sums(len(x), func(j int) float64 { return float64(x[j]) * float64(row[j]) })
}

// addRows adds a peer to all operations that multiply rows. loop multiplies all rows by x, n times.
func addRows(name string, inC bool, loop func(n int)) {
	w := way{name: name, loop: loop, inC: inC}
	for _, o := range []*operation{&rowsInL1, &rowsInL2, &rowsInL3} {
		addWay(o.name, w)
	}
	w.loop = overRows(name, nil, func() { loop(1) }).loop
	addWay(rowsFromMemory.name, w)
}

// eachRow multiplies the rows by x, with one call of dot for each row.
func eachRow(dot func(x, y []float32) float32) {
	for i := range out {
		out[i] = dot(row(i), x)
	}
}

func row(i int) []float32 { return rows[i*len(x):][:len(x):len(x)] }

func dotEach() {
	for i := range out {
		out[i] = dense.Dot(row(i), x)
	}
}

func vekEach() {
	for i := range out {
		out[i] = vek32.Dot(row(i), x)
	}
}

func tphakalaRows() { f32.DotProductStrided(out, rows, x, len(out), len(x), len(x)) }

func gonumGemv() {
	blasGo.Sgemv(blas.NoTrans, len(out), len(x), 1, rows, len(x), x, 1, 0, out, 1)
}

// large is a matrix that exceeds all caches: four times the size of the last one, from 256 MB to 2
// GB. Its bits are ordinary numbers also when read as float16 or bfloat16.
var large = sync.OnceValue(func() []float32 {
	const varied, exponent = 0x83ff83ff, 0x38003800
	v, r := memory{}.Floats(min(max(4*cpu.Sizes().L3, 256<<20), 2<<30-64)/4), rand.NewPCG(5, 5)
	for i := range v {
		v[i] = math.Float32frombits(uint32(r.Uint64())&varied | exponent)
	}
	return v
})

// A call uses a sixteenth of the rows of the large matrix, or some of them at random. Each call
// uses the next rows, whichever way makes it, so that a row is used again only after all others.
const (
	windows  = 16
	together = 32 // random rows in a call
)

var (
	turn   int
	picked [1 << 18]int32
	picks  []int32 // random rows of the current call
)

func nextRows() {
	size := len(out) * len(x)
	rows = large()[turn%windows*size:][:size]
	picks = picked[turn*together%len(picked):][:together]
	turn++
}

// planted is the row of the first window that equals the query, so that it is the nearest one by
// any metric.
const planted = 5

var hits = make([]dense.Hit, 10)

func prepareLarge(n, _ int) {
	count := len(large()) / n / windows
	x, out, turn = memory{}.Floats(n), make([]float32, count), 0
	nextRows()
	copy(x, row(planted))
}

// found returns the expected result: the planted row.
func found() (values, sizes []float64) { return []float64{planted}, []float64{0} }

func nearest() []float32 { return []float32{float32(dense.ArgMax(out))} }

// overRows returns a way that uses the next rows in each call.
func overRows(name string, got func() []float32, call func()) way {
	return way{name: name, got: got, loop: func(n int) {
		times(n, func() {
			call()
			nextRows()
		})
	}}
}

// readWay returns a way that only reads the operands, the limit of the machine, if there is such a
// loop for it.
func readWay() (ways []way) {
	if bandwidth.Available() {
		ways = append(ways, overRows(readLoop, nil, func() {
			bandwidth.Run(bandwidth.Read, rows, nil)
		}))
	}
	return ways
}

func hit() []float32 { return []float32{float32(hits[0].Row)} }

func top(by dense.Metric) func() {
	return func() { dense.Top(hits, by, rows, len(x), x) }
}

var rowsFromMemory = operation{
	name: "Rows from memory, a row of", sizes: []int{128, 384, 768, 1536}, prepare: prepareLarge,
	per: perRow, want: found, got: nearest,
	ways: append(readWay(),
		overRows(ours+" DotRows", nil, func() { dense.DotRows(out, rows, len(x), x) }),
		overRows(ours+" Dot, a call per row", nil, dotEach),
		overRows(ours+" Top by dot product", hit, top(dense.ByDot)),
		overRows(ours+" Top by cosine", hit, top(dense.ByCosine)),
		overRows(ours+" Top by distance", hit, top(dense.ByDistance)),
		overRows("gonum Gemv", nil, gonumGemv),
		overRows("vek32, a call per row", nil, vekEach),
		overRows("tphakala", nil, tphakalaRows)),
}

// int8s returns v as bytes that share its memory.
func int8s(v []float32) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

// pickedBy returns the operation that scores rows of the large matrix picked at random. score
// returns the score of a row, in float64, and the sum of its terms' absolute values.
func pickedBy(metric string, score func(row []float32) (v, size float64), ways ...way) operation {
	return operation{
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
		ways: ways,
	}
}

// eachPick returns a way that calls f for each picked row.
func eachPick(name string, f func(x, y []float32) float32) way {
	return overRows(name, nil, func() {
		for k, i := range picks {
			out[k] = f(pick(i), x)
		}
	})
}

var (
	pickedByDot = pickedBy("dot", product,
		overRows(ours+" DotRowsAt", nil, func() {
			dense.DotRowsAt(out, large(), len(x), picks, x)
		}),
		eachPick(ours+" Dot, a call per row", dense.Dot),
		eachPick("vek32, a call per row", vek32.Dot),
		overRows("tphakala", nil, func() {
			f32.DotProductIndexed(out, large(), x, asUint32(picks), len(x))
		}))
	pickedByDistance = pickedBy("distance", func(row []float32) (v, size float64) {
		return sums(len(x), func(j int) float64 {
			d := float64(x[j]) - float64(row[j])
			return d * d
		})
	},
		overRows(ours+" SquaredDistanceRowsAt", nil, func() {
			dense.SquaredDistanceRowsAt(out, large(), len(x), picks, x)
		}),
		eachPick(ours+" SquaredDistance, a call per row", dense.SquaredDistance))
	pickedByCosine = pickedBy("cosine", func(row []float32) (v, size float64) {
		return cosineOf(x, row), 1
	},
		overRows(ours+" CosineRowsAt", nil, func() {
			dense.CosineRowsAt(out, large(), len(x), picks, x)
		}),
		eachPick(ours+" Cosine, a call per row", dense.Cosine),
		eachPick("vek32, a call per row", vek32.CosineSimilarity))
)

// asUint32 returns v as unsigned integers that share its memory.
func asUint32(v []int32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

func pick(i int32) []float32 { return large()[int(i)*len(x):][:len(x)] }
