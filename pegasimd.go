// Package pegasimd reports which instruction set the kernels use on this machine. The packages of
// its module do the work:
//
//   - dense, half, quant and sparse compute dot products, cosines, distances, nearest rows and
//     more, for vectors of float32, of half-precision floats, of bytes and bits, and for sparse
//     rows, in assembly or plain Go, without cgo
//   - pegasos trains linear models with them (support vector machines, logistic and ridge
//     regression), and bounds how far each is from the optimum; pegasos/kernelsvm trains kernel
//     machines
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
// A model trained on labeled rows, and how far above the optimum its objective can be at most:
//
//	set := dataset.Digits() // or dataset.Read("train.svm.gz", dataset.Options{})
//	m, err := pegasos.Train(context.Background(), set.Examples(), set.Y, pegasos.Config{})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Printf("at most %.3g %% above the optimum\n", 100*m.Result.Gap)
//
// Kernels and training give the same bits on every machine, but for the signs and payloads of NaNs.
// Command cmd/pegasimd does all of this from the shell. Benchmarks against other libraries are at
// https://github.com/pegasimd/pegasimd/blob/main/docs/benchmarks.md.
package pegasimd

import (
	"runtime"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Info returns the architecture and the instruction set that the kernels use on this machine:
// generic, neon, neondot, avx2, avx512x256 or avx512. An example is "amd64 avx2".
//
// The fastest instruction set that the machine has is chosen when the program starts, unless the
// environment variable PEGASIMD_ISA names another. If the machine lacks that one, the program
// panics. Run tests with go test -count=1 when you set the variable, because Go's test cache does
// not notice it. Programs built with the tag purego or noasm have only generic, which is plain Go.
func Info() string { return runtime.GOARCH + " " + asm.Active().String() }
