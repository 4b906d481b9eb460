//go:build eigen

package main

/*
#cgo pkg-config: eigen3
#cgo CXXFLAGS: -O3 -march=native -DNDEBUG
#include "eigen.h"
*/
import "C"

import "unsafe"

// Eigen consists of templates. Its loops are compiled for this CPU, as a C++ program's would be.
func init() {
	const name = "Eigen in C++"
	at := func(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }
	inC = append(inC, "Eigen "+C.GoString(C.eigen_version())+" with "+
		C.GoString(C.eigen_instructions()))
	addInC("Dot", name, func(n int) {
		sink = float32(C.eigen_dot(C.long(n), C.long(len(x)), at(x), at(y)))
	})
	addInC("Axpy", name, func(n int) {
		C.eigen_axpy(C.long(n), C.long(len(x)), C.float(alpha), at(x), at(y))
	})
	addInC("Scale", name, func(n int) {
		C.eigen_scale(C.long(n), C.long(len(y)), C.float(alpha), at(y))
	})
	addInC("SquaredDistance", name, func(n int) {
		sink = float32(C.eigen_distance(C.long(n), C.long(len(x)), at(x), at(y)))
	})
	addRows(name, true, func(n int) {
		C.eigen_rows(C.long(n), C.long(len(out)), C.long(len(x)), at(rows), at(x), at(out))
	})
	addTopMany(name+" by strips", true, stripForBLAS, func(rows []float32, n int) {
		b := &floatBatch
		C.eigen_products(C.long(len(b.queries)), C.long(n), batchCols, at(b.matrix), at(rows),
			at(b.scores))
	})
	addInC(gemvT.name, name, func(n int) {
		C.eigen_gemvt(C.long(n), C.long(len(left)), C.long(len(x)), at(rows), at(left), at(out))
	})
	addInC(ger.name, name, func(n int) {
		C.eigen_ger(C.long(n), C.long(len(left)), C.long(len(x)), C.float(alpha), at(left), at(x),
			at(rows))
	})
	addInC(gemm.name, name, func(n int) {
		C.eigen_gemm(C.long(n), C.long(dim), at(x), at(y), at(out))
	})
}
