package main

import "github.com/mmcloughlin/avo/reg"

// unpackGroup replaces each lane of v, a byte converted to a float, by byte*hi + byte*lo.
func unpackGroup(t Target, v, hi, lo Group) {
	rest := t.New(v.width)
	t.Mul(rest, v, t.Narrow(lo, v.width))
	t.Mul(v, v, t.Narrow(hi, v.width))
	t.Add(v, v, rest)
}

func init() {
	kernel("unpack", "func(dst []float32, src []byte, hi, lo float32)", func(t Target) {
		src, dst := vector{t.PointerParam("src"), 1}, vector{t.PointerParam("dst"), float}
		hi, lo := t.BroadcastParam("hi"), t.BroadcastParam("lo")
		byGroups(t, src, dst, func(src, dst reg.GPVirtual, width, first int) {
			v := t.New(width)
			t.LoadBytes(v, false, src, first)
			unpackGroup(t, v, hi, lo)
			t.Store(v, dst, float*first)
		})
	})
}
