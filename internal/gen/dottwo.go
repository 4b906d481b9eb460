package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("dotTwo", "func(dst, x, y []float32)", dotTwo).trusting()
}

// Each half of x and y has a positive multiple of 64 elements. One loop, which reads four streams
// from memory, computes both dot products.
func dotTwo(t Target) {
	dst, n := t.PointerParam("dst"), t.IntParam("len(x)")
	t.ShiftRight(n, 1)
	x, y := t.PointerParam("x"), t.PointerParam("y")
	second := [2]reg.GPVirtual{t.Offset(x, n, float), t.Offset(y, n, float)}
	saved := t.Scratch()
	lane := make([]Group, groups)
	for g := range lane {
		lane[g] = t.New(8)
		t.Zero(lane[g])
		t.Store(lane[g], saved, 8*float*g)
	}

	t.Label("loop")
	t.Comment("64 elements of each half per iteration.")
	product := t.New(8)
	for g := range groups {
		offset := 8 * float * g
		t.Load(product, x, offset)
		t.MulLoad(product, product, y, offset)
		t.Add(lane[g], lane[g], product)
		t.Load(product, second[0], offset)
		t.MulLoad(product, product, second[1], offset)
		t.AddLoad(product, product, saved, offset)
		t.Store(product, saved, offset)
	}
	for _, p := range []reg.GPVirtual{x, y, second[0], second[1]} {
		t.Advance(p, 8*float*groups)
	}
	t.Decrement(n, 8*groups)
	t.IfAtLeast(n, 1, "loop")

	for half := range 2 {
		if half == 1 {
			for g := range lane {
				t.Load(lane[g], saved, 8*float*g)
			}
		}
		foldGroups(t, lane)
		t.Fold(lane[0])
		t.Store(t.Narrow(lane[0], 1), dst, float*half)
	}
	t.Done()
}
