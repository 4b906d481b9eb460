package main

import (
	"flag"
	"os"

	"github.com/pegasimd/pegasimd/dataset"
)

// memoryFlags say how much memory training may take.
type memoryFlags struct{ megabytes int }

func (m *memoryFlags) define(f *flag.FlagSet) {
	f.IntVar(&m.megabytes, "max-memory", 0, "`n` the most megabytes that may be taken beside the "+
		"data (0: 24 megabytes, 32 bytes a row and 10 times the size of the data; or 48 bytes a "+
		"feature, if that is more)")
}

// check checks the flag.
func (m *memoryFlags) check() error {
	if m.megabytes < 0 {
		return usagef("-max-memory: have %d, want 0 or more", m.megabytes)
	}
	return nil
}

// limit returns how many bytes training on the set may take beside it. With the memory for reading
// it, which is about as much, that is 64 MB, 20 times the size of the data and 64 bytes a row. A
// problem of two classes may have as many features as the data could ask for.
func (m *memoryFlags) limit(set *dataset.Set) int64 {
	if m.megabytes > 0 {
		return int64(m.megabytes) * 1e6
	}
	return max(24e6+10*set.Bytes+32*int64(set.Rows()), 48*int64(set.Cols()))
}

// collectAbove tells the garbage collector from how many bytes on it is to keep the memory small,
// whatever time that takes. The program sets it; tests, which share a process, do without.
var collectAbove = func(bytes int64) {}

// linear is limit for linear models. The garbage of their certificates, which are found again and
// again, is to fit in what the data pay for too.
func (m *memoryFlags) linear(set *dataset.Set) int64 {
	const uncounted = 16 << 20 // by the collector: the program, and what is mapped
	if m.megabytes == 0 && os.Getenv("GOMEMLIMIT") == "" {
		collectAbove(64<<20 + 20*set.Bytes + 64*int64(set.Rows()) - uncounted)
	}
	return m.limit(set)
}
