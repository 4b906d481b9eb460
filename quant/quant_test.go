package quant_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
	"github.com/pegasimd/pegasimd/quant"
)

func some[T quant.Byte](r *rand.Rand, n int, extreme bool) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.Uint32())
		if extreme {
			v[i] = [4]T{0, 127, top[T](), ^T(0)}[r.IntN(4)]
		}
	}
	return v
}

// -128 or 128
func top[T quant.Byte]() T {
	v := T(1)
	return v << 7
}

func largest[T quant.Byte]() T {
	if top[T]() < 0 {
		return top[T]()
	}
	return ^T(0)
}

func eachISA(t *testing.T, f func(t *testing.T)) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			f(t)
		})
	}
}

func TestExact(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		testExact[int8](t)
		testExact[uint8](t)
	})
}

func testExact[T quant.Byte](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 300, 784,
		1536, 65535, 65536, 65537, 200_001} {
		for _, extreme := range []bool{false, true} {
			x, y := some[T](r, n+1, extreme)[1:], some[T](r, n, extreme)
			if n > 60000 && extreme {
				for i := range x { // the greatest possible dot products
					x[i], y[i] = largest[T](), largest[T]()
				}
			}
			var dot, distance, term big.Int
			for i := range x {
				a, b := big.NewInt(int64(x[i])), big.NewInt(int64(y[i]))
				dot.Add(&dot, term.Mul(a, b))
				a.Sub(a, b)
				distance.Add(&distance, term.Mul(a, a))
			}
			if got := quant.Dot(x, y); dot.Cmp(big.NewInt(got)) != 0 {
				t.Errorf("%T, n = %d: Dot is %d, want %v", x, n, got, &dot)
			}
			if got := quant.SquaredDistance(x, y); distance.Cmp(big.NewInt(got)) != 0 {
				t.Errorf("%T, n = %d: SquaredDistance is %d, want %v", x, n, got, &distance)
			}
		}
	}
}

func TestDotFloat(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		testDotFloat[int8](t)
		testDotFloat[uint8](t)
	})
}

func testDotFloat[T quant.Byte](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 15, 63, 64, 65, 127, 300, 768, 65536, 65537, 131_100} {
		x, y, floats := make([]float32, n), some[T](r, n, false), make([]float32, n)
		for i := range x {
			x[i] = 2*r.Float32() - 1
			floats[i] = float32(y[i])
		}
		if got, want := quant.DotFloat(x, y), dense.Dot(x, floats); got != want {
			t.Errorf("%T, n = %d: %v, want %v", y, n, got, want)
		}
	}
}

func TestTop(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		testTop[int8](t)
		testTop[uint8](t)
	})
}

