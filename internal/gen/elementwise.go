package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// elementwise stores the results in the last of the named vectors. n is at most asm.Block.
//
// The pieces after the loop do not overlap: a load that needs two pending stores would wait until
// both have reached the cache.
//
// If align is set, stores to vectors of at least two iterations are aligned to the size of a group.
func elementwise(t Target, vectors []string, align bool, op func(dst Group, s source)) {
	var p []reg.GPVirtual
	for _, v := range vectors {
		p = append(p, t.PointerParam(v))
	}
	n, width := t.IntParam("n"), t.Width()
	dst := p[len(p)-1]

	compute := func(width, first int) Group {
		v := t.New(width)
		op(v, source{t: t, p: p, first: first})
		return v
	}
	advance := func(count int) {
		for _, v := range p {
			t.Advance(v, count*float)
		}
	}
	piece := func(count, width int) {
		for first := 0; first < count; first += width {
			v := compute(min(count, width), first)
			t.Store(v, dst, first*float)
		}
	}

	block := 4 * width
	t.IfLess(n, 8, "few")
	t.IfAtLeast(n, 17, "above16")
	t.IfLess(n, 16, "eight")
	piece(16, 8)
	t.Done()
	t.Label("above16")
	t.IfLess(n, block, "rest")
	if align {
		t.IfMisaligned(dst, width, "misaligned")
	}
	t.LoopLabel("loop")
	t.Comment("Four groups per iteration.")
	piece(block, width)
	advance(block)
	t.Decrement(n, block)
	t.IfAtLeast(n, block, "loop")
	t.IfAtMost(n, 0, "done")
	t.Label("rest")
	for count := block / 2; count > 0; count /= 2 {
		less := fmt.Sprint("less", count)
		switch count {
		case 8:
			t.IfWithout(n, count, less)
			t.Label("eight")
		case 4:
			t.IfWithout(n, 7, "done")
			t.Label("few")
			fallthrough
		default:
			t.IfWithout(n, count, less)
		}
		piece(count, width)
		if count > 1 {
			advance(count)
		}
		t.Label(less)
	}
	t.Label("done")
	t.Done()
	if !align {
		return
	}

	t.Label("misaligned")
	t.IfLess(n, 2*block, "loop")
	skip := t.NewInt()
	t.SetConst(skip, 0)
	t.DecrementReg(skip, dst)
	t.ShiftRight(skip, 2)
	t.And(skip, width-1)
	t.DecrementReg(n, skip)
	for count := 1; count < width; count *= 2 {
		less := fmt.Sprint("skip", count)
		t.IfWithout(skip, count, less)
		piece(count, width)
		advance(count)
		t.Label(less)
	}
	t.Jump("loop")
}
