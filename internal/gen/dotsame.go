package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("dotSame", "func(a float32, idx *uint16, n int, w *float32) float32", dotSame)
}

// dotSame has the lanes of dotSparse. Rows of one-hot data are short and differ by a few nonzeros, so that branches on the
// length would be mispredicted: the last one to eight nonzeros are taken without any, as two groups of four that end within
// the row. Such a group may reach back to nonzeros that were met before, whose products are then dropped.
func dotSame(t Target) {
	a := t.Narrow(t.Broadcast("a"), 4)
	idx, n, w := t.Pointer("idx"), t.Int("n"), t.Pointer("w")
	lane := [2]Group{t.New(4), t.New(4)}
	// four returns the products of the four nonzeros at an offset in bytes.
	four := func(idx reg.GPVirtual, offset int) Group {
		product := t.New(4)
		t.LoadAt(t.Narrow(product, 1), w, t.Index16(idx, offset))
		for l := 1; l < 4; l++ {
			t.InsertAt(product, l, w, t.Index16(idx, offset+2*l))
		}
		t.Mul(product, product, a)
		return product
	}

	t.IfLess(n, 4, "few")
	for _, v := range lane {
		t.Zero(v)
	}
	t.IfAtMost(n, 8, "last")
	t.Label("loop")
	t.Comment("Eight nonzeros a turn, one to each lane.")
	for h, v := range lane {
		t.Add(v, v, four(idx, 8*h))
	}
	t.Advance(idx, 2*8)
	t.Decrement(n, 8)
	t.IfAtLeast(n, 9, "loop")

	t.Label("last")
	t.Comment("One to eight more.")
	upToFour := t.NewInt()
	t.Set(upToFour, 4)
	most := t.Copy(n)
	t.Limit(most, upToFour)
	window := t.Window(n)
	first := four(t.Behind(idx, most), -8)
	t.SettleFirst(first, window)
	t.Add(lane[0], lane[0], first)
	second := four(t.Behind(idx, n), -8)
	t.SettleLast(second, window)
	t.Add(lane[1], lane[1], second)
	t.Add(lane[0], lane[0], lane[1])
	t.Fold(lane[0])
	t.Return(t.Narrow(lane[0], 1))

	t.Label("few")
	t.Comment("Up to three nonzeros in all, in the order of the fold.")
	sum := t.New(4)
	t.Zero(sum)
	product := t.New(4)
	one := func(k int) {
		v := t.Narrow(product, 1)
		t.LoadAt(v, w, t.Index16(idx, 2*k))
		t.Mul(product, product, a)
		t.Add(sum, sum, product)
	}
	t.IfAtMost(n, 0, "end")
	one(0)
	t.IfAtMost(n, 1, "end")
	t.IfAtMost(n, 2, "two")
	one(2)
	t.Label("two")
	one(1)
	t.Label("end")
	t.Return(t.Narrow(sum, 1))
}
