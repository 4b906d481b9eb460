//go:build arm64 && gc && !purego && !noasm

package asm

const fourStreams = false

// detect does not ask: NEON is part of every arm64, and some systems don't tell.
func detect() []ISA { return []ISA{Generic, NEON} }
