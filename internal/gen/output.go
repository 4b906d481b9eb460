package main

import (
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

const command = "go generate ./internal/asm"

// constraint returns a build constraint in avo's syntax: the architecture, the gc toolchain, and
// neither of the tags purego and noasm.
func constraint(arch string) string { return arch + ",gc,!purego,!noasm" }

// printFile adds to files the assembly for one ISA and the Go declarations of its functions.
func printFile(files map[string][]byte, arch, isa string, f *ir.File) error {
	cfg := printer.Config{Name: command, Pkg: "asm"}
	assembly, err := printer.NewGoAsm(cfg).Print(f)
	if err != nil {
		return err
	}
	stubs, err := printer.NewStubs(cfg).Print(f)
	if err != nil {
		return err
	}
	name := strings.ToLower(isa)
	files["kernels_"+name+"_"+arch+".s"] = assembly
	files["kernels_"+name+"_"+arch+".go"] = stubs
	return nil
}
