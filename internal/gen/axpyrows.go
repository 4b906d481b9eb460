package main

func init() {
	kernel("axpyRows", "func(alpha float32, a, rows []float32, stride int, idx []uint32, y []float32)",
		axpyRows).trusting().inWide()
}

// axpyRows requires at least one row and one element of y. If idx is nil, the rows are consecutive.
func axpyRows(t Target) {
	alpha, scalars, count := t.BroadcastParam("alpha"), t.PointerParam("a"), t.IntParam("len(a)")
	rows, stride, idx := t.PointerParam("rows"), t.IntParam("stride"), t.PointerParam("idx")
	y, n := t.PointerParam("y"), t.IntParam("len(y)")
	t.ShiftLeft(stride, 2)
	body := func(s strip) {
		a, next, left := copyInt(t, scalars), copyInt(t, rows), copyInt(t, count)
		pick, row := copyInt(t, idx), t.NewInt()
		sums := s.load(t, y)

		t.LoopLabel(s.name)
		t.SetInt(row, next)
		t.AdvanceReg(next, stride)
		t.IfAtLeast(idx, 1, s.name+"at")
		t.Label(s.name + "add")
		product, v := t.New(s.width), t.New(s.width)
		t.LoadBroadcast(v, a, 0)
		t.Mul(v, v, t.Narrow(alpha, s.width))
		for g, sum := range sums {
			p, offset := s.at(t, row, g)
			t.MulLoad(product, v, p, offset)
			t.Add(sum, sum, product)
		}
		t.Advance(a, float)
		t.Decrement(left, 1)
		t.IfAtLeast(left, 1, s.name)
		for g, sum := range sums {
			p, offset := s.at(t, y, g)
			t.Store(sum, p, offset)
		}
		t.Jump(s.name + "end")

		t.Label(s.name + "at")
		t.SetInt(row, t.LoadUint32(pick, 0))
		t.MultiplyReg(row, stride)
		t.AdvanceReg(row, rows)
		t.Advance(pick, 4)
		t.Jump(s.name + "add")
		t.Label(s.name + "end")
	}
	most := maxColumns(t)
	t.Label("strip")
	t.IfAtMost(n, most, "narrow")
	body(strip{name: "whole", width: t.Width(), groups: most / t.Width()})
	t.Advance(rows, float*most)
	t.Advance(y, float*most)
	t.Decrement(n, most)
	t.Jump("strip")
	t.Label("narrow")
	narrow(t, n, body)
}
