package main

import "fmt"

func init() {
	kernel("axpy4", "func(a *float32, x0, x1, x2, x3, y *float32, n int)", func(t Target) {
		scalars := t.PointerParam("a")
		var a [4]Group
		for j := range a {
			a[j] = t.New(t.Width())
			t.LoadBroadcast(a[j], scalars, float*j)
		}
		var rows []string
		for j := range a {
			rows = append(rows, fmt.Sprint("x", j))
		}
		elementwise(t, append(rows, "y"), true, func(dst Group, s source) {
			product := t.New(dst.width)
			s.load(dst, 4)
			for j := range a {
				s.mul(product, t.Narrow(a[j], dst.width), j)
				t.Add(dst, dst, product)
			}
		})
	}).partOf("axpyRows").inWide().dispatchedByHand()
}
