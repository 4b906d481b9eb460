// Package pegasimd reports which path the kernels take on this machine. The packages of its module
// do the work:
//
//   - dense, half, quant and sparse have dot products, cosines, distances, the nearest rows and
//     more, for vectors of float32, of 16 bits, of bytes and bits, and for sparse rows, in assembly
//     without cgo
//   - pegasos trains linear models with them (support vector machines, logistic and ridge
//     regression), and proves how good each is; pegasos/kernelsvm trains kernel machines
//   - dataset reads data from files, metrics measures predictions, modelio converts models
//
// The two nearest of some vectors of three elements:
//
//	rows := []float32{0, 1, 1, 1, 1, 0, 2, 0, 1, 0, 3, 2}
//	query := []float32{0, 1, 0.5}
//	for _, hit := range dense.Top(make([]dense.Hit, 2), dense.ByCosine, rows, 3, query) {
//		fmt.Println("row", hit.Row, "scores", hit.Score)
//	}
//
// A model of labelled rows, and the proof of how good it is:
//
//	set := dataset.Digits() // or dataset.Read("train.svm.gz", dataset.Options{})
//	m, err := pegasos.Train(context.Background(), set.Examples(), set.Y, pegasos.Config{})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Printf("at most %.3g %% above the optimum\n", 100*m.Result.Gap)
//
// A kernel gives the same bits on every machine, and so does training: one seed, one model. Command
// cmd/pegasimd does all of this from the shell. The times beside other libraries are at
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
// variable PEGASIMD_ISA names another; naming one that the machine does not have is a panic. In
// tests, use go test -count=1 with the variable, which Go's test cache does not notice. Build tag
// purego or noasm leaves only generic.
func Info() string { return runtime.GOARCH + " " + asm.Active().String() }
