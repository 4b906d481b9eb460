package main

import (
	"math"
	"os"
	"runtime"
	"sync"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/sys/machine"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/sparse"
)

// memoryFlag is in megabytes; 0 for a limit that depends on the data.
type memoryFlag int

func (m memoryFlag) given() int64 { return int64(m) * 1e6 }

// The command limits memory itself: see limit.
func init() { options.Allowed = math.MaxInt64 }

// limit returns the number of bytes that training may use beside the set; 0 means the machine's
// memory.
func (m memoryFlag) limit(set *dataset.Set, numbers bool) int64 {
	if m > 0 {
		return m.given()
	}
	if holds(set, numbers) {
		return 0
	}
	return max(24e6+10*set.Bytes+32*int64(set.Rows()), 48*int64(set.Cols()))
}

const (
	usedColumns = 64   // at least one feature in usedColumns must have values
	anyWeights  = 16e6 // weights, of all classes or pairs, allowed for any file
	perNonzero  = 32   // weights allowed for each nonzero, if that makes more than anyWeights
	// mean number of rows per class below which rows times classes are limited
	rowsPerClass = 3
	perByte      = 12 // rows times classes allowed for each byte of the file
)

// holds reports whether a file is large enough for its numbers of features and of weight vectors.
func holds(set *dataset.Set, numbers bool) bool {
	rows, cols := float64(set.Rows()), float64(set.Cols())
	classes := map[float32]bool{}
	for _, y := range set.Y {
		if classes[y] = true; numbers {
			break
		}
	}
	k := float64(len(classes))
	if rowsPerClass*k > rows && rows*k > perByte*float64(set.Bytes) {
		return false
	}
	nonzeros, weights := rows*cols, k*cols
	if set.Sparse != nil {
		nonzeros = float64(set.Sparse.NNZ())
	}
	// Training chooses one-vs-one only up to this number of weights.
	if pairs := k * (k - 1) / 2 * cols; pairs <= choose.MaxPairWeights {
		weights = max(weights, pairs)
	}
	return weights <= max(anyWeights, perNonzero*nonzeros) && usedColumns*nonzeros >= cols &&
		(set.Sparse == nil || uses(set.Sparse, set.Cols()/usedColumns))
}

func uses(x *sparse.Matrix, columns int) bool {
	seen, rows, n := make([]uint64, (x.Cols()+63)/64), store.Of(x), 0
	for i := 0; i < x.Rows() && n < columns; i++ {
		index, _ := rows.Row(i)
		for _, j := range index {
			if bit := uint64(1) << (j % 64); seen[j/64]&bit == 0 {
				seen[j/64] |= bit
				n++
			}
		}
	}
	return n >= columns
}

// collectAbove sets the garbage collector's memory limit in bytes, except in tests, which share a
// process.
var collectAbove = func(bytes int64) {}

// collectEarly returns freed memory to the system, and makes the garbage collector run whenever the
// heap has grown by a tenth, except in tests.
var collectEarly = func() {}

// largeRows is the size in bytes of dense rows above which garbage is collected early. A collection
// takes little time, because the rows contain no pointers.
const largeRows = 32 << 20

// uncounted is roughly the memory in bytes, apart from mapped data files, that the collector does
// not count.
const uncounted = 20 << 20

// linear returns the limit for linear models. It also sets the garbage collector's limit, unless
// -max-memory or GOMEMLIMIT is given: certificates are computed repeatedly, and their garbage must
// not accumulate.
func (m memoryFlag) linear(set *dataset.Set, numbers bool) int64 {
	limit := m.limit(set, numbers)
	if x := set.Dense; x != nil && store.Of(x).Size() > largeRows && os.Getenv("GOGC") == "" {
		collectEarly()
	}
	machine.Expected = nil
	if m != 0 || os.Getenv("GOMEMLIMIT") != "" {
		return limit
	}
	most := budget.Allowed(set.Bytes, int64(set.Rows())) - uncounted
	collectAbove(most)
	if limit > 0 {
		return limit
	}
	var mu sync.Mutex
	machine.Expected = func(bytes float64) {
		mu.Lock()
		defer mu.Unlock()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		need := float64(now.HeapAlloc) + 1.25*bytes
		if all := machine.Memory(); all > 0 {
			need = min(need, float64(all-uncounted))
		}
		if int64(need) > most {
			most = int64(need)
			collectAbove(most)
		}
	}
	return 0
}
