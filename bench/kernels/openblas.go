//go:build openblas

package main

/*
#cgo LDFLAGS: -lopenblas
#include "openblas_loops.h"
*/
import "C"

import (
	"log"
	"os"
	"syscall"

	"github.com/klauspost/cpuid/v2"
)

// core returns OpenBLAS's name for the kernels of this CPU's instruction set. OpenBLAS itself
// chooses by the model number, which virtual machines change.
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
	return "" // let OpenBLAS choose
}

// The variable is read when the library is loaded, before any Go runs.
func init() {
	const variable = "OPENBLAS_CORETYPE"
	if name := core(); name != "" && os.Getenv(variable) != name {
		os.Setenv(variable, name)
		program, err := os.Executable()
		if err == nil {
			err = syscall.Exec(program, os.Args, os.Environ())
		}
		log.Fatal(err)
	}
	C.openblas_set_num_threads(1)
	inC = append(inC, C.GoString(C.openblas_get_config())+" told to be "+
		os.Getenv(variable)+", running as "+C.GoString(C.openblas_get_corename()))
	addOpenBLAS()
}

func ptr(v []float32) *C.float { return (*C.float)(&v[0]) }

// addOpenBLAS adds OpenBLAS as a peer: with loops in C, as a C program calls it, and called from Go
// by cgo. For short vectors a call by cgo costs as much as the kernel.
func addOpenBLAS() {
	const looped, viaCgo = "OpenBLAS in C", "OpenBLAS by cgo"
	addInC("Dot", looped, func(n int) {
		sink = float32(C.loop_sdot(C.long(n), C.int(len(x)), ptr(x), ptr(y)))
	})
	addInC("Axpy", looped, func(n int) {
		C.loop_saxpy(C.long(n), C.int(len(x)), C.float(alpha), ptr(x), ptr(y))
	})
	addInC("Scale", looped, func(n int) {
		C.loop_sscal(C.long(n), C.int(len(y)), C.float(alpha), ptr(y))
	})
	addRows(looped+" sgemv", true, func(n int) {
		C.loop_sgemv(C.long(n), C.int(len(out)), C.int(len(x)), ptr(rows), ptr(x), ptr(out))
	})
	addTopMany("OpenBLAS sgemm by strips", true, stripForBLAS, func(rows []float32, n int) {
		b := &floatBatch
		C.cblas_sgemm(C.CblasRowMajor, C.CblasNoTrans, C.CblasTrans, C.int(len(b.queries)), C.int(n),
			batchCols, 1, ptr(b.matrix), batchCols, ptr(rows), batchCols, 0, ptr(b.scores), C.int(n))
	})
	d := func() C.int { return C.int(dim) }
	addInC(gemm.name, viaCgo, func(n int) {
		times(n, func() {
			C.cblas_sgemm(C.CblasRowMajor, C.CblasNoTrans, C.CblasNoTrans, d(), d(), d(), 1, ptr(x),
				d(), ptr(y), d(), 0, ptr(out), d())
		})
	})
}
