package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

const lanes = 64

// sum emits a kernel that returns the sum, in 64 lanes, of term over the elements of the named
// vectors. n is at most asm.Block.
//
// On targets that mask incomplete groups, element i may go to lane (i+c) mod 64 for any c, instead
// of lane i mod 64: every fold, from 2^(k+1) lanes to 2^k, adds pairs of lanes that are 2^k apart,
// and a rotation keeps these pairs. So the code may read misaligned vectors from before their
// starts, and vectors that end near the end of a page with the incomplete group first. (A masked
// load that reaches into an unmapped page is slow.)
func sum(t Target, vectors []string, term func(dst Group, s source)) {
	sumTo(t, vectors, term, t.Return)
}

// sumTo is sum, except that end emits the end of the function, given the sum in a group of one.
func sumTo(t Target, vectors []string, term func(dst Group, s source), end func(sum Group)) {
	s := newSummation(t, pointers(t, vectors), nil, t.IntParam("n"), term)
	s.end = end
	t.Zero(s.zero)
	if t.Rotates() {
		for _, p := range s.vectors {
			t.IfNearPageEnd(p, s.n, s.width, "page")
		}
		t.Label("start")
	}
	s.short()

	t.Label("long")
	if t.Rotates() {
		t.IfMisaligned(s.vectors[0], s.width, "misaligned")
		t.Label("aligned")
	}
	t.Comment("The first 64 elements start the lanes.")
	s.first(0, s.at(0))
	if t.Rotates() {
		t.Label("headed")
	}
	s.blocks()
	s.rest()
	if t.Rotates() {
		s.misaligned()
		s.pageEnd()
	}
}

func (s *summation) short() {
	t := s.t
	if s.width == 8 {
		t.IfAtLeast(s.n, lanes+1, "long")
		s.lengths(8, 1, lanes/8)
		return
	}
	t.IfAtLeast(s.n, lanes/2+1, "over32")
	s.lengths(8, 1, lanes/2/8)
	t.Label("over32")
	t.IfAtLeast(s.n, lanes+1, "long")
	s.lengths(s.width, lanes/2/s.width+1, lanes/s.width)
}

// If minGroups is 1, lengths also handles empty vectors.
func (s *summation) lengths(width, minGroups, maxGroups int) {
	t, lane := s.t, s.groups(width)
	part := t.Part(s.n, width) // early, so that the last group need not wait for it
	lastPart := part
	name := func(g int) string {
		if width > 8 {
			return fmt.Sprint("wide", g)
		}
		return fmt.Sprint("short", g)
	}
	t.Comment("At most 64 elements: a lane in use holds one term, the other lanes need no folding.")
	for g := range maxGroups - 1 {
		if g >= minGroups-1 {
			t.IfAtMost(s.n, width*(g+1), name(g))
		}
		if g == 0 {
			lastPart = t.LastPart(part)
		}
		s.firstOf(lane, g, s.at(width*g))
	}
	for g := maxGroups - 1; g >= minGroups-1; g-- {
		t.Label(name(g))
		if g == 0 {
			t.IfAtMost(s.n, 0, "empty")
			s.firstOf(lane, g, s.at(0).incomplete(part, false))
		} else {
			s.firstOf(lane, g, s.at(width*g).incomplete(lastPart, true))
		}
		s.finish(lane[:g+1])
	}
	if minGroups == 1 {
		t.Label("empty")
		s.end(t.Narrow(s.zero, 1))
	}
}

// misaligned reads all vectors from skip bytes before their starts, so that the first vector is
// aligned. If another vector starts less than skip bytes into a page, skip is reduced to that
// distance.
func (s *summation) misaligned() {
	t := s.t
	t.Label("misaligned")
	t.IfLess(s.n, s.rotated, "aligned")
	skip := copyInt(t, s.vectors[0])
	t.And(skip, float*(s.width-1))
	for _, p := range s.vectors[1:] {
		t.StayInPage(skip, p)
	}
	for _, p := range s.vectors {
		t.DecrementReg(p, skip)
	}
	t.ShiftRight(skip, 2)
	t.AdvanceReg(s.n, skip)
	s.first(0, s.at(0).incomplete(t.Head(skip, s.width), false))
	t.Jump("headed")
}

