package main

func init() {
	kernel("scale", "func(a float32, x []float32)", func(t Target) {
		a := t.BroadcastParam("a")
		elementwise(t, []string{"x"}, true, func(dst Group, s source) {
			s.mul(dst, t.Narrow(a, dst.width), 0)
		})
	}).inWide()
}
