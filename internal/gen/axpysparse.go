package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("axpySparse", "func(a float32, idx []int32, val, w []float32)", axpySparse)
}

// axpySparse updates the elements one after the other, so that indices may repeat.
func axpySparse(t Target) {
	a := t.BroadcastParam("a")
	idx, val, n, w := t.PointerParam("idx"), t.PointerParam("val"), t.IntParam("n"),
		t.PointerParam("w")
	update := func(product Group, j reg.GPVirtual) {
		v := t.New(1)
		t.AddLoad(v, product, t.Element(w, j), 0)
		t.Store(v, t.Element(w, j), 0)
	}
	four := func(k int) {
		products := t.New(4)
		t.MulLoad(products, t.Narrow(a, 4), val, float*k)
		var j [4]reg.GPVirtual
		j[0], j[1] = t.LoadTwoUint32(idx, 4*k)
		j[2], j[3] = t.LoadTwoUint32(idx, 4*k+8)
		update(t.Narrow(products, 1), j[0])
		for l := 1; l < 4; l++ {
			product := t.New(1)
			t.CopyLane(product, products, l)
			update(product, j[l])
		}
	}
	row := walk{t, n, []vector{{idx, 4}, {val, float}}}
	row.loop(t.Label, "loop", 8, "rest", func() {
		t.Comment("Eight nonzeros per iteration.")
		four(0)
		four(4)
		t.IfAtMost(n, 8, "done") // no nonzero is left
	})
	t.Label("rest")
	t.IfLess(n, 4, "few")
	four(0)
	row.next(4)
	t.Label("few")
	for k := range 3 {
		t.IfAtMost(n, k, "done")
		product := t.New(1)
		t.MulLoad(product, t.Narrow(a, 1), val, float*k)
		update(product, t.LoadUint32(idx, 4*k))
	}
	t.Label("done")
	t.Done()
}
