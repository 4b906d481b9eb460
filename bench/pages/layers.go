package main

import (
	"fmt"
	"strings"
)

// layers is the direction of imports: a package imports from its own layer and from lower ones. A
// name stands for the folders below it, too, unless they are listed themselves. Packages that are
// not listed are helpers of everybody, in the lowest layer.
var layers = [][]string{
	{"internal/asm", "internal/elementary"},
	{"dense", "sparse", "quant", ".", "internal/asmtest"},
	{"internal/store", "dataset", "internal/sample"},
	{"pegasos"},
	{"pegasos/kernelsvm", "modelio"},
	{"internal/predictions"},
	{"beam", "cmd", "bench", "gate", "interop", "scripts", "internal/demo", "internal/gen",
		"internal/paths", "internal/vectors", "spec"},
}

// layer returns that of a package: that of the longest name that is a part of it.
func layer(name string) (at int) {
	longest := ""
	for i, names := range layers {
		for _, n := range names {
			if (name == n || strings.HasPrefix(name, n+"/")) && len(n) > len(longest) {
				longest, at = n, i
			}
		}
	}
	return at
}

// faults names the imports that go up, and the packages without documentation.
func (h *house) faults() (faults []string) {
	for _, p := range h.packages {
		for _, q := range h.uses(p) {
			if layer(q.name) > layer(p.name) {
				faults = append(faults,
					fmt.Sprintf("%s imports %s, of a higher layer", p.name, q.name))
			}
		}
		if p.synopsis() == "" {
			faults = append(faults, p.name+" has no documentation")
		}
	}
	return faults
}
