package main

import (
	"github.com/weaviate/weaviate/adapters/repos/db/vector/hnsw/distancer/asm"
	"golang.org/x/sys/cpu"
)

// These are called directly: the package that picks one of them brings a large part of a database
// with it.
func init() {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		dot.peers = append(dot.peers, vectorPeer{"weaviate AVX2", goPeer,
			func(n int, x, y []float32) {
				for range n {
					sink = asm.DotAVX256(x, y)
				}
			}})
		distance.peers = append(distance.peers, vectorPeer{"weaviate AVX2", goPeer,
			func(n int, x, y []float32) {
				for range n {
					sink = asm.L2AVX256(x, y)
				}
			}})
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ {
		dot.peers = append(dot.peers, vectorPeer{"weaviate AVX-512", goPeer,
			func(n int, x, y []float32) {
				for range n {
					sink = asm.DotAVX512(x, y)
				}
			}})
		distance.peers = append(distance.peers, vectorPeer{"weaviate AVX-512", goPeer,
			func(n int, x, y []float32) {
				for range n {
					sink = asm.L2AVX512(x, y)
				}
			}})
	}
}
