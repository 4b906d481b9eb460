package main

import "fmt"

func init() {
	kernel("pack", "func(dst []float32, width, step int, c float32, x []float32)", pack).
		trusting().inWide()
}

// Panels begin step floats apart.
func pack(t Target) {
	dst, width, step := t.PointerParam("dst"), t.IntParam("width"), t.IntParam("step")
	c, x, n := t.BroadcastParam("c"), t.PointerParam("x"), t.IntParam("len(x)")
	t.ShiftLeft(step, 2)

	panel := func(count int) {
		for i := 0; i < count; {
			size := t.Width()
			for i+size > count {
				size /= 2
			}
			v := t.New(size)
			t.MulLoad(v, t.Narrow(c, size), x, float*i)
			t.Store(v, dst, float*i)
			i += size
		}
	}
	t.IfAtLeast(width, tileCols, "cols")
	for _, loop := range []struct {
		name  string
		width int
	}{{"rows", tileRows}, {"cols", tileCols}} {
		t.LoopLabel(loop.name)
		t.IfLess(n, loop.width, "rest")
		panel(loop.width)
		t.Advance(x, loop.width*float)
		t.AdvanceReg(dst, step)
		t.Decrement(n, loop.width)
		t.Jump(loop.name)
	}
	t.Label("rest")
	for size := tileCols / 2; size > 0; size /= 2 {
		less := fmt.Sprint("less", size)
		t.IfWithout(n, size, less)
		panel(size)
		if size > 1 {
			t.Advance(x, size*float)
			t.Advance(dst, size*float)
		}
		t.Label(less)
	}
	t.Done()
}
