package arm64

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Operands are in the order of Go's assembler: m, n, d mean d = n op m. Memory is an operand.Mem,
// and immediates are constants such as operand.Imm(64).

// MOVBU, MOVHU and MOVWU zero-extend loaded values to 64 bits; MOVB, MOVH and MOVW sign-extend
// them. FMOVS and FMOVD to a vector register write lane 0 and clear the others. FMOVQ needs memory
// as an operand; VMOV copies vector registers.

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

// Address sets d to the address of m, a StaticGlobal.
func (c *Context) Address(m operand.Mem, d reg.Register) {
	c.emit("MOVD", nil, ops{r64(d)}, text("$"+m.Asm()), r64(d))
}

// LDPW loads two uint32 and zero-extends them to 64 bits.
func (c *Context) LDPW(m operand.Mem, d0, d1 reg.Register) { c.loadPair("LDPW", r64, m, d0, d1) }

func (c *Context) FLDPQ(m operand.Mem, d0, d1 reg.Register) { c.loadPair("FLDPQ", f, m, d0, d1) }

func (c *Context) FSTPQ(s0, s1 reg.Register, m operand.Mem) {
	a, b := pair(f, s0, s1)
	c.emit("FSTPQ", ops{a, b}, ops{m}, a, b, m)
}

func (c *Context) loadPair(opcode string, of func(reg.Register) view, m operand.Mem, d0,
	d1 reg.Register) {
	a, b := pair(of, d0, d1)
	c.emit(opcode, ops{m}, ops{a, b}, m, a, b)
}

// PRFM prefetches the cache line at m. how is an operation such as PLDL1KEEP.
func (c *Context) PRFM(m operand.Mem, how string) { c.emit("PRFM", ops{m}, nil, m, text(how)) }

// m is a register, Shifted or not, or an immediate.

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

// CMP sets the flags for n - m: after CMP(m, n), BLO jumps if n < m.
func (c *Context) CMP(m operand.Op, n reg.Register) {
	m = natural(m)
	c.emit("CMP", ops{m, r64(n)}, nil, m, r64(n))
}

// BLO, BLS, BHS and BHI jump if <, <=, >= and > in an unsigned comparison. No instruction that sets
// flags may come between a comparison and its branch. This is not checked.

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

// TBZ jumps if the given bit of r is zero, TBNZ if it is one. Their range is 32 KiB.
func (c *Context) TBZ(bit uint8, r reg.Register, label string) { c.testBit("TBZ", bit, r, label) }

func (c *Context) TBNZ(bit uint8, r reg.Register, label string) { c.testBit("TBNZ", bit, r, label) }

func (c *Context) testBit(opcode string, bit uint8, r reg.Register, label string) {
	c.branch(opcode, label, ops{r64(r)}, operand.U8(bit), r64(r))
}

func (c *Context) RET() { c.add(&ir.Instruction{Opcode: "RET", IsTerminal: true}) }

// VLD1 and VMOV to a lane keep the other lanes, so the register must have been written before.

func (c *Context) VLD1(m operand.Mem, d Lane) {
	c.emit("VLD1", ops{m, d.view}, ops{d.view}, m, d.view)
}

// VLD1R loads one float32 into all four lanes of d.
func (c *Context) VLD1R(m operand.Mem, d reg.Register) {
	c.emit("VLD1R", ops{m}, ops{list(s4(d))}, m, list(s4(d)))
}

// VDUP copies s, a 32-bit Lane or the lower half of a general register, to all four lanes of d.
func (c *Context) VDUP(s operand.Op, d reg.Register) {
	s = natural(s)
	c.emit("VDUP", ops{s}, ops{s4(d)}, s, s4(d))
}

// VMOV copies a lane to a lane or (zero-extended) to a general register, a general register to a
// lane, or a whole vector register.
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

// VMOVI sets every byte of d to imm.
func (c *Context) VMOVI(imm uint8, d reg.Register) {
	c.emit("VMOVI", nil, ops{b16(d)}, operand.U8(imm), b16(d))
}

