// Package pegasimd tells which path the kernels take on this machine. What there is to use is in
// the packages of its module:
//
//   - dense, sparse and quant: dot products, cosines, distances, the nearest rows and more, of
//     float32 vectors, of sparse rows and of bytes, in assembly without cgo
//   - pegasos: linear models trained on them (support vector machines, logistic and ridge
//     regression), with a proof of how good each is; pegasos/kernelsvm: the same with kernels
//   - dataset, metrics and modelio: data from files, how good predictions are, models in other
//     forms
//
// Command cmd/pegasimd does all of it from the shell. A kernel gives the same bits on every
// machine, and so does training: one seed, one model. How fast they are beside others is told at
// https://github.com/pegasimd/pegasimd/blob/main/docs/benchmarks.md.
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
