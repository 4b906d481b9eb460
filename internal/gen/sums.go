package main

// absolute masks all bits of a float32 except its sign.
const absolute = 0x7fffffff

func init() {
	kernel("sum", "func(x []float32) float32", func(t Target) {
		sum(t, []string{"x"}, func(dst Group, s source) { s.load(dst, 0) })
	}).inWide()
	kernel("sumAbs", "func(x []float32) float32", func(t Target) {
		mask := t.New(t.Width())
		t.Fill(mask, absolute)
		sum(t, []string{"x"}, func(dst Group, s source) {
			s.load(dst, 0)
			t.BitsAnd(dst, dst, t.Narrow(mask, dst.width))
		})
	}).inWide()
	kernel("l1Distance", "func(x, y []float32) float32", func(t Target) {
		mask := t.New(t.Width())
		t.Fill(mask, absolute)
		sum(t, []string{"x", "y"}, func(dst Group, s source) {
			s.load(dst, 0)
			s.sub(dst, dst, 1)
			t.BitsAnd(dst, dst, t.Narrow(mask, dst.width))
		})
	}).inWide()
}
