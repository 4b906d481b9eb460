package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dotNorms", "func(dst, x, y *float32, n int)", dotNorms).inWide()
}

// dotNorms stores the sums of x*y, of x*x and of y*y, each with the bits that it has by itself. The
// lanes of all three fit registers of 512 bits; else half of them do at a time. n is at least 64
// and at most asm.Block.
func dotNorms(t Target) {
	dst, n := t.PointerParam("dst"), t.IntParam("n")
	x, y := t.PointerParam("x"), t.PointerParam("y")
	width := t.Width()
	part := t.LastPart(t.Part(n, width))
	halves := [][]int{{0, 2, 4, 6}, {1, 3, 5, 7}} // groups whose folds to sixteen lanes meet
	if width > 8 {
		halves = [][]int{{0, 1, 2, 3}}
	}
	var sums []Group
	for h, half := range halves {
		lane := normsOf(t, h, half, [2]reg.GPVirtual{t.CopyInt(x), t.CopyInt(y)}, t.CopyInt(n),
			part)
		sums = nil
		for k, l := range lane {
			// Lanes 32 apart are two places apart, in either kind of groups.
			t.Add(l[0], l[0], l[2])
			t.Add(l[1], l[1], l[3])
			t.Add(l[0], l[0], l[1])
			if h < len(halves)-1 {
				t.Store(l[0], t.Scratch(), 8*float*k)
			} else if h > 0 {
				t.AddLoad(l[0], l[0], t.Scratch(), 8*float*k)
			}
			sums = append(sums, l[0])
		}
	}
	for k, v := range sums {
		t.Fold(v)
		t.Store(t.Narrow(v, 1), dst, float*k)
	}
	t.Done()
}

// normsOf adds up some groups of lanes of the three sums.
func normsOf(t Target, h int, some []int, p [2]reg.GPVirtual, n reg.GPVirtual, part Part,
) (lane [3][]Group) {
	width := t.Width()
	name := func(s string, k int) string { return fmt.Sprint(s, h, "_", k) }
	for k := range lane {
		for range some {
			v := t.New(width)
			t.Zero(v)
			lane[k] = append(lane[k], v)
		}
	}
	vx, vy, product := t.New(width), t.New(width), t.New(width)
	add := func(i int, load func(v Group, p reg.GPVirtual)) {
		load(vx, p[0])
		load(vy, p[1])
		t.Mul(product, vx, vy)
		t.Add(lane[0][i], lane[0][i], product)
		t.Mul(vx, vx, vx)
		t.Add(lane[1][i], lane[1][i], vx)
		t.Mul(vy, vy, vy)
		t.Add(lane[2][i], lane[2][i], vy)
	}
	whole := func(i, g int) {
		add(i, func(v Group, p reg.GPVirtual) { t.Load(v, p, float*width*g) })
	}

	t.LoopLabel(name("blocks", 0))
	for i, g := range some {
		whole(i, g)
	}
	t.Advance(p[0], float*lanes)
	t.Advance(p[1], float*lanes)
	t.Decrement(n, lanes)
	t.IfAtLeast(n, lanes, name("blocks", 0))
	for i, g := range some {
		t.IfAtMost(n, width*g, name("end", 0))
		t.IfLess(n, width*(g+1), name("part", g))
		whole(i, g)
	}
	t.Jump(name("end", 0))
	for i, g := range some {
		t.Label(name("part", g))
		add(i, func(v Group, p reg.GPVirtual) {
			t.LoadLast(v, p, float*width*g, part)
		})
		if i < len(some)-1 {
			t.Jump(name("end", 0))
		}
	}
	t.Label(name("end", 0))
	return lane
}
