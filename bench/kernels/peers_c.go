//go:build openblas || eigen || numkong || vnni

package main

import "C"

import "unsafe"

func at(v []float32) *C.float   { return (*C.float)(unsafe.SliceData(v)) }
func bytesAt(v []int8) *C.schar { return (*C.schar)(unsafe.SliceData(v)) }
func intsAt(v []int32) *C.int   { return (*C.int)(unsafe.SliceData(v)) }
