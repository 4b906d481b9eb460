// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

//go:build numkong

package main

/*
#cgo CFLAGS: -O3 -march=native -DNK_NATIVE_BF16=0 -DNK_NATIVE_F16=0
#include "numkong_loops.h"
*/
import "C"

func init() {
	inC = append(inC, "NumKong "+C.GoString(C.numkong_version()))
	C.numkong_configure()
	addWay("Dot", way{name: "NumKong in C", inC: true, loop: func(n int) {
		sink = float32(C.numkong_loop_dot(C.long(n), C.size_t(len(x)), at(x), at(y)))
	}})
	addWay("SquaredDistance", way{name: "NumKong in C", inC: true, loop: func(n int) {
		sink = float32(C.numkong_loop_distance(C.long(n), C.size_t(len(x)), at(x), at(y)))
	}})
	addWay("Cosine", way{name: "NumKong in C", inC: true, loop: func(n int) {
		sink = float32(C.numkong_loop_cosine(C.long(n), C.size_t(len(x)), at(x), at(y)))
	}})
	addWay("int8 Dot", way{name: "NumKong in C", inC: true, loop: func(n int) {
		sink = float32(C.numkong_loop_int8_dot(C.long(n), C.size_t(len(int8X)), bytesAt(int8X), bytesAt(int8Y)))
	}})
	int8Batch.addPeer("int8 TopMany", "NumKong in C, a call per pair", true, 64, func(first, n int) {
		b, rows := &int8Batch, int8s(rows)[first*batchCols:]
		C.numkong_int8_pairs(C.size_t(len(b.queries)), C.size_t(n), batchCols, bytesAt(b.matrix), bytesAt(rows), intsAt(b.scores))
	})
	int8Batch.addPeer("int8 TopMany", "NumKong in C, packed", true, 1024, func(first, n int) {
		b, rows := &int8Batch, int8s(rows)[first*batchCols:]
		C.numkong_int8_packed(C.size_t(len(b.queries)), C.size_t(n), batchCols, bytesAt(b.matrix), bytesAt(rows), intsAt(b.scores))
	})
}
