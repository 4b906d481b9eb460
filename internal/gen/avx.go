package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// avx is the Target for amd64: AVX2 with VEX encoding, or AVX-512 with opmasks and EVEX encoding.
type avx struct {
	*build.Context
	isa       string // suffix of the function names
	signature *signature
	width     int         // number of floats in the widest group
	evex      bool        // AVX-512
	masks     operand.Mem // table from which AVX2 code loads masks; zero for AVX-512
	scratch   operand.Mem // current function's scratch space; zero until its first use
}

const rodata = attr.RODATA | attr.NOPTR

func newAVX(isa string, width int, evex bool) *avx {
	c := build.NewContext()
	c.ConstraintExpr(constraint("amd64"))
	return &avx{Context: c, isa: isa, width: width, evex: evex}
}

func newAVX512() *avx     { return newAVX("AVX512", 16, true) }
func newAVX512x256() *avx { return newAVX("AVX512x256", 8, true) }

func newAVX2() *avx {
	t := newAVX("AVX2", 8, false)
	t.masks = t.StaticGlobal("masks")
	t.DataAttributes(rodata)
	for i := range 24 {
		ones := operand.U32(0)
		if 8 <= i && i < 16 {
			ones = math.MaxUint32
		}
		t.AddDatum(4*i, ones)
	}
	return t
}

func (t *avx) Name() string { return t.isa }
func (t *avx) Width() int   { return t.width }

func (t *avx) Registers() int {
	if t.evex {
		return 32
	}
	return 16
}

func (t *avx) Compile() (*ir.File, error) {
	f, err := t.Result()
	if err != nil {
		return nil, err
	}
	if t.evex {
		return f, pass.Concat(compileEVEX, check(t.isa)).Execute(f)
	}
	return f, pass.Concat(pass.Compile, check(t.isa)).Execute(f)
}

func (t *avx) Func(name, doc string, s *signature) {
	t.signature = s
	t.Function(name)
	t.scratch = operand.Mem{}
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr(s.flat())
	t.Doc(doc)
	t.Pragma("noescape")
}

