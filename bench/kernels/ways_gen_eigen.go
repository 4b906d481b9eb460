// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

//go:build eigen

package main

/*
#cgo pkg-config: eigen3
#cgo CXXFLAGS: -O3 -march=native -DNDEBUG
#include "eigen.h"
*/
import "C"

func init() {
	inC = append(inC, "Eigen "+C.GoString(C.eigen_version())+" with "+C.GoString(C.eigen_instructions()))
	addWay("Dot", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		sink = float32(C.eigen_dot(C.long(n), C.long(len(x)), at(x), at(y)))
	}})
	addWay("Axpy", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		C.eigen_axpy(C.long(n), C.long(len(x)), C.float(alpha), at(x), at(y))
	}})
	addWay("Scale", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		C.eigen_scale(C.long(n), C.long(len(y)), C.float(alpha), at(y))
	}})
	addWay("SquaredDistance", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		sink = float32(C.eigen_distance(C.long(n), C.long(len(x)), at(x), at(y)))
	}})
	addWay("DotRows", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		C.eigen_rows(C.long(n), C.long(len(out)), C.long(len(x)), at(rows), at(x), at(out))
	}})
	addWay("Rows from memory", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		for range n {
			C.eigen_rows(1, C.long(len(out)), C.long(len(x)), at(rows), at(x), at(out))
			nextRows()
		}
	}})
	addTopMany("Eigen in C++ by strips", true, 1024, func(first, n int) {
		b, rows := &floatBatch, rows[first*batchCols:]
		C.eigen_products(C.long(len(b.queries)), C.long(n), batchCols, at(b.matrix), at(rows), at(b.scores))
	})
	addWay("GemvT", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		C.eigen_gemvt(C.long(n), C.long(len(left)), C.long(len(x)), at(rows), at(left), at(out))
	}})
	addWay("Ger", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		C.eigen_ger(C.long(n), C.long(len(left)), C.long(len(x)), C.float(alpha), at(left), at(x), at(rows))
	}})
	addWay("Gemm", way{name: "Eigen in C++", inC: true, loop: func(n int) {
		C.eigen_gemm(C.long(n), C.long(dim), at(x), at(y), at(out))
	}})
}
