package solve

import (
	"sync/atomic"

	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// solver solves a problem. While Pegasos runs, alpha counts a row's violations, and score is
// <w,phi(x)> times scale, lambda*(t+t0). Dual coordinate ascent starts from about alpha =
// violations/epochs, which is in [0, 1]; its scale is lambda*rows.
//
// Let S be the sum of 1/scale over the iterates to average so far. A violation contributes to every
// later iterate: if S was S_0 when the violation happened, the violation adds S - S_0 to the row's
// alpha in the sum of the iterates. So the mean iterate has alpha (alpha*S - alphaLag)/samples,
// where alphaLag is the sum of the S_0 of the row's violations, and score (score*S -
// scoreLag)/samples.
type solver struct {
	*Problem
	Settings
	*Memory
	Solution
	report func(Solution)

	score, alpha       []float64 // by row
	scoreLag, alphaLag []float64 // by row; nil unless iterates are averaged
	invScaleSum        float64   // S
	samples            int64     // iterates in invScaleSum
	ascending          bool
	alpha64            []float64 // alphas at the last float64 computation of scores; nil if none
	recomputedAt       int64
	recomputations     int
}

func newSolver(p *Problem, set Settings, m *Memory, report func(Solution)) *solver {
	n := len(p.Pos)
	s := &solver{Problem: p, Settings: set, Memory: m, Solution: p.unsolved(), report: report,
		score: make([]float64, n), alpha: make([]float64, n)}
	all := n == len(p.Rows.At) // problems of all rows number the rows alike, and share the cache
	if !all || !m.all {
		m.cache.reset(n)
	}
	m.all = all
	if set.Average && !set.Dual {
		s.scoreLag, s.alphaLag = make([]float64, n), make([]float64, n)
	}
	if set.Offset {
		s.T0 = max(0, p.R2) / p.Lambda
	}
	return s
}

// Memory is reused by successive calls of Solve.
type Memory struct {
	values  *atomic.Int64
	cache   *cache
	all     bool
	block   block
	workers []*worker
}

// NewMemory returns memory for the given number of goroutines, with a cache of up to cacheMB MB.
// Solve adds the number of float32 kernel values that it computes to values.
func NewMemory(threads int, cacheMB float64, values *atomic.Int64) *Memory {
	m := &Memory{cache: newCache(cacheMB, blockRows), values: values}
	for range threads {
		m.workers = append(m.workers, &worker{buffer: make([]float32, tileProbes*kernel.TileRows)})
	}
	m.block.buffer = make([]float32, blockRows*blockRows)
	return m
}
