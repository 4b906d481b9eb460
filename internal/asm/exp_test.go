package asm_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// share selects which of all floats a test checks, such as "0/2" for every second one, starting
// from the first.
var share = os.Getenv("PEGASIMD_LONG")

func someFloats(t *testing.T, check func(x []float32)) {
	first, step := uint64(0), uint64(9973)
	switch {
	case share != "":
		if _, err := fmt.Sscanf(share, "%d/%d", &first, &step); err != nil || first >= step {
			t.Fatalf("PEGASIMD_LONG=%s: want a share such as 0/2", share)
		}
	case testing.Short():
		step = 997_003
	}
	x := make([]float32, 0, 4096)
	for bits := first; bits < 1<<32; bits += step {
		if x = append(x, math.Float32frombits(uint32(bits))); len(x) == cap(x) {
			check(x)
			x = x[:0]
		}
	}
	check(x)
}

func TestExpAccuracy(t *testing.T) {
	const bound = 1.1 // units in the last place, as documented
	want, got := make([]float32, 4096), make([]float32, 4096)
	worst, at := 0.0, float32(0)
	someFloats(t, func(x []float32) {
		for i, isa := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(isa))
				asm.Exp(got[:len(x)], x)
			}()
			if i == 0 {
				copy(want, got)
				continue
			}
			for j := range x {
				if !same(got[j], want[j]) {
					t.Fatalf("isa=%v: e^%v is %v, generic has %v", isa, x[j], got[j], want[j])
				}
			}
		}
		for j, v := range x {
			if v != v || v > 89 || v < -104 {
				if exact := math.Exp(float64(v)); !same(want[j], float32(exact)) {
					t.Fatalf("e^%v is %v, want %v", v, want[j], float32(exact))
				}
				continue
			}
			exact := math.Exp(float64(v))
			if exact > math.MaxFloat32 {
				if want[j] < math.MaxFloat32 {
					t.Fatalf("e^%v is %v, want +Inf or the greatest float32", v, want[j])
				}
				continue
			}
			_, e := math.Frexp(exact)
			ulp := math.Ldexp(1, max(e-24, -149))
			if off := math.Abs(float64(want[j])-exact) / ulp; off > worst {
				worst, at = off, v
			}
		}
	})
	t.Logf("largest error: %.3f units in the last place, at %v", worst, at)
	if worst > bound {
		t.Errorf("the largest error exceeds the documented %v units", bound)
	}
}
