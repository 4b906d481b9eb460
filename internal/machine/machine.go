// Package machine reports how much memory a process may use. Its answers may decide how work is done,
// with the same bits, and whether it is refused, but never a choice that changes a model.
package machine

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// Memory returns the bytes of memory of the machine, or of the smallest control group around the
// process; 0 if not known.
func Memory() int64 { return memory("MemTotal:") }

// Available is Memory without what other processes have taken from the machine.
func Available() int64 { return memory("MemAvailable:") }

// Free returns about how many bytes of Memory the process has not taken yet, whoever else has;
// +Inf if that is not known.
func Free() float64 {
	all := Memory()
	if all == 0 {
		return math.Inf(1)
	}
	const program = 24 << 20 // code, stacks, and what the collector is late for
	return max(0, float64(all)-program-heap())
}

// Spare returns Free, or the bytes left below the collector's memory limit (GOMEMLIMIT) if these
// are fewer. Ask it about buffers and copies that only save time.
func Spare() float64 { return max(0, min(Free(), float64(debug.SetMemoryLimit(-1))-heap())) }

// heap returns the bytes of the heap's objects, those included that are not collected yet.
func heap() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// Expected, if not nil, is told how many bytes work that begins is going to take beside the heap's
// present objects. The command sets it.
var Expected func(bytes float64)

// Expect tells Expected.
func Expect(bytes float64) {
	if Expected != nil {
		Expected(bytes)
	}
}
