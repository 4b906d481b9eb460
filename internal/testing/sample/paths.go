package sample

import (
	"os"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Paths returns the instruction sets in which tests train models: all that this machine has. The
// exception is a short test with the environment variable asm.Variable set: it trains only in the
// instruction set that the variable selects, because on an emulated CPU each instruction set takes
// minutes. The other sets are tested on real CPUs.
func Paths() []asm.ISA {
	if testing.Short() && os.Getenv(asm.Variable) != "" {
		return []asm.ISA{asm.Active()}
	}
	return asm.Available()
}
