package arm64

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Operands stand in the order of Go's assembler: m, n, d for "n op m into d". Memory is an
// operand.Mem; an index is scaled by the size of the element or by 1. Immediates are operand
// constants such as operand.Imm(64); those that arm64 cannot hold are errors.

// Moves between memory, registers and, for MOVD, from a constant.
//
// MOVBU, MOVHU and MOVWU extend what they load to 64 bits, MOVB and MOVW with its sign. FMOVS and
// FMOVD clear the lanes above the one they write, in a move between registers too; either end may be
// general. FMOVQ is memory to vector or back: VMOV copies a register.

func (c *Context) MOVD(src, dst operand.Op)  { c.move("MOVD", src, dst) }
func (c *Context) MOVHU(src, dst operand.Op) { c.move("MOVHU", src, dst) }
func (c *Context) MOVWU(src, dst operand.Op) { c.move("MOVWU", src, dst) }
func (c *Context) MOVH(src, dst operand.Op)  { c.move("MOVH", src, dst) }
func (c *Context) MOVB(src, dst operand.Op)  { c.move("MOVB", src, dst) }
func (c *Context) MOVW(src, dst operand.Op)  { c.move("MOVW", src, dst) }
func (c *Context) MOVBU(src, dst operand.Op) { c.move("MOVBU", src, dst) }
func (c *Context) FMOVS(src, dst operand.Op) { c.move("FMOVS", src, dst) }
func (c *Context) FMOVD(src, dst operand.Op) { c.move("FMOVD", src, dst) }
func (c *Context) FMOVQ(src, dst operand.Op) { c.move("FMOVQ", src, dst) }

func (c *Context) move(opcode string, src, dst operand.Op) {
	s, d := natural(src), natural(dst)
	c.emit(opcode, ops{s}, ops{d}, s, d)
}

// Address puts the address of a StaticGlobal in d. Kernels load from there: m itself as an operand
// would take R27.
func (c *Context) Address(m operand.Mem, d reg.Register) {
	c.emit("MOVD", nil, ops{r64(d)}, text("$"+m.Asm()), r64(d))
}

// LDPW loads two uint32 and extends them to 64 bits.
func (c *Context) LDPW(m operand.Mem, d0, d1 reg.Register) { c.loadPair("LDPW", r64, m, d0, d1) }

// FLDPQ loads 32 bytes.
func (c *Context) FLDPQ(m operand.Mem, d0, d1 reg.Register) { c.loadPair("FLDPQ", f, m, d0, d1) }

// FSTPQ stores 32 bytes.
func (c *Context) FSTPQ(s0, s1 reg.Register, m operand.Mem) {
	a, b := pair(f, s0, s1)
	c.emit("FSTPQ", ops{a, b}, ops{m}, a, b, m)
}

func (c *Context) loadPair(opcode string, of func(reg.Register) view, m operand.Mem, d0,
	d1 reg.Register) {
	a, b := pair(of, d0, d1)
	c.emit(opcode, ops{m}, ops{a, b}, m, a, b)
}

// PRFM prefetches; how is PLDL1KEEP, PSTL1STRM and so on.
func (c *Context) PRFM(m operand.Mem, how string) { c.emit("PRFM", ops{m}, nil, m, text(how)) }

// Integers. m is a register, Shifted or not, or an immediate.

func (c *Context) ADD(m operand.Op, n, d reg.Register) { c.integer("ADD", m, n, d) }
func (c *Context) SUB(m operand.Op, n, d reg.Register) { c.integer("SUB", m, n, d) }
func (c *Context) AND(m operand.Op, n, d reg.Register) { c.integer("AND", m, n, d) }
func (c *Context) LSL(m operand.Op, n, d reg.Register) { c.integer("LSL", m, n, d) }
func (c *Context) LSR(m operand.Op, n, d reg.Register) { c.integer("LSR", m, n, d) }

func (c *Context) MUL(m, n, d reg.Register) { c.integer("MUL", m, n, d) }

