package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// A mixedSum adds up terms of two vectors, of which y has narrower elements than x's floats, in 64
// lanes. n is at most asm.Block.
type mixedSum struct {
	t       Target
	x, y, n reg.GPVirtual
	size    int // bytes of an element of y
	ahead   int // how far to prefetch y, in bytes; 0 for not at all
	// load makes floats of a whole group of y, loadPart of the last n mod width elements.
	load     func(v Group, y reg.GPVirtual, offset int)
	loadPart func(v Group, y, n reg.GPVirtual, part Part)
	term     func(dst Group, x source) // of the floats of y in dst, and x
}

// sum returns the sum in a group of one.
func (m *mixedSum) sum() Group {
	t, width := m.t, m.t.Width()
	lane := zeros(t, lanes/width, width)
	add := func(g int) {
		v := t.New(width)
		m.load(v, m.y, m.size*width*g)
		m.term(v, source{t: t, p: []reg.GPVirtual{m.x}, first: width * g})
		t.Add(lane[g], lane[g], v)
	}
	xy := walk{t, m.n, []vector{{m.x, float}, {m.y, m.size}}}
	xy.loop(t.LoopLabel, "loop", lanes, "rest", func() {
		t.Comment("64 elements a turn, one to each lane.")
		for g := range lane {
			add(g)
		}
		prefetchTurn(t, m.y, m.ahead, m.size*lanes)
	})
	t.Label("rest")
	t.IfAtMost(m.n, 0, "fold")
	t.Comment("The last group, first.")
	last, start, part := t.New(width), copyInt(t, m.n), t.Part(m.n, width)
	t.Decrement(start, 1)
	t.And(start, lanes-width)
	m.loadPart(last, t.Offset(m.y, start, m.size), m.n, part)
	m.term(last, source{t: t, p: []reg.GPVirtual{t.Address(m.x, start, float)}, part: part})
	for g := range len(lane) - 1 {
		t.IfAtMost(m.n, width*(g+1), fmt.Sprint("rest", g))
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
	return t.Narrow(lane[0], 1)
}
