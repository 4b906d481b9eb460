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
)

// avx2 is the Target for amd64: 256-bit registers, VEX encoding, no fused multiply-add.
type avx2 struct {
	*build.Context
	isa     string
	width   int // floats of the widest group
	masks   operand.Mem
	scratch operand.Mem // of the function under way, once it has asked for it
}

const rodata = attr.RODATA | attr.NOPTR

func newContext(isa string, width int) *avx2 {
	c := build.NewContext()
	c.ConstraintExpr(constraint("amd64"))
	return &avx2{Context: c, isa: isa, width: width}
}

func newAVX2() *avx2 {
	t := newContext("AVX2", 8)
	// Eight words of zeros, eight of ones, then eight of zeros.
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

// Functions.

func (t *avx2) Name() string { return t.isa }
func (t *avx2) Width() int   { return t.width }

func (t *avx2) Registers() int { return 16 }

func (t *avx2) Compile() (*ir.File, error) {
	f, err := t.Result()
	if err != nil {
		return nil, err
	}
	return f, pass.Concat(pass.Compile, check("AVX2")).Execute(f)
}

func (t *avx2) Func(k *kernelSpec) {
	t.Function(k.word + t.isa)
	t.scratch = operand.Mem{}
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr(k.signature)
	t.Doc(k.doc(t.isa))
	t.Pragma("noescape")
}

func (t *avx2) Comment(text string) { t.Context.Comment(text) }

func (t *avx2) argument(name string) operand.Mem {
	return t.resolve(t.Param(name))
}

func (t *avx2) resolve(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func (t *avx2) gp(name string) reg.GPVirtual {
	r := t.GP64()
	t.MOVQ(t.argument(name), r)
	return r
}

func (t *avx2) PointerParam(param string) reg.GPVirtual { return t.gp(param) }
func (t *avx2) IntParam(param string) reg.GPVirtual     { return t.gp(param) }

func (t *avx2) ScalarParam(param string) Group {
	v := t.New(1)
	t.VMOVSS(t.argument(param), v.regs[0])
	return v
}

func (t *avx2) BroadcastParam(param string) Group {
	v := t.New(t.width)
	t.VBROADCASTSS(t.argument(param), r(v))
	return v
}

func (t *avx2) Return(v Group) {
	// The upper halves are cleared before a Go function runs: its SSE code would wait for them on
	// Intel.
	t.VMOVSS(v.regs[0].AsX(), t.resolve(t.ReturnIndex(0)))
	t.Done()
}

func (t *avx2) ReturnInt(n reg.GPVirtual) {
	t.MOVQ(n, t.resolve(t.ReturnIndex(0)))
	t.Done()
}

func (t *avx2) Done() {
	t.VZEROUPPER()
	t.RET()
}

// Integers.

func (t *avx2) NewInt() reg.GPVirtual { return t.GP64() }

func (t *avx2) CopyInt(p reg.GPVirtual) reg.GPVirtual {
	q := t.GP64()
	t.MOVQ(p, q)
	return q
}

func (t *avx2) SetInt(dst, p reg.GPVirtual)     { t.MOVQ(p, dst) }
func (t *avx2) SetConst(n reg.GPVirtual, k int) { t.MOVQ(operand.I32(k), n) }

func (t *avx2) LoadUint32(idx reg.GPVirtual, offset int) reg.GPVirtual {
	j := t.GP64()
	t.MOVL(at(idx, offset), j.As32())
	return j
}

func (t *avx2) LoadTwoUint32(idx reg.GPVirtual, offset int) (j0, j1 reg.GPVirtual) {
	return t.LoadUint32(idx, offset), t.LoadUint32(idx, offset+4)
}

func (t *avx2) LoadUint16(idx reg.GPVirtual, offset int) reg.GPVirtual {
	j := t.GP64()
	t.MOVWLZX(at(idx, offset), j.As32())
	return j
}

func (t *avx2) Offset(p, n reg.GPVirtual, scale int) reg.GPVirtual {
	sum := t.GP64()
	t.LEAQ(operand.Mem{Base: p, Index: n, Scale: uint8(scale)}, sum)
	return sum
}

func (t *avx2) Address(p, n reg.GPVirtual, scale int) reg.GPVirtual {
	return place{p, n, uint8(scale)}
}

func (t *avx2) Scratch() reg.GPVirtual {
	if t.scratch.Base == nil {
		t.scratch = t.AllocLocal(8 * 8 * float)
	}
	p := t.GP64()
	t.LEAQ(t.scratch, p)
	return p
}

func (t *avx2) Advance(p reg.GPVirtual, bytes int)   { t.ADDQ(operand.I32(bytes), p) }
func (t *avx2) AdvanceReg(p, bytes reg.GPVirtual)    { t.ADDQ(bytes, p) }
func (t *avx2) Decrement(n reg.GPVirtual, k int)     { t.SUBQ(operand.I32(k), n) }
func (t *avx2) DecrementReg(n, k reg.GPVirtual)      { t.SUBQ(k, n) }
func (t *avx2) MultiplyReg(n, k reg.GPVirtual)       { t.IMULQ(k, n) }
func (t *avx2) ShiftLeft(n reg.GPVirtual, bits int)  { t.SHLQ(operand.Imm(uint64(bits)), n) }
func (t *avx2) ShiftRight(n reg.GPVirtual, bits int) { t.SHRQ(operand.Imm(uint64(bits)), n) }
func (t *avx2) And(n reg.GPVirtual, k int)           { t.ANDQ(operand.I32(k), n) }

func (t *avx2) Rotates() bool { return true }

// page is the smallest that any system has, in bytes.
const page = 4096

func (t *avx2) StayInPage(n, p reg.GPVirtual) {
	behind := t.GP64()
	t.MOVQ(p, behind)
	t.ANDQ(operand.I32(page-float), behind)
	t.CMPQ(behind, n)
	t.CMOVQCS(behind, n)
}

func (t *avx2) Prefetch(p reg.GPVirtual, offset int) { t.PREFETCHT0(at(p, offset)) }

// Vectors.

func (t *avx2) New(width int) Group {
	switch width {
	case 16:
		return Group{width, []reg.VecVirtual{t.ZMM()}}
	case 8:
		return Group{width, []reg.VecVirtual{t.YMM()}}
	}
	return Group{width, []reg.VecVirtual{t.XMM()}}
}

func (t *avx2) NewUniform() Group { return t.New(t.width) }

func (t *avx2) Narrow(v Group, width int) Group { return Group{width, v.regs} }

// r is the register as wide as the group.
func r(v Group) operand.Op {
	switch v.width {
	case 16:
		return v.regs[0].AsZ()
	case 8:
		return v.regs[0].AsY()
	}
	return v.regs[0].AsX()
}

// A place is a pointer and an index times scale, which one instruction adds up.
type place struct {
	reg.GPVirtual
	index reg.GPVirtual
	scale uint8
}

func at(p reg.GPVirtual, offset int) operand.Mem {
	if q, ok := p.(place); ok {
		return operand.Mem{Base: q.GPVirtual, Index: q.index, Scale: q.scale, Disp: offset}
	}
	return operand.Mem{Base: p, Disp: offset}
}

func indexed(p, j reg.GPVirtual) operand.Mem {
	return operand.Mem{Base: p, Index: j, Scale: float}
}

func (t *avx2) Zero(v Group) { t.VXORPS(r(v), r(v), r(v)) }

func (t *avx2) Fill(v Group, bits uint32) {
	pattern, x := t.GP32(), v.regs[0].AsX()
	t.MOVL(operand.U32(bits), pattern)
	t.VMOVD(pattern, x)
	t.VPBROADCASTD(x, r(v))
}

func (t *avx2) CopyLane(dst, v Group, lane int) {
	t.VPERMILPS(operand.Imm(uint64(lane)), r(v), r(dst))
}

// Moves.

func (t *avx2) Load(v Group, p reg.GPVirtual, offset int) {
	switch v.width {
	case 16, 8, 4:
		t.VMOVUPS(at(p, offset), r(v))
	case 2:
		t.VMOVSD(at(p, offset), r(v))
	case 1:
		t.VMOVSS(at(p, offset), r(v))
	}
}

func (t *avx2) Store(v Group, p reg.GPVirtual, offset int) {
	switch v.width {
	case 16, 8, 4:
		t.VMOVUPS(r(v), at(p, offset))
	case 2:
		t.VMOVSD(r(v), at(p, offset))
	case 1:
		t.VMOVSS(r(v), at(p, offset))
	}
}

func (t *avx2) LoadAt(v Group, p, j reg.GPVirtual)  { t.VMOVSS(indexed(p, j), r(v)) }
func (t *avx2) StoreAt(v Group, p, j reg.GPVirtual) { t.VMOVSS(r(v), indexed(p, j)) }

func (t *avx2) LoadLane(v Group, lane int, p reg.GPVirtual, offset int) {
	t.VINSERTPS(operand.Imm(uint64(lane)<<4), at(p, offset), r(v), r(v))
}

func (t *avx2) LoadLaneAt(v Group, lane int, p, j reg.GPVirtual) {
	t.VINSERTPS(operand.Imm(uint64(lane)<<4), indexed(p, j), r(v), r(v))
}

func (t *avx2) LoadBroadcast(dst Group, p reg.GPVirtual, offset int) {
	t.VBROADCASTSS(at(p, offset), r(dst))
}

func (t *avx2) LoadBytes(v Group, p reg.GPVirtual, offset int) {
	switch x := r(v); v.width {
	case 16, 8, 4:
		t.VPMOVZXBD(at(p, offset), x)
	default:
		few := t.GP32()
		if v.width == 2 {
			t.MOVWLZX(at(p, offset), few)
		} else {
			t.MOVBLZX(at(p, offset), few)
		}
		t.VMOVD(few, x)
		t.VPMOVZXBD(x, x)
	}
	t.VCVTDQ2PS(r(v), r(v))
}

func (t *avx2) LoadSignedBytes(v Group, p reg.GPVirtual, offset int) {
	t.VPMOVSXBD(at(p, offset), r(v))
	t.VCVTDQ2PS(r(v), r(v))
}

// Part loads the mask from a window into the table, which starts among the ones.
func (t *avx2) Part(n reg.GPVirtual, width int) Part {
	k, table, mask := t.GP64(), t.GP64(), t.YMM()
	t.LEAQ(t.masks.Offset(8*float), table)
	t.MOVQ(n, k)
	t.NEGQ(k)
	t.ANDQ(operand.Imm(7), k) // 8 - n mod 8, or 0 for 8
	t.VMOVUPS(operand.Mem{Base: table, Index: k, Scale: float}, mask)
	return mask
}

// Head's window starts among the zeros.
func (t *avx2) Head(n reg.GPVirtual, width int) Part {
	table, mask := t.GP64(), t.YMM()
	t.LEAQ(t.masks.Offset(8*float), table)
	k := t.CopyInt(n)
	t.NEGQ(k)
	t.VMOVUPS(operand.Mem{Base: table, Index: k, Scale: float}, mask)
	return mask
}

func (t *avx2) LoadPart(v Group, p reg.GPVirtual, offset int, part Part) {
	t.VMASKMOVPS(at(p, offset), part.(reg.Register), r(v))
}

func (t *avx2) LastPart(part Part) Part { return part }

func (t *avx2) LoadLast(v Group, p reg.GPVirtual, offset int, part Part) {
	t.LoadPart(v, p, offset, part)
}

// Arithmetic.

func (t *avx2) Mul(dst, a, b Group) { t.VMULPS(r(b), r(a), r(dst)) }
func (t *avx2) Add(dst, a, b Group) { t.VADDPS(r(b), r(a), r(dst)) }
func (t *avx2) Sub(dst, a, b Group) { t.VSUBPS(r(b), r(a), r(dst)) }

func (t *avx2) MulLoad(dst, a Group, p reg.GPVirtual, offset int) {
	switch dst.width {
	case 16, 8, 4:
		t.VMULPS(at(p, offset), r(a), r(dst))
	case 1:
		t.VMULSS(at(p, offset), r(a), r(dst))
	default:
		b := t.New(dst.width)
		t.Load(b, p, offset)
		t.Mul(dst, a, b)
	}
}

func (t *avx2) AddLoad(dst, a Group, p reg.GPVirtual, offset int) {
	switch dst.width {
	case 16, 8, 4:
		t.VADDPS(at(p, offset), r(a), r(dst))
	case 1:
		t.VADDSS(at(p, offset), r(a), r(dst))
	default:
		b := t.New(dst.width)
		t.Load(b, p, offset)
		t.Add(dst, a, b)
	}
}

func (t *avx2) SubLoad(dst, a Group, p reg.GPVirtual, offset int) {
	switch dst.width {
	case 16, 8, 4:
		t.VSUBPS(at(p, offset), r(a), r(dst))
	default:
		b := t.New(dst.width)
		t.Load(b, p, offset)
		t.Sub(dst, a, b)
	}
}

func (t *avx2) MulLoadAt(dst, a Group, p, j reg.GPVirtual) { t.VMULSS(indexed(p, j), r(a), r(dst)) }
func (t *avx2) AddLoadAt(dst, a Group, p, j reg.GPVirtual) { t.VADDSS(indexed(p, j), r(a), r(dst)) }

// The second source is what VMINPS and VMAXPS return when either is NaN.
func (t *avx2) Min(dst, limit, a Group) { t.VMINPS(r(a), r(limit), r(dst)) }
func (t *avx2) Max(dst, limit, a Group) { t.VMAXPS(r(a), r(limit), r(dst)) }

func (t *avx2) Least(best, v Group)    { t.Min(best, v, best) }
func (t *avx2) Greatest(best, v Group) { t.Max(best, v, best) }

func (t *avx2) KeepBelow(dst, a, v, limit Group) {
	mask := t.New(dst.width)
	t.VCMPPS(lessThan, r(limit), r(v), r(mask))
	t.VANDPS(r(a), r(mask), r(dst))
}

// lessThan is VCMPPS's predicate that is false for NaN.
const lessThan = operand.U8(0x11)

func (t *avx2) BitsAnd(dst, a, b Group) { t.VANDPS(r(b), r(a), r(dst)) }
func (t *avx2) BitsAdd(dst, a, b Group) { t.VPADDD(r(b), r(a), r(dst)) }
func (t *avx2) BitsSub(dst, a, b Group) { t.VPSUBD(r(b), r(a), r(dst)) }

func (t *avx2) MulPairs(dst, a, b Group) { t.VPMADDWD(r(b), r(a), r(dst)) }

func (t *avx2) BitsShiftLeft(dst, a Group, bits int) {
	t.VPSLLD(operand.Imm(uint64(bits)), r(a), r(dst))
}

func (t *avx2) BitsShiftRight(dst, a Group, bits int) {
	t.VPSRLD(operand.Imm(uint64(bits)), r(a), r(dst))
}

// Doubles.

func (t *avx2) BroadcastDouble(v Group, p reg.GPVirtual) { t.VBROADCASTSD(at(p, 0), r(v)) }

func (t *avx2) LoadDoubles(v Group, p reg.GPVirtual, offset int) {
	if v.width == 2 {
		t.VMOVSS(at(p, offset), r(v))
		t.VCVTPS2PD(r(v), r(v))
		return
	}
	t.VCVTPS2PD(at(p, offset), r(v))
}

func (t *avx2) Doubles(low, high, v Group) { t.doubles(low, high, v, t.UpperHalf) }

// doubles and foldDoubles are told how halves of registers move, which VEX and EVEX say
// differently.
func (t *avx2) doubles(low, high, v Group, upperHalf func(dst, v Group)) {
	half := t.New(v.width / 2)
	upperHalf(half, v)
	t.VCVTPS2PD(r(t.Narrow(v, v.width/2)), r(low))
	t.VCVTPS2PD(r(half), r(high))
}

func (t *avx2) MulDoubles(dst, a, b Group) { t.VMULPD(r(b), r(a), r(dst)) }
func (t *avx2) AddDoubles(dst, a, b Group) { t.VADDPD(r(b), r(a), r(dst)) }

func (t *avx2) FoldDoubles(v Group) { t.foldDoubles(v, t.UpperHalf) }

func (t *avx2) foldDoubles(v Group, upperHalf func(dst, v Group)) {
	for width := v.width / 2; width >= 2; width /= 2 {
		half, low := t.New(width), t.Narrow(v, width)
		upperHalf(half, t.Narrow(v, 2*width))
		t.AddDoubles(low, low, half)
	}
}

func (t *avx2) ReturnDouble(v Group) {
	t.VMOVSD(v.regs[0].AsX(), t.resolve(t.ReturnIndex(0)))
	t.Done()
}

// Folds.

func (t *avx2) UpperHalf(dst, v Group) {
	switch v.width {
	case 8:
		t.VEXTRACTF128(operand.Imm(1), r(v), r(dst))
	case 4:
		t.VMOVHLPS(r(v), r(v), r(dst))
	case 2:
		t.VMOVSHDUP(r(v), r(dst))
	}
}

func (t *avx2) Fold(v Group) {
	x, h := v.regs[0].AsX(), t.XMM()
	if v.width == 8 {
		t.VEXTRACTF128(operand.Imm(1), r(v), h)
		t.VADDPS(h, x, x)
	}
	t.VMOVHLPS(x, x, h)
	t.VADDPS(h, x, x)
	t.VMOVSHDUP(x, h)
	t.VADDSS(h, x, x)
}

// FoldFour brings lanes l and l+4 of two groups side by side, then l and l+2, then l and l+1, and
// adds all four sums at each step.
func (t *avx2) FoldFour(v [4]Group) Group {
	return t.foldFour(v, func(a, b Group, low, high reg.VecVirtual) {
		t.VINSERTF128(operand.Imm(1), b.regs[0].AsX(), r(a), low)
		t.VPERM2F128(operand.Imm(0x31), r(b), r(a), high)
	}, func(v, high reg.VecVirtual) { t.VEXTRACTF128(operand.Imm(1), v, high.AsX()) })
}

// foldFour is told how halves of registers move, which VEX and EVEX say differently: halves sets
// low to the lower halves of a and b and high to the upper ones, upper copies an upper half.
func (t *avx2) foldFour(v [4]Group, halves func(a, b Group, low, high reg.VecVirtual),
	upper func(v, high reg.VecVirtual)) Group {
	pair := func(a, b Group) reg.VecVirtual {
		low, high := t.YMM(), t.YMM()
		halves(a, b, low, high)
		t.VADDPS(high, low, low)
		return low
	}
	even, odd := pair(v[0], v[2]), pair(v[1], v[3])
	low, high := t.YMM(), t.YMM()
	t.VUNPCKLPD(odd, even, low)  // lanes 0 and 1 of v[0] and v[1], of v[2] and v[3]
	t.VUNPCKHPD(odd, even, high) // lanes 2 and 3
	t.VADDPS(high, low, low)
	t.VMOVSHDUP(low, high)
	t.VADDPS(high, low, low) // sums 0 and 1, 2 and 3 in the even lanes
	sum := t.New(4)
	upper(low, high)
	t.VSHUFPS(operand.Imm(0x88), high.AsX(), low.AsX(), r(sum))
	return sum
}

// Bytes.

func (t *avx2) BytesAtOnce(width int) int { return 2 * width }

// AddBytes widens the bytes to 16 bits, so that VPMADDWD adds two exact products a lane.
func (t *avx2) AddBytes(sum Group, term byteTerm, x, y reg.GPVirtual, offset int) {
	v, w := t.New(sum.width), t.New(sum.width)
	for _, l := range []struct {
		v Group
		p reg.GPVirtual
	}{{v, x}, {w, y}} {
		if term.signed {
			t.VPMOVSXBW(at(l.p, offset), r(l.v))
		} else {
			t.VPMOVZXBW(at(l.p, offset), r(l.v))
		}
	}
	if term.difference {
		t.VPSUBW(r(w), r(v), r(v))
		w = v
	}
	t.VPMADDWD(r(w), r(v), r(v))
	t.AddInts(sum, sum, v)
}

func (t *avx2) AddVNNI(s vnniSum, x, y reg.GPVirtual, offset int, part Part) {
	panic("AVX2 has no VNNI")
}

func (t *avx2) BytePart(n reg.GPVirtual) Part { panic("AVX2 has no VNNI") }

func (t *avx2) SetBytes(v Group, b uint8) {
	few := t.GP32()
	t.MOVL(operand.U32(0x01010101*uint32(b)), few)
	t.VMOVD(few, v.regs[0].AsX())
	t.VPBROADCASTD(v.regs[0].AsX(), r(v))
}

func (t *avx2) AddInts(dst, a, b Group) { t.VPADDD(r(b), r(a), r(dst)) }

func (t *avx2) ReturnInts(v Group) {
	h := t.XMM()
	t.VEXTRACTI128(operand.Imm(1), r(v), h)
	t.returnFour(v, h)
	t.Done()
}

// returnFour adds the lanes of v's lower quarter and of h.
func (t *avx2) returnFour(v Group, h reg.VecVirtual) {
	x, sum := v.regs[0].AsX(), t.GP32()
	t.VPADDD(h, x, x)
	t.VPSHUFD(operand.Imm(0x4e), x, h)
	t.VPADDD(h, x, x)
	t.VPSHUFD(operand.Imm(0xb1), x, h)
	t.VPADDD(h, x, x)
	t.VMOVD(x, sum)
	t.MOVL(sum, t.resolve(t.ReturnIndex(0)))
}

// Jumps.

func (t *avx2) Label(name string) { t.Context.Label(name) }
func (t *avx2) Jump(label string) { t.JMP(operand.LabelRef(label)) }

func (t *avx2) IfLess(n reg.GPVirtual, k int, label string) {
	t.CMPQ(n, operand.I32(k))
	t.JB(operand.LabelRef(label))
}

func (t *avx2) IfAtMost(n reg.GPVirtual, k int, label string) {
	t.CMPQ(n, operand.I32(k))
	t.JBE(operand.LabelRef(label))
}

func (t *avx2) IfAtLeast(n reg.GPVirtual, k int, label string) {
	t.CMPQ(n, operand.I32(k))
	t.JAE(operand.LabelRef(label))
}

func (t *avx2) IfWithout(n reg.GPVirtual, k int, label string) {
	t.TESTL(operand.U32(k), n.As32())
	t.JEQ(operand.LabelRef(label))
}

func (t *avx2) IfLessReg(n, k reg.GPVirtual, label string) {
	t.CMPQ(n, k)
	t.JB(operand.LabelRef(label))
}

func (t *avx2) IfAtLeastReg(n, k reg.GPVirtual, label string) {
	t.CMPQ(n, k)
	t.JAE(operand.LabelRef(label))
}

func (t *avx2) IfAnyEqual(a, b Group, label string) {
	mask, some := t.New(a.width), t.GP32()
	t.VCMPPS(operand.Imm(0), r(b), r(a), r(mask))
	t.VMOVMSKPS(r(mask), some)
	t.TESTL(some, some)
	t.JNE(operand.LabelRef(label))
}

func (t *avx2) IfMisaligned(p reg.GPVirtual, width int, label string) {
	t.TESTL(operand.U32(float*(width-1)), p.As32())
	t.JNE(operand.LabelRef(label))
}

func (t *avx2) IfNearPageEnd(p, n reg.GPVirtual, width int, label string) {
	end := t.GP64()
	t.LEAQ(operand.Mem{Base: p, Index: n, Scale: float, Disp: width*float - 1}, end)
	t.TESTL(operand.U32(page-width*float), end.As32())
	t.JEQ(operand.LabelRef(label))
}

func (t *avx2) LoopLabel(name string) {
	t.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []operand.Op{operand.Imm(32)}})
	t.Label(name)
}
