package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("rankK", "func(a, b *float32, k int, c *float32, stride int)", rankK).inWide()
}

// The tile of rankK, as asm.TileRows and asm.TileCols have it.
const tileRows, tileCols = 12, 32

// rankK takes as much of the tile at a time as the registers hold sums of, two groups wide: all of
// it in 32 registers of 512 bits, half of it in 32 of 256, a quarter in 16. One element of a row of
// a is brought to all lanes and multiplied with both groups of the row of b, so that a turn waits
// for arithmetic alone. k is at least 1, stride is in bytes.
func rankK(t Target) {
	a, b, k := t.PointerParam("a"), t.PointerParam("b"), t.IntParam("k")
	c, stride := t.PointerParam("c"), t.IntParam("stride")
	rows, cols := tileRows, 2*t.Width()
	if t.Registers() < 32 {
		rows /= 2
	}
	for i := 0; i < tileRows; i += rows {
		first := c
		for j := 0; j < tileCols; j += cols {
			t.Comment(fmt.Sprintf("Rows %d to %d of the tile, columns %d to %d.", i, i+rows-1, j,
				j+cols-1))
			p := t.CopyInt(first)
			sums := tileSums(t, [2]int{rows, i}, a, b, k, float*j, fmt.Sprint("tile", i, "x", j))
			for _, sum := range sums {
				for g, v := range sum {
					t.AddLoad(v, v, p, float*(j+g*t.Width()))
					t.Store(v, p, float*(j+g*t.Width()))
				}
				t.AdvanceReg(p, stride)
			}
			c = p
		}
	}
	t.Done()
}

// tileSums returns the sums over k rows of rows[0] elements of a, from rows[1] on, and the two
// groups at an offset of b.
func tileSums(t Target, rows [2]int, a, b, k reg.GPVirtual, offset int, loop string) [][2]Group {
	a, b, k = t.CopyInt(a), t.CopyInt(b), t.CopyInt(k)
	sums := make([][2]Group, rows[0])
	for i := range sums {
		for g := range sums[i] {
			sums[i][g] = t.New(t.Width())
			t.Zero(sums[i][g])
		}
	}
	t.LoopLabel(loop)
	var y [2]Group
	for g := range y {
		y[g] = t.New(t.Width())
		t.Load(y[g], b, offset+float*g*t.Width())
	}
	for i := range sums {
		x := t.NewUniform()
		t.LoadBroadcast(x, a, float*(rows[1]+i))
		for g, sum := range sums[i] {
			product := t.New(t.Width())
			t.Mul(product, y[g], x)
			t.Add(sum, sum, product)
		}
	}
	t.Advance(a, tileRows*float)
	t.Advance(b, tileCols*float)
	t.Decrement(k, 1)
	t.IfAtLeast(k, 1, loop)
	return sums
}
