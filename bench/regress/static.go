package main

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// What can be told from the code without running it: sizes of functions, and what a turn of each inner loop of the
// assembly does. It is all there is for AVX-512, which Valgrind can't run, and for NEON on another machine than an Arm.
//
// go tool objdump does not know VEX and EVEX instructions and loses its place among them, so that functions are decoded
// here: x/arch for what it knows, the length of vector instructions by their few fixed forms.

// A function is one that the binary has.
type function struct {
	name  string
	size  int    // bytes
	loops []loop // innermost ones, in order of address
}

// A loop is one turn of it.
type loop struct {
	instructions int
	memory       int // operands that are loaded or stored
	advance      int // bytes (or elements, without pointers) by which the fastest register moves
}

// perKiB is n for 1024 bytes of advance, so that loops of different length can be compared.
func (l loop) perKiB(n int) float64 { return float64(n) * 1024 / float64(max(l.advance, 1)) }

// An instruction is what loops are found by.
type instruction struct {
	address, length int
	memory          bool
	jumps           bool
	target          int // of the jump
	register        string
	step            int // what is added to the register
}

// functions reads those whose names match from an ELF file. Only assembly has its loops counted: those that the
// compiler makes are counted by running them.
func functions(file string, match *regexp.Regexp) ([]function, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []function
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || !match.MatchString(s.Name) {
			continue
		}
		fn := function{name: s.Name[strings.LastIndex(s.Name, "/")+1:], size: int(s.Size)}
		assembly := strings.HasSuffix(fn.name, ".abi0")
		fn.name = strings.TrimSuffix(fn.name, ".abi0")
		if assembly {
			section := f.Sections[s.Section]
			code := make([]byte, s.Size)
			if _, err := section.ReadAt(code, int64(s.Value-section.Addr)); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, s.Name, err)
			}
			var instructions []instruction
			switch f.Machine {
			case elf.EM_X86_64:
				instructions, err = decodeAMD64(code)
			case elf.EM_AARCH64:
				instructions, err = decodeARM64(code)
			default:
				err = fmt.Errorf("loops of %v are not known", f.Machine)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, s.Name, err)
			}
			fn.loops = innerLoops(instructions)
		}
		all = append(all, fn)
	}
	slices.SortFunc(all, func(a, b function) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// innerLoops finds the stretches from a jump's target to the jump behind it that have no such stretch within.
func innerLoops(code []instruction) []loop {
	type stretch struct{ from, to int }
	var all []stretch
	for _, in := range code {
		if in.jumps && in.target >= 0 && in.target <= in.address {
			all = append(all, stretch{in.target, in.address})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	all = slices.Compact(all)
	var loops []loop
	for _, s := range all {
		inner := !slices.ContainsFunc(all, func(o stretch) bool { return o != s && o.from >= s.from && o.to <= s.to })
		if !inner {
			continue
		}
		l := loop{}
		steps := map[string]int{}
		for _, in := range code {
			if in.address < s.from || in.address > s.to {
				continue
			}
			l.instructions++
			if in.memory {
				l.memory++
			}
			if in.register != "" {
				steps[in.register] += in.step
				l.advance = max(l.advance, steps[in.register], -steps[in.register])
			}
		}
		loops = append(loops, l)
	}
	return loops
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
			in.length = x.Len
			for _, arg := range x.Args {
				switch arg := arg.(type) {
				case x86asm.Mem:
					in.memory = in.memory || x.Op != x86asm.LEA && x.Op != x86asm.NOP
				case x86asm.Rel:
					if x.Op != x86asm.CALL {
						in.jumps, in.target = true, at+x.Len+int(arg)
					}
				}
			}
			register, isRegister := x.Args[0].(x86asm.Reg)
			if imm, ok := x.Args[1].(x86asm.Imm); ok && isRegister {
				switch x.Op {
				case x86asm.ADD:
					in.register, in.step = register.String(), int(imm)
				case x86asm.SUB:
					in.register, in.step = register.String(), -int(imm)
				}
			}
			switch x.Op {
			case x86asm.INC:
				in.register, in.step = register.String(), 1
			case x86asm.DEC:
				in.register, in.step = register.String(), -1
			}
		}
		if in.length == 0 || at+in.length > len(code) {
			return nil, fmt.Errorf("byte %#x: an instruction of %d bytes does not fit", at, in.length)
		}
		at += in.length
		all = append(all, in)
	}
	return all, nil
}

// vectorInstruction tells the length of an instruction with a VEX or EVEX prefix (Intel's manual, volume 2, 2.3 and
// 2.7), and whether it has an operand in memory. In 64-bit mode C4, C5 and 62 can't be anything else.
func vectorInstruction(code []byte) (length int, memory, ok bool) {
	if len(code) < 3 {
		return 0, false, false
	}
	var opcodes, at int // map of opcodes: 1 is 0F, 2 is 0F38, 3 is 0F3A
	switch code[0] {
	case 0xc5:
		opcodes, at = 1, 2
	case 0xc4:
		opcodes, at = int(code[1]&0x1f), 3
	case 0x62:
		opcodes, at = int(code[1]&7), 4
	default:
		return 0, false, false
	}
	if len(code) <= at {
		return 0, false, false
	}
	opcode := code[at]
	at++
	if opcodes == 1 && opcode == 0x77 { // VZEROUPPER, VZEROALL
		return at, false, true
	}
	if len(code) <= at {
		return 0, false, false
	}
	mod, rm := code[at]>>6, code[at]&7
	at++
	if memory = mod != 3; memory {
		base := rm
		if rm == 4 { // a SIB byte
			if len(code) <= at {
				return 0, false, false
			}
			base = code[at] & 7
			at++
		}
		switch {
		case mod == 1:
			at++
		case mod == 2, mod == 0 && base == 5:
			at += 4
		}
	}
	switch {
	case opcodes == 3:
		at++
	case opcodes == 1 && (opcode >= 0x70 && opcode <= 0x73 || opcode == 0xc2 || opcode >= 0xc4 && opcode <= 0xc6):
		at++ // an immediate byte
	}
	return at, memory, true
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
