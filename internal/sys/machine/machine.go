// Package machine reports how much memory a process may use. The trainer may use this to choose
// among ways that give the same bits, or to refuse to train, but not for anything that changes a
// model.
package machine

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// Memory returns the bytes of the machine's memory or, if lower, the least limit of the process's
// control groups; 0 if neither is known. Results are reused for a second.
func Memory() int64 {
	last.Lock()
	defer last.Unlock()
	if now := time.Now(); now.After(last.expires) {
		last.memory, last.expires = memory("MemTotal:"), now.Add(time.Second)
	}
	return last.memory
}

var last struct {
	sync.Mutex
	memory  int64
	expires time.Time
}

// Available is like Memory, but counts only memory that is available without swapping.
func Available() int64 { return memory("MemAvailable:") }

// Free returns about how many bytes this process, if alone on the machine, could still allocate, or
// +Inf if Memory is unknown.
func Free() float64 {
	all := Memory()
	if all == 0 {
		return math.Inf(1)
	}
	const program = 24 << 20 // code, stacks and other memory outside the heap's objects
	return max(0, float64(all)-program-heap())
}

// Spare returns Free, or the bytes left below the garbage collector's memory limit (GOMEMLIMIT) if
// fewer.
func Spare() float64 { return max(0, min(Free(), float64(debug.SetMemoryLimit(-1))-heap())) }

// heap includes uncollected garbage.
func heap() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// Expected, if not nil, is called before work that needs memory, with an estimate of the bytes that
// it adds to the heap, without optional copies and buffers.
var Expected func(bytes float64)

func Expect(bytes float64) {
	if Expected != nil {
		Expected(bytes)
	}
}
