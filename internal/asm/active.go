package asm

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Variable is the environment variable that selects a path by name.
const Variable = "PEGASIMD_ISA"

var (
	available = detect() // slowest first
	active    = choose(os.Getenv(Variable))
)

// choose returns the path of the given name, or the fastest path for an empty name. It panics if
// the named path is not available, so that a test meant for AVX-512 cannot pass on a different
// path.
func choose(name string) ISA {
	if name == "" {
		return available[len(available)-1]
	}
	for _, isa := range available {
		if isa.String() == name {
			return isa
		}
	}
	have := make([]string, len(available))
	for i, isa := range available {
		have[i] = isa.String()
	}
	panic(fmt.Sprintf("asm: %s=%s is not available here; have %s", Variable, name,
		strings.Join(have, ", ")))
}

// Available returns the paths that this machine can run, slowest first. The last one is the
// default; [Variable] selects another.
func Available() []ISA { return slices.Clone(available) }

func Active() ISA { return active }

// Use makes isa the path in use and returns the previous one. It panics if isa is not available. No
// kernel may run meanwhile.
func Use(isa ISA) (previous ISA) {
	if !slices.Contains(available, isa) {
		panic("asm: " + isa.String() + " is not available here; Available returns the choices")
	}
	previous, active = active, isa
	return previous
}
