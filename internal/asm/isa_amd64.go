//go:build amd64 && gc && !purego && !noasm

package asm

import "github.com/klauspost/cpuid/v2"

func detect() []ISA {
	isas := []ISA{Generic}
	// cpuid asks the operating system too (XGETBV): a feature it reports is one that can be used.
	if cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2) {
		isas = append(isas, AVX2)
	}
	return isas
}
