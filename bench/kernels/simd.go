//go:build goexperiment.simd && go1.27

package main

import "simd"

func dotSimd(x, y []float32) float32 {
	var s0, s1 simd.Float32s
	n := s0.Len()
	for len(x) >= 2*n && len(y) >= 2*n {
		s0 = simd.LoadFloat32s(x).MulAdd(simd.LoadFloat32s(y), s0)
		s1 = simd.LoadFloat32s(x[n:]).MulAdd(simd.LoadFloat32s(y[n:]), s1)
		x, y = x[2*n:], y[2*n:]
	}
	for len(x) > 0 {
		u, k := simd.LoadFloat32sPart(x)
		v, _ := simd.LoadFloat32sPart(y)
		s0 = u.MulAdd(v, s0)
		x, y = x[k:], y[k:]
	}
	var lane [16]float32
	s0.Add(s1).Store(lane[:])
	sum := float32(0)
	for _, v := range lane[:n] {
		sum += v
	}
	return sum
}

func axpySimd(a float32, x, y []float32) {
	va := simd.BroadcastFloat32s(a)
	n := va.Len()
	for len(x) >= n && len(y) >= n {
		simd.LoadFloat32s(x).MulAdd(va, simd.LoadFloat32s(y)).Store(y)
		x, y = x[n:], y[n:]
	}
	loopAxpy(a, x, y)
}
