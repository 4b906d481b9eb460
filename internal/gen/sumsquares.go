package main

func init() {
	kernel("sumSquares", "func(x []float32) float32", func(t Target) {
		sum(t, []string{"x"}, squareOf(t))
	}).inWide()
}

func squareOf(t Target) func(dst Group, s source) {
	return func(dst Group, s source) {
		s.load(dst, 0)
		t.Mul(dst, dst, dst)
	}
}
