//go:build arm64 && gc && !purego && !noasm

package asm

const likeZen5 = false

// NEON is part of every arm64 CPU.
func detect() []ISA {
	if hasDot() {
		return []ISA{Generic, NEON, NEONDot}
	}
	return []ISA{Generic, NEON}
}
