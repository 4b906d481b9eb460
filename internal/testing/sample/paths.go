package sample

import (
	"os"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Paths returns the instruction sets that models are trained in: all that there are, but in short
// tests only the one asked for, if any. An emulated CPU takes minutes for each, and the others were
// tested on a real one.
func Paths() []asm.ISA {
	if testing.Short() && os.Getenv(asm.Variable) != "" {
		return []asm.ISA{asm.Active()}
	}
	return asm.Available()
}
