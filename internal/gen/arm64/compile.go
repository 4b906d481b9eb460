package arm64

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// Compile compiles arm64 assembly, as pass.Compile does for amd64. avo allocates x86 registers,
// whose numbers Bind prints as R0…R15 (without R4, the number of x86's stack pointer) and V0…V31.
var Compile = pass.Concat(
	pass.Verify,
	each(pass.PruneJumpToFollowingLabel),
	each(pass.PruneDanglingLabels),
	each(pass.LabelTarget),
	each(pass.CFG),
	each(pass.Liveness),
	each(checkFlow),
	each(pass.AllocateRegisters),
	each(Bind),
	each(alignComments),
	pass.Func(pass.IncludeTextFlagHeader),
)

func each(run func(*ir.Function) error) pass.Interface {
	return pass.FunctionPass(func(fn *ir.Function) error {
		if err := run(fn); err != nil {
			return fmt.Errorf("arm64: %s: %w", fn.Name, err)
		}
		return nil
	})
}

// checkFlow returns an error if a function reads a register before writing it, or if execution runs
// past its end: the assembler accepts both. pass.Liveness has to run first.
func checkFlow(fn *ir.Function) error {
	is := fn.Instructions()
	if len(is) == 0 {
		return errors.New("empty function, want at least a return")
	}
	for id := range is[0].LiveIn {
		if id.Kind() != reg.KindPseudo {
			return errors.New("a register is read before it is written")
		}
	}
	if last := is[len(is)-1]; !last.IsTerminal && !last.IsUnconditionalBranch() {
		return errors.New("execution runs past its end: end it with a return or a jump")
	}
	return nil
}

// Bind replaces register and memory operands by their text, and instructions that Go's assembler
// does not know by WORD directives.
func Bind(fn *ir.Function) error {
	for _, i := range fn.Instructions() {
		var registers []uint32
		bound := make(ops, len(i.Operands))
		for k, op := range i.Operands {
			switch op := op.(type) {
			case view:
				n, err := number(fn, op)
				if err != nil {
					return err
				}
				registers = append(registers, n)
				bound[k] = text(fmt.Sprintf(op.format, n))
			case operand.Mem:
				m, err := memory(fn, op)
				if err != nil {
					return err
				}
				bound[k] = m
			default:
				bound[k] = op
			}
		}
		switch {
		case i.IsBranch:
			bound = append(bound[1:], bound[0])
		case words[i.Opcode] != 0:
			bound = ops{word(i.Opcode, registers, bound)}
			i.Opcode = "WORD"
		case strings.Contains(i.Opcode, "LDP") && registers[0] == registers[1]:
			// avo allocates different registers for two results, unless neither is read.
			return fmt.Errorf("%s loads both halves into one register: %s", i.Opcode, join(bound))
		}
		i.Operands = bound
	}
	return nil
}

func number(fn *ir.Function, v view) (uint32, error) {
	p := fn.Allocation.LookupRegister(v.Register)
	switch {
	case p == nil:
		return 0, fmt.Errorf("no register for %s", v.Asm())
	case p.Info()&reg.Restricted != 0, p.Kind() == reg.KindGP && p.PhysicalIndex() > 15,
		p.PhysicalIndex() > 31:
		return 0, fmt.Errorf("register %s is reserved", p.Asm())
	}
	return uint32(p.PhysicalIndex()), nil
}

func memory(fn *ir.Function, m operand.Mem) (text, error) {
	if m.Base == reg.FramePointer {
		return text(m.Asm()), nil
	}
	var s string
	if m.Disp != 0 {
		s = fmt.Sprint(m.Disp)
	}
	n, err := number(fn, r64(m.Base))
	if err != nil {
		return "", err
	}
	s += fmt.Sprintf("(R%d)", n)
	if m.Index == nil {
		return text(s), nil
	}
	if n, err = number(fn, r64(m.Index)); err != nil {
		return "", err
	}
	shift := ""
	if m.Scale > 1 {
		shift = fmt.Sprintf("<<%d", bits.TrailingZeros8(m.Scale))
	}
	return text(fmt.Sprintf("%s(R%d%s)", s, n, shift)), nil
}

func alignComments(fn *ir.Function) error {
	var run []*ir.Instruction
	for _, node := range append(fn.Nodes, nil) {
		if i, ok := node.(*ir.Instruction); ok {
			run = append(run, i)
			continue
		}
		width := 0
		for _, i := range run {
			code, _, _ := strings.Cut(join(i.Operands), comment)
			width = max(width, len(code))
		}
		for _, i := range run {
			if code, meaning, ok := strings.Cut(join(i.Operands), comment); ok {
				i.Operands = ops{text(fmt.Sprintf("%-*s%s%s", width, code, comment, meaning))}
			}
		}
		run = nil
	}
	return nil
}
