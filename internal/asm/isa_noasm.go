//go:build !(amd64 || arm64) || !gc || purego || noasm

package asm

func detect() []ISA { return []ISA{Generic} }
