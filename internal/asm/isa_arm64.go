//go:build arm64 && gc && !purego && !noasm

package asm

const likeZen5 = false

// detect returns the paths that this machine can run, slowest first. NEON is part of every arm64
// CPU, and some systems don't report it.
func detect() []ISA {
	if hasDot() {
		return []ISA{Generic, NEON, NEONDot}
	}
	return []ISA{Generic, NEON}
}
