// Package count runs the bodies of benchmarks so that the gate can count the instructions of single
// calls, to the instruction. It needs the standard library alone. A benchmark is written as
//
//	func BenchmarkScore(b *testing.B) {
//		x, w := operands()
//		count.Run(b, func() { score = Score(x, w) })
//	}
//
// and is timed by go test -bench like any other. Benchmarks without it are counted too, over many
// operations.
package count

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// variable is the environment variable with the name of the file into which a counting run writes
// what it calls, and in which order.
const variable = "GATE_EVENTS"

// calls is how often a counting run calls the body of a benchmark to count its instructions.
const calls = 3

// Run times f as the body of b, which must have nothing else that takes time.
//
// In a counting run, which the gate makes, it calls f some times for its allocations, and then
// three times to have its instructions counted. f should do the same in each call.
func Run(b *testing.B, f func()) {
	name := os.Getenv(variable)
	if name == "" {
		for b.Loop() {
			f()
		}
		return
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	allocs := testing.AllocsPerRun(5, f)
	for range calls {
		if _, err := fmt.Fprintf(file, "call %v %s\n", allocs, b.Name()); err != nil {
			b.Fatal(err)
		}
		// A goroutine that runs for 10 ms, which is not much in Valgrind, is asked to let others
		// run, and that would be counted. So each call begins a new slice of time, and the
		// fewest instructions are taken.
		runtime.Gosched()
		begin()
		f()
		end()
	}
}

// begin and end are where Valgrind begins and ends a part of what it counts. They must not be
// inlined.

//go:noinline
func begin() {}

//go:noinline
func end() {}
