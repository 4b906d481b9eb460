package asm_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

func each(t *testing.T, f func(t *testing.T, k asmtest.Kernel)) {
	for _, k := range asmtest.Kernels {
		for _, isa := range asm.Available() {
			t.Run(fmt.Sprintf("op=%s/isa=%v", k.Name, isa), func(t *testing.T) {
				defer asm.Use(asm.Use(isa))
				f(t, k)
			})
		}
	}
}

func generic(k asmtest.Kernel, a *asmtest.Args) []float32 {
	defer asm.Use(asm.Use(asm.Generic))
	return call(k, a)
}

func call(k asmtest.Kernel, a *asmtest.Args) []float32 {
	return append([]float32{k.Call(a)}, a.Stored()...)
}

func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// compare counts elements from -1, because call returns a kernel's result before the numbers that
// the kernel stored.
func compare(t *testing.T, n int, got, want []float32) {
	t.Helper()
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("n = %d: element %d: got %v (%#x), want %v (%#x)", n, i-1,
				got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

var uniform = asmtest.Pooled(asmtest.Uniform)

var sources = map[string]func(seed uint64) *asmtest.Source{
	"uniform": uniform,
	"odd":     asmtest.Pooled(func(seed uint64) *asmtest.Source { return asmtest.Odd(seed, 16) }),
	"odder":   asmtest.Pooled(func(seed uint64) *asmtest.Source { return asmtest.Odd(seed, 256) }),
	"zeros":   asmtest.Pooled(asmtest.Zeros),
	"bits":    asmtest.Pooled(asmtest.Bits),
}

// longest covers every tail after zero to seven groups of 64 elements.
const longest = 520

// TestSameBitsAsGeneric also checks that neither input operands nor the memory beside operands are
// changed. With -short, for emulators, it uses one source of numbers.
func TestSameBitsAsGeneric(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		for name, source := range sources {
			if testing.Short() && name != "odd" {
				continue
			}
			for n := range longest + 1 {
				seed := uint64(n)
				want := generic(k, k.New(n, asmtest.Heap{}, source(seed)))
				for offset := range 16 {
					if !tries(name, n, offset) {
						continue
					}
					m := &asmtest.Shifted{Offset: offset}
					a := k.New(n, m, source(seed))
					before := copies(a.Inputs())
					compare(t, n, call(k, a), want)
					if !m.Intact() {
						t.Fatalf("%s: n = %d, offset %d: stored beside the operands", name,
							n, offset)
					}
					for i, v := range a.Inputs() {
						compare(t, n, v, before[i])
					}
				}
			}
		}
	})
}

// tries reports whether operands of length n are tested offset elements after an aligned address.
func tries(source string, n, offset int) bool {
	switch {
	case source != "odd" || testing.Short() || asm.Active() == asm.Generic:
		return offset == n%16
	case n > 3*64:
		return offset%4 == n%4
	}
	return true
}

func copies(vectors [][]float32) (c [][]float32) {
	for _, v := range vectors {
		c = append(c, append([]float32(nil), v...))
	}
	return c
}

func TestLongVectors(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		for _, n := range []int{asm.Block - 1, asm.Block, asm.Block + 1, asm.Block + 65,
			2 * asm.Block, 2*asm.Block + 63, 3*asm.Block + 8} {
			for name, source := range sources {
				few := testing.Short() || asm.Active() == asm.Generic
				if n != asm.Block+65 && (few || name != "odd") || few && name != "odd" {
					continue
				}
				want := generic(k, k.New(n, asmtest.Heap{}, source(1)))
				m := &asmtest.Shifted{Offset: n % 16}
				compare(t, n, call(k, k.New(n, m, source(1))), want)
				if !m.Intact() {
					t.Fatalf("%s: n = %d: stored beside the operands", name, n)
				}
			}
		}
	})
}

