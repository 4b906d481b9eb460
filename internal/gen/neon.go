package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/pegasimd/pegasimd/internal/gen/arm64"
)

// neon is the Target for arm64. A group of eight floats is two registers.
type neon struct {
	*arm64.Context
	signature *signature
	bytes     operand.Mem // table of the bytes -16 to 47, for operands of VTBL
	scratch   bool
	labels    int  // calls of LoadPart and StorePart in the function, for unique labels
	dot       bool // the CPUs have SDOT and UDOT
}

func newNEONDot() *neon {
	t := newNEON()
	t.dot = true
	return t
}

func newNEON() *neon {
	c := arm64.NewContext()
	c.ConstraintExpr(constraint("arm64"))
	t := &neon{Context: c, bytes: c.StaticGlobal("bytes")}
	t.DataAttributes(rodata)
	for i := range 64 {
		t.AddDatum(i, operand.U8(i-16))
	}
	return t
}

func (t *neon) Name() string {
	if t.dot {
		return "NEONDot"
	}
	return "NEON"
}

func (t *neon) Width() int { return 8 }

func (t *neon) Registers() int { return 16 }

func (t *neon) Compile() (*ir.File, error) {
	f, err := t.Result()
	if err != nil {
		return nil, err
	}
	return f, arm64.Compile.Execute(f)
}

func (t *neon) Func(name, doc string, s *signature) {
	t.signature = s
	t.Function(name)
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr(s.flat())
	t.Doc(doc)
	t.Pragma("noescape")
	t.scratch, t.labels = false, 0
}

func (t *neon) PointerParam(param string) reg.GPVirtual {
	return t.intParam(t.signature.pointer(t.Param, param))
}

func (t *neon) IntParam(param string) reg.GPVirtual {
	return t.intParam(t.signature.int(t.Param, param))
}

func (t *neon) intParam(c gotypes.Component) reg.GPVirtual {
	r := t.GP64()
	t.Context.Load(c, r)
	return r
}

func (t *neon) ScalarParam(param string) Group {
	v := t.New(1)
	t.Context.Load(t.Param(param), v.regs[0])
	return v
}

func (t *neon) BroadcastParam(param string) Group {
	v := t.New(8)
	t.Context.Load(t.Param(param), v.regs[0])
	for _, r := range v.regs {
		t.VDUP(arm64.S(v.regs[0], 0), r)
	}
	return v
}

func (t *neon) Return(v Group) {
	t.Context.Store(v.regs[0], t.ReturnIndex(0))
	t.RET()
}

func (t *neon) ReturnInt(n reg.GPVirtual) {
	t.Context.Store(n, t.ReturnIndex(0))
	t.RET()
}

func (t *neon) Done() { t.RET() }

func (t *neon) Leave(function string) { t.Instruction(t.signature.leave(function)) }

func (t *neon) NewInt() reg.GPVirtual { return t.GP64() }

func (t *neon) SetInt(dst, p reg.GPVirtual)     { t.MOVD(p, dst) }
func (t *neon) SetConst(n reg.GPVirtual, k int) { t.MOVD(operand.U32(k), n) }

func (t *neon) LoadUint32(idx reg.GPVirtual, offset int) reg.GPVirtual {
	j := t.GP64()
	t.MOVWU(at(idx, offset), j)
	return j
}

func (t *neon) LoadTwoUint32(idx reg.GPVirtual, offset int) (j0, j1 reg.GPVirtual) {
	j0, j1 = t.GP64(), t.GP64()
	t.LDPW(at(idx, offset), j0, j1)
	return j0, j1
}

func (t *neon) LoadUint16(idx reg.GPVirtual, offset int) reg.GPVirtual {
	j := t.GP64()
	t.MOVHU(at(idx, offset), j)
	return j
}

func (t *neon) LoadPointer(p reg.GPVirtual, offset int) reg.GPVirtual {
	q := t.GP64()
	t.MOVD(at(p, offset), q)
	return q
}

func (t *neon) StoreInt(n, p reg.GPVirtual) { t.MOVD(n, at(p, 0)) }

func (t *neon) Offset(p, n reg.GPVirtual, scale int) reg.GPVirtual {
	sum, by := t.GP64(), operand.Op(n)
	if scale > 1 {
		by = arm64.Shifted(n, uint8(bits.TrailingZeros(uint(scale))))
	}
	t.ADD(by, p, sum)
	return sum
}

