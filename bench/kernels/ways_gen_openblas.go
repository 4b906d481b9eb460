// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

//go:build openblas

package main

/*
#cgo LDFLAGS: -lopenblas
#include "openblas_loops.h"
*/
import "C"
import "os"

func init() {
	C.openblas_set_num_threads(1)
	inC = append(inC, C.GoString(C.openblas_get_config())+" told to be "+os.Getenv(coreVariable)+", running as "+C.GoString(C.openblas_get_corename()))
	addWay("Dot", way{name: "OpenBLAS in C", inC: true, loop: func(n int) {
		sink = float32(C.loop_sdot(C.long(n), C.int(len(x)), at(x), at(y)))
	}})
	addWay("Axpy", way{name: "OpenBLAS in C", inC: true, loop: func(n int) {
		C.loop_saxpy(C.long(n), C.int(len(x)), C.float(alpha), at(x), at(y))
	}})
	addWay("Scale", way{name: "OpenBLAS in C", inC: true, loop: func(n int) {
		C.loop_sscal(C.long(n), C.int(len(y)), C.float(alpha), at(y))
	}})
	addWay("DotRows", way{name: "OpenBLAS in C sgemv", inC: true, loop: func(n int) {
		C.loop_sgemv(C.long(n), C.int(len(out)), C.int(len(x)), at(rows), at(x), at(out))
	}})
	addWay("Rows from memory", way{name: "OpenBLAS in C sgemv", inC: true, loop: func(n int) {
		for range n {
			C.loop_sgemv(1, C.int(len(out)), C.int(len(x)), at(rows), at(x), at(out))
			nextRows()
		}
	}})
	addTopMany("OpenBLAS sgemm by strips", true, 1024, func(first, n int) {
		b, rows := &floatBatch, rows[first*batchCols:]
		C.cblas_sgemm(C.CblasRowMajor, C.CblasNoTrans, C.CblasTrans, C.int(len(b.queries)), C.int(n), batchCols, 1, at(b.matrix), batchCols, at(rows), batchCols, 0, at(b.scores), C.int(n))
	})
	addWay("Gemm", way{name: "OpenBLAS in C", inC: true, loop: func(n int) {
		C.loop_sgemm(C.long(n), C.int(dim), at(x), at(y), at(out))
	}})
}
