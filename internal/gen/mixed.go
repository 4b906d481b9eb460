package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// mixedSum emits sums over a float32 vector x and a vector y of narrower elements, in 64 lanes
// each. n is at most asm.Block.
type mixedSum struct {
	t        Target
	x, y, n  reg.GPVirtual
	size     int // bytes per element of y
	prefetch int // prefetch distance in y, in bytes; 0 for none
	// load converts a whole group of y to float32s. loadPart converts the last n mod width
	// elements, or a whole group if n mod width is 0.
	load     func(v Group, y reg.GPVirtual, offset int)
	loadPart func(v Group, y, n reg.GPVirtual, part Part, name string)
	terms    []mixedTerm // one per sum
	reset    func()      // restores x, y and n for another pass; unused for one sum
}

// v holds elements of y, converted to float32. dst may be v.
type mixedTerm func(dst, v Group, x source)

// If the registers cannot hold the lanes of all sums, sums makes one pass over the vectors for each
// sum.
func (m *mixedSum) sums() (sums []Group) {
	if len(m.terms)*lanes/m.t.Width() < m.t.Registers() {
		return m.pass("", m.terms)
	}
	for k, term := range m.terms {
		if k > 0 {
			m.reset()
		}
		sums = append(sums, m.pass(fmt.Sprint("pass", k), []mixedTerm{term})...)
	}
	return sums
}

func (m *mixedSum) pass(name string, terms []mixedTerm) (sums []Group) {
	t, width := m.t, m.t.Width()
	count := lanes / width
	lane := zeros(t, len(terms)*count, width)
	// the last terms overwrite v
	of := func(v Group, x source) (all []Group) {
		for k, term := range terms {
			dst := v
			if k < len(terms)-1 {
				dst = t.New(width)
			}
			term(dst, v, x)
			all = append(all, dst)
		}
		return all
	}
	add := func(g int, all []Group) {
		for k, v := range all {
			t.Add(lane[k*count+g], lane[k*count+g], v)
		}
	}
	whole := func(g int) {
		v := t.New(width)
		m.load(v, m.y, m.size*width*g)
		add(g, of(v, source{t: t, p: []reg.GPVirtual{m.x}, first: width * g}))
	}
	rest := func(g int) string { return fmt.Sprint(name, "rest", g) }
	xy := walk{t, m.n, []vector{{m.x, float}, {m.y, m.size}}}
	xy.loop(t.LoopLabel, name+"loop", lanes, name+"rest", func() {
		t.Comment("64 elements per iteration, one to each lane.")
		for g := range count {
			whole(g)
		}
		prefetchIteration(t, m.y, m.prefetch, m.size*lanes)
	})
	t.Label(name + "rest")
	t.IfAtMost(m.n, 0, name+"fold")
	t.Comment("The last group is computed first.")
	v, start, part := t.New(width), copyInt(t, m.n), t.Part(m.n, width)
	t.Decrement(start, 1)
	t.And(start, lanes-width)
	m.loadPart(v, t.Offset(m.y, start, m.size), m.n, part, name)
	last := of(v, source{t: t, p: []reg.GPVirtual{t.Address(m.x, start, float)}, part: part})
	for g := range count - 1 {
		t.IfAtMost(m.n, width*(g+1), rest(g))
		whole(g)
	}
	for g := count - 1; g >= 0; g-- {
		t.Label(rest(g))
		add(g, last)
		if g > 0 {
			t.Jump(name + "fold")
		}
	}
	t.Label(name + "fold")
	for k := range terms {
		sum := lane[k*count:][:count]
		foldGroups(t, sum)
		t.Fold(sum[0])
		sums = append(sums, t.Narrow(sum[0], 1))
	}
	return sums
}
