package asm_test

import (
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

func FuzzKernels(f *testing.F) {
	f.Add(uint8(0), uint64(1), []byte{})
	f.Add(uint8(3), uint64(2), []byte{0, 0, 128, 63, 0, 0, 128, 191, 0, 0, 192, 127, 1, 0, 0, 0, 0,
		0, 128, 127})
	f.Fuzz(func(t *testing.T, offset uint8, seed uint64, data []byte) {
		n := len(data) / 4
		source := func() *asmtest.Source { return asmtest.Bytes(seed, data) }
		for _, k := range asmtest.Kernels {
			want := generic(k, k.New(n, asmtest.Heap{}, source()))
			for _, isa := range asm.Available() {
				m := &asmtest.Shifted{Offset: int(offset % 16)}
				a := k.New(n, m, source())
				got := func() []float32 {
					defer asm.Use(asm.Use(isa))
					return call(k, a)
				}()
				for i := range want {
					if !same(got[i], want[i]) {
						t.Fatalf("op=%s/isa=%v: n = %d: element %d: got %v, generic has %v", k.Name,
							isa, n, i-1, got[i], want[i])
					}
				}
				if !m.Intact() {
					t.Fatalf("op=%s/isa=%v: n = %d: stored beside the operands", k.Name, isa, n)
				}
			}
		}
	})
}
