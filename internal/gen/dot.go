package main

func init() {
	kernel("dot", "func(x, y []float32) float32", func(t Target) {
		sum(t, []string{"x", "y"}, product)
	}).inWide().slowByHand()
}

func product(dst Group, s source) {
	s.load(dst, 0)
	s.mul(dst, dst, 1)
}