func testTop[T quant.Byte](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		n, count, k := 1+r.IntN(40), r.IntN(60), r.IntN(9)
		stride := n + r.IntN(2)
		rows, x := make([]T, count*stride), make([]T, n)
		for _, v := range [][]T{rows, x} {
			for i := range v {
				v[i] = T(r.IntN(3)) - 1
			}
		}
		idx := make([]int32, r.IntN(2*count+1))
		for i := range idx {
			idx[i] = int32(r.IntN(count))
		}
		scores, squares := make([]int64, count), make([]int64, count)
		quant.DotRows(scores, rows, stride, x)
		quant.SquaredDistanceRows(squares, rows, stride, x)
		dots, distances := make([]int64, len(idx)), make([]int64, len(idx))
		quant.DotRowsAt(dots, rows, stride, idx, x)
		quant.SquaredDistanceRowsAt(distances, rows, stride, idx, x)
		for i, j := range idx {
			if dots[i] != scores[j] || distances[i] != squares[j] {
				t.Fatalf("row %d at %d: %d and %d, want %d and %d", j, i, dots[i], distances[i],
					scores[j], squares[j])
			}
		}
		for _, by := range []dense.Metric{dense.ByDot, dense.ByDistance} {
			var all, picked []quant.Hit
			hit := func(i int) quant.Hit {
				row := rows[i*stride:][:n]
				if by == dense.ByDot {
					if got := quant.Dot(row, x); got != scores[i] {
						t.Fatalf("row %d: %d in DotRows, %d alone", i, scores[i], got)
					}
					return quant.Hit{Row: i, Score: scores[i]}
				}
				if got := quant.SquaredDistance(row, x); got != squares[i] {
					t.Fatalf("row %d: %d in SquaredDistanceRows, %d alone", i, squares[i], got)
				}
				return quant.Hit{Row: i, Score: squares[i]}
			}
			for i := range count {
				all = append(all, hit(i))
			}
			for _, i := range idx {
				picked = append(picked, hit(int(i)))
			}
			for _, hits := range [][]quant.Hit{all, picked} {
				slices.SortFunc(hits, func(a, b quant.Hit) int {
					d := a.Score - b.Score
					if by == dense.ByDot {
						d = -d
					}
					if d == 0 {
						d = int64(a.Row - b.Row)
					}
					return int(d)
				})
			}
			buf := make([]quant.Hit, k)
			if got := quant.Top(buf, by, rows, stride, x); !slices.Equal(got, all[:len(got)]) ||
				len(got) != min(k, count) {
				t.Fatalf("Top of %d by %d is %v, want the first of %v", k, by, got, all)
			}
			for _, threads := range []int{1, 2, 8} {
				many := [][]quant.Hit{make([]quant.Hit, k), make([]quant.Hit, 1), nil}
				quant.TopMany(many, by, rows, stride, [][]T{x, x, x}, threads)
				if !slices.Equal(many[0], all[:min(k, count)]) || len(many[1]) != min(1, count) ||
					len(many[2]) != 0 {
					t.Fatalf("TopMany of %d by %d is %v, want the first of %v", k, by, many, all)
				}
			}
			if got := quant.TopAt(buf, by, rows, stride, idx, x); !slices.Equal(got,
				picked[:len(got)]) || len(got) != min(k, len(idx)) {
				t.Fatalf("TopAt of %d by %d is %v, want the first of %v", k, by, got, picked)
			}
		}
	}
}

func TestFarRows(t *testing.T) {
	const n = 50
	rows, x, idx := make([]int8, 5<<20), make([]int8, n), []uint32{9, 100_000, 3, 9, 0}
	for i := range x {
		x[i] = int8(i)
	}
	for k, j := range idx {
		copy(rows[int(j)*n:], x[k:])
	}
	dots, distances := make([]int64, len(idx)), make([]int64, len(idx))
	quant.DotRowsAt(dots, rows, n, idx, x)
	quant.SquaredDistanceRowsAt(distances, rows, n, idx, x)
	for k, j := range idx {
		row := rows[int(j)*n:][:n]
		if dots[k] != quant.Dot(row, x) || distances[k] != quant.SquaredDistance(row, x) {
			t.Errorf("row %d: %d by DotRowsAt and %d by SquaredDistanceRowsAt, want %d and %d", j,
				dots[k], distances[k], quant.Dot(row, x), quant.SquaredDistance(row, x))
		}
	}
}

func TestTopMany(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const n, count = 700, 2000
	rows, queries := make([]int8, n*count), make([][]int8, 3)
	for i := range rows {
		rows[i] = int8(r.IntN(70) / 69)
	}
	for q := range queries {
		queries[q] = rows[q*n:][:n]
	}
	for _, by := range []dense.Metric{dense.ByDot, dense.ByDistance} {
		for _, threads := range []int{0, 1, 2, 8} {
			got := [][]quant.Hit{make([]quant.Hit, 5), make([]quant.Hit, 300), make([]quant.Hit, 9)}
			sizes, buf := []int{5, 300, 9}, make([]quant.Hit, 300)
			quant.TopMany(got, by, rows, n, queries, threads)
			for q, hits := range got {
				want := quant.Top(buf[:sizes[q]], by, rows, n, queries[q])
				if !slices.Equal(hits, want) {
					t.Errorf("by %d, %d threads, query %d: %v, want %v", by, threads, q, hits, want)
				}
			}
		}
	}
}

