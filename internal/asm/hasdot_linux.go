//go:build arm64 && gc && !purego && !noasm

package asm

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// hasDot reports whether the CPU has SDOT and UDOT. It heeds GODEBUG=cpu.asimddp=off and
// cpu.all=off.
func hasDot() bool {
	const hwcap, asimddp = 16, 1 << 20
	for _, off := range []string{"cpu.asimddp=off", "cpu.all=off"} {
		if strings.Contains(os.Getenv("GODEBUG"), off) {
			return false
		}
	}
	vector, _ := unix.Auxv()
	for _, v := range vector {
		if v[0] == hwcap {
			return v[1]&asimddp != 0
		}
	}
	return false
}
