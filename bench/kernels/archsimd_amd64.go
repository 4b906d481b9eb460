//go:build goexperiment.simd && go1.27

package main

import "simd/archsimd"

func dot8(x, y []float32) float32 {
	var s0, s1, s2, s3 archsimd.Float32x8
	for len(x) >= 32 && len(y) >= 32 {
		s0 = archsimd.LoadFloat32x8(x).MulAdd(archsimd.LoadFloat32x8(y), s0)
		s1 = archsimd.LoadFloat32x8(x[8:]).MulAdd(archsimd.LoadFloat32x8(y[8:]), s1)
		s2 = archsimd.LoadFloat32x8(x[16:]).MulAdd(archsimd.LoadFloat32x8(y[16:]), s2)
		s3 = archsimd.LoadFloat32x8(x[24:]).MulAdd(archsimd.LoadFloat32x8(y[24:]), s3)
		x, y = x[32:], y[32:]
	}
	for len(x) >= 8 && len(y) >= 8 {
		s0 = archsimd.LoadFloat32x8(x).MulAdd(archsimd.LoadFloat32x8(y), s0)
		x, y = x[8:], y[8:]
	}
	if len(x) > 0 {
		u, _ := archsimd.LoadFloat32x8Part(x)
		v, _ := archsimd.LoadFloat32x8Part(y)
		s1 = u.MulAdd(v, s1)
	}
	return sum8(s0.Add(s1).Add(s2.Add(s3)))
}

func sum8(v archsimd.Float32x8) float32 {
	s := v.GetLo().Add(v.GetHi())
	s = s.ConcatAddPairs(s)
	sum := s.ConcatAddPairs(s).GetElem(0)
	archsimd.ClearAVXUpperBits() // code compiled from Go uses SSE
	return sum
}

func axpy8(a float32, x, y []float32) {
	va := archsimd.BroadcastFloat32x8(a)
	for len(x) >= 8 && len(y) >= 8 {
		archsimd.LoadFloat32x8(x).MulAdd(va, archsimd.LoadFloat32x8(y)).Store(y)
		x, y = x[8:], y[8:]
	}
	archsimd.ClearAVXUpperBits()
	loopAxpy(a, x, y)
}

func dot16(x, y []float32) float32 {
	var s0, s1, s2, s3 archsimd.Float32x16
	for len(x) >= 64 && len(y) >= 64 {
		s0 = archsimd.LoadFloat32x16(x).MulAdd(archsimd.LoadFloat32x16(y), s0)
		s1 = archsimd.LoadFloat32x16(x[16:]).MulAdd(archsimd.LoadFloat32x16(y[16:]), s1)
		s2 = archsimd.LoadFloat32x16(x[32:]).MulAdd(archsimd.LoadFloat32x16(y[32:]), s2)
		s3 = archsimd.LoadFloat32x16(x[48:]).MulAdd(archsimd.LoadFloat32x16(y[48:]), s3)
		x, y = x[64:], y[64:]
	}
	for len(x) >= 16 && len(y) >= 16 {
		s0 = archsimd.LoadFloat32x16(x).MulAdd(archsimd.LoadFloat32x16(y), s0)
		x, y = x[16:], y[16:]
	}
	if len(x) > 0 {
		u, _ := archsimd.LoadFloat32x16Part(x)
		v, _ := archsimd.LoadFloat32x16Part(y)
		s1 = u.MulAdd(v, s1)
	}
	s := s0.Add(s1).Add(s2.Add(s3))
	return sum8(s.GetLo().Add(s.GetHi()))
}
