package main

func init() {
	kernel("axpby", "func(a float32, x []float32, b float32, y []float32)", func(t Target) {
		a, b := t.BroadcastParam("a"), t.BroadcastParam("b")
		elementwise(t, []string{"x", "y"}, true, func(dst Group, s source) {
			by := t.New(dst.width)
			s.mul(dst, t.Narrow(a, dst.width), 0)
			s.mul(by, t.Narrow(b, dst.width), 1)
			t.Add(dst, dst, by)
		})
	}).inWide().passingSlices()
}