func (t *neon) Address(p, n reg.GPVirtual, scale int) reg.GPVirtual { return t.Offset(p, n, scale) }
func (t *neon) Element(p, j reg.GPVirtual) reg.GPVirtual            { return indexed{p, j, float} }

func (t *neon) Scratch() reg.GPVirtual {
	if !t.scratch {
		t.AllocLocal(8 * 8 * float)
		t.scratch = true
	}
	p := t.GP64()
	t.Local(p)
	return p
}

func (t *neon) Advance(p reg.GPVirtual, bytes int)   { t.ADD(operand.U32(bytes), p, p) }
func (t *neon) AdvanceReg(p, bytes reg.GPVirtual)    { t.ADD(bytes, p, p) }
func (t *neon) Decrement(n reg.GPVirtual, k int)     { t.SUB(operand.U32(k), n, n) }
func (t *neon) DecrementReg(n, k reg.GPVirtual)      { t.SUB(k, n, n) }
func (t *neon) MultiplyReg(n, k reg.GPVirtual)       { t.MUL(k, n, n) }
func (t *neon) ShiftLeft(n reg.GPVirtual, bits int)  { t.LSL(operand.U32(bits), n, n) }
func (t *neon) ShiftRight(n reg.GPVirtual, bits int) { t.LSR(operand.U32(bits), n, n) }
func (t *neon) And(n reg.GPVirtual, k int)           { t.AND(operand.U32(k), n, n) }

func (t *neon) Rotates() bool { return false }

func (t *neon) StayInPage(n, p reg.GPVirtual) { panic("NEON has no masked loads") }

func (t *neon) Prefetch(p reg.GPVirtual, offset int) { t.PRFM(at(p, offset), "PLDL1KEEP") }

func (t *neon) New(width int) Group {
	v := Group{width, []reg.VecVirtual{t.V128()}}
	if width == 8 {
		v.regs = append(v.regs, t.V128())
	}
	return v
}

func (t *neon) NewUniform() Group {
	r := t.V128()
	return Group{8, []reg.VecVirtual{r, r}}
}

func (t *neon) Narrow(v Group, width int) Group {
	if width < 8 {
		v.regs = v.regs[:1]
	}
	return Group{width, v.regs}
}

func (t *neon) Zero(v Group) {
	for _, r := range v.regs {
		t.VMOVI(0, r)
	}
}

func (t *neon) Fill(v Group, bits uint32) {
	pattern := t.GP64()
	t.MOVD(operand.U32(bits), pattern)
	for _, r := range v.regs {
		t.VDUP(pattern, r)
	}
}

func (t *neon) CopyLane(dst, v Group, lane int) { t.VDUP(arm64.S(v.regs[0], lane), dst.regs[0]) }

func (t *neon) Transpose(v *[4]Group) {
	var even, odd [2]reg.VecVirtual // even and odd lanes of groups 0 and 1, then of groups 2 and 3
	for i := range even {
		even[i], odd[i] = t.V128(), t.V128()
		a, b := v[2*i].regs[0], v[2*i+1].regs[0]
		t.VUZP1(b, a, even[i])
		t.VUZP2(b, a, odd[i])
	}
	t.VUZP1(even[1], even[0], v[0].regs[0])
	t.VUZP1(odd[1], odd[0], v[1].regs[0])
	t.VUZP2(even[1], even[0], v[2].regs[0])
	t.VUZP2(odd[1], odd[0], v[3].regs[0])
}

func (t *neon) Load(v Group, p reg.GPVirtual, offset int) {
	if v.width == 8 {
		t.FLDPQ(at(p, offset), v.regs[0], v.regs[1])
	} else {
		t.move(v.width)(at(p, offset), v.regs[0])
	}
}

func (t *neon) Store(v Group, p reg.GPVirtual, offset int) {
	if v.width == 8 {
		t.FSTPQ(v.regs[0], v.regs[1], at(p, offset))
	} else {
		t.move(v.width)(v.regs[0], at(p, offset))
	}
}

func (t *neon) move(width int) func(src, dst operand.Op) {
	return map[int]func(src, dst operand.Op){1: t.FMOVS, 2: t.FMOVD, 4: t.FMOVQ}[width]
}

