package main

import (
	"bytes"
	"go/format"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

const command = "go generate ./internal/asm"

func constraint(arch string) string { return arch + ",gc,!purego,!noasm" }

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
	files["kernels_"+name+"_"+arch+".go"], err = formatGo(stubs)
	return err
}

func formatGo(code []byte) ([]byte, error) {
	const longest = 94 // bytes; 100 columns with two tabs of four columns
	var b bytes.Buffer
	for line := range bytes.Lines(code) {
		for len(line) > longest && !bytes.HasPrefix(line, []byte("//")) {
			comma := bytes.LastIndex(line[:longest], []byte(", "))
			if comma < 0 {
				break
			}
			b.Write(line[:comma+1])
			b.WriteByte('\n')
			line = append([]byte("\t\t"), line[comma+2:]...)
		}
		b.Write(line)
	}
	return format.Source(b.Bytes())
}
