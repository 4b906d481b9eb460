//go:build vnni

package main

/*
#cgo CFLAGS: -O3 -march=native
#include "vnni_loops.h"
*/
import "C"

import "unsafe"

// The loops in vnni_loops.h are intrinsics in C, compiled for a CPU with AVX512_VNNI.
func init() {
	if !may512 {
		return
	}
	inC = append(inC, "loops of VNNI intrinsics")
	bytes := func(v []int8) *C.schar { return (*C.schar)(unsafe.SliceData(v)) }
	addInt8TopMany("C, VNNI, pair by pair", stripOfRows, func(rows []int8, n int) {
		b := &int8Batch
		C.vnni_pairs(C.long(len(b.queries)), C.long(n), batchCols, bytes(b.matrix), bytes(rows),
			(*C.int)(unsafe.SliceData(b.scores)))
	})
	addInt8TopMany("C, VNNI, tile of 4 x 4", stripOfRows, func(rows []int8, n int) {
		b := &int8Batch
		C.vnni_tile(C.long(len(b.queries)), C.long(n), batchCols, bytes(b.matrix), bytes(rows),
			(*C.int)(unsafe.SliceData(b.scores)))
	})
}
