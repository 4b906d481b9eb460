//go:build amd64 && gc && !purego && !noasm

package asm_test

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// TestGathers checks the gathering body of dotSparse also on CPUs for which gathers is false.
func TestGathers(t *testing.T) {
	if !slices.Contains(asm.Available(), asm.AVX512) {
		t.Skip("NOT RUN, here or in any other test on this machine: the gathering body of " +
			"dotSparse, because the path avx512 is not available")
	}
	defer asm.Use(asm.Use(asm.AVX512))
	defer func(was bool) { *asm.Gathers = was }(*asm.Gathers)
	*asm.Gathers = true
	k := asmtest.Kernels[slices.IndexFunc(asmtest.Kernels,
		func(k asmtest.Kernel) bool { return k.Name == "dotsparse" })]
	for _, source := range sources {
		for n := range 300 {
			want := generic(k, k.New(n, asmtest.Heap{}, source(uint64(n))))
			g := &asmtest.Guard{}
			compare(t, n, call(k, k.New(n, g, source(uint64(n)))), want)
			g.Free()
		}
	}
}
