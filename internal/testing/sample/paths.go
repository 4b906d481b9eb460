package sample

import (
	"os"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Paths returns the instruction sets in which tests train models: all that this machine has or, in
// a short test with asm.Variable set, only the active one.
func Paths() []asm.ISA {
	if testing.Short() && os.Getenv(asm.Variable) != "" {
		return []asm.ISA{asm.Active()}
	}
	return asm.Available()
}
