//go:build arm64 && !linux && gc && !purego && !noasm

package asm

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// hasDot reports whether the CPU has the instructions SDOT and UDOT. It asks x/sys/cpu, which
// respects GODEBUG=cpu.asimddp=off, except on macOS, all of whose arm64 CPUs have them.
func hasDot() bool { return cpu.ARM64.HasASIMDDP || runtime.GOOS == "darwin" }
