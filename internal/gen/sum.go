package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// groups of eight lanes in a dense sum.
const groups = 8

// sum emits a kernel that adds term over the vectors named, in 64 lanes. n is at most asm.Block.
//
// Each way through it has its own end: a jump to a common one costs short vectors more than the
// code is worth.
func sum(t Target, vectors []string, term func(dst Group, s source)) {
	s := newSummation(t, vectors, nil, term)
	finish := func(lane []Group) {
		foldGroups(t, lane)
		t.Fold(lane[0])
		t.Return(t.Narrow(lane[0], 1))
	}

	t.Zero(s.zero)
	part := t.Part(s.n) // early: at the end the fold would wait for it
	var last Part
	t.IfAtLeast(s.n, 8*groups, "long")
	t.Comment("Less than 64 in all: a lane that is used holds one term, the others need no " +
		"folding.")
	for g := range groups - 1 {
		t.IfAtMost(s.n, 8*(g+1), fmt.Sprint("short", g))
		if g == 0 {
			last = t.LastPart(part)
		}
		s.first(g, s.at(g))
	}
	for g := groups - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("short", g))
		if g == 0 {
			t.IfAtMost(s.n, 0, "empty")
		}
		if g == 0 {
			s.first(g, incomplete{s.at(g), part, false})
		} else {
			s.first(g, incomplete{s.at(g), last, true})
		}
		finish(s.lane[:g+1])
	}
	t.Label("empty")
	t.Return(t.Narrow(s.zero, 1))

	s.blocks()
	t.Comment("Less than 64 are left: whole groups, then what is left of one.")
	t.IfAtMost(s.n, 0, "none")
	last = t.LastPart(part)
	for g := range groups - 1 {
		t.IfAtMost(s.n, 8*(g+1), fmt.Sprint("rest", g))
		s.add(g, s.at(g))
	}
	for g := groups - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("rest", g))
		s.add(g, incomplete{s.at(g), last, true})
		finish(s.lane)
	}
	t.Label("none")
	finish(s.lane)
}

// sumLongTerms is sum in less code, for terms of many instructions: the last group, be it whole or
// not, is in one place for all ends of a way, before the other groups, and the ends are shared. A
// term may read bytes as well, which move with the vectors. n is at least 1.
func sumLongTerms(t Target, vectors []string, bytes reg.GPVirtual, term func(dst Group, s source)) {
	s := newSummation(t, vectors, bytes, term)
	end := t.New(8)
	last := func(behind bool) {
		t.Comment("The last group, first.")
		part, start := t.Part(s.n), t.CopyInt(s.n)
		t.Decrement(start, 1)
		t.And(start, 8*groups-8)
		if behind {
			part = t.LastPart(part)
		}
		term(end, incomplete{s.from(start), part, behind})
	}

	t.Zero(s.zero)
	t.IfAtLeast(s.n, 8*groups, "long")
	last(false)
	t.Add(end, end, s.zero) // as in first: all are added to this one
	t.Comment("Less than 64 in all: a lane that is used holds one term, the others need no " +
		"folding.")
	for g := range groups - 1 {
		t.IfAtMost(s.n, 8*(g+1), fmt.Sprint("short", g))
		term(s.lane[g], s.at(g))
	}
	for g := groups - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("short", g))
		if g > 0 {
			lane := append(s.lane[:g:g], end)
			foldGroups(t, lane)
			t.Add(end, lane[0], s.zero) // a copy
		}
		if g > 1 {
			t.Jump("short0")
		}
	}
	t.Fold(end)
	t.Return(t.Narrow(end, 1))

	s.blocks()
	t.IfAtMost(s.n, 0, "fold")
	last(true)
	for g := range groups - 1 {
		t.IfAtMost(s.n, 8*(g+1), fmt.Sprint("rest", g))
		s.add(g, s.at(g))
	}
	for g := groups - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("rest", g))
		t.Add(s.lane[g], s.lane[g], end)
		if g > 0 {
			t.Jump("fold")
		}
	}
	t.Label("fold")
	foldGroups(t, s.lane)
	t.Fold(s.lane[0])
	t.Return(t.Narrow(s.lane[0], 1))
}

// A summation is what the ways through a sum share.
type summation struct {
	t             Target
	vectors       []reg.GPVirtual
	bytes         reg.GPVirtual // nil, if there are none
	n             reg.GPVirtual // elements that are left
	term          func(dst Group, s source)
	lane          []Group
	product, zero Group
}

func newSummation(t Target, vectors []string, bytes reg.GPVirtual,
	term func(dst Group, s source)) *summation {
	s := &summation{t: t, bytes: bytes, term: term, lane: make([]Group, groups)}
	for _, v := range vectors {
		s.vectors = append(s.vectors, t.PointerParam(v))
	}
	s.n = t.IntParam("n")
	for g := range s.lane {
		s.lane[g] = t.New(8)
	}
	s.product, s.zero = t.New(8), t.New(8)
	return s
}

// at is the operands of group g.
func (s *summation) at(g int) whole { return whole{s.t, s.vectors, s.bytes, 8 * g} }

// from is the operands of the group that starts at the element whose number is in a register.
func (s *summation) from(start reg.GPVirtual) whole {
	w := whole{t: s.t}
	for _, v := range s.vectors {
		w.p = append(w.p, s.t.Address(v, start, float))
	}
	if s.bytes != nil {
		w.bytes = s.t.Address(s.bytes, start, 1)
	}
	return w
}

// first puts a term into lanes that are still +0. The sum of +0 and -0 is +0, so one group has to
// be added to it in earnest; in the others -0 does as well, for the folds add them to that group in
// the end.
func (s *summation) first(g int, from source) {
	s.term(s.lane[g], from)
	if g == 0 {
		s.t.Add(s.lane[g], s.lane[g], s.zero)
	}
}

func (s *summation) add(g int, from source) {
	s.term(s.product, from)
	s.t.Add(s.lane[g], s.lane[g], s.product)
}

// blocks adds all whole blocks of 64 elements, at label "long", and ends at label "rest".
func (s *summation) blocks() {
	t := s.t
	next := func() {
		for _, v := range s.vectors {
			t.Advance(v, 8*float*groups)
		}
		if s.bytes != nil {
			t.Advance(s.bytes, 8*groups)
		}
		t.Decrement(s.n, 8*groups)
	}
	t.Label("long")
	t.Comment("The first 64 elements start the lanes.")
	for g := range groups {
		s.first(g, s.at(g))
	}
	next()
	t.IfLess(s.n, 8*groups, "rest")
	t.Label("blocks")
	t.Comment("64 elements a turn, one to each lane.")
	for g := range groups {
		s.add(g, s.at(g))
	}
	next()
	t.IfAtLeast(s.n, 8*groups, "blocks")
	t.Label("rest")
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
