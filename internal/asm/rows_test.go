package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRowOrders(t *testing.T) {
	const count, gap = 8, 3
	r := rand.New(rand.NewPCG(1, 1))
	for _, hostile := range []bool{false, true} {
		for _, n := range []int{65, 100, 127, 128, 129, 192, 255, 256, 300, 512, 1000, 4097} {
			rows, x := make([]float32, count*(n+gap)), make([]float32, n)
			for _, v := range [][]float32{rows, x} {
				for i := range v {
					v[i] = r.Float32() - 0.5
					if hostile && r.IntN(100) == 0 {
						v[i] = math.Float32frombits(r.Uint32())
					}
				}
			}
			want := make([]float32, count)
			dotRowsGeneric(want, rows, n+gap, nil, x)
			for _, isa := range Available() {
				one, four := inBothOrders(isa, count, rows, n+gap, x)
				for i, v := range want {
					for order, got := range map[string]float32{"one": one[i], "four": four[i]} {
						if math.Float32bits(got) != math.Float32bits(v) && (got == got || v == v) {
							t.Errorf("%v, %s at a time: row %d of %d elements has %v, want %v", isa,
								order, i, n, got, v)
						}
					}
				}
			}
		}
	}
}

func inBothOrders(isa ISA, count int, rows []float32, stride int, x []float32) (one,
	four []float32) {
	defer Use(Use(isa))
	one, four = make([]float32, count), make([]float32, count)
	dotEachRowActive(one, rows, stride, x)
	dotRowsActive(four, rows, stride, nil, x)
	return one, four
}