// The stride times the number of rows in a strip need not fit into an int.
func TestTopManyHugeStrides(t *testing.T) {
	x := []int8{1, 2}
	for stride := 2; stride > 0; stride *= 2 {
		got, queries := make([][]quant.Hit, 4), make([][]int8, 4)
		for q := range got {
			got[q], queries[q] = make([]quant.Hit, 1), x
		}
		quant.TopMany(got, dense.ByDot, x, stride, queries, 1)
		for q, hits := range got {
			if !slices.Equal(hits, []quant.Hit{{Row: 0, Score: 5}}) {
				t.Errorf("stride %d, query %d: %v", stride, q, hits)
			}
		}
	}
}

func TestTopManyIsTop(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		testTopManyIsTop[int8](t)
		testTopManyIsTop[uint8](t)
	})
}

func testTopManyIsTop[T quant.Byte](t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{1, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 768, 10_000, 65536,
		65537} {
		for size := 1; size <= 9; size++ { // number of queries
			count, gap := r.IntN(40), r.IntN(3)
			switch {
			case n > 60000:
				if size > 5 {
					continue
				}
				count = 4 + size%3
			case size == 8:
				count = 600
			}
			extreme := size%3 == 0
			rows := some[T](r, count*(n+gap), extreme)
			queries, got := make([][]T, size), make([][]quant.Hit, size)
			for q := range queries {
				queries[q] = some[T](r, n+1, extreme)[1:]
				if n > 60000 { // the greatest possible dot products
					for _, v := range [][]T{rows, queries[q]} {
						for i := range v {
							v[i] = largest[T]()
						}
					}
					queries[q][q] = 0
				}
			}
			for _, by := range []dense.Metric{dense.ByDot, dense.ByDistance} {
				for q := range got {
					got[q] = make([]quant.Hit, 3*q)
				}
				quant.TopMany(got, by, rows, n+gap, queries, 1)
				for q, x := range queries {
					want := quant.Top(make([]quant.Hit, 3*q), by, rows, n+gap, x)
					if !slices.Equal(got[q], want) {
						t.Errorf("%T, %d rows of %d, query %d of %d by %d: %v, want %v", x, count, n, q,
							size, by, got[q], want)
					}
				}
			}
		}
	}
}

func TestQuantize(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := []float32{0, .5, -.5, .24, .25, .75, 63.5, 64, -64, 1e30, inf, -inf, nan}
	got := make([]int8, len(x))
	quant.Quantize(got, x, .5)
	want := []int8{0, 1, -1, 0, 0, 2, 127, 127, -127, 127, 127, -127, 0}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	bytes := make([]uint8, len(x))
	quant.QuantizeUint8(bytes, x, -1, .5)
	if want := []uint8{2, 3, 1, 2, 2, 4, 129, 130, 0, 255, 255, 0, 0}; !slices.Equal(bytes, want) {
		t.Errorf("got %v, want %v", bytes, want)
	}
	quant.Quantize(got, x, 0)
	if want := make([]int8, len(x)); !slices.Equal(got, want) {
		t.Errorf("with a step of 0: got %v", got)
	}
}

func TestThereAndBack(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x, back, q := make([]float32, 1000), make([]float32, 1000), make([]int8, 1000)
	for i := range x {
		x[i] = 20*r.Float32() - 10
	}
	x[500] = nan()
	step := quant.Step(x)
	quant.Quantize(q, x, step)
	quant.Dequantize(back, q, 0, step)
	for i, v := range x {
		if d := math.Abs(float64(v - back[i])); d > float64(step)*.50001 {
			t.Errorf("%v becomes %v, with a step of %v", v, back[i], step)
		}
	}
	if got := quant.Step(nil); got != 0 {
		t.Errorf("the step of nothing is %v", got)
	}
	bytes := []uint8{0, 1, 255}
	floats := make([]float32, 3)
	quant.Dequantize(floats, bytes, 10, 2)
	if want := []float32{10, 12, 520}; !slices.Equal(floats, want) {
		t.Errorf("got %v, want %v", floats, want)
	}
}

