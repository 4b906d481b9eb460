package main

import (
	"math/bits"

	"github.com/mmcloughlin/avo/reg"
)

// dotTileNEON emits the kernel that dotTile describes, with SDOT or UDOT. The sums of four rows
// with four queries are in registers, so that each load serves four products.
func dotTileNEON(t *neon, term byteTerm) {
	const step = 16
	dst, count, next := t.PointerParam("dst"), t.IntParam("len(dst)"), t.PointerParam("next")
	rows, ahead := t.PointerParam("rows"), t.IntParam("ahead")
	t.ShiftRight(count, 2)
	t.ShiftLeft(ahead, bits.TrailingZeros(step))
	t.LoopLabel("rows")
	queries, n, stride := t.PointerParam("queries"), t.IntParam("size"), t.IntParam("stride")
	all := walk{t: t, n: n, vectors: make([]vector, 8)} // four rows, then four queries
	for i := range 4 {
		row, x := copyInt(t, rows), t.NewInt()
		t.MOVD(at(queries, sliceSize*i), x)
		all.vectors[i], all.vectors[4+i] = vector{row, 1}, vector{x, 1}
		t.AdvanceReg(rows, stride)
	}
	sum := zeros(t, 16, 4) // of query q and row i in group 4*q+i
	add := func(offset int, part Part) {
		var v [8]reg.VecVirtual
		for i, p := range all.vectors {
			v[i] = t.bytesAt(p.p, offset, step, 1, part)[0]
		}
		for k, s := range sum {
			t.addProducts(s, v[k%4], v[4+k/4], term.signed)
		}
	}
	all.loop(t.LoopLabel, "step", step, "part", func() {
		t.Prefetch(next, 0)
		t.AdvanceReg(next, ahead)
		add(0, nil)
	})
	t.Label("part")
	t.IfAtMost(n, 0, "store")
	for _, p := range all.vectors {
		t.AdvanceReg(p.p, n)
	}
	add(-step, t.LastBytes(n, t.ByteLanes()))
	t.Label("store")
	apart, place := t.IntParam("len(dst)"), copyInt(t, dst) // apart: results for one query
	t.ShiftRight(apart, 2)
	t.ShiftLeft(apart, 3)
	for ; len(sum) > 0; sum = sum[4:] {
		t.FSTPQ(t.addLanes(sum[0], sum[1], term.signed), t.addLanes(sum[2], sum[3], term.signed),
			at(place, 0))
		t.AdvanceReg(place, apart)
	}
	t.Advance(dst, 4*8)
	t.Decrement(count, 4)
	t.IfAtLeast(count, 4, "rows")
	t.Done()
}

// addLanes returns the sum of the four lanes of a and that of b, extended to 64 bits.
func (t *neon) addLanes(a, b Group, signed bool) reg.VecVirtual {
	v := t.V128()
	t.VADDP(b.regs[0], a.regs[0], v)
	if signed {
		t.VSADDLP(v, v)
	} else {
		t.VUADDLP(v, v)
	}
	return v
}
