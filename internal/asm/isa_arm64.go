//go:build arm64 && gc && !purego && !noasm

package asm

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

const likeZen5 = false

// detect returns the paths that this machine can run, slowest first. NEON is part of every arm64
// CPU, and some systems don't report it. For SDOT and UDOT detect asks x/sys/cpu, which respects
// GODEBUG=cpu.asimddp=off but cannot tell on macOS, all of whose arm64 CPUs have them. It does not
// ask cpuid as well, which would read the same bit of the operating system's.
func detect() []ISA {
	if cpu.ARM64.HasASIMDDP || runtime.GOOS == "darwin" {
		return []ISA{Generic, NEON, NEONDot}
	}
	return []ISA{Generic, NEON}
}
