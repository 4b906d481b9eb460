package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// groups of eight lanes in a dense sum.
const groups = 8

// sum emits a kernel that adds term over the vectors named, in 64 lanes. n is at most asm.Block.
func sum(t Target, vectors []string, term func(dst Group, s source)) {
	sumBeside(t, vectors, nil, term)
}

// sumBeside is sum for a term that reads bytes as well, which move with the vectors.
func sumBeside(t Target, vectors []string, bytes []reg.GPVirtual, term func(dst Group, s source)) {
	var p []reg.GPVirtual
	for _, v := range vectors {
		p = append(p, t.PointerParam(v))
	}
	n := t.IntParam("n")

	lane := make([]Group, groups)
	for g := range lane {
		lane[g] = t.New(8)
	}
	product, zero := t.New(8), t.New(8)

	// first puts a term into lanes that are still +0. The sum of +0 and -0 is +0, so one group has to be added to it in
	// earnest; in the others -0 does as well, for the folds add them to that group in the end.
	first := func(g int, s source) {
		term(lane[g], s)
		if g == 0 {
			t.Add(lane[g], lane[g], zero)
		}
	}
	add := func(g int, s source) {
		term(product, s)
		t.Add(lane[g], lane[g], product)
	}
	at := func(g int) whole { return whole{t, p, 8 * float * g} }
	next := func() {
		for _, v := range p {
			t.Advance(v, 8*float*groups)
		}
		for _, v := range bytes {
			t.Advance(v, 8*groups)
		}
		t.Decrement(n, 8*groups)
	}

	// finish ends the function; each way has its own end, for a jump to a common one costs short vectors more than the
	// code is worth.
	finish := func(lane []Group) {
		foldGroups(t, lane)
		t.Fold(lane[0])
		t.Return(t.Narrow(lane[0], 1))
	}

	t.Zero(zero)
	part := t.Part(n) // early: at the end the fold would wait for it
	t.IfAtLeast(n, 8*groups, "long")
	t.Comment("Less than 64 in all: the lanes that are met hold one term each, the others need no folding.")
	for g := range groups - 1 {
		t.IfAtMost(n, 8*(g+1), fmt.Sprint("short", g))
		first(g, at(g))
	}
	for g := groups - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("short", g))
		if g == 0 {
			t.IfAtMost(n, 0, "empty")
		}
		first(g, incomplete{at(g), part})
		finish(lane[:g+1])
	}
	t.Label("empty")
	t.Return(t.Narrow(zero, 1))

	t.Label("long")
	t.Comment("The first 64 elements start the lanes.")
	for g := range groups {
		first(g, at(g))
	}
	next()
	t.IfLess(n, 8*groups, "rest")
	t.Label("blocks")
	t.Comment("64 elements a turn, one to each lane.")
	for g := range groups {
		add(g, at(g))
	}
	next()
	t.IfAtLeast(n, 8*groups, "blocks")

	t.Label("rest")
	t.Comment("Less than 64 are left: whole groups, then what is left of one.")
	t.IfAtMost(n, 0, "none")
	for g := range groups - 1 {
		t.IfAtMost(n, 8*(g+1), fmt.Sprint("rest", g))
		add(g, at(g))
	}
	for g := groups - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("rest", g))
		add(g, incomplete{at(g), part})
		finish(lane)
	}
	t.Label("none")
	finish(lane)
}

// foldGroups folds as many groups as there are, as if those behind them were +0, into the first.
func foldGroups(t Target, lane []Group) {
	for half := groups / 2; half > 0; half /= 2 {
		for g := half; g < len(lane) && g < 2*half; g++ {
			t.Add(lane[g-half], lane[g-half], lane[g])
		}
		lane = lane[:min(half, len(lane))]
	}
}
