// Command gen writes the kernels of package asm: the assembly, its stubs, and the twins that stand
// in for the assembly where it can't be built.
//
// A kernel is one file here: its loop, written once against Target. Its generic body in package asm
// has its meaning.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	dir := flag.String("dir", ".", "write the files to this folder")
	flag.Parse()
	files, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// A kernelSpec is a kernel's word, the signature of its assembly, and the emitter.
type kernelSpec struct {
	word, signature string
	emit            func(Target)
	like            string   // the function of package asm that the assembly works like
	slices          []string // the parameters that are slices, the first of which gives n
	wide            bool     // has a body in registers of 512 bits
	vnni            bool     // needs AVX-512 VNNI
}

var kernels []*kernelSpec

// kernel adds one; each kernel's file calls it from init. Its assembly works like word + "Generic"
// in package asm unless it is told otherwise.
func kernel(word, signature string, emit func(Target)) *kernelSpec {
	k := &kernelSpec{word: word, signature: signature, emit: emit, like: word + "Generic",
		slices: slicesOf(signature)}
	kernels = append(kernels, k)
	return k
}

// partOf says that the kernel has no generic body, for it is a part of another function of package
// asm.
func (k *kernelSpec) partOf(function string) *kernelSpec { k.like = function; return k }

// inWide says that the kernel is worth a body in registers of 512 bits as well.
func (k *kernelSpec) inWide() *kernelSpec { k.wide = true; return k }

// withVNNI says that the kernel is for CPUs with AVX-512 VNNI only. Its word ends with VNNI.
func (k *kernelSpec) withVNNI() *kernelSpec { k.vnni = true; return k }

// pointer returns a parameter, or of a slice where it begins.
func (k *kernelSpec) pointer(param func(string) gotypes.Component, name string) gotypes.Component {
	if slices.Contains(k.slices, name) {
		return param(name).Base()
	}
	return param(name)
}

// int returns a parameter. Of slices n is their length.
func (k *kernelSpec) int(param func(string) gotypes.Component, name string) gotypes.Component {
	if name == "n" && len(k.slices) > 0 {
		return param(k.slices[0]).Len()
	}
	return param(name)
}

// doc is the comment of a declaration.
func (k *kernelSpec) doc(isa string) string {
	if strings.HasSuffix(k.like, "Generic") {
		return fmt.Sprintf("%s%s works like %s.", k.word, isa, k.like)
	}
	return fmt.Sprintf("%s%s is a part of %s.", k.word, isa, k.like)
}

// kernelsFor returns those that a target has bodies of.
func kernelsFor(t Target) (some []*kernelSpec) {
	for _, k := range kernels {
		if (t.Width() <= 8 || k.wide) && (!k.vnni || strings.HasPrefix(t.Name(), "AVX512")) {
			some = append(some, k)
		}
	}
	return some
}

// generate returns the files' names and texts.
func generate() (map[string][]byte, error) {
	slices.SortFunc(kernels, func(a, b *kernelSpec) int { return strings.Compare(a.word, b.word) })
	files := map[string][]byte{}
	for arch, targets := range map[string][]Target{
		"amd64": {newAVX2(), newAVX512x256(), newAVX512()},
		"arm64": {newNEON()},
	} {
		for _, t := range targets {
			for _, k := range kernelsFor(t) {
				t.Func(k)
				k.emit(t)
			}
			f, err := t.Compile()
			if err != nil {
				return nil, err
			}
			if err := printFile(files, arch, t.Name(), f); err != nil {
				return nil, err
			}
		}
	}
	return files, addDoors(files)
}
