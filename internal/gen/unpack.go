package main

import "fmt"

// unpackGroup makes byte*hi + byte*lo of v, a byte in each lane.
func unpackGroup(t Target, v, hi, lo Group) {
	rest := t.New(v.width)
	t.Mul(rest, v, t.Narrow(lo, v.width))
	t.Mul(v, v, t.Narrow(hi, v.width))
	t.Add(v, v, rest)
}

func init() {
	kernel("unpack", "func(dst []float32, src []byte, hi, lo float32)", func(t Target) {
		dst, src, n := t.PointerParam("dst"), t.PointerParam("src"), t.IntParam("n")
		hi, lo := t.BroadcastParam("hi"), t.BroadcastParam("lo")
		group := func(width, first int) {
			v := t.New(width)
			t.LoadBytes(v, false, src, first)
			unpackGroup(t, v, hi, lo)
			t.Store(v, dst, first*float)
		}
		both := walk{t, n, []vector{{src, 1}, {dst, float}}}
		both.loop(t.Label, "loop", 32, "groups", func() {
			t.Comment("Four groups a turn.")
			for i := range 4 {
				group(8, i*8)
			}
		})
		t.Label("groups")
		t.IfLess(n, 8, "below8")
		group(8, 0)
		both.next(8)
		t.Jump("groups")
		t.Label("below8")
		for _, width := range []int{4, 2, 1} {
			less := fmt.Sprint("below", width)
			t.IfLess(n, width, less)
			group(width, 0)
			if width > 1 {
				both.next(width)
			}
			t.Label(less)
		}
		t.Done()
	})
}
