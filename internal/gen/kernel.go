package main

import (
	"fmt"
	"strings"
)

// A kernelSpec describes a kernel. Go code calls the kernel through its dispatch stub, which jumps
// to the body for the code path in use. A kernelSpec without a body describes a stub that selects
// one of two kernels for different element types.
type kernelSpec struct {
	signature
	name    string
	emit    func(Target) // emits the body; nil for a stub that selects between two kernels
	like    string       // asm function whose result the kernel computes, in whole or part
	checked bool         // the stub checks lengths and calls Go if they differ or exceed Block
	wide    bool         // whether the kernel has a body of its own for the AVX512 path
	wideIf  string       // asm variable that enables that body; "" for always
	feature string       // CPU feature beyond AVX-512: VNNI or VPOPCNT; "" for none
	dot     bool         // whether the kernel has a body of its own for the NEONDot path
	stub    string       // name of the stub that selects the kernel; "" if it has its own
	ownSlow bool         // the slow path is written by hand in package asm
	choice  choice       // how a stub selects between two kernels, if emit is nil
	notNEON bool         // the kernel has no body for the NEON path
}

// A choice says how a stub selects one of two kernels. The field parameter is the name of the bool
// parameter that decides. The name of each kernel is the name of the stub with the word in the
// field both ("Bytes", for example) replaced: by the word in the field no ("Uint8") for the kernel
// that false selects, and by the word in the field yes ("Int8") for the other.
type choice struct{ parameter, both, no, yes string }

var (
	bySign   = choice{"signed", "Bytes", "Uint8", "Int8"}
	byFormat = choice{"bfloat16", "Halves", "Float16", "Bfloat16"}
)

var kernels []*kernelSpec

// kernel registers a kernel. The kernel's result is defined by the function of package asm that is
// called name + "Generic", unless partOf or selectedBy names another function.
func kernel(name, signature string, emit func(Target)) *kernelSpec {
	k := &kernelSpec{name: name, signature: newSignature(signature), emit: emit,
		like: name + "Generic", checked: true}
	kernels = append(kernels, k)
	return k
}

// partOf marks a kernel that computes a part of the given function of package asm, and whose result
// no function named name+"Generic" defines.
func (k *kernelSpec) partOf(function string) *kernelSpec { k.like = function; return k }

// trusting marks a kernel that relies on its callers to check the operands and their sizes: the
// kernel's stub checks no lengths. On the generic code path, or without assembly, the generic body
// runs.
func (k *kernelSpec) trusting() *kernelSpec { k.checked = false; return k }

func (c choice) newStub(name, signature string) *kernelSpec {
	k := kernel(name, signature, nil)
	k.choice = c
	return k
}

// either registers two kernels and the stub that selects between them. emit(t, yes) emits the body
// of the kernel that is selected if the value of the bool parameter is yes. set configures the stub
// and both kernels.
func (c choice) either(name, signature string, emit func(t Target, yes bool),
	set func(k *kernelSpec)) {
	set(c.newStub(name, signature))
	for yes, part := range map[bool]string{false: c.no, true: c.yes} {
		set(kernel(strings.Replace(name, c.both, part, 1), signature,
			func(t Target) { emit(t, yes) }).selectedBy(name))
	}
}

func (k *kernelSpec) selectedBy(stub string) *kernelSpec {
	k.stub = stub
	return k.partOf(stub + "Generic")
}

// bodies returns the names of the kernels that the stub can jump to, without variants. If the stub
// selects between two kernels, the kernel for true comes before the kernel for false.
func (k *kernelSpec) bodies() []string {
	if k.emit != nil {
		return []string{k.name}
	}
	return []string{strings.Replace(k.name, k.choice.both, k.choice.yes, 1),
		strings.Replace(k.name, k.choice.both, k.choice.no, 1)}
}

// inWide adds a body for the AVX512 path. On this path, other kernels use their body for
// AVX512x256, unless they have a variant: see variant.
func (k *kernelSpec) inWide() *kernelSpec { k.wide = true; return k }

func (k *kernelSpec) inWideIf(variable string) *kernelSpec {
	k.wideIf = variable
	return k.inWide()
}

// inDot adds a body with the arm64 instruction SDOT or UDOT. On the NEONDot path, other kernels use
// their bodies for NEON. A stub that selects between two marked kernels must be marked too.
func (k *kernelSpec) inDot() *kernelSpec { k.dot = true; return k }

// needing marks a kernel that requires a CPU feature beyond AVX-512 (VNNI, VPOPCNT). The kernel's
// name ends in the feature's name; a bool variable of package asm, with this name in lower case,
// reports whether the CPU has the feature.
func (k *kernelSpec) needing(feature string) *kernelSpec { k.feature = feature; return k }

// notInNEON marks a kernel that has no body for the NEON path, on which its stub jumps to the
// generic body.
func (k *kernelSpec) notInNEON() *kernelSpec { k.notNEON = true; return k }

// variant returns the CPU feature (VNNI, say) for which the kernel has a variant, a second kernel
// marked by needing, or "" if it has none. A kernel with a variant has no other body for AVX-512:
// CPUs without the feature use the body for AVX2.
func (k *kernelSpec) variant() string {
	for _, other := range kernels {
		if other.feature != "" && other.name == k.bodies()[0]+other.feature {
			return other.feature
		}
	}
	return ""
}

// passingSlices marks a kernel whose assembly has slices with capacities as parameters. With flat
// parameters the public function would be too large for the compiler to inline. Kernels with a bool
// parameter are marked from the start: their public functions are generic, and the conversions in
// these functions count, too.
func (k *kernelSpec) passingSlices() *kernelSpec { k.passSlices = true; return k }

// slow returns the name of the Go function that runs on the generic code path. For a kernel that is
// not marked by trusting, this function also handles slices whose lengths differ or are above
// asm.Block.
func (k *kernelSpec) slow() string {
	if k.checked {
		return k.name + "Slow"
	}
	return k.name + "Generic"
}

func (k *kernelSpec) stubAndSlow() (stub, slow string) {
	if k.passSlices {
		return k.name + "Active", k.slow()
	}
	return k.name + "Flat", k.slow() + "Flat"
}

// hasStub reports whether the kernel has a stub of its own, so that Go code can call it.
func (k *kernelSpec) hasStub() bool { return k.stub == "" }

// doc returns the doc comment of the function name + isa. A kernel that a bool parameter selects
// computes only a part of its generic body.
func (k *kernelSpec) doc(isa string) string {
	selected := k.stub != "" && strings.Contains(k.text, " bool")
	if strings.HasSuffix(k.like, "Generic") && !selected {
		return fmt.Sprintf("%s%s works like %s.", k.name, isa, k.like)
	}
	return fmt.Sprintf("%s%s is a part of %s.", k.name, isa, k.like)
}
