package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// avx512 is avx2 with opmasks, in registers of 512 bits or, for CPUs on which these are no faster,
// of 256 (docs/kernels.md has the rule). It prefers registers 16 to 31, which have no SSE halves
// that an SSE instruction could wait for, so that most functions need no VZEROUPPER.
type avx512 struct{ *avx2 }

func newAVX512() *avx512     { return &avx512{newContext("AVX512", 16)} }
func newAVX512x256() *avx512 { return &avx512{newContext("AVX512x256", 8)} }

// Functions.

func (t *avx512) Registers() int { return 32 }

func (t *avx512) Compile() (*ir.File, error) {
	f, err := t.Result()
	if err != nil {
		return nil, err
	}
	return f, pass.Concat(
		pass.FunctionPass(pass.PruneJumpToFollowingLabel),
		pass.FunctionPass(pass.PruneDanglingLabels),
		pass.FunctionPass(pass.LabelTarget),
		pass.FunctionPass(pass.CFG),
		pass.InstructionPass(pass.ZeroExtend32BitOutputs),
		pass.FunctionPass(pass.Liveness),
		pass.FunctionPass(pass.AllocateRegisters),
		pass.FunctionPass(upperRegisters),
		pass.FunctionPass(pass.BindRegisters),
		pass.FunctionPass(zeroUpper),
		pass.FunctionPass(pass.VerifyAllocation),
		pass.Func(pass.IncludeTextFlagHeader),
		pass.FunctionPass(pass.PruneSelfMoves),
		pass.FunctionPass(pass.RequiredISAExtensions),
		check(t.isa),
	).Execute(f)
}

const sixteen = 16 << 16 // registers, in a reg.ID, whose upper half is the index

// upperRegisters swaps the vector registers 0-15, of which avo gives the first that are free, with
// 16-31.
func upperRegisters(fn *ir.Function) error {
	for virtual, physical := range fn.Allocation {
		switch {
		case physical.Kind() != reg.KindVector:
		case physical.Index() < 16:
			fn.Allocation[virtual] = physical + sixteen
		default:
			fn.Allocation[virtual] = physical - sixteen
		}
	}
	return nil
}

// zeroUpper puts VZEROUPPER before the ends of functions that use registers 0-15.
func zeroUpper(fn *ir.Function) error {
	low := false
	for _, i := range fn.Instructions() {
		for _, r := range i.Registers() {
			p, ok := r.(reg.Physical)
			low = low || ok && p.Kind() == reg.KindVector && p.PhysicalIndex() < 16
		}
	}
	if !low {
		return nil
	}
	zero, err := x86.VZEROUPPER()
	if err != nil {
		return err
	}
	var nodes []ir.Node
	for _, n := range fn.Nodes {
		if i, ok := n.(*ir.Instruction); ok && i.IsTerminal {
			nodes = append(nodes, zero)
		}
		nodes = append(nodes, n)
	}
	fn.Nodes = nodes
	return nil
}

func (t *avx512) Return(v Group) {
	t.VMOVSS(v.regs[0].AsX(), t.resolve(t.ReturnIndex(0)))
	t.Done()
}

func (t *avx512) ReturnInt(n reg.GPVirtual) {
	t.MOVQ(n, t.resolve(t.ReturnIndex(0)))
	t.Done()
}

func (t *avx512) Done() { t.RET() }

// Vectors.

// Zero says what avo knows of VXORPS only: the register's value does not matter.
func (t *avx512) Zero(v Group) {
	zero, err := x86.VPXORD(r(v), r(v), r(v))
	if err != nil {
		panic(err)
	}
	zero.CancellingInputs = true
	t.Instruction(zero)
}

func (t *avx512) Fill(v Group, bits uint32) {
	pattern := t.GP32()
	t.MOVL(operand.U32(bits), pattern)
	t.VPBROADCASTD(pattern, r(v))
}

// Moves.

func (t *avx512) Part(n reg.GPVirtual, width int) Part {
	k, ones, mask := t.GP64(), t.GP32(), t.K()
	t.MOVQ(n, k)
	t.NEGQ(k)
	t.ANDQ(operand.Imm(uint64(width-1)), k) // what is missing
	t.MOVL(operand.U32(1<<width-1), ones)
	t.SHRXL(k.As32(), ones, ones)
	t.KMOVW(ones, mask)
	return mask
}

func (t *avx512) Head(n reg.GPVirtual, width int) Part {
	ones, mask := t.GP32(), t.K()
	t.MOVL(operand.U32(1<<width-1), ones)
	t.SHLXL(n.As32(), ones, ones)
	t.KMOVW(ones, mask)
	return mask
}

func (t *avx512) LoadPart(v Group, p reg.GPVirtual, offset int, part Part) {
	t.VMOVUPS_Z(at(p, offset), part.(reg.Register), r(v))
}

func (t *avx512) LoadLast(v Group, p reg.GPVirtual, offset int, part Part) {
	t.LoadPart(v, p, offset, part)
}

// Arithmetic.

func (t *avx512) KeepBelow(dst, a, v, limit Group) {
	mask := t.K()
	t.VCMPPS(lessThan, r(limit), r(v), mask)
	t.VMOVUPS_Z(r(a), mask, r(dst))
}

