//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"runtime"
	"slices"

	"github.com/klauspost/cpuid/v2"
)

// vnni tells whether the AVX-512 paths may use VNNI's instructions.
var vnni = cpuid.CPU.Supports(cpuid.AVX512VNNI)

func detect() []ISA {
	isas := []ISA{Generic}
	// cpuid asks the operating system too (XGETBV): a feature it reports is one that can be used.
	if cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2) {
		isas = append(isas, AVX2)
		// On macOS a signal could lose the opmasks and upper registers (golang/go#49233).
		if runtime.GOOS != "darwin" && cpuid.CPU.Supports(cpuid.BMI2, cpuid.AVX512F,
			cpuid.AVX512VL, cpuid.AVX512BW, cpuid.AVX512DQ) {
			isas = append(isas, AVX512, AVX512x256)
			if wide(&cpuid.CPU) {
				slices.Reverse(isas[len(isas)-2:])
			}
		}
	}
	return isas
}

// wide tells whether registers of 512 bits are faster than those of 256: on Intel's CPUs from
// Sapphire Rapids on, the first with FP16, and on AMD's from Zen 5 on. Those before have half the
// datapaths or lower their clocks, or nobody has measured them.
func wide(cpu *cpuid.CPUInfo) bool {
	switch cpu.VendorID {
	case cpuid.Intel:
		return cpu.Supports(cpuid.AVX512FP16)
	case cpuid.AMD:
		return cpu.Family >= 26
	}
	return false
}
