//go:build arm64 && gc && !purego && !noasm

package asm

const vnni = false

// detect does not ask: NEON is part of every arm64, and cpuid does not see it on some systems.
func detect() []ISA { return []ISA{Generic, NEON} }
