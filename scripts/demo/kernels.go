package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/sys/bandwidth"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

var timedKernels = []struct {
	name  string
	shape bandwidth.Shape
}{
	{"dot", bandwidth.Read2}, {"axpy", bandwidth.Axpy}, {"squareddistance", bandwidth.Read2},
	{"dotsparse", bandwidth.None},
}

func timeKernels(w io.Writer) {
	isa := asm.Active()
	fmt.Fprintf(w, "%-16s %7s %12s %12s %9s %16s\n", "ns a call", "n", "plain Go", isa, "ratio",
		"of the limit")
	for _, t := range timedKernels {
		kernel := asmtest.Kernels[slices.IndexFunc(asmtest.Kernels, func(k asmtest.Kernel) bool {
			return k.Name == t.name
		})]
		for _, n := range []int{100, 784, 4096} {
			args := kernel.New(n, asmtest.Heap{}, asmtest.Uniform(1))
			call := func() { kernel.Call(args) }
			contenders := []contender{{asm.Generic, call}, {isa, call}}
			if t.shape != bandwidth.None && bandwidth.Available() {
				contenders = append(contenders,
					contender{isa, func() { bandwidth.Run(t.shape, args.X, args.Y) }})
			}
			ns := medians(contenders)
			fmt.Fprintf(w, "%-16s %7d %12.1f %12.1f %8.1fx", t.name, n, ns[0], ns[1], ns[0]/ns[1])
			if len(ns) > 2 {
				fmt.Fprintf(w, " %14.0f %%", 100*ns[2]/ns[1])
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintln(w, "\nThe limit is a loop that loads and stores the same vectors and does "+
		"nothing else. More than\n100 % is noise, or the cost of the calls for short vectors.")
}

type contender struct {
	isa  asm.ISA
	call func()
}

func medians(contenders []contender) []float64 {
	rounds := make([][]float64, len(contenders))
	for range 7 {
		for i, c := range contenders {
			rounds[i] = append(rounds[i], c.time())
		}
	}
	var ns []float64
	for _, r := range rounds {
		slices.Sort(r)
		ns = append(ns, r[len(r)/2])
	}
	return ns
}

// now can be replaced by tests.
var now = time.Now

// time returns the nanoseconds per call.
func (c contender) time() float64 {
	defer asm.Use(asm.Use(c.isa))
	for calls := 16; ; calls *= 2 {
		start := now()
		for range calls {
			c.call()
		}
		if elapsed := now().Sub(start); elapsed > 3*time.Millisecond {
			return float64(elapsed.Nanoseconds()) / float64(calls)
		}
	}
}