func nan() float32 { return float32(math.NaN()) }

func TestPanics(t *testing.T) {
	x, hits := make([]int8, 3), make([]quant.Hit, 2)
	rows := make([]int8, 12)
	for call, f := range map[string]func(){
		"Dot: len(x) = 3, len(y) = 2": func() { quant.Dot(x, x[:2]) },
		"SquaredDistance: len(x) = 3, len(y) = 2": func() {
			quant.SquaredDistance(x, x[:2])
		},
		"DotFloat: len(x) = 1, len(y) = 3": func() { quant.DotFloat([]float32{1}, x) },
		"DotRows: len(rows) = 12, too few for 5 rows of 3 elements, 3 apart": func() {
			quant.DotRows(make([]int64, 5), rows, 3, x)
		},
		"Top: rows of 3 elements, 2 apart": func() { quant.Top(hits, 0, rows, 2, x) },
		"Top: len(rows) = 12 ends inside row 2: rows of 3 elements, 5 apart": func() {
			quant.Top(hits, 0, rows, 5, x)
		},
		"TopMany: len(rows) = 12 ends inside row 2: rows of 3 elements, 5 apart": func() {
			quant.TopMany([][]quant.Hit{hits}, 0, rows, 5, [][]int8{x}, 1)
		},
		"TopHamming: len(rows) = 5 ends inside row 2: rows of 2 elements, 2 apart": func() {
			quant.TopHamming(hits, make([]uint64, 5), 2, make([]uint64, 2))
		},
		"Top: the metric is 1":     func() { quant.Top(hits, 1, rows, 3, x) },
		"Top: the metric is 255":   func() { quant.Top(hits, 255, rows, 3, x) },
		"Top: the metric is 3":     func() { quant.Top(hits, dense.ByL1, rows, 3, x) },
		"TopAt: the metric is 255": func() { quant.TopAt(hits, 255, rows, 3, []int32{}, x) },
		"TopMany: the metric is 255": func() {
			quant.TopMany([][]quant.Hit{hits}, 255, rows, 3, [][]int8{x}, 1)
		},
		"Hamming: len(x) = 2, len(y) = 3": func() {
			quant.Hamming(make([]uint64, 2), make([]uint64, 3))
		},
		"Signs: len(dst) = 1, words of len(x) bits = 2": func() {
			quant.Signs(make([]uint64, 1), make([]float32, 65))
		},
		"TopHamming: rows of 2 elements, 1 apart": func() {
			quant.TopHamming(hits, make([]uint64, 4), 1, make([]uint64, 2))
		},
		"TopAt: idx[1] = 4, a row of 3 elements, 3 apart, outside len(rows) = 12": func() {
			quant.TopAt(hits, 0, rows, 3, []int32{0, 4}, x)
		},
		"HammingBytes: len(x) = 1, len(y) = 2": func() {
			quant.HammingBytes(make([]byte, 1), make([]byte, 2))
		},
		"DotRowsAt: len(dst) = 2, len(idx) = 1": func() {
			quant.DotRowsAt(make([]int64, 2), rows, 3, []uint32{0}, x)
		},
		"SquaredDistanceRowsAt: idx[0] = 4294967295, a row of 3 elements, 3 apart": func() {
			quant.SquaredDistanceRowsAt(make([]int64, 1), rows, 3, []uint32{1<<32 - 1}, x)
		},
		"TopMany: len(dst) = 0, len(queries) = 1": func() {
			quant.TopMany(nil, 0, rows, 3, [][]int8{x}, 1)
		},
		"TopMany: len(queries[1]) = 2, len(queries[0]) = 3": func() {
			quant.TopMany([][]quant.Hit{hits, hits}, 0, rows, 3, [][]int8{x, x[:2]}, 1)
		},
		"TopMany: rows of 3 elements, 2 apart": func() {
			quant.TopMany([][]quant.Hit{hits}, 0, rows, 2, [][]int8{x}, 1)
		},
		"Quantize: len(dst) = 3, len(x) = 1": func() {
			quant.Quantize(x, make([]float32, 1), 1)
		},
		"Dequantize: len(dst) = 1, len(src) = 3": func() {
			quant.Dequantize(make([]float32, 1), x, 0, 1)
		},
		"NewIndex: rows of -1 elements, 2 apart": func() {
			quant.NewIndex(make([]float32, 9), 2, -1, 1)
		},
		"NewIndex: rows of 3 elements, 2 apart": func() {
			quant.NewIndex(make([]float32, 9), 2, 3, 1)
		},
		"Index.Top: len(x) = 3, rows of 2 elements": func() {
			quant.NewIndex(make([]float32, 6), 3, 2, 1).Top(nil, 0, make([]float32, 3))
		},
		"Index.TopMany: len(queries[0]) = 3, rows of 2 elements": func() {
			quant.NewIndex(make([]float32, 6), 3, 2, 1).TopMany(make([][]dense.Hit, 1), 0,
				[][]float32{{1, 2, 3}}, 1)
		},
		"Index.TopMany: len(dst) = 0, len(queries) = 1": func() {
			quant.NewIndex(make([]float32, 6), 3, 2, 1).TopMany(nil, 0, [][]float32{{1, 2}}, 1)
		},
		"Index.Top: there is no metric 77": func() {
			quant.NewIndex(make([]float32, 6), 3, 2, 1).Top(make([]dense.Hit, 1), 77,
				make([]float32, 2))
		},
	} {
		_, want, _ := strings.Cut(call, ": ")
		want = "pegasimd: " + want
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, want) {
					t.Errorf("%s: the panic is %q", call, got)
				}
			}()
			f()
		}()
	}
}

