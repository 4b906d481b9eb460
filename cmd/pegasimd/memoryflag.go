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

// memoryFlag says how many megabytes training may take.
type memoryFlag int

// given returns the bytes that the flag allows, 0 if it is not given.
func (m memoryFlag) given() int64 { return int64(m) * 1e6 }

// The command takes files at their word, or limits them: see limit.
func init() { options.Allowed = math.MaxInt64 }

// limit returns how many bytes training on the set may take beside it. 0, for the machine's memory,
// is returned for files that hold what they claim if the flag is not given. For other files the
// limit, with about as much memory for reading, is 64 MB, 20 times the size of the data and 64
// bytes a row. A problem of two classes may have as many features as the data could ask for.
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
	usedColumns = 64   // one feature in 64 has values
	anyWeights  = 16e6 // weights of all classes, or of all pairs, that any file may ask for
	perNonzero  = 32   // such weights for each nonzero
	// rowsPerClass is the mean number of rows per class below which rows times classes are limited.
	rowsPerClass = 3
	perByte      = 12 // rows times classes, for each byte of the file
)

// holds reports whether a file has about as many values, rows and classes as the features and the
// weight vectors that training on it needs.
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

// uses reports whether at least the given number of columns have a value. It takes a bit for each
// column.
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

// collectAbove tells the garbage collector from how many bytes on it is to keep the memory small,
// whatever time that takes. The program sets it; tests, which share a process, do without.
var collectAbove = func(bytes int64) {}

// collectEarly returns the memory of garbage to the system, and makes the garbage collector run each
// time the heap has grown by a tenth. The program sets it.
var collectEarly = func() {}

// largeRows is the size in bytes of dense rows above which garbage is collected early: the rows have
// no pointers, so that collecting takes next to no time.
const largeRows = 32 << 20

// uncounted is how many bytes of the process the collector does not count, about: the program, what
// is mapped, and the garbage that it is late for.
const uncounted = 20 << 20

// linear is limit for linear models. The garbage of their certificates, which are found again and
// again, is to fit in what the data pay for too or, where that is less than training needs, in a
// quarter of the latter.
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
