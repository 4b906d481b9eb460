package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dotSparse", "func(idx []int32, val, w []float32) float32", func(t Target) {
		if t.Width() > 8 {
			dotSparseGather(t.(*avx))
			return
		}
		dotSparse(t)
	}).inWideIf("gathers")
}

// dotSparseGather is dotSparse with all eight lanes in one register. At the end of the row, lanes
// without a nonzero add +0.
func dotSparseGather(t *avx) {
	idx, val, n, w := t.PointerParam("idx"), t.PointerParam("val"), t.IntParam("n"),
		t.PointerParam("w")
	lane, product := zeros(t, 1, 8)[0], t.New(8)
	all := t.GP32()
	t.MOVL(operand.U32(0xff), all)
	row := walk{t, n, []vector{{idx, 4}, {val, float}}}
	row.loop(t.LoopLabel, "loop", 8, "rest", func() {
		t.Comment("Eight nonzeros per iteration, one to each lane.")
		some := t.K()
		t.KMOVW(all, some)
		t.gather(product, w, idx, some)
		t.MulLoad(product, product, val, 0)
		t.Add(lane, lane, product)
	})
	t.Label("rest")
	t.Comment("Up to seven more.")
	t.IfAtMost(n, 0, "fold")
	part, value := t.Part(n, 8), t.New(8)
	t.LoadPart(value, val, 0, part)
	t.gather(product, w, idx, part.(reg.Register))
	t.Mul(product, product, value)
	t.Add(lane, lane, product)
	t.Label("fold")
	t.Fold(lane)
	t.Return(t.Narrow(lane, 1))
}

// gather sets the lanes of v in mask to the elements of w at the indices in idx, and the others to
// +0. The emitted code clears mask.
func (t *avx) gather(v Group, w, idx reg.GPVirtual, mask reg.Register) {
	indices := t.YMM()
	t.VMOVDQU32_Z(at(idx, 0), mask, indices)
	t.Zero(v)
	t.VGATHERDPS(operand.Mem{Base: w, Index: indices, Scale: float}, mask, r(v))
}

// dotSparse loads single elements of w into two groups of four. Nonzero k goes to lane k mod 8.
func dotSparse(t Target) {
	idx, val, n, w := t.PointerParam("idx"), t.PointerParam("val"), t.IntParam("n"),
		t.PointerParam("w")
	lane := zeros(t, 2, 4)
	row := walk{t, n, []vector{{idx, 4}, {val, float}}}
	four := func(h, k int) {
		var j [4]reg.GPVirtual
		j[0], j[1] = t.LoadTwoUint32(idx, 4*k)
		j[2], j[3] = t.LoadTwoUint32(idx, 4*k+8)
		product := t.New(4)
		t.Load(t.Narrow(product, 1), t.Element(w, j[0]), 0)
		for l := 1; l < 4; l++ {
			t.LoadLane(product, l, t.Element(w, j[l]), 0)
		}
		t.MulLoad(product, product, val, float*k)
		t.Add(lane[h], lane[h], product)
	}
	upToThree := func(h int) {
		add := fmt.Sprint("add", h)
		t.IfAtMost(n, 0, "fold")
		product, value := t.New(4), t.New(4)
		t.Load(t.Narrow(product, 1), t.Element(w, t.LoadUint32(idx, 0)), 0)
		t.Load(t.Narrow(value, 1), val, 0)
		for l := 1; l < 3; l++ {
			t.IfAtMost(n, l, add)
			t.LoadLane(product, l, t.Element(w, t.LoadUint32(idx, 4*l)), 0)
			t.LoadLane(value, l, val, float*l)
		}
		t.Label(add)
		t.Mul(product, product, value)
		t.Add(lane[h], lane[h], product)
	}

	row.loop(t.Label, "loop", 8, "rest", func() {
		t.Comment("Eight nonzeros per iteration, one to each lane.")
		four(0, 0)
		four(1, 4)
	})
	t.Label("rest")
	t.Comment("Up to seven more.")
	t.IfLess(n, 4, "few")
	four(0, 0)
	row.next(4)
	upToThree(1)
	t.Jump("fold")
	t.Label("few")
	upToThree(0)
	t.Label("fold")
	t.Add(lane[0], lane[0], lane[1])
	t.Fold(lane[0])
	t.Return(t.Narrow(lane[0], 1))
}
