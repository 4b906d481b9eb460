package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dot64", "func(x, y []float32) float64", dot64).inWide()
}

// doubleLanes are those of a sum of float64: half as many as others have, in as many registers.
const doubleLanes = lanes / 2

// dot64 adds products, which float64 holds exactly, in 32 lanes of float64. The registers of a
// group of floats hold half as many doubles, so that two groups of lanes go together. n is at most
// asm.Block.
func dot64(t Target) {
	x, y, n := t.PointerParam("x"), t.PointerParam("y"), t.IntParam("n")
	width := t.Width()
	half := width / 2
	all := copyInt(t, n)
	part := t.LastPart(t.Part(n, width))
	lane := zeros(t, doubleLanes/half, width)
	add := func(g int, a, b Group) {
		t.MulDoubles(a, a, b)
		t.AddDoubles(lane[g], lane[g], a)
	}
	both := func(g int) {
		a, b := t.New(width), t.New(width)
		t.LoadDoubles(a, x, float*half*g)
		t.LoadDoubles(b, y, float*half*g)
		add(g, a, b)
	}
	// last adds what is left of a group of floats.
	last := func(g int, behind bool) {
		from := source{t, []reg.GPVirtual{x, y}, nil, half * g, part, behind}
		var low, high [2]Group
		for i := range low {
			v := t.New(width)
			from.load(v, i)
			low[i], high[i] = t.New(width), t.New(width)
			t.Doubles(low[i], high[i], v)
		}
		add(g, low[0], low[1])
		add(g+1, high[0], high[1])
	}

	xy := walk{t, n, []vector{{x, float}, {y, float}}}
	xy.loop(t.LoopLabel, "loop", doubleLanes, "rest", func() {
		t.Comment("32 elements a turn, one to each lane.")
		for g := range lane {
			both(g)
		}
	})
	t.Label("rest")
	t.Comment("Less than 32 are left: whole groups, then what is left of one.")
	t.IfAtMost(n, 0, "fold")
	t.IfLess(all, width, "few")
	for g := 0; g < len(lane)-2; g += 2 {
		t.IfLess(n, half*(g+2), fmt.Sprint("part", g))
		both(g)
		both(g + 1)
		t.IfAtMost(n, half*(g+2), "fold")
	}
	for g := len(lane) - 2; g >= 0; g -= 2 {
		t.Label(fmt.Sprint("part", g))
		last(g, true)
		t.Jump("fold")
	}
	t.Label("few")
	last(0, false)

	t.Label("fold")
	sum := fold(lane, t.AddDoubles)
	t.FoldDoubles(sum)
	t.ReturnDouble(sum)
}
