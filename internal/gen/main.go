// Command gen generates code of package asm: the kernels' assembly for each instruction set, Go
// declarations of the assembly functions, dispatch stubs and their slow paths, and Go functions
// that replace the stubs where assembly is not built.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

func kernelsFor(t Target) (some []*kernelSpec) {
	for _, k := range kernels {
		avx512 := strings.HasPrefix(t.Name(), "AVX512")
		if k.emit != nil && (t.Width() <= 8 || k.wide) && (avx512 || k.feature == "") &&
			!(avx512 && k.variant() != "") && (t.Name() != "NEONDot" || k.dot) &&
			!(k.notNEON && t.Name() == "NEON") {
			some = append(some, k)
		}
	}
	return some
}

func generate() (map[string][]byte, error) {
	slices.SortFunc(kernels, func(a, b *kernelSpec) int { return strings.Compare(a.name, b.name) })
	files := map[string][]byte{}
	for arch, targets := range map[string][]Target{
		"amd64": {newAVX2(), newAVX512x256(), newAVX512()},
		"arm64": {newNEON(), newNEONDot()},
	} {
		for _, t := range targets {
			for _, k := range kernelsFor(t) {
				t.Func(k.name+t.Name(), k.doc(t.Name()), &k.signature)
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
	return files, addStubs(files)
}
