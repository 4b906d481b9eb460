//go:build arm64 && gc && !purego && !noasm

package asm

// detect does not ask: NEON is part of every arm64, and some systems don't tell.
func detect() []ISA { return []ISA{Generic, NEON} }
