package main

import "github.com/mmcloughlin/avo/reg"

// source supplies the operands of a kernel's formula: one group of elements of each vector.
// Elements that do not exist are +0.
type source struct {
	t          Target
	p          []reg.GPVirtual
	bytes      reg.GPVirtual // pointer into a vector of bytes; nil if the formula reads none
	first      int           // index of the group's first element, counted from the pointers
	part       Part          // which elements exist; nil for all
	afterWhole bool          // whether a whole group precedes this one; loads may read it again
}

func (s source) incomplete(part Part, afterWhole bool) source {
	s.part, s.afterWhole = part, afterWhole
	return s
}

func (s source) load(dst Group, i int) {
	switch {
	case s.part == nil:
		s.t.Load(dst, s.p[i], float*s.first)
	case s.afterWhole:
		s.t.LoadLast(dst, s.p[i], float*s.first, s.part)
	default:
		s.t.LoadPart(dst, s.p[i], float*s.first, s.part)
	}
}

func (s source) mul(dst, a Group, i int) { s.with(s.t.MulLoad, s.t.Mul, dst, a, i) }
func (s source) add(dst, a Group, i int) { s.with(s.t.AddLoad, s.t.Add, dst, a, i) }
func (s source) sub(dst, a Group, i int) { s.with(s.t.SubLoad, s.t.Sub, dst, a, i) }

func (s source) with(load func(dst, a Group, p reg.GPVirtual, offset int),
	op func(dst, a, b Group), dst, a Group, i int) {
	if s.part == nil {
		load(dst, a, s.p[i], float*s.first)
		return
	}
	b := s.t.New(dst.width)
	s.load(b, i)
	op(dst, a, b)
}

func (s source) store(v Group, i int) { s.t.Store(v, s.p[i], float*s.first) }

// loadBytes loads as many bytes as dst has lanes, even if the group is incomplete.
func (s source) loadBytes(dst Group) { s.t.LoadBytes(dst, false, s.bytes, s.first) }
