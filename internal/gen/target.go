package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// Target is an instruction set for which kernels are generated. Methods emit instructions.
//
// A Group holds 1, 2, 4, 8 or 16 floats. Integers and pointers are general registers of 64 bits.
//
// A method whose first parameter is dst writes to dst. Offsets are in bytes.
type Target interface {
	// Name returns the suffix of the instruction set's function names.
	Name() string
	Width() int
	// Registers returns the number of groups of Width floats that fit into the vector registers.
	Registers() int
	Compile() (*ir.File, error)
	Func(name, doc string, s *signature)
	Comment(lines ...string)

	PointerParam(name string) reg.GPVirtual
	// IntParam loads an integer parameter. The name "n" means the length of the first slice if
	// there are slices, and "len(x)" the length of slice x.
	IntParam(name string) reg.GPVirtual
	ScalarParam(name string) Group
	// BroadcastParam loads a float parameter into all lanes of a group of Width floats.
	BroadcastParam(name string) Group

	Return(v Group)
	ReturnInt(n reg.GPVirtual)
	Done()
	Leave(function string)

	NewInt() reg.GPVirtual
	SetInt(dst, n reg.GPVirtual)
	SetConst(dst reg.GPVirtual, k int)

	LoadUint32(p reg.GPVirtual, offset int) reg.GPVirtual
	LoadTwoUint32(p reg.GPVirtual, offset int) (j0, j1 reg.GPVirtual)
	LoadUint16(p reg.GPVirtual, offset int) reg.GPVirtual

	LoadPointer(p reg.GPVirtual, offset int) reg.GPVirtual

	StoreInt(n, p reg.GPVirtual)

	// Offset returns p + n*scale. Address returns an operand for this address, valid while p and n
	// are unchanged.
	Offset(p, n reg.GPVirtual, scale int) reg.GPVirtual
	Address(p, n reg.GPVirtual, scale int) reg.GPVirtual
	// Element returns an operand for the float p[j], to be used with offset 0.
	Element(p, j reg.GPVirtual) reg.GPVirtual
	// Scratch returns a pointer to space for eight groups of eight floats in the function's frame,
	// the same in every call.
	Scratch() reg.GPVirtual

	Advance(p reg.GPVirtual, bytes int)
	AdvanceReg(p, bytes reg.GPVirtual)
	Decrement(n reg.GPVirtual, k int)
	DecrementReg(n, k reg.GPVirtual)
	MultiplyReg(n, k reg.GPVirtual)
	ShiftLeft(n reg.GPVirtual, bits int)
	ShiftRight(n reg.GPVirtual, bits int)
	And(n reg.GPVirtual, k int)
	// Rotates reports whether a sum may load groups from before the start of its vectors, with the
	// lanes before the start masked off. Head, IfNearPageEnd and StayInPage require this.
	Rotates() bool
	StayInPage(n, p reg.GPVirtual)

	Prefetch(p reg.GPVirtual, offset int)

	New(width int) Group
	// NewUniform returns a group of Width floats to which only LoadBroadcast may write. The group
	// may take fewer registers.
	NewUniform() Group
	// Narrow returns the first width lanes of v, in the same registers.
	Narrow(v Group, width int) Group
	Zero(v Group)
	Fill(v Group, bits uint32)
	// CopyLane copies lane 1, 2 or 3 of a group of four to a group of one, whose other lanes become
	// undefined.
	CopyLane(dst, v Group, lane int)

	Transpose(v *[4]Group)

	// Load sets lanes of the register beyond v to +0.
	Load(v Group, p reg.GPVirtual, offset int)
	Store(v Group, p reg.GPVirtual, offset int)
	LoadLane(v Group, lane int, p reg.GPVirtual, offset int)
	LoadBroadcast(v Group, p reg.GPVirtual, offset int)
	LoadBytes(v Group, signed bool, p reg.GPVirtual, offset int)

	// LoadShorts loads one 16-bit value for each lane: it converts float16s to floats, or
	// zero-extends to 32 bits. StoreShorts rounds floats to float16s, or stores the lower 16 bits
	// of each lane, whose upper 16 bits must be 0. StoreShorts may overwrite v.
	LoadShorts(v Group, float16 bool, p reg.GPVirtual, offset int)
	StoreShorts(v Group, float16 bool, p reg.GPVirtual, offset int)

	// Part, Head and FirstPart return a Part of a group of eight lanes or more. In Part's group,
	// the first n mod width floats exist, or all if n mod width is 0. In Head's, the first n floats
	// do not exist. In FirstPart's, the first n-start floats exist, 1 to width. LoadPart sets the
	// lanes of missing floats to +0, and does not read their memory.
	Part(n reg.GPVirtual, width int) Part
	Head(n reg.GPVirtual, width int) Part
	FirstPart(n reg.GPVirtual, start, width int) Part
	LoadPart(v Group, p reg.GPVirtual, offset int, part Part)
	// LoadBytesPart and LoadShortsPart are LoadBytes and LoadShorts for an incomplete group of the
	// widest kind. part must have been made from n. Labels of LoadShortsPart begin with name.
	LoadBytesPart(v Group, signed bool, p, n reg.GPVirtual, part Part)
	LoadShortsPart(v Group, float16 bool, p, n reg.GPVirtual, part Part, name string)
	StorePart(v Group, p reg.GPVirtual, offset int, part Part)
	// LoadLast is LoadPart for a group after a whole group, whose memory it may read again. It
	// needs a Part that LastPart has converted.
	LastPart(part Part) Part
	LoadLast(v Group, p reg.GPVirtual, offset int, part Part)

	// Arithmetic: dst = a op b in each lane, rounded.

	Mul(dst, a, b Group)
	Add(dst, a, b Group)
	Sub(dst, a, b Group)
	MulLoad(dst, a Group, p reg.GPVirtual, offset int)
	AddLoad(dst, a Group, p reg.GPVirtual, offset int)
	SubLoad(dst, a Group, p reg.GPVirtual, offset int)

	// Min and Max set dst to the lesser or the greater of limit and a, or to a if a is NaN.
	Min(dst, limit, a Group)
	Max(dst, limit, a Group)
	// Least sets best to the lesser of best and v, Greatest to the greater. best must not be NaN; a
	// NaN in v changes nothing.
	Least(best, v Group)
	Greatest(best, v Group)
	// KeepBelow sets dst to a in lanes with v < limit, and to +0 in others.
	KeepBelow(dst, a, v, limit Group)

	// Root and Cosine need groups of one. Cosine computes xy / sqrt(xx*yy) in float64 and rounds
	// the quotient to float32.
	Root(dst, v Group)
	Cosine(dst, xy, xx, yy Group)

	BitsAnd(dst, a, b Group)
	BitsAdd(dst, a, b Group)
	BitsSub(dst, a, b Group)
	// MulPairs adds the products of the two signed 16-bit integers in each lane of a and b.
	MulPairs(dst, a, b Group)
	BitsShiftLeft(dst, a Group, bits int)
	BitsShiftRight(dst, a Group, bits int)

	// Doubles are float64s. The width of a group of doubles still counts floats: twice the number
	// of doubles.

	BroadcastDouble(v Group, p reg.GPVirtual, offset int)
	// LoadDoubles loads half as many floats as the width of v and converts them to doubles. Doubles
	// converts the lower half of v to doubles in low, and the upper half to doubles in high.
	LoadDoubles(v Group, p reg.GPVirtual, offset int)
	// RoundDoubles rounds doubles to floats, in registers of v.
	RoundDoubles(v Group) Group
	Doubles(low, high, v Group)
	MulDoubles(dst, a, b Group)
	AddDoubles(dst, a, b Group)
	SubDoubles(dst, a, b Group)
	DivDoubles(dst, a, b Group)
	// MulDoubleLoad and AddDoubleLoad combine each lane of a with one double, which memory must
	// hold four times. Groups have eight floats or more.
	MulDoubleLoad(dst, a Group, p reg.GPVirtual, offset int)
	AddDoubleLoad(dst, a Group, p reg.GPVirtual, offset int)
	// SelectDoubles returns a in the lanes of mask and b in the others.
	LessDoubles(a, b Group) Mask
	SelectDoubles(mask Mask, a, b Group) Group
	ShiftDoublesLeft(dst, a Group, bits int)
	FoldDoubles(v Group)
	ReturnDouble(v Group)

	UpperHalf(dst, v Group)
	Fold(v Group)
	// FoldFour returns a group of four with the sum of v[i] in lane i. It may overwrite the groups
	// of v, which have at least eight floats.
	FoldFour(v [4]Group) Group
	// FoldThree may overwrite its three groups of at least eight floats.
	FoldThree(a, b, c Group) [3]Group

	// Sums over vectors of bytes are exact modulo 2^32, in integer lanes of 32 bits.

	// ByteLanes returns the number of lanes to which the terms of 16 bytes are added.
	ByteLanes() int
	// AddBytes adds the terms of the bytes from x + offset and from y + offset on to one group or
	// four groups: 16 bytes to a group of ByteLanes lanes, 8 bytes to a group of half that width.
	// With a part, from LastBytes, sums is one group, which receives only the terms of the last n
	// mod 16 or n mod 8 bytes.
	AddBytes(sums []Group, term byteTerm, x, y reg.GPVirtual, offset int, part Part)
	LastBytes(n reg.GPVirtual, width int) Part
	LoadByte(p reg.GPVirtual, signed bool) reg.GPVirtual
	// SumInts sets dst to the sum of the lanes modulo 2^32, sign-extended if signed is set.
	SumInts(dst reg.GPVirtual, v Group, signed bool)
	// DifferingBits counts the differing bits of two vectors of n 64-bit words. It overwrites x, y
	// and n, and prefetches memory after x.
	DifferingBits(x, y, n reg.GPVirtual) reg.GPVirtual

	// Comparisons of integers are unsigned.

	Label(name string)
	Jump(label string)
	IfLess(n reg.GPVirtual, k int, label string)
	IfAtMost(n reg.GPVirtual, k int, label string)
	IfAtLeast(n reg.GPVirtual, k int, label string)
	// IfWithout jumps if n and k have no set bit in common.
	IfWithout(n reg.GPVirtual, k int, label string)
	IfLessReg(n, k reg.GPVirtual, label string)
	IfAtLeastReg(n, k reg.GPVirtual, label string)
	IfAnyEqual(a, b Group, label string)
	// IfOutside jumps if the bits of v, a group of one, are outside least to most, as unsigned
	// integers.
	IfOutside(v Group, least, most uint32, label string)
	// IfNoCosine jumps if v, a group of one, is outside [-1, 1], NaN or -0.
	IfNoCosine(v Group, label string)
	// IfMisaligned jumps if p is not a multiple of the size of width floats.
	IfMisaligned(p reg.GPVirtual, width int, label string)
	// IfNearPageEnd jumps if fewer than width floats fit between p[n] and the end of the page of
	// p[n-1].
	IfNearPageEnd(p, n reg.GPVirtual, width int, label string)
	LoopLabel(name string)
}

type Group struct {
	width int // number of floats
	regs  []reg.VecVirtual
}

type Mask any

// Part says which floats of an incomplete group exist.
type Part any

type byteTerm struct {
	signed     bool // the bytes are int8, not uint8
	difference bool // terms are squared differences, not products
}

// signedSum reports whether a sum of the terms may be negative. A sum of up to asm.Block terms then
// fits into an int32, otherwise into a uint32.
func (k byteTerm) signedSum() bool { return k.signed && !k.difference }

// Sizes in bytes. A word is a uint64; sliceSize is the size of a slice header.
const float, double, wordSize, sliceSize = 4, 8, 8, 24

func copyInt(t Target, n reg.GPVirtual) reg.GPVirtual {
	m := t.NewInt()
	t.SetInt(m, n)
	return m
}