func TestVectorsInMemory(t *testing.T) {
	const n = 4<<20 + asm.Block + 77
	x, y := make([]float32, n), make([]float32, n)
	s := asmtest.Odd(1, 0)
	for i := range x {
		x[i], y[i] = s.Float(), s.Float()
	}
	for offset := range 16 { // a single sum may be right by chance
		if testing.Short() && offset > 0 {
			break
		}
		x, y := x[offset:], y[offset:]
		var want float32
		for start := 0; start < len(x); start += asm.Block {
			end := min(start+asm.Block, len(x))
			want += asm.Dot(x[start:end], y[start:end])
		}
		for _, isa := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(isa))
				if got := asm.Dot(x, y); !same(got, want) {
					t.Errorf("isa=%v: got %v, the sum of the blocks is %v", isa, got, want)
				}
				if got := testing.AllocsPerRun(1, func() { asm.Dot(x, y) }); got != 0 {
					t.Errorf("isa=%v: %v allocations", isa, got)
				}
			}()
		}
	}
}

func TestNegativeZeros(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		for n := range 200 {
			args := func() *asmtest.Args {
				a := k.New(n, asmtest.Heap{}, asmtest.Bytes(0, []byte{0, 0, 0, 128}))
				for i := range a.X {
					a.X[i] = 1
				}
				if a.Shorts != nil {
					a.A = 1
				}
				for i := range a.Steps {
					a.Steps[i].Value = 1
				}
				return a
			}
			compare(t, n, call(k, args()), generic(k, args()))
		}
	})
}

func TestManyRows(t *testing.T) {
	const most = 40
	s := asmtest.Uniform(1)
	for n := 1; n < 100; n += 8 {
		rows, x, want := make([]float32, most*n), make([]float32, n), make([]float32, most)
		for i := range rows {
			rows[i] = s.Float()
		}
		for i := range x {
			x[i] = s.Float()
		}
		for i := range want {
			want[i] = asm.Dot(rows[i*n:][:n], x)
		}
		for _, isa := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(isa))
				for count := range most + 1 {
					m := &asmtest.Shifted{}
					got := m.Floats(count)
					asm.DotRows(got, rows, n, x)
					compare(t, n, got, want[:count])
					if !m.Intact() {
						t.Fatalf("n = %d: stored beside the %d results", n, count)
					}
				}
			}()
		}
	}
}

func TestRowsOfAllSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("12 MB of rows take too long on emulators")
	}
	for _, shape := range [][2]int{{1001, 700}, {3003, 1030}, {9001, 300}, {5, 5000}, {70, 257}} {
		count, n := shape[0], shape[1]
		s, g := asmtest.Uniform(1), &asmtest.Guard{}
		rows, x := g.Floats(count*n), g.Floats(n)
		for i := range rows {
			rows[i] = s.Float()
		}
		for i := range x {
			x[i] = s.Float()
		}
		idx, want, got := make([]uint32, count), make([]float32, count), make([]float32, count)
		for i := range idx {
			idx[i] = uint32((i*7919 + 3) % count)
		}
		rows[n*(count/2)] = 1e30 // its cosine is computed in float64
		for _, f := range []struct {
			one  func(row, x []float32) float32
			rows func(dst, rows []float32, stride int, x []float32)
			at   func(dst, rows []float32, stride int, idx []uint32, x []float32)
		}{
			{asm.Dot, asm.DotRows, asm.DotRowsAt[uint32]},
			{asm.SquaredDistance, asm.SquaredDistanceRows, asm.SquaredDistanceRowsAt[uint32]},
			{func(row, x []float32) float32 { return asm.Cosine(x, row) }, asm.CosineRows,
				asm.CosineRowsAt[uint32]},
		} {
			for i := range want {
				want[i] = f.one(rows[i*n:][:n], x)
			}
			for _, isa := range asm.Available() {
				func() {
					defer asm.Use(asm.Use(isa))
					f.rows(got, rows, n, x)
					compare(t, n, got, want)
					clear(got)
					f.at(got, rows, n, idx, x)
					for i, j := range idx {
						if !same(got[i], want[j]) {
							t.Fatalf("isa=%v: %d rows of %d: sum of row %d is %v, want %v", isa, count,
								n, j, got[i], want[j])
						}
					}
				}()
			}
		}
		g.Free()
	}
}

