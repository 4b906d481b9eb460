package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// avx512 is avx2 with opmasks, in 256-bit registers: on Zen 4 these are as fast as 512-bit ones up
// to the third cache and faster beyond it and for short vectors (docs/kernels.md). Its registers
// are Y16 to Y31, which have no SSE halves that an SSE instruction could wait for, so that no
// VZEROUPPER is needed.
type avx512 struct{ *avx2 }

func newAVX512() *avx512 {
	t := &avx512{newContext("AVX512")}
	// The first k bits, at k.
	t.masks = t.StaticGlobal("masks")
	t.DataAttributes(rodata)
	for k := range 9 {
		t.AddDatum(k, operand.U8(1<<k-1))
	}
	return t
}

// Functions.

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
		pass.FunctionPass(pass.VerifyAllocation),
		pass.Func(pass.IncludeTextFlagHeader),
		pass.FunctionPass(pass.PruneSelfMoves),
		pass.FunctionPass(pass.RequiredISAExtensions),
		check("AVX512"),
	).Execute(f)
}

// upperRegisters moves the vector registers that avo gave from 0-15 to 16-31.
func upperRegisters(fn *ir.Function) error {
	const sixteen = 16 << 16 // in a reg.ID, whose upper half is the index
	for virtual, physical := range fn.Allocation {
		if physical.Kind() != reg.KindVector {
			continue
		}
		if physical.Index() >= 16 {
			return fmt.Errorf("%s: more than 16 vector registers", fn.Name)
		}
		fn.Allocation[virtual] = physical + sixteen
	}
	return nil
}

func (t *avx512) Return(v Group) {
	t.VMOVSS(v.regs[0].AsX(), t.resolve(t.ReturnIndex(0)))
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

// Moves.

func (t *avx512) Part(n reg.GPVirtual, width int) Part {
	mask := t.K()
	t.SetPart(mask, n, width)
	return mask
}

func (t *avx512) SetPart(part Part, n reg.GPVirtual, width int) {
	k, table := t.GP64(), t.GP64()
	t.LEAQ(t.masks, table)
	t.LEAQ(operand.Mem{Base: n, Disp: -1}, k)
	t.ANDQ(operand.Imm(7), k)
	t.KMOVB(operand.Mem{Base: table, Index: k, Scale: 1, Disp: 1}, part.(reg.Register))
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

// Folds.

func (t *avx512) Fold(v Group) {
	if v.width == 8 {
		x, h := v.regs[0].AsX(), t.XMM()
		t.VEXTRACTF32X4(operand.Imm(1), r(v), h)
		t.VADDPS(h, x, x)
		v.width = 4
	}
	t.avx2.Fold(v)
}

func (t *avx512) FoldFour(v [4]Group) Group {
	return t.foldFour(v, func(a, b Group, low, high reg.VecVirtual) {
		t.VINSERTF32X4(operand.Imm(1), b.regs[0].AsX(), r(a), low)
		t.VSHUFF32X4(operand.Imm(3), r(b), r(a), high)
	}, func(v, high reg.VecVirtual) { t.VEXTRACTF32X4(operand.Imm(1), v, high.AsX()) })
}
