package main

func init() {
	kernel("axpy", "func(a float32, x, y []float32)", func(t Target) {
		a := t.BroadcastParam("a")
		elementwise(t, []string{"x", "y"}, true, func(dst Group, s source) {
			s.mul(dst, t.Narrow(a, dst.width), 0)
			s.add(dst, dst, 1)
		})
	}).inWide()
}
