// Command demo shows in under a minute what Pegasimd does: it trains on the digits that package
// dataset embeds, reports how good the model is and how good it could be, and times the kernels in
// plain Go and in this machine's path.
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
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/table"
	"github.com/pegasimd/pegasimd/pegasos"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("demo: ")
	fmt.Printf("Pegasimd on %s\n\n", pegasimd.Info())
	digits, test := dataset.DigitsSplit()
	predict(train(digits), test)
	timeKernels()
}

// train trains on the digits, and prints how long that took and how good the model is.
func train(digits *dataset.Set) *pegasos.Model {
	const epochs = 1000
	cfg := pegasos.Config{Lambda: 1e-3, Epochs: epochs}.Plain()
	start := time.Now()
	m, err := pegasos.Train(context.Background(), digits.Dense, digits.Y, cfg)
	if err != nil {
		log.Fatal(err)
	}
	seconds := time.Since(start).Seconds()
	steps := float64(m.Result.Steps) * float64(len(m.Weights))
	fmt.Printf("Trained on %d handwritten digits of %d pixels, ten classes, %d epochs: "+
		"%.3g steps in %.2f s, %.1f million a second.\n",
		digits.Rows(), digits.Cols(), epochs, steps, seconds, steps/seconds/1e6)
	worst, k := m.Result.WorstGap()
	fmt.Printf("Objective %.6f, at most %s above the optimum (mean of the ten one-vs-rest problems; "+
		"the worst, %s, at most %s).\n", m.Result.Objective, proof.Percent(m.Result.Gap),
		m.ClassName(k), proof.Percent(worst))
	fmt.Printf("Model hash %s, the same on every machine.\n\n", m.Hash())
	return m
}

// predict prints how well the model recognises digits that it was not trained on.
func predict(m *pegasos.Model, test *dataset.Set) {
	right := 0
	confusion := make([][]int, len(m.Classes))
	var names []string
	for i := range confusion {
		confusion[i] = make([]int, len(m.Classes))
		names = append(names, m.ClassName(i))
	}
	for i, label := range m.PredictAll(test.Dense) {
		if label == test.Y[i] {
			right++
		}
		confusion[int(test.Y[i])][int(label)]++
	}
	fmt.Printf("Of %d digits held out, %d are recognised: accuracy %.2f %%.\n\n",
		test.Rows(), right, 100*float64(right)/float64(test.Rows()))
	fmt.Print(table.Confusion(names, confusion))
}

// timeKernels times some kernels in plain Go and in the machine's path, and prints medians.
func timeKernels() {
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
		kernel := asmtest.Kernels[slices.IndexFunc(asmtest.Kernels, func(k asmtest.Kernel) bool {
			return k.Name == name
		})]
		for _, n := range []int{64, 784, 10_000} {
			fmt.Printf("%-12s %8d", name, n)
			ns := medians(kernel, n, paths)
			for _, v := range ns {
				fmt.Printf(" %10.1f", v)
			}
			fmt.Printf(" %8.1fx\n", ns[0]/ns[len(ns)-1])
		}
	}
}

// medians times a kernel with vectors of n elements in each path, by turns, and returns the median
// nanoseconds a call in each.
func medians(k asmtest.Kernel, n int, paths []asm.ISA) []float64 {
	args := k.New(n, asmtest.Heap{}, asmtest.Uniform(1))
	rounds := make([][]float64, len(paths))
	for range 7 {
		for p, isa := range paths {
			rounds[p] = append(rounds[p], timed(isa, func() { k.Call(args) }))
		}
	}
	ns := make([]float64, len(paths))
	for p, r := range rounds {
		slices.Sort(r)
		ns[p] = r[len(r)/2]
	}
	return ns
}

// timed returns the nanoseconds a call of f, from a run of some milliseconds.
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
