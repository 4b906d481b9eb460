package main

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/internal/sys/bandwidth"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

type cell struct {
	kernel asmtest.Kernel
	n      int
	off    int // floats between the start of a cache line and the operands
	level  string
	bytes  int // of the operands
}

func (c *cell) name() string {
	op := c.kernel.Name
	if c.off > 0 {
		op += "-misaligned"
	}
	return fmt.Sprintf("op=%s/n=%d/level=%s", op, c.n, c.level)
}

// Bytes of operands in the last cache and in memory.
const (
	largestInCache = 16 << 20
	leastInMemory  = 64 << 20
	mostInMemory   = 512 << 20
)

var (
	usualSizes = []int{8, 100, 784, 4096, 65536}
	curveSizes = []int{3, 8, 31, 54, 100, 257, 784, 1023, 4096, 16384, 65536}
	curves     = []string{"dot", "axpy"} // kernels that the documents plot
)

func cells(o options, caches cpu.Caches) (all []*cell) {
	for _, k := range asmtest.Kernels {
		if !o.only.MatchString(k.Name) {
			continue
		}
		sizes := usualSizes
		switch {
		case o.sizes != nil:
			sizes = o.sizes
		case o.quick:
			sizes = []int{8, 100, 784, 4096, 16384}
		case slices.Contains(curves, k.Name):
			sizes = curveSizes
		}
		const large = 1 << 10
		// bytes per element
		each := k.New(large, asmtest.Heap{}, asmtest.Uniform(1)).Footprint() / large
		add := func(n, off int) {
			if k.MaxSize == 0 || n <= k.MaxSize {
				all = append(all, &cell{k, n, off, caches.Level(n * each), n * each})
			}
		}
		for _, n := range sizes {
			add(n, 0)
		}
		if slices.Contains(sizes, 100) {
			add(100, 1)
		}
		if o.quick || o.sizes != nil {
			continue
		}
		targets := []int{min(caches.L3/4, largestInCache)}
		if k.Shape != bandwidth.None {
			targets = append(targets, min(max(2*caches.L3, leastInMemory), mostInMemory))
		}
		for i, bytes := range targets {
			n := (bytes/each + 63) / 64 * 64
			if n > sizes[len(sizes)-1] && caches.Level(n*each) == []string{"L3", "DRAM"}[i] {
				add(n, 0)
			}
		}
	}
	return all
}

// memory allocates floats that begin off floats after the start of a cache line.
type memory struct {
	asmtest.Heap
	off int
}

func (m memory) Floats(n int) []float32 {
	all := make([]float32, n+16+m.off)
	skip := int(-uintptr(unsafe.Pointer(&all[0]))%64)/4 + m.off
	return all[skip:][:n:n]
}

// operands returns the probe's operands: only the aligned part, to show the machine's limit.
func operands(s bandwidth.Shape, a *asmtest.Args, off int) (x, y []float32) {
	x, y = a.X, a.Y
	if s == bandwidth.Copy {
		y = a.Out
	} else if a.Stride > 0 {
		x = a.W
	}
	if off > 0 {
		x, y = x[min(15, len(x)):], y[min(15, len(y)):]
	}
	return x, y
}
