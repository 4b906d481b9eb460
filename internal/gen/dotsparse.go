package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("dotSparse", "func(idx *int32, val *float32, n int, w *float32) float32", dotSparse)
}

// dotSparse gathers w by scalar loads into two groups of four: the hardware's gather is slower, or no faster, on what was
// measured (docs/kernels.md). Nonzero k goes to lane k mod 8.
func dotSparse(t Target) {
	idx, val, n, w := t.Pointer("idx"), t.Pointer("val"), t.Int("n"), t.Pointer("w")
	lane := [2]Group{t.New(4), t.New(4)}
	product := [2]Group{t.New(4), t.New(4)}
	t.Zero(lane[0])
	t.Zero(lane[1])

	t.IfLess(n, 8, "rest")
	t.Label("loop")
	t.Comment("Eight nonzeros a turn, one to each lane.")
	for h := range 2 {
		var j [4]reg.GPVirtual
		j[0], j[1] = t.Indices(idx, 16*h)
		j[2], j[3] = t.Indices(idx, 16*h+8)
		t.LoadAt(t.Narrow(product[h], 1), w, j[0])
		for l := 1; l < 4; l++ {
			t.InsertAt(product[h], l, w, j[l])
		}
		t.MulLoad(product[h], product[h], val, 16*h)
		t.Add(lane[h], lane[h], product[h])
	}
	t.Advance(idx, 8*4)
	t.Advance(val, 8*float)
	t.Decrement(n, 8)
	t.IfAtLeast(n, 8, "loop")

	t.Label("rest")
	t.Comment("Up to seven nonzeros more, the other lanes +0.")
	t.IfAtMost(n, 0, "fold")
	value := [2]Group{t.New(4), t.New(4)}
	t.Zero(product[1])
	t.Zero(value[1])
	for k := range 7 {
		h, l := k/4, k%4
		j := t.Index(idx, 4*k)
		if l == 0 {
			t.LoadAt(t.Narrow(product[h], 1), w, j)
			t.Load(t.Narrow(value[h], 1), val, float*k)
		} else {
			t.InsertAt(product[h], l, w, j)
			t.Insert(value[h], l, val, float*k)
		}
		if k < 6 {
			t.IfAtMost(n, k+1, "restsum")
		}
	}
	t.Label("restsum")
	for h := range 2 {
		t.Mul(product[h], product[h], value[h])
		t.Add(lane[h], lane[h], product[h])
	}
	t.Label("fold")
	t.Add(lane[0], lane[0], lane[1])
	t.Fold(lane[0])
	t.Return(t.Narrow(lane[0], 1))
}
