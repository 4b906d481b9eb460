//go:build goexperiment.simd || arm64

package main

import (
	"github.com/ajroetker/go-highway/hwy/contrib/matvec"
	"github.com/ajroetker/go-highway/hwy/contrib/vec"
)

// Without the experiment, go-highway on amd64 is plain Go through an emulation of vectors, some
// hundred times slower than the others, so it is left out.
func init() {
	const name = "go-highway"
	add("Dot", name, func(n int) { times(n, func() { sink = vec.DotFloat32(x, y) }) })
	add("Axpy", name, func(n int) { times(n, func() { vec.MulConstAddToFloat32(y, alpha, x) }) })
	add("Scale", name, func(n int) { times(n, func() { vec.ScaleFloat32(alpha, y) }) })
	add("Sum", name, func(n int) { times(n, func() { sink = vec.SumFloat32(x) }) })
	add("SquaredDistance", name, func(n int) {
		times(n, func() { sink = vec.L2SquaredDistanceFloat32(x, y) })
	})
	add(rowsInCache.name, name+" MatVec", func(n int) {
		times(n, func() { matvec.MatVecFloat32(rows, len(out), len(x), x, out) })
	})
	add(rowsInCache.name, name+" BatchDot", func(n int) {
		times(n, func() { vec.BatchDotFloat32(x, rows, out, len(out), len(x)) })
	})
}
