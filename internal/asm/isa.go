package asm

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// An ISA names one path through the kernels.
type ISA uint8

const (
	Generic    ISA = iota // plain Go, on every machine
	NEON                  // arm64
	AVX2                  // amd64
	AVX512x256            // amd64: AVX-512 F, VL, BW and DQ, and BMI2, in registers of 256 bits
	AVX512                // the same in registers of 512 bits
)

// No name ends in a dash and a number, which benchmarks' names have for GOMAXPROCS.
var names = [...]string{Generic: "generic", NEON: "neon", AVX2: "avx2",
	AVX512x256: "avx512x256", AVX512: "avx512"}

func (isa ISA) String() string { return names[isa] }

// Variable is the environment variable that forces a path by name.
const Variable = "PEGASIMD_ISA"

var (
	available = detect() // slowest first
	active    = choose(os.Getenv(Variable))
)

// choose returns the fastest path or the one named. A path that is asked for and can't be had is
// a failure, never a quiet fallback: a test that means to run AVX-512 must not pass on something
// else.
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

// Available returns the paths that this machine can run, slowest first. The last is used unless
// PEGASIMD_ISA names another.
func Available() []ISA { return slices.Clone(available) }

// Active returns the path in use.
func Active() ISA { return active }

// Use makes isa the path in use and returns the one before. It is for tests and benchmarks, which
// must not call it while kernels run: defer asm.Use(asm.Use(isa)).
func Use(isa ISA) (previous ISA) {
	if !slices.Contains(available, isa) {
		panic("asm: " + isa.String() + " is not available here")
	}
	previous, active = active, isa
	return previous
}
