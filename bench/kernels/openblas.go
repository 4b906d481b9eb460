//go:build openblas

package main

import (
	"log"
	"os"
	"syscall"

	"github.com/klauspost/cpuid/v2"
)

// core returns OpenBLAS's name for an instruction set of this CPU. OpenBLAS itself chooses by the
// model number, which virtual machines may change.
func core() string {
	switch has := cpuid.CPU.Supports; {
	case !may512 && has(cpuid.AVX2, cpuid.FMA3):
		return "HASWELL"
	case has(cpuid.AVX512BF16, cpuid.AMXTILE):
		return "SAPPHIRERAPIDS"
	case has(cpuid.AVX512BF16):
		return "COOPERLAKE"
	case has(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL):
		return "SKYLAKEX"
	case has(cpuid.AVX2, cpuid.FMA3) && cpuid.CPU.IsVendor(cpuid.AMD):
		return "ZEN"
	case has(cpuid.AVX2, cpuid.FMA3):
		return "HASWELL"
	}
	return ""
}

// OpenBLAS reads coreVariable when it is loaded, before Go code runs, so init restarts the program.
const coreVariable = "OPENBLAS_CORETYPE"

func init() {
	if name := core(); name != "" && os.Getenv(coreVariable) != name {
		os.Setenv(coreVariable, name)
		program, err := os.Executable()
		if err == nil {
			err = syscall.Exec(program, os.Args, os.Environ())
		}
		log.Fatal(err)
	}
}
