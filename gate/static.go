package main

import (
	"debug/elf"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file reads function sizes and the loops of assembly from binaries, also for AVX-512, which
// Valgrind can't run, and for other architectures.

type function struct {
	name  string // with the import path, unless shorten removed it
	size  int    // bytes
	loops []loop // innermost, in order of address
	// unread is why the loops of assembly could not be read.
	unread error
}

type loop struct {
	instructions int
	memory       int // instructions that access memory
	advance      int // bytes: largest change of a register, times its scale as an index
}

func (l loop) perKiB(n int) float64 { return float64(n) * 1024 / float64(max(l.advance, 1)) }

// functions returns the functions of an ELF file whose names match. Only assembly's loops are read:
// Go code is counted by running it.
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
		name, assembly := strings.CutSuffix(s.Name, ".abi0")
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || !match.MatchString(name) {
			continue
		}
		fn := function{name: name, size: int(s.Size)}
		if assembly {
			fn.loops, fn.unread = loopsOf(f, s)
		}
		all = append(all, fn)
	}
	return all, nil
}

func shorten(both [2][]function) {
	short := func(name string) string { return name[strings.LastIndex(name, "/")+1:] }
	full := map[string]string{} // full name by short name; "" if functions share the short name
	for _, f := range slices.Concat(both[0], both[1]) {
		name := short(f.name)
		if other, ok := full[name]; !ok {
			full[name] = f.name
		} else if other != f.name {
			full[name] = ""
		}
	}
	for _, all := range both {
		for i, f := range all {
			if full[short(f.name)] != "" {
				all[i].name = short(f.name)
			}
		}
	}
}

func loopsOf(f *elf.File, s elf.Symbol) ([]loop, error) {
	section := f.Sections[s.Section]
	code := make([]byte, s.Size)
	if _, err := section.ReadAt(code, int64(s.Value-section.Addr)); err != nil {
		return nil, err
	}
	var instructions []instruction
	var err error
	switch f.Machine {
	case elf.EM_X86_64:
		instructions, err = decodeAMD64(code)
	case elf.EM_AARCH64:
		instructions, err = decodeARM64(code)
	default:
		err = fmt.Errorf("loops are not searched in code of %v", f.Machine)
	}
	if err != nil {
		return nil, err
	}
	return innerLoops(instructions), nil
}

// A span is the code from a backward jump's target to the jump.
type span struct{ from, to int }

func innerLoops(code []instruction) []loop {
	var all []span
	for _, in := range code {
		if in.jumps && in.target >= 0 && in.target <= in.address {
			all = append(all, span{in.target, in.address})
		}
	}
	var loops []loop
	for _, s := range all {
		outer := slices.ContainsFunc(all, func(o span) bool {
			return o != s && o.from >= s.from && o.to <= s.to
		})
		if !outer {
			loops = append(loops, turn(code, s))
		}
	}
	return loops
}

func turn(code []instruction, s span) (l loop) {
	steps, scales := map[string]int{}, map[string]int{}
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
		}
		if in.index != "" {
			scales[in.index] = max(scales[in.index], in.scale)
		}
	}
	for register, step := range steps {
		l.advance = max(l.advance, max(step, -step)*max(scales[register], 1))
	}
	return l
}
