//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"runtime"
	"slices"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

var vnni = cpuid.CPU.Supports(cpuid.AVX512VNNI) && cpu.X86.HasAVX512VNNI

var vpopcnt = cpuid.CPU.Supports(cpuid.AVX512VPOPCNTDQ) && cpu.X86.HasAVX512VPOPCNTDQ

// likeZen5 selects the order of reading rows that was fastest on a Zen 5. It is true on all AMD
// CPUs.
var likeZen5 = cpuid.CPU.VendorID == cpuid.AMD

// gathers reports whether DotSparse uses gather instructions on the AVX512 path. Intel CPUs that
// prefer 512-bit registers do not need the mitigation of Downfall, which slows gathers down.
var gathers = cpuid.CPU.VendorID == cpuid.Intel && prefers512(&cpuid.CPU)

// detect returns the paths that this machine can run, slowest first. Package cpuid also checks that
// the operating system saves the registers (XGETBV), and x/sys/cpu respects GODEBUG=cpu.avx2=off
// and the like.
func detect() []ISA {
	isas := append(make([]ISA, 0, 4), Generic)
	if cpuid.CPU.Supports(cpuid.AVX, cpuid.AVX2, cpuid.F16C, cpuid.POPCNT) &&
		cpu.X86.HasAVX && cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT {
		isas = append(isas, AVX2)
		// On macOS a signal could corrupt opmasks and upper registers (golang/go#49233).
		if runtime.GOOS != "darwin" && cpuid.CPU.Supports(cpuid.BMI2, cpuid.AVX512F,
			cpuid.AVX512VL, cpuid.AVX512BW, cpuid.AVX512DQ) && cpu.X86.HasBMI2 &&
			cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW &&
			cpu.X86.HasAVX512DQ {
			isas = append(isas, AVX512, AVX512x256)
			if prefers512(&cpuid.CPU) {
				slices.Reverse(isas[len(isas)-2:])
			}
		}
	}
	return isas
}

// prefers512 reports whether a CPU with AVX-512 uses 512-bit registers rather than 256-bit ones by
// default. FP16 or AMX identifies a newer Intel CPU if a hypervisor reports an older model.
func prefers512(c *cpuid.CPUInfo) bool {
	switch c.VendorID {
	case cpuid.Intel:
		const sapphireRapids, iceLakeNNPI, rocketLake = 0x8f, 0x9d, 0xa7
		return c.Supports(cpuid.AVX512FP16) || c.Supports(cpuid.AMXTILE) || c.Family >= 18 ||
			c.Family == 6 && c.Model >= sapphireRapids && c.Model != iceLakeNNPI &&
				c.Model != rocketLake
	case cpuid.AMD:
		// Strix Point and Krackan Point are Zen 5 with the narrower datapaths of Zen 4.
		const strixPoint, krackanPoint = 0x2, 0x6
		return c.Family > 26 ||
			c.Family == 26 && c.Model>>4 != strixPoint && c.Model>>4 != krackanPoint
	}
	return false
}
