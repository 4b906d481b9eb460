//go:build !(amd64 || arm64) || !gc || purego || noasm

package asm

const likeZen5 = false

func detect() []ISA { return []ISA{Generic} }