func (t *neon) LoadLane(v Group, lane int, p reg.GPVirtual, offset int) {
	t.VLD1(at(t.address(p, offset), 0), arm64.S(v.regs[0], lane))
}

func (t *neon) LoadBroadcast(dst Group, p reg.GPVirtual, offset int) {
	if offset != 0 {
		p = t.address(p, offset)
	}
	for i, r := range dst.regs {
		if i == 0 || r != dst.regs[0] {
			t.VLD1R(at(p, 0), r)
		}
	}
}

func (t *neon) LoadBytes(v Group, signed bool, p reg.GPVirtual, offset int) {
	low, m := v.regs[0], at(p, offset)
	switch few := t.GP64(); v.width {
	case 8:
		t.FMOVD(m, low)
	case 4:
		t.FMOVS(m, low)
	case 2:
		t.MOVHU(m, few)
		t.FMOVS(few, low)
	case 1:
		t.MOVBU(m, few)
		t.FMOVS(few, low)
	}
	t.floatBytes(v, signed)
}

func (t *neon) floatBytes(v Group, signed bool) {
	low := v.regs[0]
	bytes, halves, upper := t.VUXTLB, t.VUXTLH, t.VUXTL2H
	if signed {
		bytes, halves, upper = t.VSXTLB, t.VSXTLH, t.VSXTL2H
	}
	bytes(low, low)
	if v.width == 8 {
		upper(low, v.regs[1])
	}
	halves(low, low)
	for _, r := range v.regs {
		t.VSCVTF(r, r)
	}
}

func (t *neon) LoadShorts(v Group, float16 bool, p reg.GPVirtual, offset int) {
	low, m := v.regs[0], at(p, offset)
	if v.width == 1 {
		few := t.GP64()
		t.MOVHU(m, few)
		t.FMOVS(few, low)
	} else {
		t.move(v.width/2)(m, low)
	}
	t.widenShorts(v, float16)
}

func (t *neon) widenShorts(v Group, float16 bool) {
	low, widen, upper := v.regs[0], t.VUXTLH, t.VUXTL2H
	if float16 {
		widen, upper = t.VFCVTLH, t.VFCVTL2H
	}
	if v.width == 8 {
		upper(low, v.regs[1])
	}
	widen(low, low)
}

func (t *neon) StoreShorts(v Group, float16 bool, p reg.GPVirtual, offset int) {
	low, narrow, upper := v.regs[0], t.VXTN, t.VXTN2
	if float16 {
		narrow, upper = t.VFCVTNH, t.VFCVTN2H
	}
	narrow(low, low)
	switch m := at(p, offset); v.width {
	case 8:
		upper(v.regs[1], low)
		t.FMOVQ(low, m)
	case 1:
		one := t.GP64()
		t.FMOVS(low, one)
		t.MOVH(one, m)
	default:
		t.move(v.width/2)(low, m)
	}
}

// neonPart is a Part of a group of eight floats. LoadLast loads the 32 bytes before the group's
// end. In these, first holds the positions of the bytes of the group's first half, and second the
// same positions minus 16.
type neonPart struct {
	number        reg.GPVirtual  // number of floats that exist, 1 to 8
	first, second reg.VecVirtual // byte positions for VTBL; set by LastPart
}

func (t *neon) Part(n reg.GPVirtual, width int) Part {
	k := t.GP64()
	t.SUB(operand.U32(1), n, k)
	t.AND(operand.U32(7), k, k)
	t.ADD(operand.U32(1), k, k)
	return neonPart{number: k}
}

func (t *neon) Head(n reg.GPVirtual, width int) Part { panic("NEON has no masked loads") }

func (t *neon) FirstPart(n reg.GPVirtual, start, width int) Part { return t.Part(n, width) }

func (t *neon) LoadPart(v Group, p reg.GPVirtual, offset int, part Part) {
	t.labels++
	name := func(s string) string { return fmt.Sprint("part", t.labels, s) }
	n := part.(neonPart).number
	from := t.address(p, offset)
	low, high := v.regs[0], v.regs[1]
	t.TBNZ(3, n, name("all"))
	t.VMOVI(0, high)
	t.TBZ(2, n, name("low"))
	t.FMOVQ(at(from, 0), low)
	t.ADD(operand.U32(16), from, from)
	t.upToThree(high, from, n, name("high"), name("end"))
	t.Label(name("low"))
	t.upToThree(low, from, n, name("low"), name("end"))
	t.Label(name("all"))
	t.FLDPQ(at(from, 0), low, high)
	t.Label(name("end"))
}