// VEXT sets d to bytes i to i+15 of n followed by m.
func (c *Context) VEXT(i uint8, m, n, d reg.Register) {
	c.emit("VEXT", ops{m, n}, ops{b16(d)}, operand.U8(i), b16(m), b16(n), b16(d))
}

// VBIT copies the bits of n to d where m has ones.
func (c *Context) VBIT(m, n, d reg.Register) {
	c.emit("VBIT", ops{m, n, d}, ops{b16(d)}, b16(m), b16(n), b16(d))
}

// VTBL sets byte i of d to byte m[i] of n, or to 0 if m[i] is 16 or more. VTBX keeps byte i where
// VTBL would clear it.
func (c *Context) VTBL(m, n, d reg.Register) {
	c.emit("VTBL", ops{m, n}, ops{b16(d)}, b16(m), list(b16(n)), b16(d))
}

func (c *Context) VTBX(m, n, d reg.Register) {
	c.emit("VTBX", ops{m, n, d}, ops{b16(d)}, b16(m), list(b16(n)), b16(d))
}

func (c *Context) VAND(m, n, d reg.Register) { c.vector("VAND", b16, m, n, d) }
func (c *Context) VEOR(m, n, d reg.Register) { c.vector("VEOR", b16, m, n, d) }
func (c *Context) VORR(m, n, d reg.Register) { c.vector("VORR", b16, m, n, d) }

// VUZP1 computes lanes n0 n2 m0 m2, and VUZP2 n1 n3 m1 m3.

func (c *Context) VUZP1(m, n, d reg.Register) { c.vector("VUZP1", s4, m, n, d) }
func (c *Context) VUZP2(m, n, d reg.Register) { c.vector("VUZP2", s4, m, n, d) }

func (c *Context) VADD(m, n, d reg.Register) { c.vector("VADD", s4, m, n, d) }
func (c *Context) VSUB(m, n, d reg.Register) { c.vector("VSUB", s4, m, n, d) }

// VADDP computes n0+n1, n2+n3, m0+m1, m2+m3 in lanes 0 to 3.
func (c *Context) VADDP(m, n, d reg.Register) { c.vector("VADDP", s4, m, n, d) }

// VSMULLH multiplies the lower four int16 of n and m, to four int32; VSMULL2H the upper four.
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

// Unlike x86, VFMAX and VFMIN return NaN if either operand is NaN, and order -0 before +0.

func (c *Context) VFADD(m, n, d reg.Register) { c.vector("VFADD", s4, m, n, d) }
func (c *Context) VFSUB(m, n, d reg.Register) { c.vector("VFSUB", s4, m, n, d) }
func (c *Context) VFMUL(m, n, d reg.Register) { c.vector("VFMUL", s4, m, n, d) }
func (c *Context) VFMAX(m, n, d reg.Register) { c.vector("VFMAX", s4, m, n, d) }
func (c *Context) VFMIN(m, n, d reg.Register) { c.vector("VFMIN", s4, m, n, d) }

func (c *Context) VFADDP(m, n, d reg.Register) { c.vector("VFADDP", s4, m, n, d) }

// FADDPS computes the sum n0+n1 of the lower two float32 of n, in lane 0 of d.
func (c *Context) FADDPS(n, d reg.Register) { c.emit("FADDPS", ops{n}, ops{d}, s2(n), f(d)) }

