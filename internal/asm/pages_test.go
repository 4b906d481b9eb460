package asm_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// sums are the kernels whose speed must not depend on where a page ends.
var sums = []string{"dot", "sumsquares", "squareddistance", "dotint8", "squareddistanceuint8"}

// A masked load that extends into an unmapped page gives the right result, but the CPU takes long
// to suppress the fault, which only timing reveals.
func TestSumsAtPageEnds(t *testing.T) {
	if !asmtest.Guarded {
		t.Skip("this system has no guard pages")
	}
	g := &asmtest.Guard{}
	defer g.Free()
	inside := middle{g.Floats(4096)[1281:]} // misaligned, so that sums may read memory before it
	each(t, func(t *testing.T, k asmtest.Kernel) {
		if !slices.Contains(sums, k.Name) {
			return
		}
		for _, n := range []int{1, 7, 9, 20, 31, 33, 54, 63, 65, 100, 127, 300, 511} {
			elsewhere := shortest(k, k.New(n, inside, asmtest.Uniform(1)))
			for _, atStart := range []bool{false, true} {
				for _, first := range []bool{false, true} {
					g := &asmtest.Guard{AtStart: atStart}
					m := &turns{inside, g}
					if first {
						m = &turns{g, inside}
					}
					a := k.New(n, m, asmtest.Uniform(1))
					at := shortest(k, a)
					slow := func() bool { return at > 4*elsewhere+60*time.Nanosecond }
					for try := 0; slow() && try < 20; try++ { // the machine may be busy
						time.Sleep(time.Duration(try) * time.Millisecond)
						at = min(at, shortest(k, a))
					}
					if slow() {
						t.Errorf("n = %d, at start %t, first %t: %v a call, %v elsewhere", n,
							atStart, first, at, elsewhere)
					}
					g.Free()
				}
			}
		}
	})
}

// middle is memory far from protected pages. All operands of floats or bytes share it.
type middle struct{ floats []float32 }

func (m middle) Floats(n int) []float32 { return m.floats[:n] }
func (middle) Ints(n int) []int32       { return make([]int32, n) }
func (m middle) Bytes(n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&m.floats[0])), 4*len(m.floats))[:n]
}
func (middle) Shorts(n int) []uint16   { return make([]uint16, n) }
func (middle) Doubles(n int) []float64 { return make([]float64, n) }

type turns struct{ first, second asmtest.Memory }

func (m *turns) Floats(n int) []float32 {
	m.first, m.second = m.second, m.first
	return m.second.Floats(n)
}

func (m *turns) Bytes(n int) []byte {
	m.first, m.second = m.second, m.first
	return m.second.Bytes(n)
}

func (m *turns) Ints(n int) []int32      { return m.first.Ints(n) }
func (m *turns) Shorts(n int) []uint16   { return m.first.Shorts(n) }
func (m *turns) Doubles(n int) []float64 { return m.first.Doubles(n) }

func shortest(k asmtest.Kernel, a *asmtest.Args) time.Duration {
	const calls = 50
	least := time.Duration(1<<63 - 1)
	for range 20 {
		start := time.Now()
		for range calls {
			k.Call(a)
		}
		least = min(least, time.Since(start)/calls)
	}
	return least
}

func TestSumsAnywhere(t *testing.T) {
	if !asmtest.Guarded {
		t.Skip("this system has no guard pages")
	}
	const page = 4096 / 4
	g := &asmtest.Guard{}
	defer g.Free()
	memory, second := g.Floats(4*page), g.Floats(4*page)
	s := asmtest.Odd(1, 8)
	for i := range memory {
		memory[i], second[i] = s.Float(), s.Float()
	}
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Active())
			for _, n := range []int{1, 6, 15, 16, 17, 40, 63, 64, 65, 100, 257, 271, 300, 1000,
				2100} {
				for _, x := range []int{0, 1, 3, 7, 8, 15, 2*page - n, 2*page - n - 1,
					2*page - n - 9, 2*page - n + 5} {
					if x < 0 || testing.Short() && n%2 == 0 {
						continue
					}
					for _, y := range []int{0, 1, 4, 13, page - 1, 4*page - n - 2, 4*page - n} {
						x, y := memory[x:][:n], second[y:][:n]
						for name, f := range map[string]func(x, y []float32) float32{
							"dot": asm.Dot, "squareddistance": asm.SquaredDistance,
							"sumsquares": func(x, _ []float32) float32 { return asm.SumSquares(x) },
						} {
							asm.Use(asm.Generic)
							want := f(x, y)
							asm.Use(isa)
							if got := f(x, y); !same(got, want) {
								t.Fatalf("%s: n = %d: got %v, generic has %v", name, n, got, want)
							}
						}
					}
				}
			}
		})
	}
}
