//go:build simsimd

package main

/*
#cgo CFLAGS: -O3 -march=native
#include <simsimd/simsimd.h>

static double simsimd_loop_dot(long calls, size_t n, const float *x, const float *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		simsimd_distance_t d;
		simsimd_dot_f32(x, y, n, &d);
		sink = d;
	}
	return sink;
}

static double simsimd_loop_distance(long calls, size_t n, const float *x, const float *y) {
	volatile double sink = 0;
	while (calls-- > 0) {
		simsimd_distance_t d;
		simsimd_l2sq_f32(x, y, n, &d);
		sink = d;
	}
	return sink;
}

#define TEXT(x) #x
#define VALUE(x) TEXT(x)
static const char *simsimd_version(void) {
	return VALUE(SIMSIMD_VERSION_MAJOR) "." VALUE(SIMSIMD_VERSION_MINOR) "." VALUE(
		SIMSIMD_VERSION_PATCH);
}
*/
import "C"

import "unsafe"

// SimSIMD is headers: the compiler knows the CPU, and calls its kernels for that.
func init() {
	const name = "SimSIMD in C"
	at := func(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }
	cVersions = append(cVersions, "SimSIMD "+C.GoString(C.simsimd_version()))
	add("Dot", name, func(n int) {
		sink = float32(C.simsimd_loop_dot(C.long(n), C.size_t(len(x)), at(x), at(y)))
	})
	add("SquaredDistance", name, func(n int) {
		sink = float32(C.simsimd_loop_distance(C.long(n), C.size_t(len(x)), at(x), at(y)))
	})
}
