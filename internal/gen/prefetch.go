package main

func init() {
	kernel("prefetch", "func(p *float32, n int)", func(t Target) {
		p, n := t.PointerParam("p"), t.IntParam("n")
		t.Label("line") // one cache line of 64 bytes, or 16 floats
		t.Prefetch(p, 0)
		t.Advance(p, 64)
		t.IfAtMost(n, 16, "done")
		t.Decrement(n, 16)
		t.Jump("line")
		t.Label("done")
		t.Done()
	}).trusting().partOf("Prefetch")
}
