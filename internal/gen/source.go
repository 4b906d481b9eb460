package main

import "github.com/mmcloughlin/avo/reg"

// A source hands a kernel's formula its operands: a group straight from memory, or the part of one
// that exists.
type source struct {
	t      Target
	p      []reg.GPVirtual
	bytes  reg.GPVirtual
	first  int  // the group's first element, counted from the pointers
	part   Part // nil for a whole group
	behind bool // another group comes before
}

// incomplete is the source of a part of the group.
func (s source) incomplete(part Part, behind bool) source {
	s.part, s.behind = part, behind
	return s
}

func (s source) load(dst Group, i int) {
	switch {
	case s.part == nil:
		s.t.Load(dst, s.p[i], float*s.first)
	case s.behind:
		s.t.LoadLast(dst, s.p[i], float*s.first, s.part)
	default:
		s.t.LoadPart(dst, s.p[i], float*s.first, s.part)
	}
}

// mul is dst = a * operand, add and sub are the same for + and -.
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

// store stores the whole group, and loadBytes makes floats of as many bytes as it has, also of an
// incomplete one.
func (s source) store(v Group, i int) { s.t.Store(v, s.p[i], float*s.first) }
func (s source) loadBytes(dst Group)  { s.t.LoadBytes(dst, false, s.bytes, s.first) }
