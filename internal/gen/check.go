package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// features are what the dispatch guard of a path asks for; isa_amd64.go has the same list.
var features = map[string][]string{
	"AVX2":       {"AVX", "AVX2", "F16C", "POPCNT"},
	"AVX512x256": avx512Features,
	"AVX512":     avx512Features,
}

var avx512Features = []string{"AVX", "AVX2", "F16C", "POPCNT", "BMI2", "AVX512F", "AVX512VL",
	"AVX512BW", "AVX512DQ"}

// byExtension has the features that kernels may need beside AVX-512: their words end with it.
var byExtension = map[string]string{"AVX512VNNI": "VNNI", "AVX512VPOPCNTDQ": "VPOPCNT"}

// baseline is what every amd64 has: avo files PREFETCHT0, which came with SSE, under MMX+.
var baseline = []string{"MMX+", "CMOV"}

// check makes it an error when a function needs more than its path's guard asks for. avo hands out
// registers 16 to 31 without a word, though only AVX-512 has them, so they are looked for as well.
func check(isa string) pass.FunctionPass {
	return func(f *ir.Function) error {
		for _, need := range f.ISA {
			feature := byExtension[need]
			if !slices.Contains(features[isa], need) && !slices.Contains(baseline, need) &&
				(feature == "" || !strings.HasSuffix(f.Name, feature+isa)) {
				return fmt.Errorf("%s needs %s, which the guard of %s does not ask for", f.Name,
					need, isa)
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