// upToThree loads n mod 4 floats into v, sets the other lanes to +0, and jumps to the label end.
// Its own labels begin with name.
func (t *neon) upToThree(v reg.VecVirtual, from reg.GPVirtual, n reg.Register, name, end string) {
	t.VMOVI(0, v)
	t.TBZ(1, n, name+"one")
	t.FMOVD(at(from, 0), v)
	t.TBZ(0, n, end)
	t.ADD(operand.U32(8), from, from)
	t.VLD1(at(from, 0), arm64.S(v, 2))
	t.B(end)
	t.Label(name + "one")
	t.TBZ(0, n, end)
	t.FMOVS(at(from, 0), v)
	t.B(end)
}

func (t *neon) LoadBytesPart(v Group, signed bool, p, n reg.GPVirtual, part Part) {
	t.IfWithout(n, 7, "eight")
	t.FMOVD(fewBytes(t, p, n), v.regs[0])
	t.floatBytes(v, signed)
	t.Jump("floats")
	t.Label("eight")
	t.LoadBytes(v, signed, p, 0)
	t.Label("floats")
}

func (t *neon) LoadShortsPart(v Group, float16 bool, p, n reg.GPVirtual, part Part,
	name string) {
	low, rest := v.regs[0], t.V128()
	t.IfWithout(n, 7, name+"eight")
	t.FMOVD(fewShorts(t, p, n, name), low)
	t.IfWithout(n, 4, name+"few")
	t.VORR(low, low, rest)
	t.FMOVD(at(p, 0), low)
	t.VMOV(arm64.D(rest, 0), arm64.D(low, 1))
	t.Label(name + "few")
	t.widenShorts(v, float16)
	t.Jump(name + "floats")
	t.Label(name + "eight")
	t.LoadShorts(v, float16, p, 0)
	t.Label(name + "floats")
}

func (t *neon) StorePart(v Group, p reg.GPVirtual, offset int, part Part) {
	t.labels++
	name := func(s string) string { return fmt.Sprint("part", t.labels, s) }
	n, rest := part.(neonPart).number, t.V128()
	to := t.address(p, offset)
	low, high := v.regs[0], v.regs[1]
	t.TBNZ(3, n, name("all"))
	t.VORR(low, low, rest)
	t.TBZ(2, n, name("low"))
	t.FMOVQ(low, at(to, 0))
	t.ADD(operand.U32(16), to, to)
	t.VORR(high, high, rest)
	t.Label(name("low"))
	t.TBZ(1, n, name("one"))
	t.FMOVD(rest, at(to, 0))
	t.ADD(operand.U32(8), to, to)
	t.VEXT(8, rest, rest, rest)
	t.Label(name("one"))
	t.TBZ(0, n, name("end"))
	t.FMOVS(rest, at(to, 0))
	t.B(name("end"))
	t.Label(name("all"))
	t.FSTPQ(low, high, at(to, 0))
	t.Label(name("end"))
}

func (t *neon) LastPart(part Part) Part {
	p := part.(neonPart)
	p.first, p.second = t.V128(), t.V128()
	window := t.GP64()
	t.Context.Address(t.bytes, window)
	t.SUB(arm64.Shifted(p.number, 2), window, window)
	t.FMOVQ(at(window, 16+32), p.first)
	t.FMOVQ(at(window, 32), p.second)
	return p
}

func (t *neon) LoadLast(v Group, p reg.GPVirtual, offset int, part Part) {
	last, from := part.(neonPart), t.GP64()
	low, high := t.V128(), t.V128()
	t.ADD(arm64.Shifted(last.number, 2), p, from)
	t.FLDPQ(at(from, offset-8*float), low, high)
	t.VTBL(last.first, low, v.regs[0])
	t.VTBX(last.second, high, v.regs[0])
	t.VTBL(last.first, high, v.regs[1])
}

