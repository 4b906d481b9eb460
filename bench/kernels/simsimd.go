//go:build simsimd

package main

/*
#cgo CFLAGS: -O3 -march=native
#include "simsimd_loops.h"
*/
import "C"

import "unsafe"

// SimSIMD is headers: the compiler knows the CPU, and calls its kernels for that.
func init() {
	const name = "SimSIMD in C"
	at := func(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }
	inC = append(inC, "SimSIMD "+C.GoString(C.simsimd_version()))
	add("Dot", name, func(n int) {
		sink = float32(C.simsimd_loop_dot(C.long(n), C.size_t(len(x)), at(x), at(y)))
	})
	add("SquaredDistance", name, func(n int) {
		sink = float32(C.simsimd_loop_distance(C.long(n), C.size_t(len(x)), at(x), at(y)))
	})
}
