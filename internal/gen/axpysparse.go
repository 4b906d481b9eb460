package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("axpySparse", "func(a float32, idx *int32, val *float32, n int, w *float32)", axpySparse)
}

// axpySparse updates w one element after the other, in the order of the row, so that an index may come twice.
func axpySparse(t Target) {
	a := t.Narrow(t.Broadcast("a"), 1)
	idx, val, n, w := t.Pointer("idx"), t.Pointer("val"), t.Int("n"), t.Pointer("w")
	update := func(j reg.GPVirtual, k int) {
		v := t.New(1)
		t.MulLoad(v, a, val, float*k)
		t.AddLoadAt(v, v, w, j)
		t.StoreAt(v, w, j)
	}
	next := func(k int) {
		t.Advance(idx, 4*k)
		t.Advance(val, float*k)
		t.Decrement(n, k)
	}

	t.IfLess(n, 8, "rest")
	t.Label("loop")
	t.Comment("Eight nonzeros a turn.")
	for k := 0; k < 8; k += 2 {
		j0, j1 := t.Indices(idx, 4*k)
		update(j0, k)
		update(j1, k+1)
	}
	next(8)
	t.IfAtLeast(n, 8, "loop")

	t.Label("rest")
	t.IfAtMost(n, 0, "done")
	t.Label("single")
	update(t.Index(idx, 0), 0)
	next(1)
	t.IfAtLeast(n, 1, "single")
	t.Label("done")
	t.Done()
}
