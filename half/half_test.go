package half_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/half"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

func both(t *testing.T, float16 func(t *testing.T), bfloat16 func(t *testing.T)) {
	for _, isa := range asm.Available() {
		defer asm.Use(asm.Use(isa))
		t.Run(fmt.Sprintf("float16/isa=%v", isa), float16)
		t.Run(fmt.Sprintf("bfloat16/isa=%v", isa), bfloat16)
	}
}

func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// If kind%8 is 4, the numbers are tiny.
func numbers(kind, n int) []float32 {
	var s *asmtest.Source
	switch kind % 4 {
	case 0:
		s = asmtest.Uniform(uint64(kind))
	case 1:
		s = asmtest.Odd(uint64(kind), 3)
	case 2:
		s = asmtest.Bits(uint64(kind))
	case 3:
		return make([]float32, n)
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = s.Float()
		if kind%8 == 4 {
			v[i] *= 0x1p-70 // squares underflow
		}
	}
	return v
}

func testMeaning[T half.Float](t *testing.T) {
	lengths := []int{257, 1000, 4099, asm.Block, asm.Block + 77}
	for n := range 131 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		if testing.Short() && n > 1000 {
			continue
		}
		for kind := range 8 {
			x := numbers(kind+n, n)
			y, wide := make([]T, n), make([]float32, n)
			half.Quantize(y, numbers(kind/2, n))
			half.Dequantize(wide, y)
			for name, got := range map[string][2]float32{
				"Dot":             {half.Dot(x, y), dense.Dot(x, wide)},
				"SquaredDistance": {half.SquaredDistance(x, y), dense.SquaredDistance(x, wide)},
				"Cosine":          {half.Cosine(x, y), dense.Cosine(x, wide)},
			} {
				if !same(got[0], got[1]) {
					t.Fatalf("%s: n = %d, kind %d: got %v, want %v", name, n, kind, got[0], got[1])
				}
			}
		}
	}
}

func TestMeaning(t *testing.T) { both(t, testMeaning[half.Float16], testMeaning[half.Bfloat16]) }

func testTop[T half.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	lengths := []int{3000}
	if !testing.Short() {
		lengths = append(lengths, asm.Block+70)
	}
	for n := 1; n < 80; n += 1 + n/8 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		stride, count := n+r.IntN(3), 1+min(r.IntN(400), 10_000/n)
		rows := make([]T, (count-1)*stride+n)
		floats := numbers(4*n+r.IntN(2), len(rows))
		for i := range floats {
			floats[i] = float32(math.Round(4 * float64(floats[i]))) // so that scores tie
		}
		half.Quantize(rows, floats)
		half.Dequantize(floats, rows)
		queries := [][]float32{numbers(4, n), numbers(5, n), numbers(7, n)}
		if n > 80 || r.IntN(3) == 0 {
			scale := []float32{0x1p-80, 0x1p70, 0x1p-149, 0x1p120}[r.IntN(4)]
			for _, v := range append(queries, floats) {
				dense.Scale(scale, v)
			}
			half.Quantize(rows, floats)
			half.Dequantize(floats, rows)
		}
		idx := make([]int32, 1+r.IntN(50))
		for k := range idx {
			idx[k] = int32(r.IntN(count))
		}
		buf, want := make([]dense.Hit, 7), make([]dense.Hit, 7)
		for _, by := range []dense.Metric{dense.ByDot, dense.ByCosine, dense.ByDistance} {
			check := func(name string, got, want []dense.Hit) {
				t.Helper()
				if !slices.EqualFunc(got, want, func(a, b dense.Hit) bool {
					return a.Row == b.Row && same(a.Score, b.Score)
				}) {
					t.Fatalf("%s: n = %d, metric %d: got %v, want %v", name, n, by, got, want)
				}
			}
			for _, x := range queries {
				check("Top", half.Top(buf, by, rows, stride, x), dense.Top(want, by, floats, stride, x))
				check("TopAt", half.TopAt(buf, by, rows, stride, idx, x),
					dense.TopAt(want, by, floats, stride, idx, x))
			}
			for _, threads := range []int{1, 3} {
				many := [][]dense.Hit{make([]dense.Hit, 5), make([]dense.Hit, 1), make([]dense.Hit, 9)}
				half.TopMany(many, by, rows, stride, queries, threads)
				for q, x := range queries {
					check("TopMany", many[q], dense.Top(make([]dense.Hit, cap(many[q])), by, floats,
						stride, x))
				}
			}
		}
		for k, f := range []struct {
			rows   func(dst []float32, rows []T, stride int, x []float32)
			floats func(dst, rows []float32, stride int, x []float32)
			at     func(dst []float32, rows []T, stride int, idx []int32, x []float32)
		}{
			{half.DotRows[T], dense.DotRows, half.DotRowsAt[T, int32]},
			{half.SquaredDistanceRows[T], dense.SquaredDistanceRows,
				half.SquaredDistanceRowsAt[T, int32]},
			{half.CosineRows[T], dense.CosineRows, half.CosineRowsAt[T, int32]},
		} {
			got, want := make([]float32, count), make([]float32, count)
			picked := make([]float32, len(idx))
			f.rows(got, rows, stride, queries[0])
			f.floats(want, floats, stride, queries[0])
			f.at(picked, rows, stride, idx, queries[0])
			for i := range got {
				if !same(got[i], want[i]) {
					t.Fatalf("sum %d, n = %d: row %d: got %v, want %v", k, n, i, got[i], want[i])
				}
			}
			for i, j := range idx {
				if !same(picked[i], want[j]) {
					t.Fatalf("sum %d, n = %d: row %d at %d: got %v, want %v", k, n, j, i, picked[i],
						want[j])
				}
			}
		}
	}
}

