package asm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
)

func logisticPoints() (x []float64) {
	g := rand.New(rand.NewPCG(1, 64))
	for _, v := range []float64{0, 0.41, math.Log(0.41), math.Log(math.Sqrt2 - 1), math.Ln2 / 2, 1, 37,
		40, 708, 708.3964185322641, 709.782712893384, 744.4400719213812, 745.1332191019411, 746, 1000,
		0x1p-1074, 0x1p-1022, 0x1p-60, 0x1p300, math.MaxFloat64, math.Inf(1)} {
		x = append(x, v, -v)
		up, down := v, v
		for range 50 {
			up, down = math.Nextafter(up, 1e308), math.Nextafter(down, -1)
			x = append(x, up, -up, down, -down)
		}
	}
	x = append(x, math.NaN(), math.Copysign(0, -1))
	for range 20_000 {
		x = append(x, 4*g.NormFloat64(), 90*g.Float64()-45, -700-50*g.Float64(),
			2000*g.NormFloat64(), math.Exp(-30*g.Float64()), math.Float64frombits(g.Uint64()))
	}
	return x
}

func TestLogistic(t *testing.T) {
	x := logisticPoints()
	for name, f := range map[string]struct {
		all func(dst, x []float64)
		one func(float64) float64
	}{"sigmoid": {asm.Sigmoid, floats.Sigmoid}, "log1pexp": {asm.Log1pExp, floats.Log1pExp}} {
		want := make([]float64, len(x))
		for i, v := range x {
			want[i] = f.one(v)
		}
		for _, isa := range asm.Available() {
			t.Run(fmt.Sprintf("op=%s/isa=%v", name, isa), func(t *testing.T) {
				defer asm.Use(asm.Use(isa))
				got := make([]float64, len(x))
				f.all(got, x)
				compareDoubles(t, x, got, want)
				for n := range 30 {
					got = append(got[:0], x...)[:len(x):len(x)]
					f.all(got[:n], got[:n])
					compareDoubles(t, x, got[:n], want[:n])
					compareDoubles(t, x[n:], got[n:], x[n:])
				}
			})
		}
	}
}

// any NaN equals any other
func compareDoubles(t *testing.T, x, got, want []float64) {
	t.Helper()
	for i, v := range got {
		if math.Float64bits(v) != math.Float64bits(want[i]) && (v == v || want[i] == want[i]) {
			t.Fatalf("f(%v) (%#x) is %v (%#x), want %v (%#x)", x[i], math.Float64bits(x[i]),
				v, math.Float64bits(v), want[i], math.Float64bits(want[i]))
		}
	}
}
