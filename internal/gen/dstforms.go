package main

// dst may be the same vector as x or y.
func init() {
	for name, op := range map[string]func(s source, dst, a Group, i int){
		"add": source.add, "sub": source.sub, "mul": source.mul,
	} {
		kernel(name, "func(dst, x, y []float32)", func(t Target) {
			elementwise(t, []string{"x", "y", "dst"}, true, func(dst Group, s source) {
				s.load(dst, 0)
				op(s, dst, dst, 1)
			})
		}).inWide().passingSlices()
	}
	kernel("scaleTo", "func(dst []float32, a float32, x []float32)", func(t Target) {
		a := t.BroadcastParam("a")
		elementwise(t, []string{"x", "dst"}, true, func(dst Group, s source) {
			s.mul(dst, t.Narrow(a, dst.width), 0)
		})
	}).inWide()
	kernel("axpyTo", "func(dst []float32, a float32, x, y []float32)", func(t Target) {
		a := t.BroadcastParam("a")
		elementwise(t, []string{"x", "y", "dst"}, true, func(dst Group, s source) {
			s.mul(dst, t.Narrow(a, dst.width), 0)
			s.add(dst, dst, 1)
		})
	}).inWide().passingSlices()
}
