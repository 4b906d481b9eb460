package main

import "fmt"

func init() {
	kernel("axpy64", "func(a *float64, x []float32, y []float64)", axpy64).inWide()
}

// n is at most asm.Block.
func axpy64(t Target) {
	scalar, x, y, n := t.PointerParam("a"), t.PointerParam("x"), t.PointerParam("y"),
		t.IntParam("n")
	a, half := t.New(t.Width()), t.Width()/2
	t.BroadcastDouble(a, scalar, 0)
	block := 4 * half

	piece := func(count int) {
		for i := 0; i < count; i += half {
			width := 2 * min(count, half)
			v, sum := t.New(width), t.New(width)
			t.LoadDoubles(v, x, float*i)
			t.MulDoubles(v, v, t.Narrow(a, width))
			t.Load(sum, y, double*i)
			t.AddDoubles(sum, sum, v)
			t.Store(sum, y, double*i)
		}
	}
	xy := walk{t, n, []vector{{x, float}, {y, double}}}
	xy.loop(t.LoopLabel, "loop", block, "rest", func() { piece(block) })
	t.Label("rest")
	for count := block / 2; count > 0; count /= 2 {
		less := fmt.Sprint("less", count)
		t.IfWithout(n, count, less)
		piece(count)
		if count > 1 {
			xy.advance(count)
		}
		t.Label(less)
	}
	t.Done()
}
