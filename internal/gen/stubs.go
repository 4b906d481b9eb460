package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
)

// A dispatch stub is the assembly function that package asm calls for a kernel. It has no frame: it
// reads which code path is in use and jumps to that path's body, which finds the arguments in the
// same places. Unless the kernel trusts its caller, the stub first compares the lengths of the
// slices, and it jumps to a Go function, nameSlow, for unequal lengths, for vectors of more than
// asm.Block elements, and on the generic code path. The stub of a trusting kernel jumps to
// nameGeneric on the generic code path.
//
// Stubs and bodies have flat parameters: a pointer and a length in place of a slice. Go passes the
// arguments of assembly in memory, and without capacities there is less to store. Go code calls
// nameActive, which is inlined and calls the stub, nameFlat. In place of nameSlow or nameGeneric,
// the stub jumps to a function whose name also ends in Flat, which makes slices of the parameters
// and calls nameSlow or nameGeneric. If the assembly has slices as parameters (see passingSlices),
// nameActive is the stub.

// A stubFormat has the instructions of dispatch stubs for one architecture, as formats for Fprintf.
// slow is the label of the jump to the Go function.
type stubFormat struct {
	first   string   // load the length of the first slice
	other   string   // jump to slow if another slice's length differs from the first's
	block   string   // jump to slow if the first slice's length is above Block
	active  string   // load the code path in use
	path    string   // jump to the label of a code path if it is in use
	without string   // jump to a label if a bool variable is false
	not     string   // jump to a label if a bool parameter is false
	paths   []string // names of the code paths, in the order in which the stub tests for them
}

var stubFormats = map[string]stubFormat{
	"amd64": {
		first:   "\tMOVQ %s, DX\n",
		other:   "\tCMPQ DX, %s\n\tJNE slow\n",
		block:   "\tCMPQ DX, $const_Block\n\tJHI slow\n",
		active:  "\tMOVBLZX ·active(SB), BX\n",
		path:    "\tCMPL BX, $const_%[1]s\n\tJEQ %[1]s\n",
		without: "\tCMPB ·%s(SB), $0\n\tJEQ %s\n",
		not:     "\tCMPB %s, $0\n\tJEQ %s\n",
		paths:   []string{"AVX512", "AVX2", "AVX512x256"},
	},
	"arm64": {
		first:  "\tMOVD %s, R0\n",
		other:  "\tMOVD %s, R1\n\tCMP R0, R1\n\tBNE slow\n",
		block:  "\tMOVD $const_Block, R1\n\tCMP R1, R0\n\tBHI slow\n",
		active: "\tMOVBU ·active(SB), R2\n",
		path:   "\tCMP $const_%[1]s, R2\n\tBEQ %[1]s\n",
		not:    "\tMOVBU %s, R1\n\tCBZ R1, %s\n",
		paths:  []string{"NEONDot", "NEON"},
	},
}

func (d stubFormat) print(b *bytes.Buffer, k *kernelSpec) error {
	signature := k.flat()
	s := gotypes.NewSignature(nil, parse(signature))
	stub, slow := k.stubAndSlow()
	fmt.Fprintf(b, "\n// func %s%s\n", stub, strings.TrimPrefix(signature, "func"))
	fmt.Fprintf(b, "TEXT ·%s(SB), NOSPLIT, $0-%d\n", stub, s.Bytes())
	if k.checked {
		if err := d.check(b, k, s); err != nil {
			return err
		}
	}
	b.WriteString(d.active)
	paths := d.paths
	if k.notNEON {
		paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == "NEON" })
	}
	for _, name := range paths {
		fmt.Fprintf(b, d.path, name)
	}
	fmt.Fprintf(b, "\nslow:\n\tJMP ·%s(SB)\n", slow)
	for _, name := range paths {
		if err := d.jump(b, k, s, name); err != nil {
			return err
		}
	}
	return nil
}