func (c *Context) integer(opcode string, m operand.Op, n, d reg.Register) {
	m = natural(m)
	c.emit(opcode, ops{m, r64(n)}, ops{r64(d)}, m, r64(n), r64(d))
}

// CMP sets the flags of n - m: after CMP(m, n), BLO jumps if n < m.
func (c *Context) CMP(m operand.Op, n reg.Register) {
	m = natural(m)
	c.emit("CMP", ops{m, r64(n)}, nil, m, r64(n))
}

// Branches. BLO (also BCC), BLS, BHS (also BCS) and BHI are <, <=, >= and > without sign. Flags are
// not tracked: nothing that sets them may stand between a comparison and its branch.

func (c *Context) B(label string)   { c.branch("B", label, nil) }
func (c *Context) BEQ(label string) { c.branch("BEQ", label, nil) }
func (c *Context) BNE(label string) { c.branch("BNE", label, nil) }
func (c *Context) BLO(label string) { c.branch("BLO", label, nil) }
func (c *Context) BLS(label string) { c.branch("BLS", label, nil) }
func (c *Context) BHS(label string) { c.branch("BHS", label, nil) }
func (c *Context) BHI(label string) { c.branch("BHI", label, nil) }

func (c *Context) CBNZ(r reg.Register, label string) {
	c.branch("CBNZ", label, ops{r64(r)}, r64(r))
}

// TBZ jumps if the bit of r is zero, TBNZ if it is one. They reach 32 KiB.
func (c *Context) TBZ(bit uint8, r reg.Register, label string) { c.testBit("TBZ", bit, r, label) }

func (c *Context) TBNZ(bit uint8, r reg.Register, label string) { c.testBit("TBNZ", bit, r, label) }

func (c *Context) testBit(opcode string, bit uint8, r reg.Register, label string) {
	c.branch(opcode, label, ops{r64(r)}, operand.U8(bit), r64(r))
}

func (c *Context) RET() { c.add(&ir.Instruction{Opcode: "RET", IsTerminal: true}) }

// Single lanes. VLD1 and VMOV into a lane keep the others, so these must have been written before.

func (c *Context) VLD1(m operand.Mem, d Lane) {
	c.emit("VLD1", ops{m, d.view}, ops{d.view}, m, d.view)
}

// VLD1R loads one float32 into all four lanes.
func (c *Context) VLD1R(m operand.Mem, d reg.Register) {
	c.emit("VLD1R", ops{m}, ops{list(s4(d))}, m, list(s4(d)))
}

// VDUP copies s, a Lane made by S or the low half of a general register, to all four lanes.
func (c *Context) VDUP(s operand.Op, d reg.Register) {
	s = natural(s)
	c.emit("VDUP", ops{s}, ops{s4(d)}, s, s4(d))
}

// VMOV copies lane to lane, lane to general register (zero-extended), general register to lane, or
// a whole vector.
func (c *Context) VMOV(src, dst operand.Op) {
	s, d := vmov(src), vmov(dst)
	in := ops{s}
	if _, partial := dst.(Lane); partial {
		in = ops{s, d}
	}
	c.emit("VMOV", in, ops{d}, s, d)
}

func vmov(op operand.Op) operand.Op {
	if v, ok := natural(op).(view); ok && v.format == "F%d" {
		return b16(v.Register)
	}
	return natural(op)
}

// VMOVI sets every byte; 0 is how to clear a register.
func (c *Context) VMOVI(imm uint8, d reg.Register) {
	c.emit("VMOVI", nil, ops{b16(d)}, operand.U8(imm), b16(d))
}

// VEXT takes 16 bytes from byte i of n followed by m: VEXT(8, v, v, d) swaps the halves.
func (c *Context) VEXT(i uint8, m, n, d reg.Register) {
	c.emit("VEXT", ops{m, n}, ops{b16(d)}, operand.U8(i), b16(m), b16(n), b16(d))
}

