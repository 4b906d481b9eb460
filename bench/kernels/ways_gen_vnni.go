// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

//go:build vnni

package main

/*
#cgo CFLAGS: -O3 -march=native
#include "vnni_loops.h"
*/
import "C"

func init() {
	if may512 {
		inC = append(inC, "loops of VNNI intrinsics")
		int8Batch.addPeer("int8 TopMany", "C, VNNI, pair by pair", true, 64, func(first, n int) {
			b, rows := &int8Batch, int8s(rows)[first*batchCols:]
			C.vnni_pairs(C.long(len(b.queries)), C.long(n), batchCols, bytesAt(b.matrix), bytesAt(rows), intsAt(b.scores))
		})
		int8Batch.addPeer("int8 TopMany", "C, VNNI, tile of 4 x 4", true, 64, func(first, n int) {
			b, rows := &int8Batch, int8s(rows)[first*batchCols:]
			C.vnni_tile(C.long(len(b.queries)), C.long(n), batchCols, bytesAt(b.matrix), bytesAt(rows), intsAt(b.scores))
		})
	}
}
