package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("packColumns",
		"func(dst []float32, width int, c float32, x []float32, stride, cols, rows int)", packColumns).
		trusting()
}

func packColumns(t Target) {
	dst, width, c := t.PointerParam("dst"), t.IntParam("width"), t.BroadcastParam("c")
	x, stride, cols := t.PointerParam("x"), t.IntParam("stride"), t.IntParam("cols")
	t.ShiftLeft(width, 2)
	t.ShiftLeft(stride, 2)
	for _, together := range []int{4, 1} {
		name := func(s string) string { return fmt.Sprint(s, together) }
		t.Label(name("columns"))
		t.IfLess(cols, together, name("end"))
		p, to, n := []reg.GPVirtual{copyInt(t, x)}, copyInt(t, dst), t.IntParam("rows")
		for i := 1; i < together; i++ {
			p = append(p, t.Offset(p[i-1], stride, 1))
		}
		t.SetInt(x, p[together-1])
		t.AdvanceReg(x, stride)
		if together == 4 {
			t.IfLess(n, 4, name("rest"))
			t.LoopLabel("square")
			var v [4]Group
			for i := range v {
				v[i] = t.New(4)
				t.MulLoad(v[i], t.Narrow(c, 4), p[i], 0)
				t.Advance(p[i], 4*float)
			}
			t.Transpose(&v)
			for _, row := range v {
				t.Store(row, to, 0)
				t.AdvanceReg(to, width)
			}
			t.Decrement(n, 4)
			t.IfAtLeast(n, 4, "square")
			t.Label(name("rest"))
			t.IfLess(n, 1, name("next"))
		}
		t.LoopLabel(name("row"))
		for i := range p {
			v := t.New(1)
			t.MulLoad(v, t.Narrow(c, 1), p[i], 0)
			t.Store(v, to, float*i)
			t.Advance(p[i], float)
		}
		t.AdvanceReg(to, width)
		t.Decrement(n, 1)
		t.IfAtLeast(n, 1, name("row"))
		t.Label(name("next"))
		t.Advance(dst, float*together)
		t.Decrement(cols, together)
		t.Jump(name("columns"))
		t.Label(name("end"))
	}
	t.Done()
}
