package main

import (
	"os"

	"github.com/pegasimd/pegasimd/dataset"
)

// collectAbove tells the garbage collector from how many bytes on it is to keep the memory small,
// whatever time that takes. The program sets it; tests, which share a process, do without.
var collectAbove = func(bytes int64) {}

// linear is limit for linear models. The garbage of their certificates, which are found again and
// again, is to fit in what the data pay for too.
func (m memoryFlag) linear(set *dataset.Set) int64 {
	const uncounted = 20 << 20 // by the collector: the program, what is mapped, and what it is late for
	if m == 0 && os.Getenv("GOMEMLIMIT") == "" {
		collectAbove(64<<20 + 20*set.Bytes + 64*int64(set.Rows()) - uncounted)
	}
	return m.limit(set)
}