func TestFarRows(t *testing.T) {
	const n, size = 2000, 3 << 20
	s, floats, halves := asmtest.Uniform(3), make([]float32, size), make([]uint16, size)
	x, got, want := make([]float32, n), make([]float32, 13), make([]float32, 13)
	idx := make([]int32, len(got))
	for k := range idx {
		idx[k] = int32(k * (size / n) / len(idx))
		for i := range n {
			x[i], floats[int(idx[k])*n+i] = s.Float(), s.Float()
			halves[int(idx[k])*n+i] = uint16(0x3c00 + 7*(i%300) + k)
		}
	}
	idx[5], floats[int(idx[6])*n] = idx[4]+1, 1e30 // a row of zeros; squares that overflow
	for _, f := range []struct {
		at  func()
		one func(j int) float32
	}{
		{func() { asm.CosineRowsAt(got, floats, n, idx, x) },
			func(j int) float32 { return asm.Cosine(x, floats[j*n:][:n]) }},
		{func() { asm.HalfRowsAt(asm.HalfDot, got, halves, n, idx, x, false) },
			func(j int) float32 { return asm.HalfDot.Of(x, halves[j*n:][:n], false) }},
		{func() { asm.CosineHalfRowsAt(got, halves, n, idx, x, true) },
			func(j int) float32 { return asm.CosineHalves(x, halves[j*n:][:n], true) }},
	} {
		for k, j := range idx {
			want[k] = f.one(int(j))
		}
		for _, isa := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(isa))
				clear(got)
				f.at()
				compare(t, n, got, want)
			}()
		}
	}
}

func TestIndices(t *testing.T) {
	long := math.MaxInt>>31 > 1 // whether an int has 64 bits
	for _, c := range []struct {
		elements, stride, n int
		ok                  bool
		check               func(elements, stride, n int)
	}{
		{9, 4, 1, true, at[int32](2)}, {8, 4, 1, false, at[int32](2)},
		{9, 4, 1, true, at[uint32](2)}, {8, 4, 1, false, at[uint32](2)},
		{9, 4, 1, false, at[int32](-1)}, {math.MaxInt, 1, 1, false, at[int32](-1)},
		{1, 0, 1, false, at[int32](-1)}, {1, 0, 1, true, at[int32](math.MaxInt32)},
		{math.MaxInt, 1, 1, long, at[uint32](1 << 31)},
		{math.MaxInt, 1, 0, long, at[uint32](math.MaxUint32)},
		{math.MaxInt, math.MaxInt >> 31, 1, false, at[uint32](math.MaxUint32)},
		{1, 0, 1, long, at[uint32](1 << 31)}, {1, 0, 1, long, at[uint32](math.MaxUint32)},
		{0, 0, 1, false, at[uint32](0)}, {9, -1, 1, false, at[uint32](0)},
	} {
		func() {
			defer func() {
				if text := recover(); (text == nil) != c.ok {
					t.Errorf("%+v: recovered %v", c, text)
				}
			}()
			c.check(c.elements, c.stride, c.n)
		}()
	}
	if long {
		x, got, idx := []float32{3}, make([]float32, 4), []uint32{0, 1 << 31, math.MaxUint32, 7}
		for _, isa := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(isa))
				asm.DotRowsAt(got, []float32{2}, 0, idx, x)
				compare(t, 1, got, []float32{6, 6, 6, 6})
			}()
		}
	}
}

func at[I asm.Index](j I) func(elements, stride, n int) {
	return func(elements, stride, n int) { asm.CheckRowsAt(elements, stride, []I{j}, n) }
}

// TestGuardPages runs kernels on operands that start after, or end before, a protected page: an
// access to this page crashes the test binary.
func TestGuardPages(t *testing.T) {
	if !asmtest.Guarded {
		t.Log("this system has no guard pages: accesses beyond an operand remain unseen")
	}
	each(t, func(t *testing.T, k asmtest.Kernel) {
		for n := range longest + 1 {
			if testing.Short() && n > 150 && n%16 != 1 {
				continue
			}
			want := generic(k, k.New(n, asmtest.Heap{}, uniform(7)))
			for _, atStart := range []bool{false, true} {
				g := &asmtest.Guard{AtStart: atStart}
				compare(t, n, call(k, k.New(n, g, uniform(7))), want)
				g.Free()
			}
		}
	})
}

