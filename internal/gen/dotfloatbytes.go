package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	const signature = "func(x []float32, y []uint8, signed bool) float32"
	bySign("dotFloatBytes", signature).inWide()
	for _, signed := range []bool{false, true} {
		word := map[bool]string{false: "dotFloatUint8", true: "dotFloatInt8"}[signed]
		kernel(word, signature, func(t Target) { dotFloatBytes(t, signed) }).
			behind("dotFloatBytes").inWide()
	}
}

// dotFloatBytes adds up products of floats and bytes in 64 lanes. n is at most asm.Block.
func dotFloatBytes(t Target, signed bool) {
	x, y, n := t.PointerParam("x"), t.PointerParam("y"), t.IntParam("n")
	width := t.Width()
	lane := zeros(t, lanes/width, width)
	add := func(g int) {
		product := t.New(width)
		t.LoadBytes(product, signed, y, width*g)
		t.MulLoad(product, product, x, float*width*g)
		t.Add(lane[g], lane[g], product)
	}
	xy := walk{t, n, []vector{{x, float}, {y, 1}}}
	xy.loop(t.LoopLabel, "loop", lanes, "rest", func() {
		t.Comment("64 elements a turn, one to each lane.")
		for g := range lane {
			add(g)
		}
	})
	t.Label("rest")
	t.IfAtMost(n, 0, "fold")
	t.Comment("The last group, first.")
	last, v := t.New(width), t.New(width)
	start, part := copyInt(t, n), t.Part(n, width)
	t.Decrement(start, 1)
	t.And(start, lanes-width)
	t.LoadPart(last, t.Address(x, start, float), 0, part)
	t.LoadBytesPart(v, signed, t.Offset(y, start, 1), n, part)
	t.Mul(last, last, v)
	for g := range len(lane) - 1 {
		t.IfAtMost(n, width*(g+1), fmt.Sprint("rest", g))
		add(g)
	}
	for g := len(lane) - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("rest", g))
		t.Add(lane[g], lane[g], last)
		if g > 0 {
			t.Jump("fold")
		}
	}
	t.Label("fold")
	foldGroups(t, lane)
	t.Fold(lane[0])
	t.Return(t.Narrow(lane[0], 1))
}

// fewBytes returns the last n mod 8 bytes of those that begin at p, which are not all eight, in the
// order of memory, behind them zeros.
func fewBytes(t Target, p, n reg.GPVirtual) reg.GPVirtual {
	few, count := t.NewInt(), copyInt(t, n)
	t.And(count, 7)
	from := t.Offset(p, count, 1)
	t.SetConst(few, 0)
	t.Label("byte")
	t.ShiftLeft(few, 8)
	t.Decrement(from, 1)
	t.AdvanceReg(few, t.LoadByte(from, false))
	t.Decrement(count, 1)
	t.IfAtLeast(count, 1, "byte")
	return few
}
