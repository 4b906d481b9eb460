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
	dot.peers = append(dot.peers, vectorPeer{name, goPeer, func(n int, x, y []float32) {
		for range n {
			sink = vec.DotFloat32(x, y)
		}
	}})
	axpy.peers = append(axpy.peers, vectorPeer{name, goPeer, func(n int, x, y []float32) {
		for range n {
			vec.MulConstAddToFloat32(y, alpha, x)
		}
	}})
	scal.peers = append(scal.peers, vectorPeer{name, goPeer, func(n int, _, y []float32) {
		for range n {
			vec.ScaleFloat32(alpha, y)
		}
	}})
	sumSquares.peers = append(sumSquares.peers,
		vectorPeer{name, goPeer, func(n int, x, _ []float32) {
			for range n {
				sink = vec.SquaredNormFloat32(x)
			}
		}})
	distance.peers = append(distance.peers, vectorPeer{name, goPeer, func(n int, x, y []float32) {
		for range n {
			sink = vec.L2SquaredDistanceFloat32(x, y)
		}
	}})
	rowsPeers = append(rowsPeers,
		rowsPeer{name + " MatVec", goPeer, func(n int, m *matrix) {
			for range n {
				matvec.MatVecFloat32(m.rows, len(m.dst), len(m.x), m.x, m.dst)
			}
		}},
		rowsPeer{name + " BatchDot", goPeer, func(n int, m *matrix) {
			for range n {
				vec.BatchDotFloat32(m.x, m.rows, m.dst, len(m.dst), len(m.x))
			}
		}})
}
