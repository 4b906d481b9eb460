package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

type instruction struct {
	address  int
	memory   bool
	jumps    bool
	target   int
	register string // instruction adds step to it; "" if none
	step     int
	index    string // a memory operand multiplies it by scale; "" if none
	scale    int
}

func decodeAMD64(code []byte) ([]instruction, error) {
	var all []instruction
	for at := 0; at < len(code); {
		x, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			return nil, fmt.Errorf("byte %#x: % x: %w", at, code[at:min(len(code), at+8)], err)
		}
		if x.Op == x86asm.VZEROUPPER {
			x.Len = 3 // x/arch mistakes the next byte for an operand
		}
		in := instruction{address: at}
		for _, arg := range x.Args {
			switch arg := arg.(type) {
			case x86asm.Mem:
				in.memory = in.memory || x.Op != x86asm.LEA && x.Op != x86asm.NOP
				if arg.Index != 0 {
					in.index, in.scale = arg.Index.String(), int(arg.Scale)
				}
			case x86asm.Rel:
				if x.Op != x86asm.CALL {
					in.jumps, in.target = true, at+x.Len+int(arg)
				}
			}
		}
		if register, ok := x.Args[0].(x86asm.Reg); ok {
			imm, hasImm := x.Args[1].(x86asm.Imm)
			switch {
			case x.Op == x86asm.ADD && hasImm:
				in.register, in.step = register.String(), int(imm)
			case x.Op == x86asm.SUB && hasImm:
				in.register, in.step = register.String(), -int(imm)
			case x.Op == x86asm.INC:
				in.register, in.step = register.String(), 1
			case x.Op == x86asm.DEC:
				in.register, in.step = register.String(), -1
			}
		}
		at += x.Len
		all = append(all, in)
	}
	return all, nil
}

func decodeARM64(code []byte) ([]instruction, error) {
	var all []instruction
	for at := 0; at+4 <= len(code); at += 4 {
		in := instruction{address: at}
		word := binary.LittleEndian.Uint32(code[at:])
		x, err := arm64asm.Decode(code[at:])
		switch {
		case word == 0: // the linker's padding after the function
			continue
		case word&0xdfe0fc00 == 0x4e809400: // SDOT or UDOT, which arm64asm does not know
		case err != nil:
			return nil, fmt.Errorf("byte %#x: %#08x: %w", at, word, err)
		}
		for _, arg := range x.Args {
			if rel, ok := arg.(arm64asm.PCRel); ok {
				switch x.Op {
				case arm64asm.B, arm64asm.CBZ, arm64asm.CBNZ, arm64asm.TBZ, arm64asm.TBNZ:
					in.jumps, in.target = true, at+int(rel)
				}
			}
		}
		op := x.Op.String()
		in.memory = strings.HasPrefix(op, "LD") || strings.HasPrefix(op, "ST")
		// ADD(S) or SUB(S) of an immediate, with Rn = Rd and 64 bits: sf, op, S, 100010, sh, imm12,
		// Rn, Rd.
		if word&0x9f800000 == 0x91000000 && word>>5&31 == word&31 {
			in.register, in.step = fmt.Sprint("x", word&31), int(word>>10&0xfff)
			if word&(1<<22) != 0 {
				in.step <<= 12
			}
			if word&(1<<30) != 0 {
				in.step = -in.step
			}
		}
		all = append(all, in)
	}
	return all, nil
}