// address returns p + offset in a new register, for instructions without an offset. It ignores the
// offset of an indexed p.
func (t *neon) address(p reg.GPVirtual, offset int) reg.GPVirtual {
	if e, ok := p.(indexed); ok {
		return t.Offset(e.GPVirtual, e.index, float)
	}
	q := t.GP64()
	if offset < 0 {
		t.SUB(operand.U32(-offset), p, q)
	} else {
		t.ADD(operand.U32(offset), p, q)
	}
	return q
}

func each(dst, a, b Group, op func(m, n, d reg.Register)) {
	for i := range dst.regs {
		op(b.regs[i], a.regs[i], dst.regs[i])
	}
}

func (t *neon) Mul(dst, a, b Group) { each(dst, a, b, t.VFMUL) }
func (t *neon) Add(dst, a, b Group) { each(dst, a, b, t.VFADD) }
func (t *neon) Sub(dst, a, b Group) { each(dst, a, b, t.VFSUB) }

func (t *neon) loadNew(width int, p reg.GPVirtual, offset int) Group {
	v := t.New(width)
	t.Load(v, p, offset)
	return v
}

func (t *neon) MulLoad(dst, a Group, p reg.GPVirtual, offset int) {
	b := t.loadNew(dst.width, p, offset)
	if _, ok := p.(indexed); ok {
		t.FMULS(b.regs[0], a.regs[0], dst.regs[0])
	} else {
		t.Mul(dst, a, b)
	}
}

func (t *neon) AddLoad(dst, a Group, p reg.GPVirtual, offset int) {
	b := t.loadNew(dst.width, p, offset)
	if _, ok := p.(indexed); ok {
		t.FADDS(b.regs[0], a.regs[0], dst.regs[0])
	} else {
		t.Add(dst, a, b)
	}
}

func (t *neon) SubLoad(dst, a Group, p reg.GPVirtual, offset int) {
	t.Sub(dst, a, t.loadNew(dst.width, p, offset))
}

// VFMIN and VFMAX return NaN if either operand is NaN, but limit is never NaN.
func (t *neon) Min(dst, limit, a Group) { each(dst, limit, a, t.VFMIN) }
func (t *neon) Max(dst, limit, a Group) { each(dst, limit, a, t.VFMAX) }

func (t *neon) Least(best, v Group) {
	greater := t.New(v.width)
	each(greater, best, v, t.VFCMGT)
	each(best, v, greater, t.VBIT)
}

func (t *neon) Greatest(best, v Group) {
	greater := t.New(v.width)
	each(greater, v, best, t.VFCMGT)
	each(best, v, greater, t.VBIT)
}

func (t *neon) KeepBelow(dst, a, v, limit Group) {
	mask := t.New(dst.width)
	each(mask, limit, v, t.VFCMGT)
	each(dst, a, mask, t.VAND)
}

func (t *neon) Root(dst, v Group) { t.FSQRTS(v.regs[0], dst.regs[0]) }

func (t *neon) Cosine(dst, xy, xx, yy Group) {
	var double [3]reg.VecVirtual
	for i, v := range []Group{xy, xx, yy} {
		double[i] = t.V128()
		t.FCVTSD(v.regs[0], double[i])
	}
	squares := double[1]
	t.FMULD(double[2], squares, squares)
	t.FSQRTD(squares, squares)
	t.FDIVD(squares, double[0], squares)
	t.FCVTDS(squares, dst.regs[0])
}

func (t *neon) BitsAnd(dst, a, b Group) { each(dst, a, b, t.VAND) }
func (t *neon) BitsAdd(dst, a, b Group) { each(dst, a, b, t.VADD) }
func (t *neon) BitsSub(dst, a, b Group) { each(dst, a, b, t.VSUB) }

func (t *neon) MulPairs(dst, a, b Group) {
	each(dst, a, b, func(m, n, d reg.Register) {
		high := t.V128()
		t.VSMULL2H(m, n, high)
		t.VSMULLH(m, n, d)
		t.VADDP(high, d, d)
	})
}

func (t *neon) BitsShiftLeft(dst, a Group, bits int) {
	for i, r := range dst.regs {
		t.VSHL(uint8(bits), a.regs[i], r)
	}
}

func (t *neon) BitsShiftRight(dst, a Group, bits int) {
	for i, r := range dst.regs {
		t.VUSHR(uint8(bits), a.regs[i], r)
	}
}

