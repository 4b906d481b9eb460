// Package regress contains the benchmarks of Pegasimd's kernels that the regression gate compares.
package regress

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/gate/count"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// Small sizes show the cost of a call and of the elements after the main loop; large sizes show the
// cost of an element.
var sizes = []int{8, 31, 100, 784, 4096}

func BenchmarkKernels(b *testing.B) {
	for _, k := range asmtest.Kernels {
		for _, n := range sizes {
			for _, isa := range asm.Available() {
				b.Run(fmt.Sprintf("op=%s/n=%d/isa=%v", k.Name, n, isa), func(b *testing.B) {
					operands := func() *asmtest.Args {
						return k.New(n, asmtest.Heap{}, asmtest.Uniform(1))
					}
					want := call(k, asm.Generic, operands())
					for i, got := range call(k, isa, operands()) {
						if got != want[i] {
							b.Fatalf("element %d: got %v, generic has %v", i-1, got, want[i])
						}
					}
					defer asm.Use(asm.Use(isa))
					a := operands()
					// Keep repeated updates finite.
					a.A, a.B = 1, 0.5
					b.SetBytes(int64(k.Bytes(a)))
					count.Run(b, func() { k.Call(a) })
				})
			}
		}
	}
}

func call(k asmtest.Kernel, isa asm.ISA, a *asmtest.Args) []float32 {
	defer asm.Use(asm.Use(isa))
	return append([]float32{k.Call(a)}, a.Stored()...)
}

func BenchmarkRows(b *testing.B) {
	dotRows := asmtest.Kernels[slices.IndexFunc(asmtest.Kernels,
		func(k asmtest.Kernel) bool { return k.Name == "dotrows" })]
	for _, cache := range []struct {
		level string
		size  int // elements
	}{{"L2", 100 << 10}, {"L3", 2 << 20}} {
		for _, n := range []int{128, 784} {
			for _, isa := range asm.Available() {
				b.Run(fmt.Sprintf("op=dotrows/level=%s/n=%d/isa=%v", cache.level, n, isa),
					func(b *testing.B) {
						defer asm.Use(asm.Use(isa))
						a := &asmtest.Args{W: make([]float32, cache.size/n*n), Stride: n,
							X: make([]float32, n), Out: make([]float32, cache.size/n)}
						for i := range a.W {
							a.W[i] = float32(i % 17)
						}
						b.SetBytes(int64(dotRows.Bytes(a)))
						count.Run(b, func() { dotRows.Call(a) })
					})
			}
		}
	}
}
