//go:build numkong

package main

/*
#cgo CFLAGS: -O3 -march=native -DNK_NATIVE_BF16=0 -DNK_NATIVE_F16=0
#include "numkong_loops.h"
*/
import "C"

import "unsafe"

// NumKong consists of headers, compiled here for this CPU. Its dot products of floats are summed in
// float64. Half-precision numbers are switched off, because gcc 12 lacks their types.
func init() {
	const name = "NumKong in C"
	at := func(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }
	bytes := func(v []int8) *C.schar { return (*C.schar)(unsafe.SliceData(v)) }
	inC = append(inC, "NumKong "+C.GoString(C.numkong_version()))
	C.numkong_configure()
	addInC("Dot", name, func(n int) {
		sink = float32(C.numkong_loop_dot(C.long(n), C.size_t(len(x)), at(x), at(y)))
	})
	addInC("SquaredDistance", name, func(n int) {
		sink = float32(C.numkong_loop_distance(C.long(n), C.size_t(len(x)), at(x), at(y)))
	})
	addInC("Cosine", name, func(n int) {
		sink = float32(C.numkong_loop_cosine(C.long(n), C.size_t(len(x)), at(x), at(y)))
	})
	addInC("int8 Dot", name, func(n int) {
		sink = float32(C.numkong_loop_int8_dot(C.long(n), C.size_t(len(int8X)), bytes(int8X),
			bytes(int8Y)))
	})
	addInt8TopMany(name+", a call per pair", stripOfRows, func(rows []int8, n int) {
		b := &int8Batch
		C.numkong_int8_pairs(C.size_t(len(b.queries)), C.size_t(n), batchCols, bytes(b.matrix),
			bytes(rows), (*C.int)(unsafe.SliceData(b.scores)))
	})
	addInt8TopMany(name+", packed", stripForBLAS, func(rows []int8, n int) {
		b := &int8Batch
		C.numkong_int8_packed(C.size_t(len(b.queries)), C.size_t(n), batchCols, bytes(b.matrix),
			bytes(rows), (*C.int)(unsafe.SliceData(b.scores)))
	})
}