// VBIT takes n where m has ones and leaves d where it has zeros.
func (c *Context) VBIT(m, n, d reg.Register) {
	c.emit("VBIT", ops{m, n, d}, ops{b16(d)}, b16(m), b16(n), b16(d))
}

// VTBL takes the bytes of n that m names by number, and 0 where m is 16 or more; VTBX leaves d's
// byte there.
func (c *Context) VTBL(m, n, d reg.Register) {
	c.emit("VTBL", ops{m, n}, ops{b16(d)}, b16(m), list(b16(n)), b16(d))
}

func (c *Context) VTBX(m, n, d reg.Register) {
	c.emit("VTBX", ops{m, n, d}, ops{b16(d)}, b16(m), list(b16(n)), b16(d))
}

func (c *Context) VAND(m, n, d reg.Register) { c.vector("VAND", b16, m, n, d) }
func (c *Context) VEOR(m, n, d reg.Register) { c.vector("VEOR", b16, m, n, d) }
func (c *Context) VORR(m, n, d reg.Register) { c.vector("VORR", b16, m, n, d) }

// On lanes of 32 bits. n gives the first of each pair: VUZP1 is n0 n2 m0 m2.

func (c *Context) VUZP1(m, n, d reg.Register) { c.vector("VUZP1", s4, m, n, d) }
func (c *Context) VUZP2(m, n, d reg.Register) { c.vector("VUZP2", s4, m, n, d) }

// Four int32.

func (c *Context) VADD(m, n, d reg.Register) { c.vector("VADD", s4, m, n, d) }
func (c *Context) VSUB(m, n, d reg.Register) { c.vector("VSUB", s4, m, n, d) }

// VADDP is n0+n1, n2+n3, m0+m1, m2+m3.
func (c *Context) VADDP(m, n, d reg.Register) { c.vector("VADDP", s4, m, n, d) }

// VSMULLH multiplies the lower four int16 of n and m, VSMULL2H the upper four.
func (c *Context) VSMULLH(m, n, d reg.Register) {
	c.emit("VSMULLH", ops{m, n}, ops{d}, h4(m), h4(n), s4(d))
}

func (c *Context) VSMULL2H(m, n, d reg.Register) {
	c.emit("VSMULL2H", ops{m, n}, ops{d}, h8(m), h8(n), s4(d))
}

func (c *Context) VSHL(k uint8, n, d reg.Register)  { c.shift("VSHL", k, n, d) }
func (c *Context) VUSHR(k uint8, n, d reg.Register) { c.shift("VUSHR", k, n, d) }

func (c *Context) shift(opcode string, k uint8, n, d reg.Register) {
	c.emit(opcode, ops{n}, ops{s4(d)}, operand.U8(k), s4(n), s4(d))
}

// Four float32. VFMAX and VFMIN give NaN if either is NaN and hold -0 < +0, unlike x86's.

func (c *Context) VFADD(m, n, d reg.Register) { c.vector("VFADD", s4, m, n, d) }
func (c *Context) VFSUB(m, n, d reg.Register) { c.vector("VFSUB", s4, m, n, d) }
func (c *Context) VFMUL(m, n, d reg.Register) { c.vector("VFMUL", s4, m, n, d) }
func (c *Context) VFMAX(m, n, d reg.Register) { c.vector("VFMAX", s4, m, n, d) }
func (c *Context) VFMIN(m, n, d reg.Register) { c.vector("VFMIN", s4, m, n, d) }

// VFADDP is n0+n1, n2+n3, m0+m1, m2+m3.
func (c *Context) VFADDP(m, n, d reg.Register) { c.vector("VFADDP", s4, m, n, d) }

// FADDPS is n0+n1, in lane 0.
func (c *Context) FADDPS(n, d reg.Register) { c.emit("FADDPS", ops{n}, ops{d}, s2(n), f(d)) }

