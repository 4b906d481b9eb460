package main

func init() {
	kernel("squaredDistance", "func(x, y []float32) float32", func(t Target) {
		sum(t, []string{"x", "y"}, squareOfDifference(t))
	}).inWide()
}

func squareOfDifference(t Target) func(dst Group, s source) {
	return func(dst Group, s source) {
		s.load(dst, 0)
		s.sub(dst, dst, 1)
		t.Mul(dst, dst, dst)
	}
}