// FSQRTS operates on a float32, FSQRTD, FMULD and FDIVD (n/m) on float64s, in lane 0. FCVTSD
// converts a float32 to a float64, and FCVTDS a float64 to a float32.
func (c *Context) FSQRTS(n, d reg.Register)   { c.emit("FSQRTS", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FSQRTD(n, d reg.Register)   { c.emit("FSQRTD", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FCVTSD(n, d reg.Register)   { c.emit("FCVTSD", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FCVTDS(n, d reg.Register)   { c.emit("FCVTDS", ops{n}, ops{d}, f(n), f(d)) }
func (c *Context) FMULD(m, n, d reg.Register) { c.vector("FMULD", f, m, n, d) }
func (c *Context) FDIVD(m, n, d reg.Register) { c.vector("FDIVD", f, m, n, d) }

// Arithmetic on two float64. The names are this package's own. FADDPD computes n0+n1 in lane 0.
// VFCVTL converts the lower two float32 of n to float64, VFCVTL2 the upper two. VFCVTN and VFCVTN2
// round two float64 to float32s, and store them like VXTN and VXTN2.
func (c *Context) VFADDD(m, n, d reg.Register) { c.vector("VFADDD", d2, m, n, d) }
func (c *Context) VFSUBD(m, n, d reg.Register) { c.vector("VFSUBD", d2, m, n, d) }
func (c *Context) VFMULD(m, n, d reg.Register) { c.vector("VFMULD", d2, m, n, d) }
func (c *Context) VFDIVD(m, n, d reg.Register) { c.vector("VFDIVD", d2, m, n, d) }
func (c *Context) FADDPD(n, d reg.Register)    { c.emit("FADDPD", ops{n}, ops{d}, d2(n), f(d)) }
func (c *Context) VFCVTL(n, d reg.Register)    { c.emit("VFCVTL", ops{n}, ops{d}, s2(n), d2(d)) }
func (c *Context) VFCVTL2(n, d reg.Register)   { c.emit("VFCVTL2", ops{n}, ops{d}, s4(n), d2(d)) }
func (c *Context) VFCVTN(n, d reg.Register)    { c.emit("VFCVTN", ops{n}, ops{d}, d2(n), s2(d)) }
func (c *Context) VFCVTN2(n, d reg.Register) {
	c.emit("VFCVTN2", ops{n, d}, ops{d}, d2(n), s4(d))
}

func (c *Context) VFCMGTD(m, n, d reg.Register) { c.vector("VFCMGTD", d2, m, n, d) }

func (c *Context) VSHLD(k uint8, n, d reg.Register) {
	c.emit("VSHL", ops{n}, ops{d}, operand.U8(k), d2(n), d2(d))
}

// VFCMEQ sets all bits of each lane of d in which n == m, and clears the other lanes. VFCMGT does
// so for n > m. Comparisons with NaN are false.
func (c *Context) VFCMEQ(m, n, d reg.Register) { c.vector("VFCMEQ", s4, m, n, d) }

func (c *Context) VFCMGT(m, n, d reg.Register) { c.vector("VFCMGT", s4, m, n, d) }

func (c *Context) VSCVTF(n, d reg.Register) { c.unary("VSCVTF", n, d) }

// VUXTLB zero-extends the lower eight bytes of n, VUXTLH the lower four 16-bit numbers, and VUXTL2H
// the upper four.
func (c *Context) VUXTLB(n, d reg.Register)  { c.emit("VUXTL", ops{n}, ops{d}, b8(n), h8(d)) }
func (c *Context) VUXTLH(n, d reg.Register)  { c.emit("VUXTL", ops{n}, ops{d}, h4(n), s4(d)) }
func (c *Context) VUXTL2H(n, d reg.Register) { c.emit("VUXTL2", ops{n}, ops{d}, h8(n), s4(d)) }

// VXTN stores the lower 16 bits of four int32 in the lower half of d and clears the upper half.
// VXTN2 stores them in the upper half and keeps the lower.
func (c *Context) VXTN(n, d reg.Register)  { c.emit("VXTN", ops{n}, ops{d}, s4(n), h4(d)) }
func (c *Context) VXTN2(n, d reg.Register) { c.emit("VXTN2", ops{n, d}, ops{d}, s4(n), h8(d)) }

// VFCVTLH converts the lower four float16 of n to float32, VFCVTL2H the upper four. VFCVTNH and
// VFCVTN2H round four float32 to float16s, and store them like VXTN and VXTN2.
func (c *Context) VFCVTLH(n, d reg.Register)  { c.emit("VFCVTLH", ops{n}, ops{d}, h4(n), s4(d)) }
func (c *Context) VFCVTL2H(n, d reg.Register) { c.emit("VFCVTL2H", ops{n}, ops{d}, h8(n), s4(d)) }
func (c *Context) VFCVTNH(n, d reg.Register)  { c.emit("VFCVTNH", ops{n}, ops{d}, s4(n), h4(d)) }
func (c *Context) VFCVTN2H(n, d reg.Register) {
	c.emit("VFCVTN2H", ops{n, d}, ops{d}, s4(n), h8(d))
}

// VSXTLB, VSXTLH and VSXTL2H are VUXTLB, VUXTLH and VUXTL2H with sign extension.
func (c *Context) VSXTLB(n, d reg.Register)  { c.emit("VSXTLB", ops{n}, ops{d}, b8(n), h8(d)) }
func (c *Context) VSXTLH(n, d reg.Register)  { c.emit("VSXTLH", ops{n}, ops{d}, h4(n), s4(d)) }
func (c *Context) VSXTL2H(n, d reg.Register) { c.emit("VSXTL2H", ops{n}, ops{d}, h8(n), s4(d)) }

// VSABD and VUABD compute |n-m| of sixteen bytes. VSMULLB and VUMULL compute the 16-bit products of
// the lower halves, VSMULL2B and VUMULL2 those of the upper halves. VSADALP and VUADALP add the
// sums of adjacent 16-bit numbers to the four 32-bit lanes of d. VADDV computes the sum of four
// 32-bit lanes, in lane 0.
func (c *Context) VSABD(m, n, d reg.Register) { c.vector("VSABD", b16, m, n, d) }

func (c *Context) VUABD(m, n, d reg.Register)    { c.vector("VUABD", b16, m, n, d) }
func (c *Context) VSMULLB(m, n, d reg.Register)  { c.vector("VSMULLB", b16, m, n, d) }
func (c *Context) VSMULL2B(m, n, d reg.Register) { c.vector("VSMULL2B", b16, m, n, d) }
func (c *Context) VUMULL(m, n, d reg.Register)   { c.vector("VUMULL", b16, m, n, d) }
func (c *Context) VUMULL2(m, n, d reg.Register)  { c.vector("VUMULL2", b16, m, n, d) }
func (c *Context) VSADALP(n, d reg.Register)     { c.addPairs("VSADALP", n, d) }
func (c *Context) VUADALP(n, d reg.Register)     { c.addPairs("VUADALP", n, d) }
func (c *Context) VADDV(n, d reg.Register)       { c.emit("VADDV", ops{n}, ops{d}, s4(n), v(d)) }

// VSADDLP and VUADDLP compute the 64-bit sums n0+n1 and n2+n3 of four int32 or uint32.
func (c *Context) VSADDLP(n, d reg.Register) { c.emit("VSADDLP", ops{n}, ops{d}, s4(n), d2(d)) }
func (c *Context) VUADDLP(n, d reg.Register) { c.emit("VUADDLP", ops{n}, ops{d}, s4(n), d2(d)) }

// VSDOT and VUDOT add to each 32-bit lane of d the four products of the bytes of n and m in that
// lane. They need the feature ASIMDDP.
func (c *Context) VSDOT(m, n, d reg.Register) { c.addProducts("VSDOT", m, n, d) }
func (c *Context) VUDOT(m, n, d reg.Register) { c.addProducts("VUDOT", m, n, d) }

func (c *Context) addProducts(opcode string, m, n, d reg.Register) {
	c.emit(opcode, ops{m, n, d}, ops{d}, b16(m), b16(n), s4(d))
}

// VCNT counts the one bits of each byte. VUADDLV computes the sum of sixteen bytes, in lane 0.
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

// Arithmetic on one float32, in lane 0; the other lanes of d become zero.

func (c *Context) FADDS(m, n, d reg.Register) { c.vector("FADDS", f, m, n, d) }
func (c *Context) FMULS(m, n, d reg.Register) { c.vector("FMULS", f, m, n, d) }
