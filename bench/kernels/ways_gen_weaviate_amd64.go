// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

package main

import "github.com/weaviate/weaviate/adapters/repos/db/vector/hnsw/distancer/asm"
import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		addWay("Dot", way{name: "weaviate AVX2", inC: false, loop: func(n int) {
			for range n {
				sink = asm.DotAVX256(x, y)
			}
		}})
		addWay("SquaredDistance", way{name: "weaviate AVX2", inC: false, loop: func(n int) {
			for range n {
				sink = asm.L2AVX256(x, y)
			}
		}})
		addWay("uint8 Dot", way{name: "weaviate AVX2", inC: false, loop: func(n int) {
			for range n {
				sink = float32(asm.DotByteAVX256(bytesX, bytesY))
			}
		}})
	}
	if !may512 && cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		addWay("DotRows", way{name: "weaviate AVX2", inC: false, loop: func(n int) {
			for range n {
				for i := range out {
					out[i] = asm.DotAVX256(row(i), x)
				}
			}
		}})
		addWay("Rows from memory", way{name: "weaviate AVX2", inC: false, loop: func(n int) {
			for range n {
				for i := range out {
					out[i] = asm.DotAVX256(row(i), x)
				}
				nextRows()
			}
		}})
		addTopMany("weaviate AVX2", false, 64, func(first, n int) {
			b, rows := &floatBatch, rows[first*batchCols:]
			b.eachPair(rows, n, asm.DotAVX256)
		})
		addWay("Picked rows by dot", way{name: "weaviate AVX2, a call per row", inC: false, loop: func(n int) {
			for range n {
				for k, i := range picks {
					out[k] = asm.DotAVX256(pick(i), x)
				}
				nextRows()
			}
		}})
		addWay("Picked rows by distance", way{name: "weaviate AVX2, a call per row", inC: false, loop: func(n int) {
			for range n {
				for k, i := range picks {
					out[k] = asm.L2AVX256(pick(i), x)
				}
				nextRows()
			}
		}})
	}
	if may512 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		addWay("Dot", way{name: "weaviate AVX-512", inC: false, loop: func(n int) {
			for range n {
				sink = asm.DotAVX512(x, y)
			}
		}})
		addWay("SquaredDistance", way{name: "weaviate AVX-512", inC: false, loop: func(n int) {
			for range n {
				sink = asm.L2AVX512(x, y)
			}
		}})
		addWay("Distance", way{name: "weaviate AVX-512, and a root", inC: false, loop: func(n int) {
			for range n {
				sink = root(asm.L2AVX512(x, y))
			}
		}})
		addWay("DotRows", way{name: "weaviate AVX-512", inC: false, loop: func(n int) {
			for range n {
				for i := range out {
					out[i] = asm.DotAVX512(row(i), x)
				}
			}
		}})
		addWay("Rows from memory", way{name: "weaviate AVX-512", inC: false, loop: func(n int) {
			for range n {
				for i := range out {
					out[i] = asm.DotAVX512(row(i), x)
				}
				nextRows()
			}
		}})
		addTopMany("weaviate AVX-512", false, 64, func(first, n int) {
			b, rows := &floatBatch, rows[first*batchCols:]
			b.eachPair(rows, n, asm.DotAVX512)
		})
		addWay("Picked rows by dot", way{name: "weaviate AVX-512, a call per row", inC: false, loop: func(n int) {
			for range n {
				for k, i := range picks {
					out[k] = asm.DotAVX512(pick(i), x)
				}
				nextRows()
			}
		}})
		addWay("Picked rows by distance", way{name: "weaviate AVX-512, a call per row", inC: false, loop: func(n int) {
			for range n {
				for k, i := range picks {
					out[k] = asm.L2AVX512(pick(i), x)
				}
				nextRows()
			}
		}})
	}
}
