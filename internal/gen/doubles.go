package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dot64", "func(x, y []float32) float64", func(t Target) {
		sums := sumDoubles(t, 1, func(add func(k int, v Group), a, b Group) {
			t.MulDoubles(a, a, b)
			add(0, a)
		})
		t.ReturnDouble(sums[0])
	}).inWide()
	kernel("squaredDistance64", "func(x, y []float32) float64", func(t Target) {
		sums := sumDoubles(t, 1, func(add func(k int, v Group), a, b Group) {
			t.SubDoubles(a, a, b)
			t.MulDoubles(a, a, a)
			add(0, a)
		})
		t.ReturnDouble(sums[0])
	}).inWide()
	kernel("dotNorms64", "func(dst *float64, x, y []float32)", func(t Target) {
		dst := t.PointerParam("dst")
		sums := sumDoubles(t, 3, func(add func(k int, v Group), a, b Group) {
			xy := t.New(t.Width())
			t.MulDoubles(xy, a, b)
			add(0, xy)
			t.MulDoubles(a, a, a)
			add(1, a)
			t.MulDoubles(b, b, b)
			add(2, b)
		})
		for k, v := range sums {
			t.Store(t.Narrow(v, 2), dst, double*k)
		}
		t.Done()
	}).inWide().passingSlices().slowByHand()
}

const doubleLanes = lanes / 2

// sumDoubles computes count sums of 32 lanes over x and y as float64s, each in lane 0 of a group.
// terms receives a group of doubles of each vector, a of x and b of y, which it may overwrite. x
// has at most asm.Block elements.
func sumDoubles(t Target, count int,
	terms func(add func(k int, v Group), a, b Group)) (total []Group) {
	s := doubleSums{t: t, terms: terms, x: t.PointerParam("x"), y: t.PointerParam("y"),
		n: t.IntParam("len(x)"), lane: make([][]Group, count)}
	width := t.Width()
	s.half = width / 2
	s.all = copyInt(t, s.n)
	s.part = t.LastPart(t.Part(s.n, width))
	if count*doubleLanes/s.half+3 > t.Registers() {
		s.twoPasses()
	} else {
		s.pass("", []int{0, 1, 2, 3}[:doubleLanes/width])
	}
	for _, lane := range s.lane {
		v := fold(lane, t.AddDoubles)
		t.FoldDoubles(v)
		total = append(total, v)
	}
	return total
}

// twoPasses computes pairs 0 and 2 of the groups of lanes of each sum in the first pass, and pairs
// 1 and 3 in the second. The target's widest group must have eight floats.
func (s *doubleSums) twoPasses() {
	t, width := s.t, s.t.Width()
	s.scratch = t.Scratch()
	first := *s
	first.x, first.y, first.n = copyInt(t, s.x), copyInt(t, s.y), copyInt(t, s.n)
	first.pass("first", []int{0, 2})
	s.pass("second", []int{1, 3})
	// The two passes have lanes that are 8 apart.
	for k, lane := range s.lane {
		for i, v := range lane {
			other := t.New(width)
			t.Load(other, s.scratch, float*width*(2*k+i))
			t.AddDoubles(v, other, v)
		}
	}
}

// doubleSums emits float64 sums. A group of floats converts to two groups of doubles, so each sum
// keeps its lanes in pairs of groups: group i of every 32 floats is added to pair i.
type doubleSums struct {
	t       Target
	terms   func(add func(k int, v Group), a, b Group)
	x, y, n reg.GPVirtual
	all     reg.GPVirtual // number of elements in each vector
	half    int           // number of doubles in the widest group
	part    Part          // floats of the last group that exist
	scratch reg.GPVirtual // space for the first pass's lanes, then two groups; nil for one pass
	pairs   []int         // numbers of the pairs of groups in the current pass
	lane    [][]Group     // lanes of each sum, two groups per pair
}

