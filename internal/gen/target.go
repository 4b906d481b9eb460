package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// A Target is an instruction set as the kernels see it. A kernel is written once against it. Its unit is the group of
// eight floats: one register on amd64, two on arm64. Groups of 4, 2 and 1 serve sparse rows and short ends.
type Target interface {
	// Name is that of the ISA in functions' names. Compile ends the file and allocates its registers.
	Name() string
	Compile() (*ir.File, error)
	// Func begins a function; the target appends its name to the kernel's word.
	Func(word, signature string)
	// Pointer and Int load an argument; Broadcast fills all lanes of a new group of eight with one, Scalar makes it a group of
	// one.
	Pointer(param string) reg.GPVirtual
	Int(param string) reg.GPVirtual
	Broadcast(param string) Group
	Scalar(param string) Group
	// Return ends the function with v's lane 0 as the result; Done ends one that has no result.
	Return(v Group)
	Done()
	Comment(text string)

	// New returns a group of 8, 4, 2 or 1 floats, as yet undefined. Narrow returns the first floats of v.
	New(width int) Group
	Narrow(v Group, width int) Group
	Zero(v Group)
	// Load and Store move as many floats as the group is wide; lanes beyond a narrow group become +0.
	Load(v Group, p reg.GPVirtual, offset int)
	Store(v Group, p reg.GPVirtual, offset int)
	// Part prepares for groups of eight of which only some floats exist: n mod 8 of them, or all if that is 0. LoadPart makes the others +0 and reads none of them.
	Part(n reg.GPVirtual) Part
	LoadPart(v Group, p reg.GPVirtual, offset int, part Part)
	// Mul, Add and Sub give dst = a op b, each rounded; MulLoad, AddLoad and SubLoad take b from memory.
	Mul(dst, a, b Group)
	Add(dst, a, b Group)
	Sub(dst, a, b Group)
	MulLoad(dst, a Group, p reg.GPVirtual, offset int)
	AddLoad(dst, a Group, p reg.GPVirtual, offset int)
	BroadcastLoad(dst Group, p reg.GPVirtual, offset int)
	// LoadBytes makes floats of as many bytes as the group is wide.
	LoadBytes(v Group, p reg.GPVirtual, offset int)
	SubLoad(dst, a Group, p reg.GPVirtual, offset int)
	// KeepBelow gives dst = a where v < limit, and +0 elsewhere.
	KeepBelow(dst, a, v, limit Group)
	// Min and Max give dst = the lesser or greater of limit and a, and a where that is NaN. The Int operations see lanes as
	// unsigned integers of 32 bits.
	Min(dst, limit, a Group)
	Max(dst, limit, a Group)
	IntSub(dst, a, b Group)
	IntShiftLeft(dst, a Group, bits int)
	IntShiftRight(dst, a Group, bits int)
	// Fold adds the upper half of the lanes to the lower until lane 0 has the sum.
	Fold(v Group)
	// FoldFour folds four groups of eight at once, to a group of four that has the sum of v[i] in lane i.
	FoldFour(v [4]Group) Group

	// Indices returns two neighbouring int32. LoadAt and StoreAt move p[j] to and from a group of one. Insert sets a lane
	// of a group of four from memory, InsertAt from p[j].
	Indices(idx reg.GPVirtual, offset int) (j0, j1 reg.GPVirtual)
	Index(idx reg.GPVirtual, offset int) reg.GPVirtual
	// Index16 returns a uint16; Behind a pointer to p + 2n, for a few of them soon to come.
	Index16(idx reg.GPVirtual, offset int) reg.GPVirtual
	Behind(p, n reg.GPVirtual) reg.GPVirtual
	LoadAt(v Group, p, j reg.GPVirtual)
	// MulLoadAt and AddLoadAt give a op p[j].
	AddLoadAt(dst, a Group, p, j reg.GPVirtual)
	MulLoadAt(dst, a Group, p, j reg.GPVirtual)
	StoreAt(v Group, p, j reg.GPVirtual)
	Insert(v Group, lane int, p reg.GPVirtual, offset int)
	InsertAt(v Group, lane int, p, j reg.GPVirtual)
	// Lane copies lane 1, 2 or 3 of a group of four to lane 0 of a group of one, whose other lanes are undefined.
	Lane(dst, v Group, lane int)

	// Advance moves p by a number of bytes, AdvanceBy by as many as a register says; Decrement takes k from n,
	// Multiply makes n times k of it; Sum returns p + j, End p + 4n, Copy p; Move gives dst the value of p.
	Advance(p reg.GPVirtual, bytes int)
	AdvanceBy(p, bytes reg.GPVirtual)
	Decrement(n reg.GPVirtual, k int)
	Multiply(n, k reg.GPVirtual)
	ShiftLeft(n reg.GPVirtual, bits int)
	ShiftRight(n reg.GPVirtual, bits int)
	And(n reg.GPVirtual, k int)
	Sum(p, j reg.GPVirtual) reg.GPVirtual
	End(p, n reg.GPVirtual) reg.GPVirtual
	Copy(p reg.GPVirtual) reg.GPVirtual
	NewInt() reg.GPVirtual
	Move(dst, p reg.GPVirtual)
	Set(n reg.GPVirtual, k int)
	// Indexed returns a pointer to p + bytes, for a few loads soon to come: a register of its own or a way to address.
	Indexed(p, bytes reg.GPVirtual) reg.GPVirtual
	// AlignUp moves p and the others up by the floats that bring p to a multiple of 32 bytes, and takes them from n.
	AlignUp(n, p reg.GPVirtual, others ...reg.GPVirtual)
	// Scratch returns a pointer to eight groups' room in the function's frame, the same each time. Prefetch asks for the
	// cache line at p + offset.
	Scratch() reg.GPVirtual
	Prefetch(p reg.GPVirtual, offset int)
	// IfLess jumps where n < k, IfAtMost where n <= k, IfAtLeast where n >= k (unsigned).
	IfLess(n reg.GPVirtual, k int, label string)
	IfAtMost(n reg.GPVirtual, k int, label string)
	IfAtLeast(n reg.GPVirtual, k int, label string)
	// IfBelow jumps where n < k, IfNotBelow where not, with k in a register.
	IfBelow(n, k reg.GPVirtual, label string)
	IfNotBelow(n, k reg.GPVirtual, label string)
	Jump(label string)
	Label(name string)
}

// A Group is 8, 4, 2 or 1 floats in one or two registers.
type Group struct {
	width int
	regs  []reg.VecVirtual
}

// A Part is the register in which a target keeps how many floats of an incomplete group exist: a mask or the number.
type Part reg.Register

const float = 4 // bytes
