package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("rankKPairs", "func(c []int32, stride int, a, b []uint32, k int)", rankKPairs).
		trusting().inWide()
}

// Dimensions, in int32 elements, of the tile of rankKPairs: asm.TileRows and asm.TileCols.
const tileRows, tileCols = 12, 32

// k must be at least 1.
func rankKPairs(t Target) {
	a, b, k := t.PointerParam("a"), t.PointerParam("b"), t.IntParam("k")
	c, stride := t.PointerParam("c"), t.IntParam("stride")
	t.ShiftLeft(stride, 2)
	rows, cols := tileRows, 2*t.Width()
	if t.Registers() < 32 {
		rows /= 2
	}
	for i := 0; i < tileRows; i += rows {
		first := c
		for j := 0; j < tileCols; j += cols {
			t.Comment(fmt.Sprintf("Rows %d to %d of the tile, columns %d to %d.", i, i+rows-1, j,
				j+cols-1))
			name := fmt.Sprint("tile", i, "x", j)
			p := copyInt(t, first)
			t.Label("ahead_" + name)
			for range rows { // c is needed at the end
				for line := 0; line < cols; line += 64 / float {
					t.Prefetch(p, float*(j+line))
				}
				t.AdvanceReg(p, stride)
			}
			t.SetInt(p, first)
			sums := tileSums(t, i, rows, a, b, k, float*j, name)
			t.Label("end_" + name)
			for r, sum := range sums {
				for g, v := range sum {
					old := t.New(t.Width())
					t.Load(old, p, float*(j+g*t.Width()))
					t.BitsAdd(v, v, old)
					t.Store(v, p, float*(j+g*t.Width()))
				}
				if i+r < tileRows-1 {
					t.AdvanceReg(p, stride)
				}
			}
			c = p
		}
	}
	t.Done()
}

// tileSums multiplies count elements of a row of a, from element first on, by each of two groups of
// the same row of b, which begin at byte offset. It returns the sums of the products over the rows.
func tileSums(t Target, first, count int, a, b, k reg.GPVirtual, offset int,
	loop string) [][2]Group {
	a, b, k = copyInt(t, a), copyInt(t, b), copyInt(t, k)
	sums := make([][2]Group, count)
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
		t.LoadBroadcast(x, a, float*(first+i))
		for g, sum := range sums[i] {
			product := t.New(t.Width())
			t.MulPairs(product, y[g], x)
			t.BitsAdd(sum, sum, product)
		}
	}
	t.Advance(a, tileRows*float)
	t.Advance(b, tileCols*float)
	t.Decrement(k, 1)
	t.IfAtLeast(k, 1, loop)
	return sums
}
