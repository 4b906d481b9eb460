package main

import (
	"github.com/weaviate/weaviate/adapters/repos/db/vector/hnsw/distancer/asm"
	"golang.org/x/sys/cpu"
)

// These functions are called directly, because the package that chooses between them imports a
// large part of a database.
func init() {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		const name = "weaviate AVX2"
		add("Dot", name, func(n int) { times(n, func() { sink = asm.DotAVX256(x, y) }) })
		add("SquaredDistance", name, func(n int) { times(n, func() { sink = asm.L2AVX256(x, y) }) })
		add("uint8 Dot", name, func(n int) {
			times(n, func() { sink = float32(asm.DotByteAVX256(bytesX, bytesY)) })
		})
		if !may512 {
			addRows(name, false, func(n int) { times(n, func() { eachRow(asm.DotAVX256) }) })
			addTopMany(name, false, stripOfRows, eachPair(asm.DotAVX256))
			addWay(pickedByDot.name, eachPick(name+", a call per row", asm.DotAVX256))
			addWay(pickedByDistance.name, eachPick(name+", a call per row", asm.L2AVX256))
		}
	}
	if may512 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		const name = "weaviate AVX-512"
		add("Dot", name, func(n int) { times(n, func() { sink = asm.DotAVX512(x, y) }) })
		add("SquaredDistance", name, func(n int) { times(n, func() { sink = asm.L2AVX512(x, y) }) })
		add("Distance", name+", and a root", func(n int) {
			times(n, func() { sink = root(asm.L2AVX512(x, y)) })
		})
		addRows(name, false, func(n int) { times(n, func() { eachRow(asm.DotAVX512) }) })
		addTopMany(name, false, stripOfRows, eachPair(asm.DotAVX512))
		addWay(pickedByDot.name, eachPick(name+", a call per row", asm.DotAVX512))
		addWay(pickedByDistance.name, eachPick(name+", a call per row", asm.L2AVX512))
	}
}