func TestTop(t *testing.T) { both(t, testTop[half.Float16], testTop[half.Bfloat16]) }

func TestNumbers(t *testing.T) {
	if got := half.Float16(0x3555).Float32(); got != 0x1.554p-2 {
		t.Errorf("0x3555 is %v", got)
	}
	if got := half.Bfloat16(0x4049).Float32(); got != 3.140625 {
		t.Errorf("0x4049 is %v", got)
	}
	var f [4]half.Float16
	half.Quantize(f[:], []float32{65519, 65520, 0x1p-25, 0x1.8p-25})
	if want := [4]half.Float16{0x7bff, 0x7c00, 0, 1}; f != want {
		t.Errorf("got %#04x, want %#04x", f, want)
	}
}

func TestViews(t *testing.T) {
	type foreign uint16
	of := half.Of[half.Float16]([]foreign{0x3c00, 0x4000})
	if len(of) != 2 || of[1].Float32() != 2 {
		t.Errorf("Of gives %#04x, want 0x3c00 and 0x4000", of)
	}
	b := make([]byte, 8)
	copy(b, []byte{0, 0x3c, 0x80, 0x3f})
	if v, ok := half.View[half.Float16](b[:2]); ok && v[0].Float32() != 1 {
		t.Errorf("View gives %#04x, want a float16 of 1", v)
	}
	if v, ok := half.View[half.Bfloat16](b[2:4]); ok && v[0].Float32() != 1 {
		t.Errorf("View gives %#04x, want a bfloat16 of 1", v)
	}
	for _, bad := range [][]byte{b[1:3], b[:3]} {
		if _, ok := half.View[half.Float16](bad); ok {
			t.Errorf("%d bytes at %p have a view", len(bad), bad)
		}
	}
}

func TestPanics(t *testing.T) {
	x, y, hits := make([]float32, 3), make([]half.Float16, 12), make([]dense.Hit, 2)
	for call, f := range map[string]func(){
		"Dot: len(x) = 3, len(y) = 12":             func() { half.Dot(x, y) },
		"SquaredDistance: len(x) = 3, len(y) = 12": func() { half.SquaredDistance(x, y) },
		"Cosine: len(x) = 3, len(y) = 12":          func() { half.Cosine(x, y) },
		"Quantize: len(dst) = 12, len(src) = 3":    func() { half.Quantize(y, x) },
		"Dequantize: len(dst) = 3, len(src) = 12":  func() { half.Dequantize(x, y) },
		"DotRows: len(rows) = 12, too few for 5 rows of 3 elements, 3 apart": func() {
			half.DotRows(make([]float32, 5), y, 3, x)
		},
		"Top: rows of 3 elements, 2 apart": func() { half.Top(hits, 0, y, 2, x) },
		"Top: len(rows) = 12 ends inside row 2: rows of 3 elements, 5 apart": func() {
			half.Top(hits, 0, y, 5, x)
		},
		"TopMany: len(rows) = 12 ends inside row 2: rows of 3 elements, 5 apart": func() {
			half.TopMany([][]dense.Hit{hits}, 0, y, 5, [][]float32{x}, 1)
		},
		"Top: the metric is 3, not ByDot, ByCosine or ByDistance": func() {
			half.Top(hits, dense.ByL1, y, 3, x)
		},
		"TopAt: the metric is 3, not": func() {
			half.TopAt(hits, dense.ByL1, y, 3, []int32{0}, x)
		},
		"TopAt: idx[1] = 4, a row of 3 elements, 3 apart, outside len(rows) = 12": func() {
			half.TopAt(hits, 0, y, 3, []int32{0, 4}, x)
		},
		"CosineRowsAt: idx[0] = 4294967295, a row of 3 elements, 3 apart, outside": func() {
			half.CosineRowsAt(make([]float32, 1), y, 3, []uint32{1<<32 - 1}, x)
		},
		"DotRowsAt: len(dst) = 3, len(idx) = 1": func() {
			half.DotRowsAt(x, y, 3, []uint32{0}, x)
		},
		"TopMany: len(dst) = 0, len(queries) = 1": func() {
			half.TopMany(nil, 0, y, 3, [][]float32{x}, 1)
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
	x, rows, hits := make([]float32, 100), make([]half.Bfloat16, 1000), make([]dense.Hit, 3)
	many, queries := [][]dense.Hit{hits}, [][]float32{x}
	dst, idx := make([]float32, 10), []int32{1, 2}
	if n := testing.AllocsPerRun(10, func() {
		half.Quantize(rows[:100], x)
		half.Dequantize(x, rows[:100])
		half.Dot(x, rows[:100])
		half.SquaredDistance(x, rows[:100])
		half.Cosine(x, rows[:100])
		half.DotRows(dst, rows, 100, x)
		half.DotRowsAt(dst[:2], rows, 100, idx, x)
		half.SquaredDistanceRows(dst, rows, 100, x)
		half.SquaredDistanceRowsAt(dst[:2], rows, 100, idx, x)
		half.CosineRows(dst, rows, 100, x)
		half.CosineRowsAt(dst[:2], rows, 100, idx, x)
		for by := dense.ByDot; by <= dense.ByDistance; by++ {
			half.Top(hits, by, rows, 100, x)
			half.TopAt(hits, by, rows, 100, idx, x)
			half.TopMany(many, by, rows, 100, queries, 1)
		}
		rows[0].Float32()
	}); n != 0 && !asmtest.Race {
		t.Errorf("%v allocations", n)
	}
}
