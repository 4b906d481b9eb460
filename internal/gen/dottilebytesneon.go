package main

import (
	"math/bits"

	"github.com/mmcloughlin/avo/reg"
)

func dotTileBytesNEON(t *neon, term byteTerm) {
	const step = 16
	dst, count, next := t.PointerParam("dst"), t.IntParam("len(dst)"), t.PointerParam("next")
	rows, pace := t.PointerParam("rows"), t.IntParam("pace")
	t.ShiftRight(count, 2)
	t.ShiftLeft(pace, bits.TrailingZeros(step))
	t.LoopLabel("rows")
	queries, n, stride := t.PointerParam("queries"), t.IntParam("size"), t.IntParam("stride")
	all := walk{t: t, n: n, vectors: make([]vector, 8)} // four rows, then four queries
	for i := range 4 {
		row, x := copyInt(t, rows), t.NewInt()
		t.MOVD(at(queries, sliceSize*i), x)
		all.vectors[i], all.vectors[4+i] = vector{row, 1}, vector{x, 1}
		t.AdvanceReg(rows, stride)
	}
	sum := zeros(t, 16, 4) // group 4*q+i has the lanes for query q and row i
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
		t.AdvanceReg(next, pace)
		add(0, nil)
	})
	t.Label("part")
	t.IfAtMost(n, 0, "store")
	for _, p := range all.vectors {
		t.AdvanceReg(p.p, n)
	}
	add(-step, t.LastBytes(n, t.ByteLanes()))
	t.Label("store")
	place := copyInt(t, dst)
	pitch := t.IntParam("len(dst)") // bytes from one query's results to the next query's
	t.ShiftRight(pitch, 2)
	t.ShiftLeft(pitch, 3)
	for ; len(sum) > 0; sum = sum[4:] {
		t.FSTPQ(t.addLanes(sum[0], sum[1], term.signed), t.addLanes(sum[2], sum[3], term.signed),
			at(place, 0))
		t.AdvanceReg(place, pitch)
	}
	t.Advance(dst, 4*8)
	t.Decrement(count, 4)
	t.IfAtLeast(count, 4, "rows")
	t.Done()
}

// addLanes returns the sums of the four lanes of a and of b, extended to 64 bits, with their signs
// if signed is set.
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
