package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// go tool objdump does not know VEX and EVEX instructions and loses its place among them, so that
// functions are decoded here: x/arch for what it knows, the length of vector instructions by their
// few fixed forms.

// An instruction is what loops are found by.
type instruction struct {
	address, length int
	memory          bool
	jumps           bool
	target          int // of the jump
	register        string
	step            int // what is added to the register
}

func decodeAMD64(code []byte) ([]instruction, error) {
	var all []instruction
	for at := 0; at < len(code); {
		in := instruction{address: at}
		if length, memory, ok := vectorInstruction(code[at:]); ok {
			in.length, in.memory = length, memory
		} else {
			x, err := x86asm.Decode(code[at:], 64)
			if err != nil {
				return nil, fmt.Errorf("byte %#x: % x: %w", at, code[at:min(len(code), at+8)], err)
			}
			in.setPlain(x)
		}
		if in.length == 0 || at+in.length > len(code) {
			return nil, fmt.Errorf("byte %#x: an instruction of %d bytes is cut off", at, in.length)
		}
		at += in.length
		all = append(all, in)
	}
	return all, nil
}

// setPlain sets all but the address from an instruction of amd64 that is no vector instruction.
func (in *instruction) setPlain(x x86asm.Inst) {
	in.length = x.Len
	for _, arg := range x.Args {
		switch arg := arg.(type) {
		case x86asm.Mem:
			in.memory = in.memory || x.Op != x86asm.LEA && x.Op != x86asm.NOP
		case x86asm.Rel:
			if x.Op != x86asm.CALL {
				in.jumps, in.target = true, in.address+x.Len+int(arg)
			}
		}
	}
	register, ok := x.Args[0].(x86asm.Reg)
	if !ok {
		return
	}
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

// vectorInstruction returns the length of an instruction with a VEX or EVEX prefix (Intel's manual,
// volume 2, 2.3 and 2.7), and whether it has an operand in memory.
func vectorInstruction(code []byte) (length int, memory, ok bool) {
	opcodes, at := vectorPrefix(code)
	if at == 0 || at >= len(code) {
		return 0, false, false
	}
	opcode := code[at]
	at++
	if opcodes == 1 && opcode == 0x77 { // VZEROUPPER, VZEROALL
		return at, false, true
	}
	operands, memory, ok := operandBytes(code[at:])
	if !ok {
		return 0, false, false
	}
	at += operands
	if hasImmediate(opcodes, opcode) {
		at++
	}
	return at, memory, true
}

// vectorPrefix returns the map of opcodes that a VEX or EVEX prefix names (1 is 0F, 2 is 0F38, 3 is
// 0F3A) and its length, or 0. In 64-bit mode C4, C5 and 62 can't be anything else.
func vectorPrefix(code []byte) (opcodes, length int) {
	if len(code) < 3 {
		return 0, 0
	}
	switch code[0] {
	case 0xc5:
		return 1, 2
	case 0xc4:
		return int(code[1] & 0x1f), 3
	case 0x62:
		return int(code[1] & 7), 4
	}
	return 0, 0
}

// operandBytes returns the length of a ModRM byte with what belongs to it, and whether it names an
// operand in memory.
func operandBytes(code []byte) (length int, memory, ok bool) {
	if len(code) == 0 {
		return 0, false, false
	}
	mod, rm := code[0]>>6, code[0]&7
	length = 1
	if mod == 3 {
		return length, false, true
	}
	base := rm
	if rm == 4 { // a SIB byte
		if len(code) < 2 {
			return 0, false, false
		}
		base = code[1] & 7
		length++
	}
	switch {
	case mod == 1:
		length++
	case mod == 2, mod == 0 && base == 5:
		length += 4
	}
	return length, true, true
}

// hasImmediate tells whether an immediate byte ends a vector instruction.
func hasImmediate(opcodes int, opcode byte) bool {
	if opcodes == 3 {
		return true
	}
	return opcodes == 1 &&
		(opcode >= 0x70 && opcode <= 0x73 || opcode == 0xc2 || opcode >= 0xc4 && opcode <= 0xc6)
}

func decodeARM64(code []byte) ([]instruction, error) {
	var all []instruction
	for at := 0; at+4 <= len(code); at += 4 {
		in := instruction{address: at, length: 4}
		word := binary.LittleEndian.Uint32(code[at:])
		x, err := arm64asm.Decode(code[at:])
		switch {
		case word == 0: // the linker's filling behind the function
			continue
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
		// ADD and SUB of an immediate to a 64-bit register: sf, op, S, 100010, sh, imm12, Rn, Rd.
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