// Doubles.

func (t *avx512) Doubles(low, high, v Group) { t.doubles(low, high, v, t.UpperHalf) }
func (t *avx512) FoldDoubles(v Group)        { t.foldDoubles(v, t.UpperHalf) }

func (t *avx512) ReturnDouble(v Group) {
	t.VMOVSD(v.regs[0].AsX(), t.resolve(t.ReturnIndex(0)))
	t.Done()
}

// Folds.

func (t *avx512) UpperHalf(dst, v Group) {
	switch v.width {
	case 16:
		t.VEXTRACTF64X4(operand.Imm(1), r(v), r(dst))
	case 8:
		t.VEXTRACTF32X4(operand.Imm(1), r(v), r(dst))
	default:
		t.avx2.UpperHalf(dst, v)
	}
}

func (t *avx512) Fold(v Group) {
	if v.width == 16 {
		low, high := v.regs[0].AsY(), t.YMM()
		t.VEXTRACTF64X4(operand.Imm(1), r(v), high)
		t.VADDPS(high, low, low)
		v.width = 8
	}
	if v.width == 8 {
		x, h := v.regs[0].AsX(), t.XMM()
		t.VEXTRACTF32X4(operand.Imm(1), r(v), h)
		t.VADDPS(h, x, x)
		v.width = 4
	}
	t.avx2.Fold(v)
}

func (t *avx512) FoldFour(v [4]Group) Group {
	if v[0].width == 16 {
		return t.foldFourWide(v)
	}
	return t.foldFour(v, func(a, b Group, low, high reg.VecVirtual) {
		t.VINSERTF32X4(operand.Imm(1), b.regs[0].AsX(), r(a), low)
		t.VSHUFF32X4(operand.Imm(3), r(b), r(a), high)
	}, func(v, high reg.VecVirtual) { t.VEXTRACTF32X4(operand.Imm(1), v, high.AsX()) })
}

// foldFourWide brings lanes l and l+8 of two groups side by side, then l and l+4, and adds all four
// sums at each step; then the quarters of a register are the sums of l and l+2, and of l and l+1.
func (t *avx512) foldFourWide(v [4]Group) Group {
	low, high, sum := t.ZMM(), t.ZMM(), t.New(16)
	for i := 0; i < 4; i += 2 {
		a, b := r(v[i]), r(v[i+1])
		t.VINSERTF64X4(operand.Imm(1), v[i+1].regs[0].AsY(), a, low)
		t.VSHUFF64X2(operand.Imm(0xee), b, a, high)
		t.VADDPS(high, low, a)
	}
	first, second := r(v[0]), r(v[2])
	t.VSHUFF32X4(operand.Imm(0x88), second, first, low)
	t.VSHUFF32X4(operand.Imm(0xdd), second, first, high)
	t.VADDPS(high, low, r(sum))
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

// Bytes.

// AddVNNI lets VPDPBUSD multiply bytes without sign by bytes with one: of two with signs the first
// is made 128 greater, of two without the second 128 less, by the same flip of a bit.
func (t *avx512) AddVNNI(s vnniSum, x, y reg.GPVirtual, offset int, part Part) {
	v, w := t.New(s.sum.width), t.New(s.sum.width)
	load := func(v Group, p reg.GPVirtual) {
		if part == nil {
			t.VMOVDQU8(at(p, offset), r(v))
		} else {
			t.VMOVDQU8_Z(at(p, offset), part.(reg.Register), r(v))
		}
	}
	load(v, x)
	load(w, y)
	if s.signed {
		t.VPXORD(r(s.flip), r(v), r(v))
		t.VPDPBUSD(r(w), r(s.ones), r(s.extra))
	} else {
		t.VPDPBUSD(r(s.ones), r(v), r(s.extra))
		t.VPXORD(r(s.flip), r(w), r(w))
	}
	t.VPDPBUSD(r(w), r(v), r(s.sum))
}

// BytePart's mask has a bit for each byte.
func (t *avx512) BytePart(n reg.GPVirtual) Part {
	some, ones, mask := t.CopyInt(n), t.GP64(), t.K()
	t.And(some, 4*t.width-1)
	t.MOVQ(operand.I32(-1), ones)
	t.BZHIQ(some, ones, ones)
	t.KMOVQ(ones, mask)
	return mask
}

func (t *avx512) ReturnInts(v Group) {
	if v.width == 16 {
		h := t.YMM()
		t.VEXTRACTI64X4(operand.Imm(1), r(v), h)
		v.width = 8
		t.VPADDD(h, r(v), r(v))
	}
	h := t.XMM()
	t.VEXTRACTI32X4(operand.Imm(1), r(v), h)
	t.returnFour(v, h)
	t.Done()
}

// Jumps.

func (t *avx512) IfAnyEqual(a, b Group, label string) {
	mask, some := t.K(), t.GP32()
	t.VCMPPS(operand.Imm(0), r(b), r(a), mask)
	t.KMOVW(mask, some)
	t.TESTL(some, some)
	t.JNE(operand.LabelRef(label))
}
