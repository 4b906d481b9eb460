package main

import (
	"math"
	"runtime"
	"time"
)

// kind says whose a contender is: the targets differ.
type kind int

const (
	ours kind = iota
	goPeer
	cPeer
	machineLimit
)

// sink takes results one at a time. Summing them instead would add a chain of additions that hides
// small differences.
var sink float32

// alpha is the factor of axpy and scal, a variable so that nothing is folded into the loops.
var alpha float32

// A contender runs its own loop of n calls.
type contender struct {
	name string
	kind kind
	run  func(n int)
}

// A cell is one column of one table.
type cell struct {
	table, column string
	n             int                // length or nonzeros
	per           int                // operations in one call of the loop
	setup         func() []contender // the same in each pass

	contenders []contender // ours is the first
	samples    [][]float64 // nanoseconds an operation, by contender and round
}

// measure makes one pass.
func (c *cell) measure(rounds int, slice time.Duration) {
	c.contenders = c.setup()
	if c.samples == nil {
		c.samples = make([][]float64, len(c.contenders))
	}
	runtime.GC()
	calls := make([]int, len(c.contenders))
	for i, p := range c.contenders {
		calls[i] = calibrate(p.run, slice)
	}
	for round := range rounds {
		for k := range c.contenders {
			i := (k + round) % len(c.contenders)
			took := timed(c.contenders[i].run, calls[i])
			c.samples[i] = append(c.samples[i], took/float64(calls[i]*c.per))
		}
	}
	for i := range c.contenders {
		c.contenders[i].run = nil // what it holds can go
	}
}

// settle puts the processor into the state in which a Go program usually is: see archsimd_amd64.go.
var settle = func() {}

func timed(run func(int), calls int) float64 {
	settle()
	start := time.Now()
	run(calls)
	return float64(time.Since(start).Nanoseconds())
}

// calibrate returns how many calls take about a slice. It trusts the shortest of three timings.
func calibrate(run func(int), slice time.Duration) int {
	want := float64(slice.Nanoseconds())
	for calls := 1; ; calls *= 4 {
		took := timed(run, calls)
		if took < want/8 {
			continue
		}
		took = min(took, timed(run, calls), timed(run, calls))
		if took < want/8 {
			continue
		}
		return max(1, int(math.Round(float64(calls)*want/took)))
	}
}
