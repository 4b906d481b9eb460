package main

// Sums of squares between these, as bits, are exact, as asm.exact has it.
const leastSquares, mostSquares = 0x12800000, 0x7f7fffff

func init() {
	kernel("norm", "func(x []float32) float32", func(t Target) {
		rootOfSum(t, []string{"x"}, squareOf(t), "normSlow")
	}).partOf("Norm").inWide()
	kernel("distance", "func(x, y []float32) float32", func(t Target) {
		rootOfSum(t, []string{"x", "y"}, squareOfDifference(t), "distanceSlow")
	}).partOf("Distance").inWide()
}

// rootOfSum returns the root of a sum that is exact; rare finds that of another.
func rootOfSum(t Target, vectors []string, term func(dst Group, s source), rare string) {
	sumTo(t, vectors, term, func(sum Group) {
		root := t.New(1)
		t.IfOutside(sum, leastSquares, mostSquares, "inexact")
		t.Root(root, sum)
		t.Return(root)
	})
	t.Label("inexact")
	t.Leave(rare)
}
