package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

var compileEVEX = pass.Concat(
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
)

const sixteen = 16 << 16 // 16 in the register number of a reg.ID, which begins at bit 16

// upperRegisters swaps vector registers 0-15, which avo allocates first, and 16-31, which SSE
// cannot access.
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