// jump prints the label of the named code path and the jump to its body, with the instructions that
// select a body if there are several.
func (d stubFormat) jump(b *bytes.Buffer, k *kernelSpec, s *gotypes.Signature, name string) error {
	fmt.Fprintf(b, "\n%s:\n", name)
	bodies, isa, feature := k.bodies(), name, k.variant()
	switch {
	case feature != "" && strings.HasPrefix(name, "AVX512"):
		fmt.Fprintf(b, d.without, strings.ToLower(feature), "AVX2")
		isa = feature + name
	case name == "AVX512" && !k.wide:
		isa = "AVX512x256"
	case name == "NEONDot" && !k.dot:
		isa = "NEON"
	case name == "AVX512" && k.wideIf != "":
		fmt.Fprintf(b, d.without, k.wideIf, "AVX512x256")
	}
	if len(bodies) > 1 {
		which, err := s.Params().Lookup(k.choice.parameter).Resolve()
		if err != nil {
			return err
		}
		label := name + k.choice.no
		fmt.Fprintf(b, d.not, which.Addr.Asm(), label)
		fmt.Fprintf(b, "\tJMP ·%s%s(SB)\n\n%s:\n", bodies[0], isa, label)
	}
	fmt.Fprintf(b, "\tJMP ·%s%s(SB)\n", bodies[len(bodies)-1], isa)
	return nil
}

func (d stubFormat) check(b *bytes.Buffer, k *kernelSpec, s *gotypes.Signature) error {
	line := d.first
	for _, name := range k.equalSlices() {
		length, err := k.int(s.Params().Lookup, "len("+name+")").Resolve()
		if err != nil {
			return err
		}
		fmt.Fprintf(b, line, length.Addr.Asm())
		line = d.other
	}
	b.WriteString(d.block)
	return nil
}

// addStubs adds to files the dispatch stubs of each architecture, their Go declarations and slow
// paths, and the Go functions that replace the stubs where assembly is not built.
func addStubs(files map[string][]byte) error {
	const head = "// Code generated by " + command + ". DO NOT EDIT.\n\n"
	some := slices.DeleteFunc(slices.Clone(kernels),
		func(k *kernelSpec) bool { return !k.hasStub() })
	for arch, d := range stubFormats {
		var b bytes.Buffer
		fmt.Fprintf(&b, head+"//go:build %s && gc && !purego && !noasm\n\n", arch)
		b.WriteString("#include \"go_asm.h\"\n#include \"textflag.h\"\n")
		for _, k := range some {
			if err := d.print(&b, k); err != nil {
				return err
			}
		}
		files["stubs_"+arch+".s"] = b.Bytes()
	}
	var stubs, plain, slow bytes.Buffer
	stubs.WriteString(head + "//go:build (amd64 || arm64) && gc && !purego && !noasm\n\n" +
		"package asm\n\nimport \"unsafe\"\n")
	plain.WriteString(head + "//go:build (!amd64 && !arm64) || !gc || purego || noasm\n\n" +
		"package asm\n")
	slow.WriteString(head + "package asm\n\nimport (\n\t\"unsafe\"\n\n" +
		"\t\"github.com/pegasimd/pegasimd/internal/base/misuse\"\n)\n")
	for _, k := range some {
		k.declare(&stubs)
		fmt.Fprintf(&plain, "\nfunc %sActive%s { %s }\n", k.name,
			strings.TrimPrefix(k.text, "func"), k.call(k.slow(), "%s", nil))
		if k.hasSlow() {
			k.printSlow(&slow)
		}
		k.printFlatSlow(&slow)
	}
	for name, b := range map[string]*bytes.Buffer{"stubs_asm": &stubs, "stubs_noasm": &plain,
		"slow": &slow} {
		text, err := formatGo(b.Bytes())
		if err != nil {
			return fmt.Errorf("%s.go: %w", name, err)
		}
		files[name+".go"] = text
	}
	return nil
}

func (k *kernelSpec) declare(b *bytes.Buffer) {
	stub, _ := k.stubAndSlow()
	if !k.passSlices {
		fmt.Fprintf(b, "\n// %s\nfunc %sActive%s {\n\t%s\n}\n", k.doc("Active"), k.name,
			strings.TrimPrefix(k.text, "func"),
			k.call(stub, "unsafe.SliceData(%[1]s), len(%[1]s)", k.slices))
	} else {
		fmt.Fprintf(b, "\n// %s\n//", k.doc("Active"))
	}
	fmt.Fprintf(b, "\n//go:noescape\nfunc %s%s\n", stub, strings.TrimPrefix(k.flat(), "func"))
}
