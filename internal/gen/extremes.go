package main

import "github.com/mmcloughlin/avo/reg"

const (
	infinity      = 0x7f800000
	minusInfinity = 0xff800000
)

func init() {
	kernel("min", "func(x []float32) float32", func(t Target) {
		extreme(t, t.Least, infinity)
	}).inWide().slowByHand()
	kernel("max", "func(x []float32) float32", func(t Target) {
		extreme(t, t.Greatest, minusInfinity)
	}).inWide().slowByHand()
	kernel("find", "func(x []float32, v float32) int", find).partOf("Find").inWide()
}

// extreme returns a float with the bits none if no element is a number. It returns zeros as +0. n
// is at most asm.Block.
func extreme(t Target, keep func(best, v Group), none uint32) {
	x, n := t.PointerParam("x"), t.IntParam("n")
	width := t.Width()
	all := copyInt(t, n)
	var best []Group
	for range 4 {
		best = append(best, t.New(width))
		t.Fill(best[len(best)-1], none)
	}
	eight := t.New(8)
	t.Fill(eight, none)
	group := func(best Group, load func(v Group)) {
		v := t.New(best.width)
		load(v)
		keep(best, v)
	}
	from := func(p reg.GPVirtual, offset int) func(v Group) {
		return func(v Group) { t.Load(v, p, offset) }
	}

	block := 4 * width
	xs := walk{t, n, []vector{{x, float}}}
	xs.loop(t.LoopLabel, "loop", block, "rest", func() {
		t.Comment("Four groups per iteration.")
		for i, b := range best {
			group(b, from(x, float*width*i))
		}
	})
	keep(best[0], best[1])
	keep(best[2], best[3])
	keep(best[0], best[2])
	if width > 8 {
		upper := t.New(8)
		t.UpperHalf(upper, best[0])
		keep(eight, upper)
	}
	keep(eight, t.Narrow(best[0], 8))

	t.Label("rest")
	xs.loop(t.Label, "eights", 8, "few", func() { group(eight, from(x, 0)) })
	t.Label("few")
	t.IfAtMost(n, 0, "fold")
	t.IfLess(all, 8, "single")
	t.Comment("The last eight elements, some of which were read before.")
	group(eight, from(t.Address(x, n, float), -8*float))
	t.Jump("fold")
	t.Label("single")
	group(eight, func(v Group) { t.LoadBroadcast(v, x, 0) })
	xs.next(1)
	t.IfAtLeast(n, 1, "single")

	t.Label("fold")
	for half := 4; half > 0; half /= 2 {
		upper := t.New(half)
		t.UpperHalf(upper, t.Narrow(eight, 2*half))
		keep(t.Narrow(eight, half), upper)
	}
	zero := t.New(1)
	t.Zero(zero)
	t.Add(t.Narrow(eight, 1), t.Narrow(eight, 1), zero) // -0 becomes +0
	t.Return(t.Narrow(eight, 1))
}

// find returns the number of elements before the first group that has an element equal to v, or n
// if there is none. n is a positive multiple of 16, and at most asm.Block.
func find(t Target) {
	x, n := t.PointerParam("x"), t.IntParam("n")
	v := t.BroadcastParam("v")
	at, group := t.NewInt(), t.New(t.Width())
	t.SetConst(at, 0)
	t.LoopLabel("loop")
	t.Load(group, x, 0)
	t.IfAnyEqual(group, v, "found")
	t.Advance(x, float*t.Width())
	t.Advance(at, t.Width())
	t.IfLessReg(at, n, "loop")
	t.Label("found")
	t.ReturnInt(at)
}
