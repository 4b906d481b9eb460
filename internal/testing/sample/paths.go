package sample

import (
	"os"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Paths returns the instruction sets in which tests train models: all that are available, but in
// short tests only the one asked for by the environment variable, if any. On an emulated CPU each
// takes minutes, and the others are tested on real CPUs.
func Paths() []asm.ISA {
	if testing.Short() && os.Getenv(asm.Variable) != "" {
		return []asm.ISA{asm.Active()}
	}
	return asm.Available()
}
