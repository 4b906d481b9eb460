package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("dotSame", "func(a float32, idx []uint16, w []float32) float32", func(t Target) {
		a := t.ScalarParam("a")
		sum, few := dotSame(t, "", a, t.PointerParam("idx"), t.IntParam("n"), t.PointerParam("w"))
		t.Return(sum)
		few()
	}).trusting()
}

// Each lane has a register of its own, so that no element has to be inserted into a vector. few is
// for fewer than eight nonzeros: see axpySame.
func dotSame(t Target, name string, a Group, idx, n, w reg.GPVirtual) (sum Group, few func()) {
	var lane [8]Group
	for l := range lane {
		lane[l] = t.New(1)
	}
	product := t.New(1)
	multiply := func(dst Group, k int) { t.MulLoad(dst, a, t.Element(w, t.LoadUint16(idx, 2*k)), 0) }
	row := walk{t, n, []vector{{idx, 2}}}

	t.IfLess(n, 8, name+"few")
	t.Comment("The first eight products start the lanes; lane 7 is added to +0, so that the sum " +
		"is never -0.")
	t.Zero(product)
	for l, v := range lane {
		multiply(v, l)
	}
	t.Add(lane[7], lane[7], product)
	row.next(8)
	row.loop(t.Label, name+"loop", 8, name+"rest", func() {
		t.Comment("Eight nonzeros per iteration, one to each lane.")
		for l, v := range lane {
			multiply(product, l)
			t.Add(v, v, product)
		}
	})
	t.Label(name + "rest")
	t.Comment("Up to seven more.")
	for l, v := range lane[:7] {
		t.IfAtMost(n, l, name+"fold")
		multiply(product, l)
		t.Add(v, v, product)
	}
	t.Label(name + "fold")
	return fold(lane[:], t.Add), func() {
		t.Label(name + "few")
		for _, v := range lane {
			t.Zero(v)
		}
		t.Jump(name + "rest")
	}
}
