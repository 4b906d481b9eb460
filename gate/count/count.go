// Package count lets the gate count the instructions of single calls. It imports only the standard
// library. A benchmark such as
//
//	func BenchmarkScore(b *testing.B) {
//		x, w := operands()
//		count.Run(b, func() { score = Score(x, w) })
//	}
//
// is timed by go test -bench like any other.
package count

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

const variable = "GATE_EVENTS"

const calls = 3

// Run times f as the body of b, which must do nothing else that takes time. f should do the same
// work in each call. In a counting run, which the gate starts, Run calls f a few times and counts
// its allocations and instructions.
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
		// Start a new time slice, because a preemption during the call would be counted.
		runtime.Gosched()
		begin()
		f()
		end()
	}
}

// Valgrind ends a part of its counts at begin and end, which must not be inlined.

//go:noinline
func begin() {}

//go:noinline
func end() {}
