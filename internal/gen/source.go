package main

import "github.com/mmcloughlin/avo/reg"

// A source hands a kernel's formula its operands: whole groups straight from memory, or the part of
// one that exists.
type source interface {
	load(dst Group, operand int)
	mul(dst, a Group, operand int) // dst = a * operand
	add(dst, a Group, operand int) // dst = a + operand
	sub(dst, a Group, operand int) // dst = a - operand
	store(v Group, operand int)    // the whole group, also of an incomplete one
	loadBytes(dst Group)           // floats of as many bytes, also of an incomplete group
}

type whole struct {
	t     Target
	p     []reg.GPVirtual
	bytes reg.GPVirtual
	first int // the group's first element, counted from the pointers
}

func (s whole) load(dst Group, i int)   { s.t.Load(dst, s.p[i], float*s.first) }
func (s whole) mul(dst, a Group, i int) { s.t.MulLoad(dst, a, s.p[i], float*s.first) }
func (s whole) add(dst, a Group, i int) { s.t.AddLoad(dst, a, s.p[i], float*s.first) }
func (s whole) sub(dst, a Group, i int) { s.t.SubLoad(dst, a, s.p[i], float*s.first) }
func (s whole) store(v Group, i int)    { s.t.Store(v, s.p[i], float*s.first) }
func (s whole) loadBytes(dst Group)     { s.t.LoadBytes(dst, s.bytes, s.first) }

type incomplete struct {
	whole
	part   Part
	behind bool // a whole group
}

func (s incomplete) load(dst Group, i int) {
	if s.behind {
		s.t.LoadLast(dst, s.p[i], float*s.first, s.part)
	} else {
		s.t.LoadPart(dst, s.p[i], float*s.first, s.part)
	}
}

func (s incomplete) mul(dst, a Group, i int) {
	b := s.t.New(dst.width)
	s.load(b, i)
	s.t.Mul(dst, a, b)
}

func (s incomplete) add(dst, a Group, i int) {
	b := s.t.New(dst.width)
	s.load(b, i)
	s.t.Add(dst, a, b)
}

func (s incomplete) sub(dst, a Group, i int) {
	b := s.t.New(dst.width)
	s.load(b, i)
	s.t.Sub(dst, a, b)
}