func (s *summation) pageEnd() {
	t := s.t
	t.Label("page")
	rest := copyInt(t, s.n)
	t.And(rest, s.width-1)
	t.IfAtLeast(rest, 1, "odd")
	t.IfAtLeast(s.n, lanes, "aligned")
	t.Jump("start")
	t.Label("odd")
	last := len(s.lane) - 1
	for _, v := range s.lane[:last] {
		t.Zero(v)
	}
	for _, p := range s.vectors {
		t.SetInt(p, t.Offset(p, rest, float))
	}
	t.DecrementReg(s.n, rest)
	missing := t.NewInt()
	t.SetConst(missing, s.width)
	t.DecrementReg(missing, rest)
	s.term(s.lane[last], s.at(-s.width).incomplete(t.Head(missing, s.width), false))
	t.Jump("turns")
}

// sumLongTerms is sum with less code, for a term that takes many instructions. Unless bytes is nil,
// term may read one byte there for each element. The last of the named vectors has at least one
// element.
func sumLongTerms(t Target, vectors []string, bytes reg.GPVirtual, term func(dst Group, s source)) {
	n := t.IntParam("len(" + vectors[len(vectors)-1] + ")")
	s := newSummation(t, pointers(t, vectors), bytes, n, term)
	count := len(s.lane)
	end := t.New(s.width)
	last := func(afterWhole bool) {
		t.Comment("The last group is computed first.")
		start := copyInt(t, s.n)
		t.Decrement(start, 1)
		group := func(width int) {
			part := t.Part(s.n, width)
			t.And(start, lanes-s.width)
			if afterWhole {
				part = t.LastPart(part)
			}
			term(t.Narrow(end, width), s.from(start).incomplete(part, afterWhole))
		}
		if s.width == 8 {
			group(8)
			return
		}
		// Memory for bytes and stored results may end after eight lanes.
		few, done := fmt.Sprint("few", afterWhole), fmt.Sprint("done", afterWhole)
		t.IfWithout(start, 8, few)
		group(16)
		t.Jump(done)
		t.Label(few)
		group(8)
		t.Label(done)
	}

	t.Zero(s.zero)
	t.IfAtLeast(s.n, lanes, "long")
	last(false)
	t.Add(end, end, s.zero) // -0 becomes +0, so that sums are never -0
	t.Comment("Fewer than 64 elements: a lane in use holds one term, the other lanes need no " +
		"folding.")
	for g := range count - 1 {
		t.IfAtMost(s.n, s.width*(g+1), fmt.Sprint("short", g))
		term(s.lane[g], s.at(s.width*g))
	}
	for g := count - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("short", g))
		if g > 0 {
			lane := append(s.lane[:g:g], end)
			foldGroups(t, lane)
			t.Add(end, lane[0], s.zero) // copies lane[0], which is never -0
		}
		if g > 1 {
			t.Jump("short0")
		}
	}
	t.Fold(end)
	t.Return(t.Narrow(end, 1))

	t.Label("long")
	t.Comment("The first 64 elements start the lanes.")
	s.first(0, s.at(0))
	s.blocks()
	t.IfAtMost(s.n, 0, "fold")
	last(true)
	for g := range count - 1 {
		t.IfAtMost(s.n, s.width*(g+1), fmt.Sprint("rest", g))
		s.add(g, s.at(s.width*g))
	}
	for g := count - 1; g >= 0; g-- {
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

type summation struct {
	t             Target
	width         int // floats per group
	rotated       int // least number of elements for which misaligned vectors have their own code
	vectors       []reg.GPVirtual
	prefetch      int           // bytes to prefetch ahead in the first vector; 0: none
	bytes         reg.GPVirtual // pointer to bytes that term reads; nil for none
	n             reg.GPVirtual // number of elements left
	term          func(dst Group, s source)
	end           func(sum Group) // ends the function, given the sum
	lane          []Group         // groups of the 64 lanes
	product, zero Group           // a group of terms; a group of +0
}

func newSummation(t Target, vectors []reg.GPVirtual, bytes, n reg.GPVirtual,
	term func(dst Group, s source)) *summation {
	s := &summation{t: t, width: t.Width(), rotated: 2*lanes + 1, vectors: vectors, bytes: bytes,
		n: n, term: term}
	if len(vectors) == 1 {
		s.rotated = 8 * lanes
	}
	s.lane = s.groups(s.width)
	s.product, s.zero = t.New(s.width), t.New(s.width)
	return s
}

func pointers(t Target, names []string) (p []reg.GPVirtual) {
	for _, name := range names {
		p = append(p, t.PointerParam(name))
	}
	return p
}

func (s *summation) groups(width int) []Group {
	lane := make([]Group, lanes/width)
	for g := range lane {
		lane[g] = s.t.New(width)
	}
	return lane
}

func (s *summation) at(first int) source {
	return source{t: s.t, p: s.vectors, bytes: s.bytes, first: first}
}

func (s *summation) from(start reg.GPVirtual) source {
	w := source{t: s.t}
	for _, v := range s.vectors {
		w.p = append(w.p, s.t.Address(v, start, float))
	}
	if s.bytes != nil {
		w.bytes = s.t.Address(s.bytes, start, 1)
	}
	return w
}

// first adds +0 to the terms of group 0, because a lane starts from +0, and +0 + -0 is +0. Terms of
// other groups may stay -0: the folds add them to group 0.
func (s *summation) first(g int, from source) { s.firstOf(s.lane, g, from) }

func (s *summation) firstOf(lane []Group, g int, from source) {
	s.term(lane[g], from)
	if g == 0 {
		s.t.Add(lane[g], lane[g], s.t.Narrow(s.zero, lane[g].width))
	}
}

func (s *summation) add(g int, from source) {
	s.term(s.product, from)
	s.t.Add(s.lane[g], s.lane[g], s.product)
}

func (s *summation) finish(lane []Group) {
	foldGroups(s.t, lane)
	s.t.Fold(lane[0])
	s.end(s.t.Narrow(lane[0], 1))
}

// blocks adds all whole blocks of 64 elements to the lanes, which hold the first block's first
// group already. The code ends at the label rest.
func (s *summation) blocks() {
	t := s.t
	all := walk{t: t, n: s.n}
	for _, p := range s.vectors {
		all.vectors = append(all.vectors, vector{p, float})
	}
	if s.bytes != nil {
		all.vectors = append(all.vectors, vector{s.bytes, 1})
	}
	for g := range s.lane[1:] {
		s.first(g+1, s.at(s.width*(g+1)))
	}
	prefetchIteration(t, s.vectors[0], s.prefetch, float*lanes)
	all.next(lanes)
	if t.Rotates() {
		t.Label("turns")
	}
	all.indexedLoop("blocks", lanes, "rest", func(p []reg.GPVirtual) {
		t.Comment("64 elements per iteration, one to each lane.")
		from := source{t: t, p: p[:len(s.vectors)]}
		if s.bytes != nil {
			from.bytes = p[len(s.vectors)]
		}
		for g := range s.lane {
			from.first = s.width * g
			s.add(g, from)
		}
		prefetchIteration(t, p[0], s.prefetch, float*lanes)
	})
	t.Label("rest")
}

func prefetchIteration(t Target, p reg.GPVirtual, distance, bytes int) {
	for line := 0; distance > 0 && line < bytes; line += 64 {
		t.Prefetch(p, distance+line)
	}
}

func (s *summation) rest() {
	t := s.t
	t.Comment("Fewer than 64 are left: whole groups, then an incomplete one.")
	t.IfAtMost(s.n, 0, "none")
	part := t.LastPart(t.Part(s.n, s.width))
	for g := range len(s.lane) - 1 {
		t.IfAtMost(s.n, s.width*(g+1), fmt.Sprint("rest", g))
		s.add(g, s.at(s.width*g))
	}
	for g := len(s.lane) - 1; g >= 0; g-- {
		t.Label(fmt.Sprint("rest", g))
		s.add(g, s.at(s.width*g).incomplete(part, true))
		s.finish(s.lane)
	}
	t.Label("none")
	s.finish(s.lane)
}

// Groups that lane lacks count as +0.
func foldGroups(t Target, lane []Group) {
	for half := lanes / lane[0].width / 2; half > 0; half /= 2 {
		for g := half; g < len(lane) && g < 2*half; g++ {
			t.Add(lane[g-half], lane[g-half], lane[g])
		}
		lane = lane[:min(half, len(lane))]
	}
}