func TestExactIntegers(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		if k.Inexact {
			return
		}
		for n := range longest + 1 {
			a := k.New(n, asmtest.Heap{}, asmtest.Integers(uint64(n)))
			want, _ := k.Wide(a)
			got := results(k, a)
			for i, w := range want {
				if float64(got[i]) != w {
					t.Fatalf("n = %d: element %d: got %v, want exactly %v", n, i, got[i], w)
				}
			}
		}
	})
}

func results(k asmtest.Kernel, a *asmtest.Args) []float32 {
	sum := k.Call(a)
	if out := a.Stored(); out != nil {
		return out
	}
	return []float32{sum}
}

func TestAccuracy(t *testing.T) {
	const unit = 0x1p-24
	type result struct{ want, scale []float64 }
	exact, of := map[int]result{}, "" // results by length, and the name of their kernel
	each(t, func(t *testing.T, k asmtest.Kernel) {
		if of != k.Name {
			exact, of = map[int]result{}, k.Name
		}
		worst := 0.0
		for _, n := range []int{1, 7, 64, 100, 1000, 10_000, asm.Block, 1_000_000} {
			if testing.Short() && n > 10_000 {
				break
			}
			a := k.New(n, asmtest.Heap{}, uniform(uint64(n)))
			e, ok := exact[n]
			if !ok {
				e.want, e.scale = k.Wide(a)
				exact[n] = e
			}
			for i, got := range results(k, a) {
				off := math.Abs(float64(got) - e.want[i])
				if off > 32*unit*e.scale[i] {
					t.Fatalf("n = %d: element %d: got %v, want %v within %v", n, i, got,
						e.want[i], 32*unit*e.scale[i])
				}
				if e.scale[i] > 0 {
					worst = max(worst, off/(unit*e.scale[i]))
				}
			}
		}
		t.Logf("largest error: %.2f units of 2^-24 of the sum of absolute values", worst)
	})
}

func TestBasisVectors(t *testing.T) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			for _, n := range []int{1, 5, 8, 31, 63, 64, 65, 100, 128, 200, 519} {
				y, x, idx := make([]float32, n), make([]float32, n), make([]int32, n)
				for i := range y {
					y[i] = 1 / float32(i+3)
					idx[i] = int32(n - 1 - i)
				}
				for i := range n {
					x[i] = 1
					if got := asm.Dot(x, y); got != y[i] {
						t.Fatalf("dot of basis vector %d of %d: got %v, want %v", i, n, got, y[i])
					}
					if got := asm.DotSparse(idx, x, y); got != y[n-1-i] {
						t.Fatalf("sparse dot of basis vector %d of %d: got %v, want %v", i, n, got,
							y[n-1-i])
					}
					z := append([]float32(nil), y...)
					asm.Axpy(2, x, z)
					for j := range z {
						want := y[j]
						if j == i {
							want += 2
						}
						if z[j] != want {
							t.Fatalf("axpy of basis vector %d of %d: element %d is %v, want %v", i,
								n, j, z[j], want)
						}
					}
					x[i] = 0
				}
			}
		})
	}
}

func TestSameValues(t *testing.T) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			for n := range longest + 1 {
				s := asmtest.Odd(uint64(n), 8)
				w := make([]float32, 2*n+1)
				for j := range w {
					w[j] = s.Float()
				}
				idx, short, val := make([]int32, n), make([]uint16, n), make([]float32, n)
				a := s.Float()
				for k := range idx {
					idx[k] = int32(2*k + s.IntN(2))
					short[k], val[k] = uint16(idx[k]), a
				}
				dot, ordinary := asm.DotSame(a, short, w), asm.DotSparse(idx, val, w)
				if !same(dot, ordinary) {
					t.Fatalf("n = %d: DotSame is %v, DotSparse is %v", n, dot, ordinary)
				}
				got, want := append([]float32(nil), w...), append([]float32(nil), w...)
				b := s.Float()
				asm.AxpySame(float32(b*a), short, got)
				asm.AxpySparse(b, idx, val, want)
				compare(t, n, got, want)
			}
		})
	}
}

