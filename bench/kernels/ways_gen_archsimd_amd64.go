// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

//go:build goexperiment.simd && go1.27

package main

import "simd/archsimd"

func init() {
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		addWay("Dot", way{name: "archsimd 4x8", inC: false, loop: func(n int) {
			for range n {
				sink = dot8(x, y)
			}
		}})
		addWay("Axpy", way{name: "archsimd 8", inC: false, loop: func(n int) {
			for range n {
				axpy8(alpha, x, y)
			}
		}})
	}
	if may512 && archsimd.X86.AVX512() {
		addWay("Dot", way{name: "archsimd 4x16", inC: false, loop: func(n int) {
			for range n {
				sink = dot16(x, y)
			}
		}})
	}
}
