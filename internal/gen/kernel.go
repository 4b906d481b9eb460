package main

import (
	"fmt"
	"strings"
)

// kernelSpec describes a kernel, or a stub that selects one of two kernels for different element
// types.
type kernelSpec struct {
	signature
	name    string
	emit    func(Target) // emits the body; nil for a stub that selects between two kernels
	like    string       // asm function of whose result the kernel computes all or part
	checked bool         // the stub calls Go if lengths differ or exceed asm.Block
	wide    bool
	wideIf  string // asm variable that enables the AVX512 body; "" for always
	feature string // CPU feature beyond AVX-512; "" for none
	dot     bool
	stub    string // stub that selects the kernel; "" if it has its own
	ownSlow bool   // the slow path is written by hand in package asm
	choice  choice // used if emit is nil
	notNEON bool
}

// choice selects one of two kernels by a bool parameter. A kernel's name is the stub's name with
// the field no (parameter false) or yes (true) in place of the field both.
type choice struct{ parameter, both, no, yes string }

var (
	bySign   = choice{"signed", "Bytes", "Uint8", "Int8"}
	byFormat = choice{"bfloat16", "Halves", "Float16", "Bfloat16"}
)

var kernels []*kernelSpec

func kernel(name, signature string, emit func(Target)) *kernelSpec {
	k := &kernelSpec{name: name, signature: newSignature(signature), emit: emit,
		like: name + "Generic", checked: true}
	kernels = append(kernels, k)
	return k
}

func (k *kernelSpec) partOf(function string) *kernelSpec { k.like = function; return k }

// trusting marks a kernel whose stub checks no lengths: callers must check the operands' lengths.
func (k *kernelSpec) trusting() *kernelSpec { k.checked = false; return k }

func (c choice) newStub(name, signature string) *kernelSpec {
	k := kernel(name, signature, nil)
	k.choice = c
	return k
}

// emit(t, yes) emits the kernel for the value yes of the parameter.
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

// bodies returns the names of the kernels that the stub can jump to, without variants. The kernel
// for true comes first.
func (k *kernelSpec) bodies() []string {
	if k.emit != nil {
		return []string{k.name}
	}
	return []string{strings.Replace(k.name, k.choice.both, k.choice.yes, 1),
		strings.Replace(k.name, k.choice.both, k.choice.no, 1)}
}

func (k *kernelSpec) inWide() *kernelSpec { k.wide = true; return k }

func (k *kernelSpec) inWideIf(variable string) *kernelSpec {
	k.wideIf = variable
	return k.inWide()
}

// inDot adds a body for the NEONDot path. A stub that selects between such kernels needs the mark,
// too.
func (k *kernelSpec) inDot() *kernelSpec { k.dot = true; return k }

// needing marks a kernel that requires a CPU feature beyond AVX-512. The kernel's name ends in the
// feature's name. A bool variable of package asm, the name in lower case, reports the feature.
func (k *kernelSpec) needing(feature string) *kernelSpec { k.feature = feature; return k }

func (k *kernelSpec) notInNEON() *kernelSpec { k.notNEON = true; return k }

// variant returns the CPU feature for which the kernel has a second kernel, or "".
func (k *kernelSpec) variant() string {
	for _, other := range kernels {
		if other.feature != "" && other.name == k.bodies()[0]+other.feature {
			return other.feature
		}
	}
	return ""
}

// passingSlices marks a kernel whose assembly has slices as parameters: with flat parameters, the
// public function would be too large to be inlined.
func (k *kernelSpec) passingSlices() *kernelSpec { k.passSlices = true; return k }

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

func (k *kernelSpec) hasStub() bool { return k.stub == "" }

func (k *kernelSpec) doc(isa string) string {
	selected := k.stub != "" && strings.Contains(k.text, " bool")
	if strings.HasSuffix(k.like, "Generic") && !selected {
		return fmt.Sprintf("%s%s works like %s.", k.name, isa, k.like)
	}
	return fmt.Sprintf("%s%s is a part of %s.", k.name, isa, k.like)
}