func TestNoAllocations(t *testing.T) {
	x, rows, hits := make([]int8, 100), make([]int8, 1000), make([]quant.Hit, 3)
	many, queries := make([][]quant.Hit, 7), [][]int8{x, x, x, x, x, x, x}
	dst, floats, idx := make([]int64, 10), make([]float32, 100), []int32{1, 2}
	bytes := make([]byte, 99)
	for name, f := range map[string]func(){
		"Dot":             func() { quant.Dot(x, x) },
		"DotFloat":        func() { quant.DotFloat(floats, x) },
		"SquaredDistance": func() { quant.SquaredDistance(x, x) },
		"HammingBytes":    func() { quant.HammingBytes(bytes, bytes) },
		"TopHammingBytes": func() { quant.TopHammingBytes(hits, bytes, 9, bytes[:9]) },
		"DotRows":         func() { quant.DotRows(dst, rows, 100, x) },
		"DotRowsAt":       func() { quant.DotRowsAt(dst[:2], rows, 100, idx, x) },
		"Top":             func() { quant.Top(hits, dense.ByDot, rows, 100, x) },
		"TopAt":           func() { quant.TopAt(hits, dense.ByDistance, rows, 100, idx, x) },
		"TopMany": func() {
			for q := range many {
				many[q] = hits
			}
			quant.TopMany(many, dense.ByDot, rows, 100, queries, 1)
		},
		"Quantize":   func() { quant.Quantize(x, floats, .1) },
		"Dequantize": func() { quant.Dequantize(floats, x, 0, .1) },
	} {
		if got := testing.AllocsPerRun(10, f); got != 0 && !asmtest.Race {
			t.Errorf("%s: %v allocations a call", name, got)
		}
	}
}
