//go:build goexperiment.simd

package main

import "simd/archsimd"

// What one writes with the standard library's experiment: four vectors at a time, then one, then
// the rest.
func init() {
	// go-highway leaves the upper halves of the vector registers in use, which on some processors
	// slows down the SSE instructions of whoever comes next.
	settle = func() { archsimd.ClearAVXUpperBits() }
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		add("Dot", "archsimd 4x8", func(n int) { times(n, func() { sink = dot8(x, y) }) })
		add("Axpy", "archsimd 8", func(n int) { times(n, func() { axpy8(alpha, x, y) }) })
	}
	if archsimd.X86.AVX512() {
		add("Dot", "archsimd 4x16", func(n int) { times(n, func() { sink = dot16(x, y) }) })
	}
}

func dot8(x, y []float32) float32 {
	var s0, s1, s2, s3 archsimd.Float32x8
	for len(x) >= 32 && len(y) >= 32 {
		s0 = archsimd.LoadFloat32x8Slice(x).MulAdd(archsimd.LoadFloat32x8Slice(y), s0)
		s1 = archsimd.LoadFloat32x8Slice(x[8:]).MulAdd(archsimd.LoadFloat32x8Slice(y[8:]), s1)
		s2 = archsimd.LoadFloat32x8Slice(x[16:]).MulAdd(archsimd.LoadFloat32x8Slice(y[16:]), s2)
		s3 = archsimd.LoadFloat32x8Slice(x[24:]).MulAdd(archsimd.LoadFloat32x8Slice(y[24:]), s3)
		x, y = x[32:], y[32:]
	}
	for len(x) >= 8 && len(y) >= 8 {
		s0 = archsimd.LoadFloat32x8Slice(x).MulAdd(archsimd.LoadFloat32x8Slice(y), s0)
		x, y = x[8:], y[8:]
	}
	if len(x) > 0 {
		s1 = archsimd.LoadFloat32x8SlicePart(x).MulAdd(archsimd.LoadFloat32x8SlicePart(y), s1)
	}
	return sum8(s0.Add(s1).Add(s2.Add(s3)))
}

func sum8(v archsimd.Float32x8) float32 {
	s := v.GetLo().Add(v.GetHi())
	s = s.AddPairs(s)
	sum := s.AddPairs(s).GetElem(0)
	archsimd.ClearAVXUpperBits() // what follows in a Go program is SSE
	return sum
}

func axpy8(a float32, x, y []float32) {
	va := archsimd.BroadcastFloat32x8(a)
	for len(x) >= 8 && len(y) >= 8 {
		archsimd.LoadFloat32x8Slice(x).MulAdd(va, archsimd.LoadFloat32x8Slice(y)).StoreSlice(y)
		x, y = x[8:], y[8:]
	}
	archsimd.ClearAVXUpperBits()
	loopAxpy(a, x, y) // stores under a mask are slower on AMD
}

func dot16(x, y []float32) float32 {
	var s0, s1, s2, s3 archsimd.Float32x16
	for len(x) >= 64 && len(y) >= 64 {
		s0 = archsimd.LoadFloat32x16Slice(x).MulAdd(archsimd.LoadFloat32x16Slice(y), s0)
		s1 = archsimd.LoadFloat32x16Slice(x[16:]).MulAdd(archsimd.LoadFloat32x16Slice(y[16:]), s1)
		s2 = archsimd.LoadFloat32x16Slice(x[32:]).MulAdd(archsimd.LoadFloat32x16Slice(y[32:]), s2)
		s3 = archsimd.LoadFloat32x16Slice(x[48:]).MulAdd(archsimd.LoadFloat32x16Slice(y[48:]), s3)
		x, y = x[64:], y[64:]
	}
	for len(x) >= 16 && len(y) >= 16 {
		s0 = archsimd.LoadFloat32x16Slice(x).MulAdd(archsimd.LoadFloat32x16Slice(y), s0)
		x, y = x[16:], y[16:]
	}
	if len(x) > 0 {
		s1 = archsimd.LoadFloat32x16SlicePart(x).MulAdd(archsimd.LoadFloat32x16SlicePart(y), s1)
	}
	s := s0.Add(s1).Add(s2.Add(s3))
	return sum8(s.GetLo().Add(s.GetHi()))
}