func (s *doubleSums) pass(name string, pairs []int) {
	t, width := s.t, s.t.Width()
	s.pairs, s.lane = pairs, make([][]Group, len(s.lane))
	for k := range s.lane {
		s.lane[k] = zeros(t, 2*len(s.pairs), width)
	}
	part := func(i int) string { return fmt.Sprint(name, "part", i) }
	xy := walk{t, s.n, []vector{{s.x, float}, {s.y, float}}}
	xy.loop(t.LoopLabel, name+"loop", doubleLanes, name+"rest", func() {
		t.Comment("32 elements per iteration, one to each lane.")
		for i := range s.pairs {
			s.whole(i)
		}
	})
	t.Label(name + "rest")
	t.Comment("Fewer than 32 are left: whole groups, then an incomplete one.")
	if !t.Rotates() {
		t.IfLess(s.all, width, name+"few")
	}
	last := len(s.pairs) - 1
	for i, pair := range s.pairs {
		t.IfAtMost(s.n, width*pair, name+"fold")
		if width*(pair+1) == doubleLanes { // fewer than 32 elements remain
			t.Jump(part(i))
			break
		}
		t.IfLess(s.n, width*(pair+1), part(i))
		s.whole(i)
		if i == last {
			t.Jump(name + "fold")
		}
	}
	for i := range s.pairs {
		t.Label(part(i))
		s.last(i, true)
		t.Jump(name + "fold")
	}
	if !t.Rotates() { // an incomplete group after no whole group is loaded differently
		t.Label(name + "few")
		if s.pairs[0] == 0 {
			t.IfAtMost(s.n, 0, name+"fold")
			s.last(0, false)
		}
	}
	t.Label(name + "fold")
	if s.scratch == nil {
		return
	}
	for k, lane := range s.lane {
		for i := range 2 {
			t.AddDoubles(lane[i], lane[i], lane[i+2])
			if pairs[0] == 0 {
				t.Store(lane[i], s.scratch, float*width*(2*k+i))
			}
		}
		s.lane[k] = lane[:2]
	}
}

func (s *doubleSums) whole(i int) {
	t := s.t
	for g := range 2 {
		a, b := t.New(t.Width()), t.New(t.Width())
		offset := float * (t.Width()*s.pairs[i] + s.half*g)
		t.LoadDoubles(a, s.x, offset)
		t.LoadDoubles(b, s.y, offset)
		s.add(2*i+g, a, b)
	}
}

// last does the work of whole for a group of which only the floats in s.part exist. afterWhole
// reports whether a whole group precedes it in memory.
func (s *doubleSums) last(i int, afterWhole bool) {
	t := s.t
	from := source{t, []reg.GPVirtual{s.x, s.y}, nil, t.Width() * s.pairs[i], s.part, afterWhole}
	if s.scratch != nil { // too few registers for four groups of doubles
		for k, space := range []int{6, 7} {
			v := t.New(t.Width())
			from.load(v, k)
			t.Store(v, s.scratch, float*t.Width()*space)
		}
		for g := range 2 {
			a, b := t.New(t.Width()), t.New(t.Width())
			t.LoadDoubles(a, s.scratch, float*(6*t.Width()+s.half*g))
			t.LoadDoubles(b, s.scratch, float*(7*t.Width()+s.half*g))
			s.add(2*i+g, a, b)
		}
		return
	}
	var low, high [2]Group
	for k := range low {
		v := t.New(t.Width())
		from.load(v, k)
		low[k], high[k] = t.New(t.Width()), t.New(t.Width())
		t.Doubles(low[k], high[k], v)
	}
	s.add(2*i, low[0], low[1])
	s.add(2*i+1, high[0], high[1])
}

func (s *doubleSums) add(lane int, a, b Group) {
	s.terms(func(k int, v Group) { s.t.AddDoubles(s.lane[k][lane], s.lane[k][lane], v) }, a, b)
}
