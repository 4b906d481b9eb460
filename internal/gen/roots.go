package main

// Bits of the least and the greatest float32 in package asm's safe range of sums of squares.
const minSquares, maxSquares = 0x12800000, 0x7f7fffff

func init() {
	kernel("norm", "func(x []float32) float32", func(t Target) {
		rootOfSum(t, []string{"x"}, squareOf(t), "normSlow")
	}).partOf("Norm").inWide()
	kernel("distance", "func(x, y []float32) float32", func(t Target) {
		rootOfSum(t, []string{"x", "y"}, squareOfDifference(t), "distanceSlow")
	}).partOf("Distance").inWide()
}

// Outside the safe range, the kernel jumps to the function slow.
func rootOfSum(t Target, vectors []string, term func(dst Group, s source), slow string) {
	sumTo(t, vectors, term, func(sum Group) {
		root := t.New(1)
		t.IfOutside(sum, minSquares, maxSquares, "inexact")
		t.Root(root, sum)
		t.Return(root)
	})
	t.Label("inexact")
	t.Leave(slow)
}
