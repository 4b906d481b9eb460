package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// features maps each code path for amd64 to the CPU features, by avo's names, that isa_amd64.go
// requires.
var features = map[string][]string{
	"AVX2":       {"AVX", "AVX2", "F16C", "POPCNT"},
	"AVX512x256": avx512Features,
	"AVX512":     avx512Features,
}

var avx512Features = []string{"AVX", "AVX2", "F16C", "POPCNT", "BMI2", "AVX512F", "AVX512VL",
	"AVX512BW", "AVX512DQ"}

// byExtension maps avo's names of CPU features beyond AVX-512 to the ends of the names of kernels
// that require them.
var byExtension = map[string]string{"AVX512VNNI": "VNNI", "AVX512VPOPCNTDQ": "VPOPCNT"}

// baseline lists features, by avo's names, that every amd64 CPU has. avo counts PREFETCHT0, which
// came with SSE, as MMX+.
var baseline = []string{"MMX+", "CMOV"}

// check returns a pass that fails if a function needs a CPU feature that neither its code path nor
// its name implies, or if AVX2 code uses a vector register from 16 to 31.
func check(isa string) pass.FunctionPass {
	return func(f *ir.Function) error {
		for _, need := range f.ISA {
			feature := byExtension[need]
			if !slices.Contains(features[isa], need) && !slices.Contains(baseline, need) &&
				(feature == "" || !strings.HasSuffix(f.Name, feature+isa)) {
				return fmt.Errorf("%s needs %s: list it in features[%q] and isa_amd64.go, or "+
					"mark the kernel with needing", f.Name, need, isa)
			}
		}
		for _, i := range f.Instructions() {
			for _, op := range i.Operands {
				r, ok := op.(reg.Register)
				if ok && r.Kind() == reg.KindVector && r.(reg.Physical).PhysicalIndex() >= 16 &&
					isa == "AVX2" {
					return fmt.Errorf("%s uses %s, which AVX2 does not have", f.Name, r.Asm())
				}
			}
		}
		return nil
	}
}