func (t *neon) BroadcastDouble(v Group, p reg.GPVirtual, offset int) {
	for _, r := range v.regs {
		t.FMOVD(at(p, offset), r)
		t.VMOV(arm64.D(r, 0), arm64.D(r, 1))
	}
}

func (t *neon) LoadDoubles(v Group, p reg.GPVirtual, offset int) {
	low := v.regs[0]
	if v.width < 8 {
		t.Load(t.Narrow(v, v.width/2), p, offset)
		t.VFCVTL(low, low)
		return
	}
	high := v.regs[1]
	t.FMOVQ(at(p, offset), low)
	t.VFCVTL2(low, high)
	t.VFCVTL(low, low)
}

func (t *neon) RoundDoubles(v Group) Group {
	t.VFCVTN(v.regs[0], v.regs[0])
	if v.width == 8 {
		t.VFCVTN2(v.regs[1], v.regs[0])
	}
	return t.Narrow(v, v.width/2)
}

func (t *neon) Doubles(low, high, v Group) {
	for i, d := range []Group{low, high} {
		t.VFCVTL(v.regs[i], d.regs[0])
		t.VFCVTL2(v.regs[i], d.regs[1])
	}
}

func (t *neon) MulDoubles(dst, a, b Group) { each(dst, a, b, t.VFMULD) }
func (t *neon) AddDoubles(dst, a, b Group) { each(dst, a, b, t.VFADDD) }
func (t *neon) SubDoubles(dst, a, b Group) { each(dst, a, b, t.VFSUBD) }
func (t *neon) DivDoubles(dst, a, b Group) { each(dst, a, b, t.VFDIVD) }

func (t *neon) MulDoubleLoad(dst, a Group, p reg.GPVirtual, offset int) {
	t.MulDoubles(dst, a, t.loadUniform(p, offset))
}

func (t *neon) AddDoubleLoad(dst, a Group, p reg.GPVirtual, offset int) {
	t.AddDoubles(dst, a, t.loadUniform(p, offset))
}

func (t *neon) loadUniform(p reg.GPVirtual, offset int) Group {
	v := t.NewUniform()
	t.FMOVQ(at(p, offset), v.regs[0])
	return v
}

func (t *neon) LessDoubles(a, b Group) Mask {
	mask := t.New(a.width)
	each(mask, b, a, t.VFCMGTD)
	return mask
}

func (t *neon) SelectDoubles(mask Mask, a, b Group) Group {
	v := t.New(a.width)
	for i, r := range v.regs {
		t.VMOV(b.regs[i], r)
	}
	each(v, a, mask.(Group), t.VBIT)
	return v
}

func (t *neon) ShiftDoublesLeft(dst, a Group, bits int) {
	for i, r := range dst.regs {
		t.VSHLD(uint8(bits), a.regs[i], r)
	}
}

func (t *neon) FoldDoubles(v Group) {
	low := v.regs[0]
	t.VFADDD(v.regs[1], low, low)
	t.FADDPD(low, low)
}

func (t *neon) ReturnDouble(v Group) { t.Return(v) }

func (t *neon) UpperHalf(dst, v Group) {
	switch low := v.regs[0]; v.width {
	case 8:
		t.VMOV(v.regs[1], dst.regs[0])
	case 4:
		t.VEXT(8, low, low, dst.regs[0])
	case 2:
		t.VDUP(arm64.S(low, 1), dst.regs[0])
	}
}

func (t *neon) Fold(v Group) {
	low, high := v.regs[0], t.V128()
	if v.width == 8 {
		t.VFADD(v.regs[1], low, low)
	}
	t.VEXT(8, low, low, high)
	t.VFADD(high, low, low)
	t.FADDPS(low, low)
}

func (t *neon) FoldFour(v [4]Group) Group {
	// two adds the halves of a and of b to groups of four lanes. It returns the sums of lanes 0 and 2
	// of both, then of lanes 1 and 3 of both.
	two := func(a, b Group) reg.VecVirtual {
		even, odd := t.V128(), t.V128()
		for _, g := range []Group{a, b} {
			t.VFADD(g.regs[1], g.regs[0], g.regs[0])
		}
		t.VUZP1(b.regs[0], a.regs[0], even)
		t.VUZP2(b.regs[0], a.regs[0], odd)
		t.VFADDP(odd, even, even)
		return even
	}
	first, second := two(v[0], v[1]), two(v[2], v[3])
	sum := t.New(4)
	t.VORR(first, first, sum.regs[0])
	t.VMOV(arm64.D(second, 0), arm64.D(sum.regs[0], 1))
	t.VMOV(arm64.D(first, 1), arm64.D(second, 0))
	t.VFADD(second, sum.regs[0], sum.regs[0])
	return sum
}

