// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

//go:build goexperiment.simd && go1.27

package main

func init() {
	addWay("Dot", way{name: "Go's simd", inC: false, loop: func(n int) {
		for range n {
			sink = dotSimd(x, y)
		}
	}})
	addWay("Axpy", way{name: "Go's simd", inC: false, loop: func(n int) {
		for range n {
			axpySimd(alpha, x, y)
		}
	}})
}
