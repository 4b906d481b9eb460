// Command demo shows in under a minute what Pegasimd does: it trains on the digits that package dataset embeds, reports
// how good the model is and how good it could be, and times the kernels in plain Go and in this machine's path.
package main

import (
	"context"
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/asmtest"
	"github.com/pegasimd/pegasimd/internal/table"
	"github.com/pegasimd/pegasimd/pegasos"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("demo: ")
	fmt.Printf("Pegasimd on %s\n\n", pegasimd.Info())
	train()
	kernels()
}

func train() {
	set, test := dataset.DigitsSplit()
	const epochs = 1000
	start := time.Now()
	m, err := pegasos.Train(context.Background(), set.Dense, set.Y, pegasos.Config{Lambda: 1e-3, Epochs: epochs})
	if err != nil {
		log.Fatal(err)
	}
	took := time.Since(start)
	steps := float64(m.Result.Steps) * float64(len(m.Weights))
	fmt.Printf("Trained on %d handwritten digits of %d pixels, ten classes, %d epochs: %.3g steps in %.2f s, %.1f million a second.\n",
		set.Rows(), set.Cols(), epochs, steps, took.Seconds(), steps/took.Seconds()/1e6)
	fmt.Printf("Objective %.6f, proven to be within %.2f %% of the optimum (mean of the ten one-vs-rest problems).\n",
		m.Result.Objective, 100*m.Result.Gap)
	fmt.Printf("Model hash %s, the same on every machine.\n\n", m.Hash())

	right := 0
	confusion := make([][]int, len(m.Classes))
	for i := range confusion {
		confusion[i] = make([]int, len(m.Classes))
	}
	for i, label := range m.PredictAll(test.Dense) {
		if label == test.Y[i] {
			right++
		}
		confusion[int(test.Y[i])][int(label)]++
	}
	fmt.Printf("Of %d digits held out, %d are recognised: accuracy %.2f %%.\n\n", test.Rows(), right, 100*float64(right)/float64(test.Rows()))
	var names []string
	for i := range m.Classes {
		names = append(names, m.ClassName(i))
	}
	fmt.Print(table.Confusion(names, confusion))
}

// kernels times some kernels in plain Go and in the machine's path, by turns, and prints medians.
func kernels() {
	paths := []asm.ISA{asm.Generic}
	if best := asm.Active(); best != asm.Generic {
		paths = append(paths, best)
	}
	fmt.Printf("\nKernels, ns a call:\n%-12s %8s", "", "n")
	for _, isa := range paths {
		fmt.Printf(" %10v", isa)
	}
	fmt.Println("     ratio")
	for _, name := range []string{"dot", "axpy", "dotsparse", "axpysparse"} {
		k := asmtest.Kernels[slices.IndexFunc(asmtest.Kernels, func(k asmtest.Kernel) bool { return k.Name == name })]
		for _, n := range []int{64, 784, 10_000} {
			args := k.New(n, asmtest.Heap{}, asmtest.Uniform(1))
			ns := make([]float64, len(paths))
			rounds := make([][]float64, len(paths))
			for range 7 {
				for p, isa := range paths {
					rounds[p] = append(rounds[p], timed(isa, func() { k.Call(args) }))
				}
			}
			for p := range paths {
				slices.Sort(rounds[p])
				ns[p] = rounds[p][len(rounds[p])/2]
			}
			fmt.Printf("%-12s %8d", name, n)
			for _, v := range ns {
				fmt.Printf(" %10.1f", v)
			}
			fmt.Printf(" %8.1fx\n", ns[0]/ns[len(ns)-1])
		}
	}
}

// timed returns the nanoseconds that f takes, of a run of some milliseconds.
func timed(isa asm.ISA, f func()) float64 {
	defer asm.Use(asm.Use(isa))
	for calls := 16; ; calls *= 2 {
		start := time.Now()
		for range calls {
			f()
		}
		if took := time.Since(start); took > 3*time.Millisecond {
			return float64(took.Nanoseconds()) / float64(calls)
		}
	}
}
