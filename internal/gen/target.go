package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// A Target is an instruction set as the kernels see it. A kernel is written once against it.
//
// The vector unit is the group of as many floats as Width says: eight, in one register on amd64 and
// two on arm64, or sixteen in one of 512 bits. Narrower groups, down to one float, serve sparse
// rows and short ends. Integers and pointers are general registers of 64 bits.
//
// The names keep to these rules. A method with dst or a group v as its first parameter writes
// there; one that returns a register or a group makes a new one. In ...Load the last operand comes
// from memory. In ...Reg a register is given where the namesake has a constant.
type Target interface {
	// Functions begin and end, and load their parameters.

	// Name is that of the instruction set in the names of functions.
	Name() string
	// Width is how many floats the widest group has.
	Width() int
	// Registers is how many groups of that width the registers hold.
	Registers() int
	// Compile ends the file and allocates its registers.
	Compile() (*ir.File, error)
	// Func begins a function: the target appends its name to the kernel's word.
	Func(k *kernelSpec)
	Comment(lines ...string)

	PointerParam(name string) reg.GPVirtual
	// IntParam's n is the length of the first slice, if there is one, and len(x) that of slice x.
	IntParam(name string) reg.GPVirtual
	// ScalarParam returns a group of one, BroadcastParam the widest, which is all the parameter.
	ScalarParam(name string) Group
	BroadcastParam(name string) Group

	// Return ends the function with v's lane 0 as the result, ReturnInt with n; Done ends one that
	// has no result.
	Return(v Group)
	ReturnInt(n reg.GPVirtual)
	Done()
	// Leave goes on in another function of package asm that has the same parameters and results.
	Leave(function string)

	// Integers are pointers, counts and indices.

	NewInt() reg.GPVirtual
	SetInt(dst, n reg.GPVirtual)
	SetConst(dst reg.GPVirtual, k int)

	// LoadUint32 returns the uint32 at p + offset, LoadTwoUint32 it and the next, LoadUint16 a
	// uint16.
	LoadUint32(p reg.GPVirtual, offset int) reg.GPVirtual
	LoadTwoUint32(p reg.GPVirtual, offset int) (j0, j1 reg.GPVirtual)
	LoadUint16(p reg.GPVirtual, offset int) reg.GPVirtual

	// StoreInt stores all 64 bits of n.
	StoreInt(n, p reg.GPVirtual)

	// Offset returns p + n*scale. Address is the same for a few loads soon to come: it may be a way
	// to address, which holds only while p and n are unchanged, in place of a register.
	Offset(p, n reg.GPVirtual, scale int) reg.GPVirtual
	Address(p, n reg.GPVirtual, scale int) reg.GPVirtual
	// Element is the way to address p[j], for a single float at offset 0.
	Element(p, j reg.GPVirtual) reg.GPVirtual
	// Scratch returns a pointer to space for eight groups in the function's frame, the same each
	// time.
	Scratch() reg.GPVirtual

	// Advance adds to p and Decrement subtracts from n; the others are n op= k, or p op= bytes.
	Advance(p reg.GPVirtual, bytes int)
	AdvanceReg(p, bytes reg.GPVirtual)
	Decrement(n reg.GPVirtual, k int)
	DecrementReg(n, k reg.GPVirtual)
	MultiplyReg(n, k reg.GPVirtual)
	ShiftLeft(n reg.GPVirtual, bits int)
	ShiftRight(n reg.GPVirtual, bits int)
	And(n reg.GPVirtual, k int)
	// Rotates tells whether parts are masked, so that a sum may start before its vectors do; Head
	// and IfNearPageEnd are for such targets, and StayInPage, which lessens n, a number of
	// bytes, to what p is behind the start of its page, if that is less.
	Rotates() bool
	StayInPage(n, p reg.GPVirtual)

	// Prefetch asks for the cache line at p + offset.
	Prefetch(p reg.GPVirtual, offset int)

	// Groups are made.

	// New returns a group of 16, 8, 4, 2 or 1 floats, as yet undefined.
	New(width int) Group
	// NewUniform returns one of the widest for LoadBroadcast alone to write, which may be in fewer
	// registers.
	NewUniform() Group
	// Narrow returns the first floats of v.
	Narrow(v Group, width int) Group
	Zero(v Group)
	// Fill sets all lanes to the float that has these bits.
	Fill(v Group, bits uint32)
	// CopyLane copies lane 1, 2 or 3 of a group of four to lane 0 of a group of one, whose other
	// lanes are undefined.
	CopyLane(dst, v Group, lane int)

	// Transpose changes four groups of four: lane i of group j becomes lane j of group i.
	Transpose(v *[4]Group)

	// Moves bring groups from memory and back.

	// Load and Store move as many floats as the group is wide; lanes beyond a narrow group become
	// +0.
	Load(v Group, p reg.GPVirtual, offset int)
	Store(v Group, p reg.GPVirtual, offset int)
	// LoadLane sets a lane of a group of four.
	LoadLane(v Group, lane int, p reg.GPVirtual, offset int)
	// LoadBroadcast sets all lanes to one float.
	LoadBroadcast(v Group, p reg.GPVirtual, offset int)
	// LoadBytes makes floats of as many bytes as the group is wide. Those with a sign are for the
	// widest group.
	LoadBytes(v Group, signed bool, p reg.GPVirtual, offset int)

	// LoadShorts makes floats of as many numbers of 16 bits as the group is wide: of float16s, or
	// else the floats whose bits they are, as integers. StoreShorts stores them, float16s rounded
	// and else the lower 16 bits.
	LoadShorts(v Group, float16 bool, p reg.GPVirtual, offset int)
	StoreShorts(v Group, float16 bool, p reg.GPVirtual, offset int)

	// Part prepares for groups of eight or more of which only some floats exist: n mod width of
	// them, or all if that is 0. Head is for groups whose first n floats don't exist, for targets
	// that rotate. LoadPart makes what doesn't exist +0, and reads none of it.
	Part(n reg.GPVirtual, width int) Part
	Head(n reg.GPVirtual, width int) Part
	LoadPart(v Group, p reg.GPVirtual, offset int, part Part)
	// LoadBytesPart is LoadBytes of a part, which was made of the same n, for the widest group.
	LoadBytesPart(v Group, signed bool, p, n reg.GPVirtual, part Part)
	// LoadShortsPart is the same for LoadShorts. name begins its labels.
	LoadShortsPart(v Group, float16 bool, p, n reg.GPVirtual, part Part, name string)
	// StorePart stores what exists, and nothing else.
	StorePart(v Group, p reg.GPVirtual, offset int, part Part)
	// LoadLast is LoadPart behind at least one whole group, of which it may read some again;
	// LastPart prepares for it.
	LastPart(part Part) Part
	LoadLast(v Group, p reg.GPVirtual, offset int, part Part)

	// Arithmetic gives dst = a op b in each lane, rounded.

	Mul(dst, a, b Group)
	Add(dst, a, b Group)
	Sub(dst, a, b Group)
	MulLoad(dst, a Group, p reg.GPVirtual, offset int)
	AddLoad(dst, a Group, p reg.GPVirtual, offset int)
	SubLoad(dst, a Group, p reg.GPVirtual, offset int)

	// Min and Max give the lesser or greater of limit and a, and a where that is NaN.
	Min(dst, limit, a Group)
	Max(dst, limit, a Group)
	// Least keeps the lesser of best and v in best, Greatest the greater; best stays where v is
	// NaN, and is no NaN itself.
	Least(best, v Group)
	Greatest(best, v Group)
	// KeepBelow gives a where v < limit, and +0 elsewhere.
	KeepBelow(dst, a, v, limit Group)

	// Root gives the root of a group of one. Cosine gives xy / root(xx*yy), which is in float64 and
	// rounded at the end.
	Root(dst, v Group)
	Cosine(dst, xy, xx, yy Group)

	// The Bits operations see lanes as unsigned integers of 32 bits.
	BitsAnd(dst, a, b Group)
	BitsAdd(dst, a, b Group)
	BitsSub(dst, a, b Group)
	// MulPairs sees each lane as two signed integers of 16 bits. It adds the two products of those
	// of a and b.
	MulPairs(dst, a, b Group)
	BitsShiftLeft(dst, a Group, bits int)
	BitsShiftRight(dst, a Group, bits int)

	// Doubles are float64: a group of them has half as many lanes as one of floats in the same
	// registers. The widths given are those of the registers, in floats.

	// BroadcastDouble sets all lanes to the double at p + offset.
	BroadcastDouble(v Group, p reg.GPVirtual, offset int)
	// LoadDoubles loads floats, half as many as the group is wide, and makes doubles of them;
	// Doubles makes two groups of the floats of one.
	LoadDoubles(v Group, p reg.GPVirtual, offset int)
	Doubles(low, high, v Group)
	MulDoubles(dst, a, b Group)
	AddDoubles(dst, a, b Group)
	SubDoubles(dst, a, b Group)
	DivDoubles(dst, a, b Group)
	// MulDoubleLoad and AddDoubleLoad are for groups of eight floats and more: all lanes of their
	// last operand are one double, which is in memory four times.
	MulDoubleLoad(dst, a Group, p reg.GPVirtual, offset int)
	AddDoubleLoad(dst, a Group, p reg.GPVirtual, offset int)
	// LessDoubles tells in which lanes a < b; SelectDoubles returns a there and b elsewhere.
	LessDoubles(a, b Group) Mask
	SelectDoubles(mask Mask, a, b Group) Group
	// ShiftDoublesLeft sees lanes as integers of 64 bits.
	ShiftDoublesLeft(dst, a Group, bits int)
	// FoldDoubles is Fold for doubles; ReturnDouble ends the function with lane 0.
	FoldDoubles(v Group)
	ReturnDouble(v Group)

	// Folds add the lanes of a group.

	// UpperHalf copies the upper half of v's lanes to a group of half the width.
	UpperHalf(dst, v Group)
	// Fold adds the upper half of the lanes to the lower until lane 0 has the sum.
	Fold(v Group)
	// FoldFour folds four groups of eight, to a group of four that has the sum of v[i] in lane i.
	FoldFour(v [4]Group) Group
	// FoldThree folds three groups, each to a group of one.
	FoldThree(a, b, c Group) [3]Group

	// Vectors of bytes are summed in integers of 32 bits, modulo 2^32. The order does not matter
	// there, and a group of lanes is only the place for a part of a sum.

	// AddBytes adds the terms of the bytes at x + offset and y + offset to the lanes of sum, two to
	// each, or only those of the part that LastBytes makes: for the last n mod width*2 of them.
	AddBytes(sum Group, term byteTerm, x, y reg.GPVirtual, offset int, part Part)
	LastBytes(n reg.GPVirtual, width int) Part
	LoadByte(p reg.GPVirtual, signed bool) reg.GPVirtual
	// SumInts sets dst to the sum of the lanes, with or without sign.
	SumInts(dst reg.GPVirtual, v Group, signed bool)
	// AddDifferingBits adds to sum the number of bits in which one or four words of 64 bits at x and
	// y differ.
	AddDifferingBits(sum, x, y reg.GPVirtual, words int)

	// Jumps compare without sign.

	Label(name string)
	Jump(label string)
	// IfLess jumps where n < k, IfAtMost where n <= k, IfAtLeast where n >= k.
	IfLess(n reg.GPVirtual, k int, label string)
	IfAtMost(n reg.GPVirtual, k int, label string)
	IfAtLeast(n reg.GPVirtual, k int, label string)
	// IfWithout jumps where n has none of the bits of k.
	IfWithout(n reg.GPVirtual, k int, label string)
	IfLessReg(n, k reg.GPVirtual, label string)
	IfAtLeastReg(n, k reg.GPVirtual, label string)
	// IfAnyEqual jumps where a lane of a equals the same lane of b.
	IfAnyEqual(a, b Group, label string)
	// IfOutside jumps where the bits of a group of one are not those of least to most, as unsigned
	// integers.
	IfOutside(v Group, least, most uint32, label string)
	// IfMisaligned jumps where p is not a multiple of width floats.
	IfMisaligned(p reg.GPVirtual, width int, label string)
	// IfNearPageEnd jumps where fewer than width floats fit between p[n] and the end of its page.
	IfNearPageEnd(p, n reg.GPVirtual, width int, label string)
	// LoopLabel is Label where a loop begins, at a multiple of 32 bytes on amd64.
	LoopLabel(name string)
}

// A Group is 16, 8, 4, 2 or 1 floats in one or two registers.
type Group struct {
	width int
	regs  []reg.VecVirtual
}

// A Mask is what a target keeps of in which lanes something holds.
type Mask any

// A Part is what a target keeps of how many floats of an incomplete group exist: a mask, say.
type Part any

const float, double = 4, 8 // bytes

// copyInt returns n in a register of its own.
func copyInt(t Target, n reg.GPVirtual) reg.GPVirtual {
	m := t.NewInt()
	t.SetInt(m, n)
	return m
}
