package main

import "github.com/mmcloughlin/avo/reg"

// A source hands a kernel's formula its operands: whole groups straight from memory, or the part of one that exists.
type source interface {
	load(dst Group, operand int)
	mul(dst, a Group, operand int) // dst = a * operand
	add(dst, a Group, operand int) // dst = a + operand
	sub(dst, a Group, operand int) // dst = a - operand
	store(v Group, operand int)    // the whole group, also of an incomplete one
	first() int                    // the group's first element, counted from where the pointers are
}

type whole struct {
	t      Target
	p      []reg.GPVirtual
	offset int
}

func (s whole) store(v Group, i int)    { s.t.Store(v, s.p[i], s.offset) }
func (s whole) first() int              { return s.offset / float }
func (s whole) load(dst Group, i int)   { s.t.Load(dst, s.p[i], s.offset) }
func (s whole) mul(dst, a Group, i int) { s.t.MulLoad(dst, a, s.p[i], s.offset) }
func (s whole) add(dst, a Group, i int) { s.t.AddLoad(dst, a, s.p[i], s.offset) }
func (s whole) sub(dst, a Group, i int) { s.t.SubLoad(dst, a, s.p[i], s.offset) }

type incomplete struct {
	whole
	part Part
}

func (s incomplete) load(dst Group, i int) { s.t.LoadPart(dst, s.p[i], s.offset, s.part) }

func (s incomplete) mul(dst, a Group, i int) {
	b := s.t.New(8)
	s.load(b, i)
	s.t.Mul(dst, a, b)
}

func (s incomplete) add(dst, a Group, i int) {
	b := s.t.New(8)
	s.load(b, i)
	s.t.Add(dst, a, b)
}

func (s incomplete) sub(dst, a Group, i int) {
	b := s.t.New(8)
	s.load(b, i)
	s.t.Sub(dst, a, b)
}
