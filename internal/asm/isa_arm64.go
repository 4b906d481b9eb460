//go:build arm64 && gc && !purego && !noasm

package asm

const likeZen5 = false

// detect returns both paths without asking the CPU: NEON is part of every arm64, and some systems
// don't report it.
func detect() []ISA { return []ISA{Generic, NEON} }
