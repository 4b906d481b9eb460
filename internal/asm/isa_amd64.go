//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"encoding/binary"
	"runtime"
	"slices"

	"golang.org/x/sys/cpu"
)

// vnni tells whether the AVX-512 paths may use VNNI's instructions.
var vnni = cpu.X86.HasAVX512VNNI

func detect() []ISA {
	isas := append(make([]ISA, 0, 4), Generic)
	// x/sys asks the operating system too (XGETBV): a feature it reports is one that can be used.
	if cpu.X86.HasAVX && cpu.X86.HasAVX2 {
		isas = append(isas, AVX2)
		// On macOS a signal could lose the opmasks and upper registers (golang/go#49233).
		if runtime.GOOS != "darwin" && cpu.X86.HasBMI2 && cpu.X86.HasAVX512F &&
			cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ {
			isas = append(isas, AVX512, AVX512x256)
			if wide(identify()) {
				slices.Reverse(isas[len(isas)-2:])
			}
		}
	}
	return isas
}

// A processor is what the rule of widths goes by, and x/sys does not tell.
type processor struct {
	vendor string
	family uint32
	fp16   bool // AVX512_FP16
}

// identify is for processors that have AVX-512, and so all leaves that are asked for.
func identify() processor {
	var p processor
	_, b, c, d := cpuid(0, 0)
	var vendor [12]byte
	for i, word := range [3]uint32{b, d, c} {
		binary.LittleEndian.PutUint32(vendor[4*i:], word)
	}
	p.vendor = string(vendor[:])
	a, _, _, _ := cpuid(1, 0)
	p.family = a >> 8 & 15
	if p.family == 15 {
		p.family += a >> 20 & 255
	}
	_, _, _, d = cpuid(7, 0)
	p.fp16 = d>>23&1 == 1
	return p
}

// cpuid executes CPUID.
//
//go:noescape
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// wide tells whether registers of 512 bits are faster than those of 256: on Intel's CPUs from
// Sapphire Rapids on, the first with FP16, and on AMD's from Zen 5 on. Those before have half the
// datapaths or lower their clocks, or nobody has measured them.
func wide(p processor) bool {
	switch p.vendor {
	case "GenuineIntel":
		return p.fp16
	case "AuthenticAMD":
		return p.family >= 26
	}
	return false
}
