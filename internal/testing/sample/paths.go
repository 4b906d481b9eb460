package sample

import (
	"os"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Paths returns the instruction sets in which tests train models: all that are available, but in
// short tests only the one that the environment variable asm.Variable selects, if it is set. On an
// emulated CPU each instruction set takes minutes; the other sets are tested on real CPUs.
func Paths() []asm.ISA {
	if testing.Short() && os.Getenv(asm.Variable) != "" {
		return []asm.ISA{asm.Active()}
	}
	return asm.Available()
}
