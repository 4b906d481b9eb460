//go:build openblas

package main

/*
#cgo LDFLAGS: -lopenblas
#include <cblas.h>

extern char *openblas_get_config(void);
extern char *openblas_get_corename(void);
extern void openblas_set_num_threads(int);

static float loop_sdot(long calls, int n, const float *x, const float *y) {
	volatile float sink;
	while (calls-- > 0) sink = cblas_sdot(n, x, 1, y, 1);
	return sink;
}

static void loop_saxpy(long calls, int n, float a, const float *x, float *y) {
	while (calls-- > 0) cblas_saxpy(n, a, x, 1, y, 1);
}

static void loop_sscal(long calls, int n, float a, float *y) {
	while (calls-- > 0) cblas_sscal(n, a, y, 1);
}

static void loop_sgemv(long calls, int rows, int n, const float *m, const float *x, float *dst) {
	while (calls-- > 0) cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, n, 1, m, n, x, 1, 0, dst, 1);
}
*/
import "C"

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
)

func ptr(v []float32) *C.float { return (*C.float)(&v[0]) }

// Each comes twice: with the loop in C, which is what a C program sees, and called from Go.
func init() {
	C.openblas_set_num_threads(1)
	core := C.GoString(C.openblas_get_corename())
	version := C.GoString(C.openblas_get_config()) + " running as " + core
	if slices.Contains([]string{"Haswell", "Zen"}, core) && // registers of 256 bits
		slices.Contains(asm.Available(), asm.AVX512) {
		version += " (unfair to it: set OPENBLAS_CORETYPE=SKYLAKEX)"
	}
	extraVersions = append(extraVersions, version)
	const inC, viaCgo = "OpenBLAS in C", "OpenBLAS by cgo"
	dot.peers = append(dot.peers,
		vectorPeer{inC, cPeer, func(n int, x, y []float32) {
			sink = float32(C.loop_sdot(C.long(n), C.int(len(x)), ptr(x), ptr(y)))
		}},
		vectorPeer{viaCgo, cPeer, func(n int, x, y []float32) {
			for range n {
				sink = float32(C.cblas_sdot(C.int(len(x)), ptr(x), 1, ptr(y), 1))
			}
		}})
	axpy.peers = append(axpy.peers,
		vectorPeer{inC, cPeer, func(n int, x, y []float32) {
			C.loop_saxpy(C.long(n), C.int(len(x)), C.float(alpha), ptr(x), ptr(y))
		}},
		vectorPeer{viaCgo, cPeer, func(n int, x, y []float32) {
			for range n {
				C.cblas_saxpy(C.int(len(x)), C.float(alpha), ptr(x), 1, ptr(y), 1)
			}
		}})
	scal.peers = append(scal.peers, vectorPeer{inC, cPeer, func(n int, _, y []float32) {
		C.loop_sscal(C.long(n), C.int(len(y)), C.float(alpha), ptr(y))
	}})
	sumSquares.peers = append(sumSquares.peers, vectorPeer{inC + " (sdot)", cPeer,
		func(n int, x, _ []float32) {
			sink = float32(C.loop_sdot(C.long(n), C.int(len(x)), ptr(x), ptr(x)))
		}})
	rankKPeers = append(rankKPeers, rankKPeer{viaCgo + " ssyrk", cPeer,
		func(n int, m *symmetric) {
			for range n {
				C.cblas_ssyrk(C.CblasRowMajor, C.CblasUpper, C.CblasTrans, C.int(m.dim),
					C.int(m.count), 1, ptr(m.rows), C.int(m.dim), 1, ptr(m.upper), C.int(m.dim))
			}
		}})
	rowsPeers = append(rowsPeers, rowsPeer{inC + " sgemv", cPeer, func(n int, m *matrix) {
		C.loop_sgemv(C.long(n), C.int(len(m.dst)), C.int(len(m.x)), ptr(m.rows), ptr(m.x),
			ptr(m.dst))
	}})
}
