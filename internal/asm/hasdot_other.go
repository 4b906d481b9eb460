//go:build arm64 && !linux && gc && !purego && !noasm

package asm

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// On macOS, all arm64 CPUs have SDOT and UDOT.
func hasDot() bool { return cpu.ARM64.HasASIMDDP || runtime.GOOS == "darwin" }