func (t *neon) FoldThree(a, b, c Group) (sums [3]Group) {
	all := t.FoldFour([4]Group{a, b, c, zeros(t, 1, 8)[0]})
	for lane := range sums {
		sums[lane] = t.New(1)
		t.VDUP(arm64.S(all.regs[0], lane), sums[lane].regs[0])
	}
	return sums
}

func (t *neon) ByteLanes() int {
	if t.dot {
		return 4
	}
	return 8
}

func (t *neon) AddBytes(sums []Group, term byteTerm, x, y reg.GPVirtual, offset int, part Part) {
	size := 16 * sums[0].width / t.ByteLanes()
	v, w := t.bytesAt(x, offset, size, len(sums), part), t.bytesAt(y, offset, size, len(sums), part)
	for i, sum := range sums {
		switch {
		case term.difference && term.signed:
			t.VSABD(w[i], v[i], v[i])
			w[i] = v[i]
		case term.difference:
			t.VUABD(w[i], v[i], v[i])
			w[i] = v[i]
		}
		t.addProducts(sum, v[i], w[i], term.signedSum())
	}
}

func (t *neon) addProducts(sum Group, v, w reg.VecVirtual, signed bool) {
	dot, multiply, add := t.VUDOT, []func(m, n, d reg.Register){t.VUMULL, t.VUMULL2}, t.VUADALP
	if signed {
		dot, multiply, add = t.VSDOT, []func(m, n, d reg.Register){t.VSMULLB, t.VSMULL2B}, t.VSADALP
	}
	if t.dot {
		dot(w, v, sum.regs[0])
		return
	}
	for i, lanes := range sum.regs {
		product := t.V128()
		multiply[i](w, v, product)
		add(product, lanes)
	}
}

// With a part, bytesAt moves the bytes in the part to the front of the single register and clears
// the others.
func (t *neon) bytesAt(p reg.GPVirtual, offset, size, registers int, part Part) []reg.VecVirtual {
	v := make([]reg.VecVirtual, registers)
	for i := range v {
		v[i] = t.V128()
		switch {
		case i%2 == 1:
			t.FLDPQ(at(p, offset+(i-1)*size), v[i-1], v[i])
		case size < 16:
			t.FMOVD(at(p, offset), v[i])
		case registers == 1:
			t.FMOVQ(at(p, offset), v[i])
		}
	}
	if part != nil {
		t.VTBL(part.(reg.Register), v[0], v[0])
	}
	return v
}

func (t *neon) LastBytes(n reg.GPVirtual, width int) Part {
	size := 16 * width / t.ByteLanes()
	k, window, part := copyInt(t, n), t.GP64(), t.V128()
	t.And(k, size-1)
	t.Context.Address(t.bytes, window)
	t.SUB(k, window, window)
	t.FMOVQ(at(window, 16+size), part)
	return part
}

func (t *neon) LoadByte(p reg.GPVirtual, signed bool) reg.GPVirtual {
	v := t.GP64()
	if signed {
		t.MOVB(at(p, 0), v)
	} else {
		t.MOVBU(at(p, 0), v)
	}
	return v
}

func (t *neon) SumInts(sum reg.GPVirtual, v Group, signed bool) {
	low := v.regs[0]
	for _, high := range v.regs[1:] {
		t.VADD(high, low, low)
	}
	t.VADDV(low, low)
	t.VMOV(arm64.S(low, 0), sum)
	if signed {
		t.MOVW(sum, sum)
	}
}

