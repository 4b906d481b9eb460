// Command search times the search for the nearest rows of a matrix too large for the caches, on one
// core, beside a loop that does nothing but read it, in turns:
//
//	go run ./search
//	go run ./search -cols 768
//	go run ./search -bytes
//
// in the folder bench. With -bytes it times sums over bytes beside those over float32 instead.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/gate/stats"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/bandwidth"
)

func main() {
	rows := flag.Int("rows", 100_000, "rows of the matrix")
	cols := flag.Int("cols", 0, "columns of the matrix; 0 for 384, 768, 1,024 and 1,536 by turns")
	rounds := flag.Int("rounds", 11, "times that each is measured")
	onlyBytes := flag.Bool("bytes", false, "sums over bytes beside those over float32 instead")
	flag.Parse()
	if *rows < 1 || *rounds < 1 || *cols < 0 {
		fmt.Fprintln(os.Stderr, "search: -rows and -rounds must be positive, and -cols not negative")
		os.Exit(1)
	}
	if !bandwidth.Available() {
		fmt.Fprintln(os.Stderr, "search: there is no read loop for this machine")
		os.Exit(1)
	}
	machine.Pin()
	if *onlyBytes {
		measureBytes(*rounds)
		return
	}
	fmt.Printf("Path %v, %d rows, the best 10; medians of %d rounds.\n", asm.Active(), *rows,
		*rounds)
	sizes := []int{384, 768, 1024, 1536}
	if *cols > 0 {
		sizes = []int{*cols}
	}
	for _, n := range sizes {
		measure(*rows, n, *rounds)
	}
}

// A contender is a way to search, or the read loop, which is the first.
type contender struct {
	name    string
	queries int // that it answers
	run     func()
	times   []float64 // in seconds
}

func measure(rows, cols, rounds int) {
	values := aligned(rows * cols)
	r := rand.New(rand.NewPCG(1, uint64(cols)))
	for i := range values {
		values[i] = 2*r.Float32() - 1
	}
	const many = 8
	queries, hits := make([][]float32, many), make([][]dense.Hit, many)
	for q := range queries {
		queries[q] = append([]float32(nil), values[q*cols:][:cols]...)
		hits[q] = make([]dense.Hit, 10)
	}
	top := func(by dense.Metric) func() {
		return func() { dense.Top(hits[0], by, values, cols, queries[0]) }
	}
	contenders := []*contender{
		{name: "read loop", run: func() { bandwidth.Run(bandwidth.Read, values, nil) }},
		{name: "Top, ByDot", queries: 1, run: top(dense.ByDot)},
		{name: "Top, ByCosine", queries: 1, run: top(dense.ByCosine)},
		{name: "Top, ByDistance", queries: 1, run: top(dense.ByDistance)},
		{name: "TopMany, ByDot", queries: many, run: func() {
			dense.TopMany(hits, dense.ByDot, values, cols, queries, 1)
		}},
		{name: "TopMany, ByCosine", queries: many, run: func() {
			dense.TopMany(hits, dense.ByCosine, values, cols, queries, 1)
		}},
	}
	for round := range rounds {
		for turn := range contenders {
			c := contenders[(turn+round)%len(contenders)]
			start := time.Now()
			c.run()
			c.times = append(c.times, time.Since(start).Seconds())
		}
	}
	fmt.Printf("\n| %d columns | ms | GB/s | of the read loop's rate |\n|---|---|---|---|\n", cols)
	for _, c := range contenders {
		share := make([]float64, rounds)
		for i, t := range c.times {
			share[i] = float64(max(c.queries, 1)) * contenders[0].times[i] / t
		}
		median := stats.Median(c.times)
		fmt.Printf("| %s, %d queries | %.1f | %.1f | %.2f |\n", c.name, c.queries, median*1e3,
			float64(max(c.queries, 1)*4*len(values))/median/1e9, stats.Median(share))
	}
}

// aligned returns floats that begin at a cache line.
func aligned(n int) []float32 {
	all := make([]float32, n+15)
	skip := int(-uintptr(unsafe.Pointer(&all[0]))%64) / 4
	return all[skip:][:n]
}
