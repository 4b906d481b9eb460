//go:build eigen

package main

/*
#cgo pkg-config: eigen3
#cgo CXXFLAGS: -O3 -march=native -DNDEBUG
#include "eigen.h"
*/
import "C"

import "unsafe"

// Eigen is templates: what is timed is what a C++ program compiled for this very CPU has.
func init() {
	const name = "Eigen in C++"
	at := func(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }
	extraVersions = append(extraVersions, "Eigen "+C.GoString(C.eigen_version())+" with "+
		C.GoString(C.eigen_instructions()))
	dot.peers = append(dot.peers, vectorPeer{name, cPeer, func(n int, x, y []float32) {
		sink = float32(C.eigen_dot(C.long(n), C.long(len(x)), at(x), at(y)))
	}})
	axpy.peers = append(axpy.peers, vectorPeer{name, cPeer, func(n int, x, y []float32) {
		C.eigen_axpy(C.long(n), C.long(len(x)), C.float(alpha), at(x), at(y))
	}})
	scal.peers = append(scal.peers, vectorPeer{name, cPeer, func(n int, _, y []float32) {
		C.eigen_scale(C.long(n), C.long(len(y)), C.float(alpha), at(y))
	}})
	sumSquares.peers = append(sumSquares.peers,
		vectorPeer{name, cPeer, func(n int, x, _ []float32) {
			sink = float32(C.eigen_sum_squares(C.long(n), C.long(len(x)), at(x)))
		}})
	distance.peers = append(distance.peers, vectorPeer{name, cPeer, func(n int, x, y []float32) {
		sink = float32(C.eigen_distance(C.long(n), C.long(len(x)), at(x), at(y)))
	}})
	rowsPeers = append(rowsPeers, rowsPeer{name, cPeer, func(n int, m *matrix) {
		C.eigen_rows(C.long(n), C.long(len(m.dst)), C.long(len(m.x)), at(m.rows), at(m.x),
			at(m.dst))
	}})
}
