package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// elementwise emits a kernel that stores op into the last of the vectors named, element by element.
//
// No store is masked, which is slow on AMD: the last group is computed first and stored last, over
// elements that have their value already. Of long vectors the first group is treated in the same
// way, so that the stores between the two can be aligned. n is at most asm.Block.
func elementwise(t Target, vectors []string, op func(dst Group, s source)) {
	var p []reg.GPVirtual
	for _, v := range vectors {
		p = append(p, t.PointerParam(v))
	}
	last := len(p) - 1
	n := t.IntParam("n")

	compute := func(width int, p []reg.GPVirtual, offset int) Group {
		v := t.New(width)
		op(v, whole{t: t, p: p, first: offset / float})
		return v
	}
	ends := func(p []reg.GPVirtual) (end []reg.GPVirtual) {
		for _, v := range p {
			end = append(end, t.Offset(v, n, float))
		}
		return end
	}
	// short treats n elements as the first count groups and the last count groups, which may
	// overlap.
	short := func(count int) {
		end := ends(p)
		const width, size = 8, 8 * float
		var head, tail []Group
		for i := range count {
			head = append(head, compute(width, p, i*size))
		}
		for i := range count {
			tail = append(tail, compute(width, end, (i-count)*size))
		}
		for i, v := range head {
			t.Store(v, p[last], i*size)
		}
		for i, v := range tail {
			t.Store(v, end[last], (i-count)*size)
		}
		t.Done()
	}

	t.IfLess(n, 8, "below8")
	t.IfAtMost(n, 16, "to16")
	t.IfAtMost(n, 32, "to32")
	t.IfAtMost(n, 64, "to64")

	t.Comment("The first and the last group, to be stored at the end.")
	head, end := compute(8, p, 0), ends(p)
	tail := compute(8, end, -8*float)
	start := t.CopyInt(p[last])
	t.AlignUp(n, p[last], p[:last]...)

	t.Label("loop")
	t.Comment("Four groups a turn.")
	for i := range 4 {
		t.Store(compute(8, p, i*8*float), p[last], i*8*float)
	}
	for _, v := range p {
		t.Advance(v, 32*float)
	}
	t.Decrement(n, 32)
	t.IfAtLeast(n, 32, "loop")
	t.Label("groups")
	t.IfAtMost(n, 8, "last")
	t.Store(compute(8, p, 0), p[last], 0)
	for _, v := range p {
		t.Advance(v, 8*float)
	}
	t.Decrement(n, 8)
	t.Jump("groups")
	t.Label("last")
	t.Store(head, start, 0)
	t.Store(tail, end[last], -8*float)
	t.Done()

	t.Label("to64")
	short(4)
	t.Label("to32")
	short(2)
	t.Label("to16")
	short(1)
	t.Label("below8")
	t.Comment("Apart and not overlapping: what is stored here is often loaded again soon, in the " +
		"same pieces.")
	for _, width := range []int{4, 2, 1} {
		less := fmt.Sprint("below", width)
		t.IfLess(n, width, less)
		t.Store(compute(width, p, 0), p[last], 0)
		if width > 1 {
			for _, v := range p {
				t.Advance(v, width*float)
			}
			t.Decrement(n, width)
		}
		t.Label(less)
	}
	t.Done()
}