func (t *neon) DifferingBits(x, y, n reg.GPVirtual) reg.GPVirtual {
	sum, ones := zeros(t, 1, 4)[0], t.V128()
	if t.dot {
		t.VMOVI(1, ones)
	}
	add := func(words int) {
		size, registers := min(16, wordSize*words), max(1, words/2)
		v, w := t.bytesAt(x, 0, size, registers, nil), t.bytesAt(y, 0, size, registers, nil)
		counts, lanes := v[0], sum.regs[0]
		for i, r := range v {
			t.VEOR(w[i], r, r)
			t.VCNT(r, r)
			if i > 0 {
				t.VADD(r, counts, counts) // counts per byte: sums of at most 32 do not carry
			}
		}
		if t.dot {
			t.VUDOT(ones, counts, lanes)
			return
		}
		t.VUADDLV(counts, counts)
		t.VADD(counts, lanes, lanes)
	}
	xy := walk{t, n, []vector{{x, wordSize}, {y, wordSize}}}
	xy.loop(t.LoopLabel, "words", 8, "rest", func() {
		t.Prefetch(x, rowPrefetch)
		add(8)
	})
	t.Label("rest")
	t.Prefetch(x, rowPrefetch)
	for words := 4; words > 0; words /= 2 {
		less := fmt.Sprint("below", words)
		t.IfWithout(n, words, less)
		add(words)
		if words > 1 {
			xy.advance(words)
		}
		t.Label(less)
	}
	total := t.NewInt()
	t.SumInts(total, sum, false)
	return total
}

func (t *neon) Jump(label string) { t.B(label) }

func (t *neon) IfLess(n reg.GPVirtual, k int, label string) {
	t.jumpIf(t.BLO, n, operand.U32(k), label)
}

func (t *neon) IfAtMost(n reg.GPVirtual, k int, label string) {
	t.jumpIf(t.BLS, n, operand.U32(k), label)
}

func (t *neon) IfAtLeast(n reg.GPVirtual, k int, label string) {
	t.jumpIf(t.BHS, n, operand.U32(k), label)
}

func (t *neon) jumpIf(jump func(label string), n reg.GPVirtual, k operand.Op, label string) {
	t.CMP(k, n)
	jump(label)
}

func (t *neon) IfWithout(n reg.GPVirtual, k int, label string) {
	if k&(k-1) == 0 {
		t.TBZ(uint8(bits.TrailingZeros(uint(k))), n, label)
		return
	}
	some := t.GP64()
	t.AND(operand.U32(k), n, some)
	t.jumpIf(t.BEQ, some, operand.U32(0), label)
}

func (t *neon) IfLessReg(n, k reg.GPVirtual, label string)    { t.jumpIf(t.BLO, n, k, label) }
func (t *neon) IfAtLeastReg(n, k reg.GPVirtual, label string) { t.jumpIf(t.BHS, n, k, label) }

func (t *neon) IfAnyEqual(a, b Group, label string) {
	mask, half, some := t.New(8), t.V128(), t.GP64()
	each(mask, a, b, t.VFCMEQ)
	any := mask.regs[0]
	t.VORR(mask.regs[1], any, any)
	t.VEXT(8, any, any, half)
	t.VORR(half, any, any)
	t.FMOVD(any, some)
	t.CBNZ(some, label)
}

func (t *neon) IfOutside(v Group, least, most uint32, label string) {
	bits, limit := t.GP64(), t.GP64()
	t.FMOVS(v.regs[0], bits)
	t.MOVD(operand.U32(least), limit)
	t.SUB(limit, bits, bits)
	t.MOVD(operand.U32(most-least), limit)
	t.CMP(limit, bits)
	t.BHI(label)
}

// See avx.IfNoCosine. In 64 bits, the difference is 2^64-1 for -0.
func (t *neon) IfNoCosine(v Group, label string) {
	bits, sign := t.GP64(), t.GP64()
	t.FMOVS(v.regs[0], bits)
	t.SetInt(sign, bits)
	t.ShiftRight(sign, 31)
	t.ShiftLeft(bits, 33)
	t.ShiftRight(bits, 32)
	t.SUB(sign, bits, bits)
	t.MOVD(operand.U32(2*one), sign)
	t.CMP(sign, bits)
	t.BHI(label)
}

func (t *neon) IfMisaligned(p reg.GPVirtual, width int, label string) {
	some := t.GP64()
	t.AND(operand.U32(float*(width-1)), p, some)
	t.jumpIf(t.BNE, some, operand.U32(0), label)
}

func (t *neon) IfNearPageEnd(p, n reg.GPVirtual, width int, label string) {
	panic("NEON has no masked loads")
}

func (t *neon) LoopLabel(name string) { t.Label(name) }
