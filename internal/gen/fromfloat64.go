package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("fromFloat64", "func(dst []float32, src []float64)", func(t Target) {
		byGroups(t, vector{t.PointerParam("src"), double}, vector{t.PointerParam("dst"), float},
			func(src, dst reg.GPVirtual, width, first int) {
				most := t.Width() / 2
				for end := first + width; first < end; first += most {
					v := t.New(2 * min(width, most))
					t.Load(v, src, double*first)
					t.Store(t.RoundDoubles(v), dst, float*first)
				}
			})
	}).inWide()
}