func (t *avx) resolve(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func (t *avx) PointerParam(param string) reg.GPVirtual {
	return t.intParam(t.signature.pointer(t.Param, param))
}

func (t *avx) IntParam(param string) reg.GPVirtual {
	return t.intParam(t.signature.int(t.Param, param))
}

func (t *avx) intParam(c gotypes.Component) reg.GPVirtual {
	r := t.GP64()
	t.MOVQ(t.resolve(c), r)
	return r
}

func (t *avx) ScalarParam(param string) Group {
	v := t.New(1)
	t.VMOVSS(t.resolve(t.Param(param)), v.regs[0])
	return v
}

func (t *avx) BroadcastParam(param string) Group {
	v := t.New(t.width)
	t.VBROADCASTSS(t.resolve(t.Param(param)), r(v))
	return v
}

func (t *avx) Return(v Group) {
	t.VMOVSS(v.regs[0].AsX(), t.resolve(t.ReturnIndex(0)))
	t.Done()
}

func (t *avx) ReturnInt(n reg.GPVirtual) {
	t.MOVQ(n, t.resolve(t.ReturnIndex(0)))
	t.Done()
}

// Done zeros the upper halves of the registers before AVX2 code returns: on Intel CPUs, SSE
// instructions in Go code would wait for them. In AVX-512 code, the pass zeroUpper does so where
// necessary.
func (t *avx) Done() {
	if !t.evex {
		t.VZEROUPPER()
	}
	t.RET()
}

func (t *avx) Leave(function string) {
	if !t.evex {
		t.VZEROUPPER()
	}
	t.Instruction(t.signature.leave(function))
}

func (t *avx) NewInt() reg.GPVirtual { return t.GP64() }

func (t *avx) SetInt(dst, p reg.GPVirtual)     { t.MOVQ(p, dst) }
func (t *avx) SetConst(n reg.GPVirtual, k int) { t.MOVQ(operand.I32(k), n) }

func (t *avx) LoadUint32(idx reg.GPVirtual, offset int) reg.GPVirtual {
	j := t.GP64()
	t.MOVL(at(idx, offset), j.As32())
	return j
}

func (t *avx) LoadTwoUint32(idx reg.GPVirtual, offset int) (j0, j1 reg.GPVirtual) {
	return t.LoadUint32(idx, offset), t.LoadUint32(idx, offset+4)
}

func (t *avx) LoadUint16(idx reg.GPVirtual, offset int) reg.GPVirtual {
	j := t.GP64()
	t.MOVWLZX(at(idx, offset), j.As32())
	return j
}

func (t *avx) LoadPointer(p reg.GPVirtual, offset int) reg.GPVirtual {
	q := t.GP64()
	t.MOVQ(at(p, offset), q)
	return q
}

func (t *avx) StoreInt(n, p reg.GPVirtual) { t.MOVQ(n, at(p, 0)) }

func (t *avx) Offset(p, n reg.GPVirtual, scale int) reg.GPVirtual {
	sum := t.GP64()
	t.LEAQ(operand.Mem{Base: p, Index: n, Scale: uint8(scale)}, sum)
	return sum
}

func (t *avx) Address(p, n reg.GPVirtual, scale int) reg.GPVirtual {
	return indexed{p, n, uint8(scale)}
}

func (t *avx) Element(p, j reg.GPVirtual) reg.GPVirtual { return indexed{p, j, float} }

func (t *avx) Scratch() reg.GPVirtual {
	if t.scratch.Base == nil {
		t.scratch = t.AllocLocal(8 * 8 * float)
	}
	p := t.GP64()
	t.LEAQ(t.scratch, p)
	return p
}

func (t *avx) Advance(p reg.GPVirtual, bytes int)   { t.ADDQ(operand.I32(bytes), p) }
func (t *avx) AdvanceReg(p, bytes reg.GPVirtual)    { t.ADDQ(bytes, p) }
func (t *avx) Decrement(n reg.GPVirtual, k int)     { t.SUBQ(operand.I32(k), n) }
func (t *avx) DecrementReg(n, k reg.GPVirtual)      { t.SUBQ(k, n) }
func (t *avx) MultiplyReg(n, k reg.GPVirtual)       { t.IMULQ(k, n) }
func (t *avx) ShiftLeft(n reg.GPVirtual, bits int)  { t.SHLQ(operand.Imm(uint64(bits)), n) }
func (t *avx) ShiftRight(n reg.GPVirtual, bits int) { t.SHRQ(operand.Imm(uint64(bits)), n) }
func (t *avx) And(n reg.GPVirtual, k int)           { t.ANDQ(operand.I32(k), n) }

func (t *avx) Rotates() bool { return true }

// pageSize is the smallest page size of amd64, in bytes.
const pageSize = 4096

func (t *avx) StayInPage(n, p reg.GPVirtual) {
	distance := t.GP64()
	t.MOVQ(p, distance)
	t.ANDQ(operand.I32(pageSize-float), distance)
	t.CMPQ(distance, n)
	t.CMOVQCS(distance, n)
}

func (t *avx) Prefetch(p reg.GPVirtual, offset int) { t.PREFETCHT0(at(p, offset)) }

func (t *avx) New(width int) Group {
	switch width {
	case 16:
		return Group{width, []reg.VecVirtual{t.ZMM()}}
	case 8:
		return Group{width, []reg.VecVirtual{t.YMM()}}
	}
	return Group{width, []reg.VecVirtual{t.XMM()}}
}

func (t *avx) NewUniform() Group { return t.New(t.width) }

func (t *avx) Narrow(v Group, width int) Group { return Group{width, v.regs} }

func r(v Group) operand.Op {
	switch v.width {
	case 16:
		return v.regs[0].AsZ()
	case 8:
		return v.regs[0].AsY()
	}
	return v.regs[0].AsX()
}

type indexed struct {
	reg.GPVirtual
	index reg.GPVirtual
	scale uint8
}

func at(p reg.GPVirtual, offset int) operand.Mem {
	if q, ok := p.(indexed); ok {
		return operand.Mem{Base: q.GPVirtual, Index: q.index, Scale: q.scale, Disp: offset}
	}
	return operand.Mem{Base: p, Disp: offset}
}

// Zero tells avo that VPXORD of a register with itself does not depend on the register. avo knows
// this of VXORPS.
func (t *avx) Zero(v Group) {
	if !t.evex {
		t.VXORPS(r(v), r(v), r(v))
		return
	}
	zero, err := x86.VPXORD(r(v), r(v), r(v))
	if err != nil {
		panic(err)
	}
	zero.CancellingInputs = true
	t.Instruction(zero)
}

func (t *avx) Fill(v Group, bits uint32) {
	pattern, x := t.GP32(), v.regs[0].AsX()
	t.MOVL(operand.U32(bits), pattern)
	if t.evex {
		t.VPBROADCASTD(pattern, r(v))
		return
	}
	t.VMOVD(pattern, x)
	t.VPBROADCASTD(x, r(v))
}

func (t *avx) CopyLane(dst, v Group, lane int) {
	t.VPERMILPS(operand.Imm(uint64(lane)), r(v), r(dst))
}

func (t *avx) Transpose(v *[4]Group) {
	// half[0] interleaves lanes 0 and 1 of groups 0 and 1, half[1] lanes 2 and 3. half[2] and
	// half[3] do so for groups 2 and 3.
	var half [4]Group
	for i := range half {
		half[i] = t.New(4)
	}
	for i := 0; i < 4; i += 2 {
		t.VUNPCKLPS(r(v[i+1]), r(v[i]), r(half[i]))
		t.VUNPCKHPS(r(v[i+1]), r(v[i]), r(half[i+1]))
	}
	for i := range 2 {
		t.VUNPCKLPD(r(half[i+2]), r(half[i]), r(v[2*i]))
		t.VUNPCKHPD(r(half[i+2]), r(half[i]), r(v[2*i+1]))
	}
}

func (t *avx) Load(v Group, p reg.GPVirtual, offset int)  { t.move(v.width)(at(p, offset), r(v)) }
func (t *avx) Store(v Group, p reg.GPVirtual, offset int) { t.move(v.width)(r(v), at(p, offset)) }

func (t *avx) move(width int) func(ops ...operand.Op) {
	switch width {
	case 1:
		return t.VMOVSS
	case 2:
		return t.VMOVSD
	}
	return t.VMOVUPS
}

func (t *avx) LoadLane(v Group, lane int, p reg.GPVirtual, offset int) {
	t.VINSERTPS(operand.Imm(uint64(lane)<<4), at(p, offset), r(v), r(v))
}

func (t *avx) LoadBroadcast(dst Group, p reg.GPVirtual, offset int) {
	t.VBROADCASTSS(at(p, offset), r(dst))
}

func (t *avx) LoadBytes(v Group, signed bool, p reg.GPVirtual, offset int) {
	t.floatBytes(v, signed, t.small(v, 1, p, offset))
}

// small returns the source operand for a conversion of one integer of 1 or 2 bytes for each lane of
// v: the memory at p or, for fewer than four integers, v, into which it loads them.
func (t *avx) small(v Group, size int, p reg.GPVirtual, offset int) operand.Op {
	m, few := at(p, offset), t.GP32()
	switch bytes := size * v.width; {
	case v.width >= 4:
		return m
	case bytes == 4:
		t.VMOVD(m, r(v))
		return r(v)
	case bytes == 2:
		t.MOVWLZX(m, few)
	default:
		t.MOVBLZX(m, few)
	}
	t.VMOVD(few, r(v))
	return r(v)
}

func (t *avx) floatBytes(v Group, signed bool, from operand.Op) {
	if signed {
		t.VPMOVSXBD(from, r(v))
	} else {
		t.VPMOVZXBD(from, r(v))
	}
	t.VCVTDQ2PS(r(v), r(v))
}

func (t *avx) LoadShorts(v Group, float16 bool, p reg.GPVirtual, offset int) {
	t.widenShorts(v, float16, t.small(v, 2, p, offset))
}

func (t *avx) widenShorts(v Group, float16 bool, from operand.Op) {
	if float16 {
		t.VCVTPH2PS(from, r(v))
	} else {
		t.VPMOVZXWD(from, r(v))
	}
}

func (t *avx) StoreShorts(v Group, float16 bool, p reg.GPVirtual, offset int) {
	nearest := operand.Imm(0) // rounds to nearest even, regardless of MXCSR
	m, x := at(p, offset), v.regs[0].AsX()
	switch {
	case float16 && v.width >= 4:
		t.VCVTPS2PH(nearest, r(v), m)
		return
	case t.evex && v.width >= 4:
		t.VPMOVDW(r(v), m)
		return
	case float16:
		t.VCVTPS2PH(nearest, x, x)
	case t.evex:
		t.VPMOVDW(x, x)
	default:
		t.VPACKUSDW(r(v), r(v), r(v))
	}
	switch v.width {
	case 8:
		t.VPERMQ(operand.Imm(8), v.regs[0].AsY(), v.regs[0].AsY())
		t.VMOVUPS(x, m)
	case 4:
		t.VMOVQ(x, m)
	case 2:
		t.VMOVD(x, m)
	case 1:
		t.VPEXTRW(operand.Imm(0), x, m)
	}
}

// Part returns an opmask in AVX-512 code. AVX2 masks have lanes of all ones for floats that exist,
// else 0.
func (t *avx) Part(n reg.GPVirtual, width int) Part {
	if !t.evex {
		k, table, mask := t.GP64(), t.GP64(), t.YMM()
		t.LEAQ(t.masks.Offset(8*float), table)
		t.MOVQ(n, k)
		t.NEGQ(k)
		t.ANDQ(operand.Imm(7), k) // number of missing floats
		t.VMOVUPS(operand.Mem{Base: table, Index: k, Scale: float}, mask)
		return mask
	}
	k, ones, mask := t.GP64(), t.GP32(), t.K()
	t.MOVQ(n, k)
	t.NEGQ(k)
	t.ANDQ(operand.Imm(uint64(width-1)), k) // number of missing floats
	t.MOVL(operand.U32(1<<width-1), ones)
	t.SHRXL(k.As32(), ones, ones)
	t.KMOVW(ones, mask)
	return mask
}

func (t *avx) Head(n reg.GPVirtual, width int) Part {
	if !t.evex {
		table, mask := t.GP64(), t.YMM()
		t.LEAQ(t.masks.Offset(8*float), table)
		k := copyInt(t, n)
		t.NEGQ(k)
		t.VMOVUPS(operand.Mem{Base: table, Index: k, Scale: float}, mask)
		return mask
	}
	ones, mask := t.GP32(), t.K()
	t.MOVL(operand.U32(1<<width-1), ones)
	t.SHLXL(n.As32(), ones, ones)
	t.KMOVW(ones, mask)
	return mask
}

func (t *avx) FirstPart(n reg.GPVirtual, start, width int) Part {
	if !t.evex {
		table, k, mask := t.GP64(), copyInt(t, n), t.YMM()
		t.LEAQ(t.masks.Offset((16+start)*float), table)
		t.NEGQ(k)
		t.VMOVUPS(operand.Mem{Base: table, Index: k, Scale: float}, mask)
		return mask
	}
	ones, mask := t.GP64(), t.K()
	t.MOVQ(operand.I32(-1), ones)
	t.BZHIQ(n, ones, ones)
	if start > 0 {
		t.ShiftRight(ones, start)
	}
	t.KMOVW(ones.As32(), mask)
	return mask
}

func (t *avx) LoadPart(v Group, p reg.GPVirtual, offset int, part Part) {
	if t.evex {
		t.VMOVUPS_Z(at(p, offset), part.(reg.Register), r(v))
	} else {
		t.VMASKMOVPS(at(p, offset), part.(reg.Register), r(v))
	}
}

func (t *avx) LoadBytesPart(v Group, signed bool, p, n reg.GPVirtual, part Part) {
	switch {
	case t.evex && signed:
		t.VPMOVSXBD_Z(at(p, 0), part.(reg.Register), r(v))
		t.VCVTDQ2PS(r(v), r(v))
	case t.evex:
		t.VPMOVZXBD_Z(at(p, 0), part.(reg.Register), r(v))
		t.VCVTDQ2PS(r(v), r(v))
	default:
		t.IfWithout(n, 7, "eight")
		x := v.regs[0].AsX()
		t.VMOVQ(fewBytes(t, p, n), x)
		t.floatBytes(v, signed, x)
		t.Jump("floats")
		t.Label("eight")
		t.LoadBytes(v, signed, p, 0)
		t.Label("floats")
	}
}

func (t *avx) LoadShortsPart(v Group, float16 bool, p, n reg.GPVirtual, part Part,
	name string) {
	switch {
	case t.evex && float16:
		t.VCVTPH2PS_Z(at(p, 0), part.(reg.Register), r(v))
	case t.evex:
		t.VPMOVZXWD_Z(at(p, 0), part.(reg.Register), r(v))
	default:
		t.IfWithout(n, 7, name+"eight")
		x, four := v.regs[0].AsX(), t.XMM()
		t.VMOVQ(fewShorts(t, p, n, name), x)
		t.IfWithout(n, 4, name+"few")
		t.VMOVQ(at(p, 0), four)
		t.VPUNPCKLQDQ(x, four, x)
		t.Label(name + "few")
		t.widenShorts(v, float16, x)
		t.Jump(name + "floats")
		t.Label(name + "eight")
		t.LoadShorts(v, float16, p, 0)
		t.Label(name + "floats")
	}
}

func (t *avx) StorePart(v Group, p reg.GPVirtual, offset int, part Part) {
	if t.evex {
		t.VMOVUPS(r(v), part.(reg.Register), at(p, offset))
	} else {
		t.VMASKMOVPS(r(v), part.(reg.Register), at(p, offset))
	}
}

func (t *avx) LastPart(part Part) Part { return part }

func (t *avx) LoadLast(v Group, p reg.GPVirtual, offset int, part Part) {
	t.LoadPart(v, p, offset, part)
}

func (t *avx) Mul(dst, a, b Group) { t.VMULPS(r(b), r(a), r(dst)) }
func (t *avx) Add(dst, a, b Group) { t.VADDPS(r(b), r(a), r(dst)) }
func (t *avx) Sub(dst, a, b Group) { t.VSUBPS(r(b), r(a), r(dst)) }

func (t *avx) MulLoad(dst, a Group, p reg.GPVirtual, offset int) {
	t.withMemory(t.VMULPS, t.VMULSS, dst, a, p, offset)
}

func (t *avx) AddLoad(dst, a Group, p reg.GPVirtual, offset int) {
	t.withMemory(t.VADDPS, t.VADDSS, dst, a, p, offset)
}

func (t *avx) SubLoad(dst, a Group, p reg.GPVirtual, offset int) {
	t.withMemory(t.VSUBPS, nil, dst, a, p, offset)
}

// scalarOp is for a group of one; nil if there is none.
func (t *avx) withMemory(packedOp, scalarOp func(ops ...operand.Op), dst, a Group, p reg.GPVirtual,
	offset int) {
	switch {
	case dst.width >= 4:
		packedOp(at(p, offset), r(a), r(dst))
	case dst.width == 1 && scalarOp != nil:
		scalarOp(at(p, offset), r(a), r(dst))
	default:
		b := t.New(dst.width)
		t.Load(b, p, offset)
		packedOp(r(b), r(a), r(dst))
	}
}

// VMINPS and VMAXPS return their second source, here a, if either source is NaN.
func (t *avx) Min(dst, limit, a Group) { t.VMINPS(r(a), r(limit), r(dst)) }
func (t *avx) Max(dst, limit, a Group) { t.VMAXPS(r(a), r(limit), r(dst)) }

func (t *avx) Least(best, v Group)    { t.Min(best, v, best) }
func (t *avx) Greatest(best, v Group) { t.Max(best, v, best) }

func (t *avx) KeepBelow(dst, a, v, limit Group) {
	if t.evex {
		mask := t.K()
		t.VCMPPS(lessThan, r(limit), r(v), mask)
		t.VMOVUPS_Z(r(a), mask, r(dst))
		return
	}
	mask := t.New(dst.width)
	t.VCMPPS(lessThan, r(limit), r(v), r(mask))
	t.VANDPS(r(a), r(mask), r(dst))
}

// lessThan is the predicate of VCMPPS and VCMPPD for a < b. It is false for NaN.
const lessThan = operand.U8(0x11)

func (t *avx) Root(dst, v Group) { t.VSQRTSS(r(v), r(v), r(dst)) }

func (t *avx) Cosine(dst, xy, xx, yy Group) {
	var double [3]operand.Op
	for i, v := range []Group{xy, xx, yy} {
		double[i] = t.XMM()
		t.VCVTSS2SD(r(v), r(v), double[i])
	}
	squares := double[1]
	t.VMULSD(double[2], squares, squares)
	t.VSQRTSD(squares, squares, squares)
	t.VDIVSD(squares, double[0], squares)
	t.VCVTSD2SS(squares, squares, r(dst))
}

func (t *avx) BitsAnd(dst, a, b Group) { t.VANDPS(r(b), r(a), r(dst)) }
func (t *avx) BitsAdd(dst, a, b Group) { t.VPADDD(r(b), r(a), r(dst)) }
func (t *avx) BitsSub(dst, a, b Group) { t.VPSUBD(r(b), r(a), r(dst)) }

func (t *avx) MulPairs(dst, a, b Group) { t.VPMADDWD(r(b), r(a), r(dst)) }

func (t *avx) BitsShiftLeft(dst, a Group, bits int) {
	t.VPSLLD(operand.Imm(uint64(bits)), r(a), r(dst))
}

func (t *avx) BitsShiftRight(dst, a Group, bits int) {
	t.VPSRLD(operand.Imm(uint64(bits)), r(a), r(dst))
}

func (t *avx) BroadcastDouble(v Group, p reg.GPVirtual, offset int) {
	t.VBROADCASTSD(at(p, offset), r(v))
}

func (t *avx) LoadDoubles(v Group, p reg.GPVirtual, offset int) {
	if v.width == 2 {
		t.VMOVSS(at(p, offset), r(v))
		t.VCVTPS2PD(r(v), r(v))
		return
	}
	t.VCVTPS2PD(at(p, offset), r(v))
}

func (t *avx) RoundDoubles(v Group) Group {
	floats := t.Narrow(v, v.width/2)
	switch v.width {
	case 16:
		t.VCVTPD2PS(r(v), r(floats))
	case 8:
		t.VCVTPD2PSY(r(v), r(floats))
	default:
		t.VCVTPD2PSX(r(v), r(floats))
	}
	return floats
}

func (t *avx) Doubles(low, high, v Group) {
	half := t.New(v.width / 2)
	t.UpperHalf(half, v)
	t.VCVTPS2PD(r(t.Narrow(v, v.width/2)), r(low))
	t.VCVTPS2PD(r(half), r(high))
}

func (t *avx) MulDoubles(dst, a, b Group) { t.VMULPD(r(b), r(a), r(dst)) }
func (t *avx) AddDoubles(dst, a, b Group) { t.VADDPD(r(b), r(a), r(dst)) }
func (t *avx) SubDoubles(dst, a, b Group) { t.VSUBPD(r(b), r(a), r(dst)) }
func (t *avx) DivDoubles(dst, a, b Group) { t.VDIVPD(r(b), r(a), r(dst)) }

func (t *avx) MulDoubleLoad(dst, a Group, p reg.GPVirtual, offset int) {
	if t.evex {
		t.VMULPD_BCST(at(p, offset), r(a), r(dst))
	} else {
		t.VMULPD(at(p, offset), r(a), r(dst))
	}
}

func (t *avx) AddDoubleLoad(dst, a Group, p reg.GPVirtual, offset int) {
	if t.evex {
		t.VADDPD_BCST(at(p, offset), r(a), r(dst))
	} else {
		t.VADDPD(at(p, offset), r(a), r(dst))
	}
}

func (t *avx) LessDoubles(a, b Group) Mask {
	if t.evex {
		mask := t.K()
		t.VCMPPD(lessThan, r(b), r(a), mask)
		return mask
	}
	mask := t.New(a.width)
	t.VCMPPD(lessThan, r(b), r(a), r(mask))
	return mask
}

// SelectDoubles tells avo that VBLENDMPD only writes its destination.
func (t *avx) SelectDoubles(mask Mask, a, b Group) Group {
	v := t.New(a.width)
	if !t.evex {
		t.VBLENDVPD(r(mask.(Group)), r(a), r(b), r(v))
		return v
	}
	blend, err := x86.VBLENDMPD(r(a), r(b), mask.(reg.Register), r(v))
	if err != nil {
		panic(err)
	}
	blend.Inputs = blend.Operands[:3]
	t.Instruction(blend)
	return v
}

func (t *avx) ShiftDoublesLeft(dst, a Group, bits int) {
	t.VPSLLQ(operand.Imm(uint64(bits)), r(a), r(dst))
}

func (t *avx) FoldDoubles(v Group) {
	for width := v.width / 2; width >= 2; width /= 2 {
		half, low := t.New(width), t.Narrow(v, width)
		t.UpperHalf(half, t.Narrow(v, 2*width))
		t.AddDoubles(low, low, half)
	}
}

func (t *avx) ReturnDouble(v Group) {
	t.VMOVSD(v.regs[0].AsX(), t.resolve(t.ReturnIndex(0)))
	t.Done()
}

func (t *avx) UpperHalf(dst, v Group) {
	one := operand.Imm(1)
	switch {
	case v.width == 16:
		t.VEXTRACTF64X4(one, r(v), r(dst))
	case v.width == 8 && t.evex:
		t.VEXTRACTF32X4(one, r(v), r(dst))
	case v.width == 8:
		t.VEXTRACTF128(one, r(v), r(dst))
	case v.width == 4:
		t.VMOVHLPS(r(v), r(v), r(dst))
	case v.width == 2:
		t.VMOVSHDUP(r(v), r(dst))
	}
}

func (t *avx) Fold(v Group) {
	for width := v.width / 2; width > 1; width /= 2 {
		half, low := t.New(width), t.Narrow(v, width)
		t.UpperHalf(half, t.Narrow(v, 2*width))
		t.Add(low, low, half)
	}
	x, h := v.regs[0].AsX(), t.XMM()
	t.VMOVSHDUP(x, h)
	t.VADDSS(h, x, x)
}

func (t *avx) FoldFour(v [4]Group) Group {
	if v[0].width == 16 {
		return t.foldFourWide(v)
	}
	even, odd := t.pairOfHalves(v[0], v[2], t.VADDPS), t.pairOfHalves(v[1], v[3], t.VADDPS)
	low, high := t.YMM(), t.YMM()
	t.VUNPCKLPD(odd, even, low)  // lanes 0 and 1 of v[0], v[1], v[2] and v[3]
	t.VUNPCKHPD(odd, even, high) // lanes 2 and 3 of v[0], v[1], v[2] and v[3]
	t.VADDPS(high, low, low)
	t.VMOVSHDUP(low, high)
	t.VADDPS(high, low, low) // the even lanes hold the four sums
	sum, upper := t.New(4), Group{4, []reg.VecVirtual{high}}
	t.UpperHalf(upper, Group{8, []reg.VecVirtual{low}})
	t.VSHUFPS(operand.Imm(0x88), r(upper), low.AsX(), r(sum))
	return sum
}

func (t *avx) foldFourWide(v [4]Group) Group {
	sum, high := t.addQuarters(v, t.VADDPS), t.ZMM()
	t.VPERMILPD(operand.Imm(0x55), r(sum), high)
	t.VADDPS(high, r(sum), r(sum))
	t.VMOVSHDUP(r(sum), high)
	t.VADDPS(high, r(sum), r(sum))
	firsts, mask := t.GP32(), t.K()
	t.MOVL(operand.U32(0x1111), firsts)
	t.KMOVW(firsts, mask)
	t.VCOMPRESSPS_Z(r(sum), mask, r(sum))
	return t.Narrow(sum, 4)
}

// addQuarters returns the sum of the four quarters of v[i] in quarter i. It overwrites v.
func (t *avx) addQuarters(v [4]Group, add func(ops ...operand.Op)) Group {
	low, high, sum := t.ZMM(), t.ZMM(), t.New(16)
	for i := 0; i < 4; i += 2 {
		a, b := r(v[i]), r(v[i+1])
		t.VINSERTF64X4(operand.Imm(1), v[i+1].regs[0].AsY(), a, low)
		t.VSHUFF64X2(operand.Imm(0xee), b, a, high)
		add(high, low, a)
	}
	first, second := r(v[0]), r(v[2])
	t.VSHUFF32X4(operand.Imm(0x88), second, first, low)
	t.VSHUFF32X4(operand.Imm(0xdd), second, first, high)
	add(high, low, r(sum))
	return sum
}

func (t *avx) FoldThree(a, b, c Group) [3]Group {
	second, third := t.New(1), t.New(1)
	if a.width == 16 {
		low, high, half := t.ZMM(), t.ZMM(), t.New(8)
		t.VINSERTF64X4(operand.Imm(1), b.regs[0].AsY(), r(a), low)
		t.VSHUFF64X2(operand.Imm(0xee), r(b), r(a), high)
		t.VADDPS(high, low, low)
		t.UpperHalf(half, c)
		t.Add(t.Narrow(c, 8), t.Narrow(c, 8), half)
		t.VSHUFF32X4(operand.Imm(0xdd), r(c), low, high)
		t.VSHUFF32X4(operand.Imm(0x88), r(c), low, low)
		t.VADDPS(high, low, low)
		t.VPERMILPD(operand.Imm(0x55), low, high)
		t.VADDPS(high, low, low)
		t.VMOVSHDUP(low, high)
		t.VADDPS(high, low, low)
		t.VEXTRACTF32X4(operand.Imm(1), low.AsY(), r(second))
		t.VEXTRACTF32X4(operand.Imm(2), low, r(third))
		return [3]Group{{1, []reg.VecVirtual{low}}, second, third}
	}
	outer, half, high := t.pairOfHalves(a, c, t.VADDPS), t.New(4), t.YMM()
	t.UpperHalf(half, b)
	t.Add(t.Narrow(b, 4), t.Narrow(b, 4), half)
	t.VUNPCKHPD(r(b), outer, high)
	t.VUNPCKLPD(r(b), outer, outer)
	t.VADDPS(high, outer, outer)
	t.VMOVSHDUP(outer, high)
	t.VADDPS(high, outer, outer)
	t.VMOVHLPS(outer.AsX(), outer.AsX(), r(second))
	t.UpperHalf(third, Group{8, []reg.VecVirtual{outer}})
	return [3]Group{{1, []reg.VecVirtual{outer}}, second, third}
}

// pairOfHalves adds the halves of each of two groups of eight. The lower half of the result is for
// a, the upper half for b.
func (t *avx) pairOfHalves(a, b Group, add func(ops ...operand.Op)) reg.VecVirtual {
	one, low, high := operand.Imm(1), t.YMM(), t.YMM()
	if t.evex {
		t.VINSERTF32X4(one, b.regs[0].AsX(), r(a), low)
		t.VSHUFF32X4(operand.Imm(3), r(b), r(a), high)
	} else {
		t.VINSERTF128(one, b.regs[0].AsX(), r(a), low)
		t.VPERM2F128(operand.Imm(0x31), r(b), r(a), high)
	}
	add(high, low, low)
	return low
}

func (t *avx) ByteLanes() int { return 8 }

// AddBytes widens the bytes to 16 bits, so that VPMADDWD adds two exact products in each lane.
func (t *avx) AddBytes(sums []Group, term byteTerm, x, y reg.GPVirtual, offset int, part Part) {
	for i, sum := range sums {
		v := t.New(sum.width)
		t.mulBytes(v, term, x, y, offset+2*sum.width*i, part)
		t.BitsAdd(sum, sum, v)
	}
}

// The terms outside the part are 0.
func (t *avx) mulBytes(dst Group, term byteTerm, x, y reg.GPVirtual, offset int, part Part) {
	w := t.New(dst.width)
	t.widenBytes(dst, term.signed, x, offset, part)
	t.widenBytes(w, term.signed, y, offset, part)
	if term.difference {
		t.VPSUBW(r(w), r(dst), r(dst))
		w = dst
	}
	if part != nil && !t.evex {
		t.VPAND(r(part.(Group)), r(dst), r(dst))
	}
	t.VPMADDWD(r(w), r(dst), r(dst))
}

// AVX2 code ignores the part.
func (t *avx) widenBytes(v Group, signed bool, p reg.GPVirtual, offset int, part Part) {
	switch m := at(p, offset); {
	case t.evex && part != nil && signed:
		t.VPMOVSXBW_Z(m, part.(reg.Register), r(v))
	case t.evex && part != nil:
		t.VPMOVZXBW_Z(m, part.(reg.Register), r(v))
	case signed:
		t.VPMOVSXBW(m, r(v))
	default:
		t.VPMOVZXBW(m, r(v))
	}
}

// LastBytes is for AVX2; AVX-512 code uses highPart. The mask has all ones in the last n mod
// 2*width 16-bit words, and zeros before.
func (t *avx) LastBytes(n reg.GPVirtual, width int) Part {
	table, k, mask := t.GP64(), copyInt(t, n), t.New(width)
	t.LEAQ(t.masks.Offset(8*float-2*width), table)
	t.And(k, 2*width-1)
	t.VPMOVSXBW(operand.Mem{Base: table, Index: k, Scale: 1}, r(mask))
	return mask
}

// lowPart returns an opmask for the first n of up to 64 elements.
func (t *avx) lowPart(n reg.GPVirtual) Part {
	ones, mask := t.GP64(), t.K()
	t.MOVQ(operand.I32(-1), ones)
	t.BZHIQ(n, ones, ones)
	t.KMOVQ(ones, mask)
	return mask
}

func (t *avx) highPart(n reg.GPVirtual, size int) Part {
	missing, ones, mask := copyInt(t, n), t.GP64(), t.K()
	t.NEGQ(missing)
	t.And(missing, size-1)
	t.MOVQ(operand.I32(-1), ones)
	t.SHLXQ(missing, ones, ones)
	t.KMOVQ(ones, mask)
	return mask
}

func (t *avx) setBytes(v Group, b uint8) { t.Fill(v, 0x01010101*uint32(b)) }

func (t *avx) LoadByte(p reg.GPVirtual, signed bool) reg.GPVirtual {
	v := t.GP64()
	if signed {
		t.MOVBQSX(at(p, 0), v)
	} else {
		t.MOVBQZX(at(p, 0), v)
	}
	return v
}

func (t *avx) SumInts(sum reg.GPVirtual, v Group, signed bool) {
	for width := v.width / 2; width >= 4; width /= 2 {
		half, low := t.New(width), t.Narrow(v, width)
		t.UpperHalf(half, t.Narrow(v, 2*width))
		t.BitsAdd(low, low, half)
	}
	x, h := v.regs[0].AsX(), t.XMM()
	t.VPSHUFD(operand.Imm(0x4e), x, h)
	t.VPADDD(h, x, x)
	t.VPSHUFD(operand.Imm(0xb1), x, h)
	t.VPADDD(h, x, x)
	t.VMOVD(x, sum.As32())
	if signed {
		t.MOVLQSX(sum.As32(), sum)
	}
}

func (t *avx) DifferingBits(x, y, n reg.GPVirtual) reg.GPVirtual {
	sum := t.NewInt()
	t.SetConst(sum, 0)
	add := func(words int) {
		for k := range words {
			v := t.GP64()
			t.MOVQ(at(x, 8*k), v)
			t.XORQ(at(y, 8*k), v)
			t.POPCNTQ(v, v)
			t.ADDQ(v, sum)
		}
	}
	xy := walk{t, n, []vector{{x, wordSize}, {y, wordSize}}}
	xy.loop(t.LoopLabel, "words", 4, "rest", func() {
		t.Prefetch(x, rowPrefetch)
		add(4)
	})
	t.Label("rest")
	t.Prefetch(x, rowPrefetch)
	xy.loop(t.Label, "word", 1, "end", func() { add(1) })
	t.Label("end")
	return sum
}

func (t *avx) Jump(label string) { t.JMP(operand.LabelRef(label)) }

func (t *avx) IfLess(n reg.GPVirtual, k int, label string) {
	t.jumpIf(t.JB, n, operand.I32(k), label)
}

func (t *avx) IfAtMost(n reg.GPVirtual, k int, label string) {
	t.jumpIf(t.JBE, n, operand.I32(k), label)
}

func (t *avx) IfAtLeast(n reg.GPVirtual, k int, label string) {
	t.jumpIf(t.JAE, n, operand.I32(k), label)
}

func (t *avx) jumpIf(jump func(label operand.Op), n reg.GPVirtual, k operand.Op, label string) {
	t.CMPQ(n, k)
	jump(operand.LabelRef(label))
}

func (t *avx) IfWithout(n reg.GPVirtual, k int, label string) {
	t.TESTL(operand.U32(k), n.As32())
	t.JEQ(operand.LabelRef(label))
}

func (t *avx) IfLessReg(n, k reg.GPVirtual, label string)    { t.jumpIf(t.JB, n, k, label) }
func (t *avx) IfAtLeastReg(n, k reg.GPVirtual, label string) { t.jumpIf(t.JAE, n, k, label) }

func (t *avx) IfAnyEqual(a, b Group, label string) {
	some, equal := t.GP32(), operand.Imm(0)
	if t.evex {
		mask := t.K()
		t.VCMPPS(equal, r(b), r(a), mask)
		t.KMOVW(mask, some)
	} else {
		mask := t.New(a.width)
		t.VCMPPS(equal, r(b), r(a), r(mask))
		t.VMOVMSKPS(r(mask), some)
	}
	t.TESTL(some, some)
	t.JNE(operand.LabelRef(label))
}

func (t *avx) IfOutside(v Group, least, most uint32, label string) {
	bits := t.GP32()
	t.VMOVD(r(v), bits)
	if least > 0 {
		t.SUBL(operand.U32(least), bits)
	}
	t.CMPL(bits, operand.U32(most-least))
	t.JHI(operand.LabelRef(label))
}

// IfNoCosine jumps if 2*b - s, as an unsigned integer, is above 2*one, where s is the sign bit of v
// and b are the other bits. The difference is 2^32-1 for -0, else in the order of the magnitudes,
// with NaN greatest.
func (t *avx) IfNoCosine(v Group, label string) {
	bits := t.GP32()
	t.VMOVD(r(v), bits)
	t.ADDL(bits, bits)
	t.SBBL(operand.Imm(0), bits)
	t.CMPL(bits, operand.U32(2*one))
	t.JHI(operand.LabelRef(label))
}

const one = 0x3f800000

func (t *avx) IfMisaligned(p reg.GPVirtual, width int, label string) {
	t.TESTL(operand.U32(float*(width-1)), p.As32())
	t.JNE(operand.LabelRef(label))
}

func (t *avx) IfNearPageEnd(p, n reg.GPVirtual, width int, label string) {
	end := t.GP64()
	t.LEAQ(operand.Mem{Base: p, Index: n, Scale: float, Disp: width*float - 1}, end)
	t.TESTL(operand.U32(pageSize-width*float), end.As32())
	t.JEQ(operand.LabelRef(label))
}

// n and width count bytes.
func (t *avx) ifBytesNearPageEnd(p, n reg.GPVirtual, width int, label string) {
	end := t.GP64()
	t.LEAQ(operand.Mem{Base: p, Index: n, Scale: 1, Disp: width - 1}, end)
	t.TESTL(operand.U32(pageSize-width), end.As32())
	t.JEQ(operand.LabelRef(label))
}

func (t *avx) LoopLabel(name string) {
	t.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []operand.Op{operand.Imm(32)}})
	t.Label(name)
}
