package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("gemm", "func(c []float32, stride int, a []float32, aRow, aStep int, b []float32, "+
		"bStep, rows, cols, k int)", gemm).trusting().inWide()
}

// The sums of a tile fit into registers. k must be at least 1.
func gemm(t Target) {
	most := 12
	if t.Registers() < 32 {
		most /= 2
	}
	width := t.Width()
	row, rest := t.NewInt(), t.IntParam("rows") // index of the next row; number of rows left
	t.SetConst(row, 0)
	for i, rows := range []int{most, 4, 1} {
		name := func(s string) string { return fmt.Sprint(s, rows) }
		t.Label(name("rows"))
		if rows > 1 {
			t.IfLess(rest, rows, fmt.Sprint("rows", []int{4, 1}[i]))
		} else {
			t.IfLess(rest, 1, "done")
		}
		cols := t.IntParam("cols")
		t.Label(name("cols"))
		t.IfLess(cols, 2*width, name("edge"))
		gemmTile(t, name("pair"), rows, 2, row, cols, nil)
		t.Decrement(cols, 2*width)
		t.Jump(name("cols"))

		t.Label(name("edge"))
		t.IfAtMost(cols, 0, name("next"))
		some := copyInt(t, cols)
		t.IfLess(some, width, name("part"))
		t.SetConst(some, width)
		t.Label(name("part"))
		gemmTile(t, name("group"), rows, 1, row, cols, t.Part(some, width))
		t.DecrementReg(cols, some)
		t.Jump(name("edge"))

		t.Label(name("next"))
		t.Advance(row, rows)
		t.Decrement(rest, rows)
		t.Jump(name("rows"))
	}
	t.Label("done")
	t.Done()
}

// The tile starts at the row whose index is in the register row, and at the first of the last cols
// columns of c. If part is not nil, the tile has one group, of which part exists.
func gemmTile(t Target, name string, rows, groups int, row, cols reg.GPVirtual, part Part) {
	width := t.Width()
	element := func(param string, row, step reg.GPVirtual, columns bool) reg.GPVirtual {
		p := t.PointerParam(param)
		if row != nil {
			at := copyInt(t, row)
			t.MultiplyReg(at, step)
			t.AdvanceReg(p, at)
		}
		if columns {
			at := t.IntParam("cols")
			t.DecrementReg(at, cols)
			t.ShiftLeft(at, 2)
			t.AdvanceReg(p, at)
		}
		return p
	}
	bytes := func(param string) reg.GPVirtual {
		n := t.IntParam(param)
		t.ShiftLeft(n, 2)
		return n
	}
	load := func(v Group, p reg.GPVirtual, g int) {
		if part == nil {
			t.Load(v, p, float*width*g)
		} else {
			t.LoadPart(v, p, 0, part)
		}
	}

	k := t.IntParam("k")
	if rows > 4 && part == nil {
		t.IfLess(k, 64, name+"near")
		p, stride := element("c", row, bytes("stride"), true), bytes("stride")
		for range rows { // c is needed at the end
			for line := 0; line < groups*width; line += 64 / float {
				t.Prefetch(p, float*line)
			}
			t.AdvanceReg(p, stride)
		}
		t.Label(name + "near")
	}
	aRow, aStep, bStep := bytes("aRow"), bytes("aStep"), bytes("bStep")
	b := element("b", nil, nil, true)
	a := []reg.GPVirtual{element("a", row, aRow, false)} // pointers to every fourth row
	for len(a)*4 < rows {
		a = append(a, t.Offset(a[len(a)-1], aRow, 4))
	}
	aRow3 := t.Offset(aRow, aRow, 2)
	sums := make([][]Group, rows)
	for i := range sums {
		sums[i] = zeros(t, groups, width)
	}
	t.LoopLabel(name)
	y := make([]Group, groups)
	for g := range y {
		y[g] = t.New(width)
		load(y[g], b, g)
	}
	for i := range sums {
		x, p := t.NewUniform(), a[i/4]
		switch i % 4 {
		case 1:
			p = t.Address(p, aRow, 1)
		case 2:
			p = t.Address(p, aRow, 2)
		case 3:
			p = t.Address(p, aRow3, 1)
		}
		t.LoadBroadcast(x, p, 0)
		for g, sum := range sums[i] {
			product := t.New(width)
			t.Mul(product, y[g], x)
			t.Add(sum, sum, product)
		}
	}
	for _, p := range a {
		t.AdvanceReg(p, aStep)
	}
	t.AdvanceReg(b, bStep)
	t.Decrement(k, 1)
	t.IfAtLeast(k, 1, name)

	stride := bytes("stride")
	c := element("c", row, stride, true)
	for i := range sums {
		for g, sum := range sums[i] {
			old := t.New(width)
			load(old, c, g)
			t.Add(sum, sum, old)
			if part == nil {
				t.Store(sum, c, float*width*g)
			} else {
				t.StorePart(sum, c, 0, part)
			}
		}
		if i < rows-1 {
			t.AdvanceReg(c, stride)
		}
	}
}
