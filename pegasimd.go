// Package pegasimd is the front page of a module with two halves: kernels for dense and sparse
// float32 vectors, and for bytes, without cgo, in packages dense, sparse and quant; and on top of
// them Pegasos, stochastic sub-gradient training of support vector machines, in package pegasos.
// Command pegasimd trains and predicts from the shell. How fast they are beside others is told at
// https://github.com/pegasimd/pegasimd/blob/main/docs/benchmarks.md.
//
// A kernel gives the same bits on every machine, and so does training: one seed, one model. This
// package itself only tells which path the kernels take.
package pegasimd

import (
	"runtime"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Info returns the architecture and the path that the kernels take on this machine: generic, neon,
// avx2, avx512x256 or avx512, such as "amd64 avx2".
//
// The fastest path that the machine has is taken when the program starts, unless the environment
// variable PEGASIMD_ISA names another; naming one that the machine does not have is a panic. Build
// tag purego or noasm leaves only generic.
func Info() string { return runtime.GOARCH + " " + asm.Active().String() }
