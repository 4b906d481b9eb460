//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

func detect() []ISA {
	isas := []ISA{Generic}
	// cpuid asks the operating system too (XGETBV): a feature it reports is one that can be used.
	if cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2) {
		isas = append(isas, AVX2)
		// On macOS a signal could lose the opmasks and upper registers (golang/go#49233).
		if runtime.GOOS != "darwin" && cpuid.CPU.Supports(cpuid.BMI2, cpuid.AVX512F,
			cpuid.AVX512VL, cpuid.AVX512BW, cpuid.AVX512DQ) {
			isas = append(isas, AVX512)
		}
	}
	return isas
}
