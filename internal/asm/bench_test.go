package asm_test

import (
	"fmt"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// BenchmarkKernels times kernels after comparing their results with plain Go's. Benchmark names
// contain keys, so that benchstat -col /isa -row /op,/n makes a table.
func BenchmarkKernels(b *testing.B) {
	for _, k := range asmtest.Kernels {
		for _, n := range []int{8, 54, 100, 784, 4096, asm.Block} {
			for _, isa := range asm.Available() {
				b.Run(fmt.Sprintf("op=%s/n=%d/isa=%v", k.Name, n, isa), func(b *testing.B) {
					want := generic(k, k.New(n, asmtest.Heap{}, asmtest.Uniform(1)))
					defer asm.Use(asm.Use(isa))
					for i, got := range call(k, k.New(n, asmtest.Heap{}, asmtest.Uniform(1))) {
						if !same(got, want[i]) {
							b.Fatalf("element %d: got %v, generic has %v", i-1, got, want[i])
						}
					}
					a := k.New(n, asmtest.Heap{}, asmtest.Uniform(1))
					// so that repeated updates stay finite
					a.A, a.B = 1, 0.5
					b.SetBytes(int64(k.Bytes(a)))
					for b.Loop() {
						k.Call(a)
					}
				})
			}
		}
	}
}