// Single floats: FCVTSD makes a float64 of a float32, and FCVTDS a float32 of a float64. FMULD is
// n*m and FDIVD n/m.
func (c *Context) FSQRTS(n, d reg.Register)   { c.emit("FSQRTS", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FSQRTD(n, d reg.Register)   { c.emit("FSQRTD", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FCVTSD(n, d reg.Register)   { c.emit("FCVTSD", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FCVTDS(n, d reg.Register)   { c.emit("FCVTDS", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FMULD(m, n, d reg.Register) { c.vector("FMULD", f, m, n, d) }
func (c *Context) FDIVD(m, n, d reg.Register) { c.vector("FDIVD", f, m, n, d) }

// Two float64, by names of our own: VFADDD is n+m, VFSUBD n-m, VFMULD n*m and VFDIVD n/m in each
// lane, FADDPD is n0+n1 in lane 0. VFCVTL makes them of the lower two float32 of n, VFCVTL2 of the
// upper two.
func (c *Context) VFADDD(m, n, d reg.Register) { c.vector("VFADDD", d2, m, n, d) }
func (c *Context) VFSUBD(m, n, d reg.Register) { c.vector("VFSUBD", d2, m, n, d) }
func (c *Context) VFMULD(m, n, d reg.Register) { c.vector("VFMULD", d2, m, n, d) }
func (c *Context) VFDIVD(m, n, d reg.Register) { c.vector("VFDIVD", d2, m, n, d) }
func (c *Context) FADDPD(n, d reg.Register)    { c.emit("FADDPD", ops{n}, ops{d}, d2(n), f(d)) }
func (c *Context) VFCVTL(n, d reg.Register)    { c.emit("VFCVTL", ops{n}, ops{d}, s2(n), d2(d)) }
func (c *Context) VFCVTL2(n, d reg.Register)   { c.emit("VFCVTL2", ops{n}, ops{d}, s4(n), d2(d)) }

// VFCMGTD is VFCMGT of two float64, VSHLD shifts two integers of 64 bits.
func (c *Context) VFCMGTD(m, n, d reg.Register) { c.vector("VFCMGTD", d2, m, n, d) }

func (c *Context) VSHLD(k uint8, n, d reg.Register) {
	c.emit("VSHL", ops{n}, ops{d}, operand.U8(k), d2(n), d2(d))
}

// VFCMEQ and VFCMGT set all bits of a lane where n op m, and none where not; NaN compares false.
func (c *Context) VFCMEQ(m, n, d reg.Register) { c.vector("VFCMEQ", s4, m, n, d) }

func (c *Context) VFCMGT(m, n, d reg.Register) { c.vector("VFCMGT", s4, m, n, d) }

// VSCVTF converts int32 to float32.
func (c *Context) VSCVTF(n, d reg.Register) { c.unary("VSCVTF", n, d) }

// VUXTLB widens eight bytes to 16 bits each, VUXTLH the lower four of these to 32 bits, and VUXTL2H
// the upper four. None is negative.
func (c *Context) VUXTLB(n, d reg.Register)  { c.emit("VUXTL", ops{n}, ops{d}, b8(n), h8(d)) }
func (c *Context) VUXTLH(n, d reg.Register)  { c.emit("VUXTL", ops{n}, ops{d}, h4(n), s4(d)) }
func (c *Context) VUXTL2H(n, d reg.Register) { c.emit("VUXTL2", ops{n}, ops{d}, h8(n), s4(d)) }

// VXTN stores the lower 16 bits of four int32 in the lower half of d and clears the other; VXTN2
// stores them in the upper half.
func (c *Context) VXTN(n, d reg.Register)  { c.emit("VXTN", ops{n}, ops{d}, s4(n), h4(d)) }
func (c *Context) VXTN2(n, d reg.Register) { c.emit("VXTN2", ops{n, d}, ops{d}, s4(n), h8(d)) }

// VFCVTLH makes four float32 of the lower four float16 of n, VFCVTL2H of the upper four. VFCVTNH
// rounds four float32 to the lower half of d and clears the other, VFCVTN2H to the upper half.
func (c *Context) VFCVTLH(n, d reg.Register)  { c.emit("VFCVTLH", ops{n}, ops{d}, h4(n), s4(d)) }
func (c *Context) VFCVTL2H(n, d reg.Register) { c.emit("VFCVTL2H", ops{n}, ops{d}, h8(n), s4(d)) }
func (c *Context) VFCVTNH(n, d reg.Register)  { c.emit("VFCVTNH", ops{n}, ops{d}, s4(n), h4(d)) }
func (c *Context) VFCVTN2H(n, d reg.Register) {
	c.emit("VFCVTN2H", ops{n, d}, ops{d}, s4(n), h8(d))
}

// VSXTLB, VSXTLH and VSXTL2H are the same for int8 and int16.
func (c *Context) VSXTLB(n, d reg.Register)  { c.emit("VSXTLB", ops{n}, ops{d}, b8(n), h8(d)) }
func (c *Context) VSXTLH(n, d reg.Register)  { c.emit("VSXTLH", ops{n}, ops{d}, h4(n), s4(d)) }
func (c *Context) VSXTL2H(n, d reg.Register) { c.emit("VSXTL2H", ops{n}, ops{d}, h8(n), s4(d)) }

// Sixteen bytes. VSABD and VUABD are |n-m|. VSMULLB and VUMULL are the eight products of the lower
// halves, VSMULL2B and VUMULL2 of the upper ones, in 16 bits; VSADALP and VUADALP add n0+n1, n2+n3
// and so on of those to the int32 of d. VADDV is the sum of four int32, in lane 0.
func (c *Context) VSABD(m, n, d reg.Register) { c.vector("VSABD", b16, m, n, d) }

func (c *Context) VUABD(m, n, d reg.Register)    { c.vector("VUABD", b16, m, n, d) }
func (c *Context) VSMULLB(m, n, d reg.Register)  { c.vector("VSMULLB", b16, m, n, d) }
func (c *Context) VSMULL2B(m, n, d reg.Register) { c.vector("VSMULL2B", b16, m, n, d) }
func (c *Context) VUMULL(m, n, d reg.Register)   { c.vector("VUMULL", b16, m, n, d) }
func (c *Context) VUMULL2(m, n, d reg.Register)  { c.vector("VUMULL2", b16, m, n, d) }
func (c *Context) VSADALP(n, d reg.Register)     { c.addPairs("VSADALP", n, d) }
func (c *Context) VUADALP(n, d reg.Register)     { c.addPairs("VUADALP", n, d) }
func (c *Context) VADDV(n, d reg.Register)       { c.emit("VADDV", ops{n}, ops{d}, s4(n), v(d)) }

// VCNT counts the bits of each byte, VUADDLV adds sixteen bytes, in lane 0.
func (c *Context) VCNT(n, d reg.Register)    { c.emit("VCNT", ops{n}, ops{d}, b16(n), b16(d)) }
func (c *Context) VUADDLV(n, d reg.Register) { c.emit("VUADDLV", ops{n}, ops{d}, b16(n), v(d)) }

func (c *Context) addPairs(opcode string, n, d reg.Register) {
	c.emit(opcode, ops{n, d}, ops{d}, h8(n), s4(d))
}

func (c *Context) vector(opcode string, of func(reg.Register) view, m, n, d reg.Register) {
	c.emit(opcode, ops{m, n}, ops{d}, of(m), of(n), of(d))
}

func (c *Context) unary(opcode string, n, d reg.Register) {
	c.emit(opcode, ops{n}, ops{d}, s4(n), s4(d))
}

// One float32, in lane 0; the other lanes of d become zero.

func (c *Context) FADDS(m, n, d reg.Register) { c.vector("FADDS", f, m, n, d) }
func (c *Context) FMULS(m, n, d reg.Register) { c.vector("FMULS", f, m, n, d) }