func TestSteps(t *testing.T) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			for count := range 100 {
				s := asmtest.Uniform(uint64(count))
				const cols = 40
				var indices []uint16
				steps := make([]asm.Step, count)
				for i := range steps {
					start := len(indices)
					for j := range cols {
						if s.IntN(cols) < count%cols {
							indices = append(indices, uint16(j))
						}
					}
					steps[i] = asm.Step{
						Start: uint32(start), Count: uint32(len(indices) - start),
						Value: s.Float(), Update: s.Float(), Least: float32(count) * s.Float(),
					}
				}
				if count%3 == 1 {
					steps[s.IntN(count)].Value = float32(math.Inf(1))
				}
				w, want := make([]float32, cols), make([]float32, cols)
				for j := range w {
					w[j] = s.Float()
					want[j] = w[j]
				}
				asm.StepsSame(steps, indices, w)
				updates, ended := 0, false
				for i, step := range steps {
					row := indices[step.Start:][:step.Count]
					margin := asm.DotSame(step.Value, row, want)
					if ended {
						margin = 0 // later steps keep their margin, which is 0
					}
					if !same(step.Margin, margin) {
						t.Fatalf("step %d of %d: margin %v, want %v", i, count, step.Margin, margin)
					}
					ended = ended || margin-margin != 0
					if !ended && margin < step.Least {
						asm.AxpySame(step.Update, row, want)
						updates++
					}
				}
				compare(t, count, w, want)
				if count == 99 && (updates < 20 || updates > 80) {
					t.Errorf("%d of 99 rows have an update, want 20 to 80", updates)
				}
			}
		})
	}
}

func TestNaNLeavesNoTrace(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		for n := range 200 {
			want := call(k, k.New(n, asmtest.Heap{}, asmtest.Integers(uint64(n))))
			call(k, k.New(n, asmtest.Heap{}, asmtest.Odd(1, 256)))
			compare(t, n, call(k, k.New(n, asmtest.Heap{}, asmtest.Integers(uint64(n)))), want)
		}
	})
}

func TestExactOverlap(t *testing.T) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			for n := range longest + 1 {
				x := make([]float32, n)
				for i := range x {
					x[i] = float32(i%7 - 3)
				}
				asm.Axpy(2, x, x)
				for i := range x {
					if want := 3 * float32(i%7-3); x[i] != want {
						t.Fatalf("n = %d: x += 2x: element %d is %v, want %v", n, i, x[i], want)
					}
				}
			}
		})
	}
}

func TestLengthMismatchPanics(t *testing.T) {
	x, y, idx := make([]float32, 3), make([]float32, 4), make([]int32, 3)
	for name, f := range map[string]func(){
		"dot":        func() { asm.Dot(x, y) },
		"axpy":       func() { asm.Axpy(1, x, y) },
		"dotsparse":  func() { asm.DotSparse(idx, y, x) },
		"axpysparse": func() { asm.AxpySparse(1, idx, y, x) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Fatal("did not panic")
				}
			}()
			f()
		})
	}
}

func TestNoAllocations(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		for _, n := range []int{0, 5, 100, 2*asm.Block + 1} {
			a := k.New(n, asmtest.Heap{}, asmtest.Uniform(1))
			if got := testing.AllocsPerRun(10, func() { k.Call(a) }); got != 0 {
				t.Fatalf("n = %d: %v allocations a call", n, got)
			}
		}
	})
}

func TestExtremesOfNoNumbers(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		if !slices.Contains([]string{"min", "max", "argmin", "argmax"}, k.Name) {
			return
		}
		empty := k.Call(k.New(0, asmtest.Heap{}, asmtest.Uniform(1)))
		for n := range longest + 1 {
			for v, want := range map[float32]float32{
				float32(math.NaN()): empty, float32(math.Inf(1)): 0, float32(math.Inf(-1)): 0,
			} {
				a := k.New(n, asmtest.Heap{}, asmtest.Uniform(1))
				for i := range a.X {
					a.X[i] = v
				}
				switch {
				case v != v || n == 0:
					want = empty
				case k.Name == "min" || k.Name == "max":
					want = v
				}
				if got := k.Call(a); got != want {
					t.Fatalf("%d times %v: got %v, want %v", n, v, got, want)
				}
			}
		}
	})
}
