//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"runtime"
	"slices"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// vnni tells whether the AVX-512 paths may use VNNI's instructions.
var vnni = cpuid.CPU.Supports(cpuid.AVX512VNNI) && cpu.X86.HasAVX512VNNI

// vpopcnt tells whether they may use VPOPCNTQ.
var vpopcnt = cpuid.CPU.Supports(cpuid.AVX512VPOPCNTDQ) && cpu.X86.HasAVX512VPOPCNTDQ

// fourStreams tells whether four rows that come from memory are read together sooner than one after
// the other: on a Zen 5, not on an Emerald Rapids.
var fourStreams = cpuid.CPU.VendorID == cpuid.AMD

// gathers tells whether the path of 512 bits gathers elements for sparse rows. Intel's CPUs that take
// it do so in 80 to 90 % of the time that scalar loads need, and none of them has microcode against
// Downfall; a Zen 5 takes 1.4 to 2.6 times as long.
var gathers = cpuid.CPU.VendorID == cpuid.Intel && wide(&cpuid.CPU)

// detect asks cpuid, which asks the operating system too (XGETBV): a feature it reports is one that
// can be used. It asks x/sys as well, for GODEBUG=cpu.avx2=off and the like go there; of F16C the
// version that go.mod requires knows nothing.
func detect() []ISA {
	isas := append(make([]ISA, 0, 4), Generic)
	if cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2, cpuid.F16C, cpuid.POPCNT) &&
		cpu.X86.HasAVX && cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT {
		isas = append(isas, AVX2)
		// On macOS a signal could lose the opmasks and upper registers (golang/go#49233).
		if runtime.GOOS != "darwin" && cpuid.CPU.Supports(cpuid.BMI2, cpuid.AVX512F,
			cpuid.AVX512VL, cpuid.AVX512BW, cpuid.AVX512DQ) && cpu.X86.HasBMI2 &&
			cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW &&
			cpu.X86.HasAVX512DQ {
			isas = append(isas, AVX512, AVX512x256)
			if wide(&cpuid.CPU) {
				slices.Reverse(isas[len(isas)-2:])
			}
		}
	}
	return isas
}

// wide tells whether registers of 512 bits are faster than those of 256, on a CPU that has AVX-512:
// on Intel's from Sapphire Rapids on, and on AMD's from Zen 5 on. Those before have half the
// datapaths or lower their clocks, or nobody has measured them.
//
// The family and the model decide. Some hypervisors hide the features that are new in Sapphire
// Rapids, FP16 and AMX; others give it an older model, and there the features tell.
func wide(c *cpuid.CPUInfo) bool {
	switch c.VendorID {
	case cpuid.Intel:
		const sapphireRapids, iceLakeNNPI, rocketLake = 0x8f, 0x9d, 0xa7
		return c.Supports(cpuid.AVX512FP16) || c.Supports(cpuid.AMXTILE) || c.Family >= 18 ||
			c.Family == 6 && c.Model >= sapphireRapids && c.Model != iceLakeNNPI &&
				c.Model != rocketLake
	case cpuid.AMD:
		// Strix Point and Krackan Point are Zen 5 with Zen 4's datapaths.
		const strixPoint, krackanPoint = 0x2, 0x6
		return c.Family > 26 ||
			c.Family == 26 && c.Model>>4 != strixPoint && c.Model>>4 != krackanPoint
	}
	return false
}
