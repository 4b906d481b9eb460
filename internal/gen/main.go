// Command gen writes the kernels of package asm: the assembly, its stubs, and what stands in for it
// where it can't be built.
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
	emit            func(Target) // nil for a door to two other kernels
	like            string       // the function of package asm that the assembly works like
	slices          []string     // the parameters that are slices, the first of which gives n
	checked         bool         // the door compares the lengths, and leaves long vectors to Go
	wide            bool         // has a body in registers of 512 bits
	wideIf          string       // the variable of package asm that must be true for that
	feature         string       // what AVX-512 needs besides: VNNI or VPOPCNT
	door            string       // the word of the door to it, if that is another's
	choice          choice       // between two bodies, for a door
}

// A choice is between two kernels behind one door: the bool parameter named tells which. In place
// of both, their words have no or yes.
type choice struct{ parameter, both, no, yes string }

var (
	bySign   = choice{"signed", "Bytes", "Uint8", "Int8"}
	byFormat = choice{"brain", "Halves", "Float16", "Bfloat16"}
)

var kernels []*kernelSpec

// kernel adds one; each kernel's file calls it from init. Its assembly works like word + "Generic"
// in package asm unless it is told otherwise.
func kernel(word, signature string, emit func(Target)) *kernelSpec {
	k := &kernelSpec{word: word, signature: signature, emit: emit, like: word + "Generic",
		slices: slicesOf(signature), checked: true}
	kernels = append(kernels, k)
	return k
}

// partOf says that the kernel has no generic body, for it is a part of another function of package
// asm.
func (k *kernelSpec) partOf(function string) *kernelSpec { k.like = function; return k }

// trusting says that a Go function has checked the operands, which are no more than a call may take:
// the door only chooses the path, and without assembly it is the generic body that is called.
func (k *kernelSpec) trusting() *kernelSpec { k.checked = false; return k }

// door adds the door to two kernels.
func (c choice) door(word, signature string) *kernelSpec {
	k := kernel(word, signature, nil)
	k.choice = c
	return k
}

// either adds the door to two kernels and both of them: emit is told which one it is for. All of
// them are what set makes of them.
func (c choice) either(word, signature string, emit func(t Target, yes bool),
	set func(k *kernelSpec)) {
	set(c.door(word, signature))
	for yes, name := range map[bool]string{false: c.no, true: c.yes} {
		set(kernel(strings.Replace(word, c.both, name, 1), signature,
			func(t Target) { emit(t, yes) }).behind(word))
	}
}

// behind says that the kernel is one of the two behind a door.
func (k *kernelSpec) behind(door string) *kernelSpec {
	k.door = door
	return k.partOf(door + "Generic")
}

// bodies are the words of what the door leads to, first the one for true if there is a choice.
func (k *kernelSpec) bodies() []string {
	if k.emit != nil {
		return []string{k.word}
	}
	return []string{strings.Replace(k.word, k.choice.both, k.choice.yes, 1),
		strings.Replace(k.word, k.choice.both, k.choice.no, 1)}
}

// inWide says that the kernel is worth a body in registers of 512 bits as well.
func (k *kernelSpec) inWide() *kernelSpec { k.wide = true; return k }

// inWideIf says that such a body is for CPUs for which a variable of package asm is true.
func (k *kernelSpec) inWideIf(variable string) *kernelSpec {
	k.wideIf = variable
	return k.inWide()
}

// needing says that the kernel is for CPUs that have a feature beside AVX-512, with whose name its
// word ends. Package asm has a variable for it, in small letters.
func (k *kernelSpec) needing(feature string) *kernelSpec { k.feature = feature; return k }

// twin returns the feature that a twin of the kernel needs, if it has one. Then it has no other
// body for AVX-512: CPUs without the feature gain nothing by one, and take that for AVX2.
func (k *kernelSpec) twin() string {
	for _, other := range kernels {
		if other.feature != "" && other.word == k.bodies()[0]+other.feature {
			return other.feature
		}
	}
	return ""
}

// pointer returns a parameter, or of a slice where it begins.
func (k *kernelSpec) pointer(param func(string) gotypes.Component, name string) gotypes.Component {
	if slices.Contains(k.slices, name) {
		return param(name).Base()
	}
	return param(name)
}

// int returns a parameter, or the length of the slice that n, which is the first one, or len(name)
// stands for.
func (k *kernelSpec) int(param func(string) gotypes.Component, name string) gotypes.Component {
	if slice, ok := strings.CutPrefix(name, "len("); ok {
		return param(strings.TrimSuffix(slice, ")")).Len()
	}
	if name == "n" && len(k.slices) > 0 {
		return param(k.slices[0]).Len()
	}
	return param(name)
}

// rare is the Go function that the door leaves to what is no path's.
func (k *kernelSpec) rare() string {
	if k.checked {
		return k.word + "Rare"
	}
	return k.word + "Generic"
}

// hasDoor tells whether Go code calls the kernel by its door.
func (k *kernelSpec) hasDoor() bool { return k.door == "" }

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
		avx512 := strings.HasPrefix(t.Name(), "AVX512")
		if k.emit != nil && (t.Width() <= 8 || k.wide) && (avx512 || k.feature == "") &&
			!(avx512 && k.twin() != "") {
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
