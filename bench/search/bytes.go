package main

import (
	"fmt"
	"time"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/quant"
)

// measureBytes times sums over bytes beside those over as many float32, from the first cache: the
// least of many samples of each, taken in turns.
func measureBytes(rounds int) {
	const calls = 500
	for _, isa := range asm.Available()[1:] {
		asm.Use(isa)
		fmt.Printf("\n| %v, ns | float32 `Dot` | int8 | uint8 | float32 by uint8 | "+
			"float32 `SquaredDistance` | int8 |\n|---|---|---|---|---|---|---|\n", isa)
		for _, n := range []int{64, 128, 384, 768, 1536} {
			x, u, f := make([]int8, n), make([]uint8, n), make([]float32, n)
			contenders := []func(){
				func() { dense.Dot(f, f) },
				func() { quant.Dot(x, x) },
				func() { quant.Dot(u, u) },
				func() { quant.DotFloat(f, u) },
				func() { dense.SquaredDistance(f, f) },
				func() { quant.SquaredDistance(x, x) },
			}
			least := make([]time.Duration, len(contenders))
			for range 30 * rounds {
				for i, call := range contenders {
					start := time.Now()
					for range calls {
						call()
					}
					if d := time.Since(start); least[i] == 0 || d < least[i] {
						least[i] = d
					}
				}
			}
			fmt.Printf("| n = %d |", n)
			for _, d := range least {
				fmt.Printf(" %.1f |", float64(d.Nanoseconds())/calls)
			}
			fmt.Println()
		}
	}
}
