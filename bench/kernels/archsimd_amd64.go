//go:build goexperiment.simd && go1.27

package main

import "simd/archsimd"

// These loops are written with the standard library's experiment for one architecture: four vectors
// at a time, then one, then the rest. One of them keeps the contract of package dense as well: 64
// lanes, and nothing fused.
func init() {
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		add("Dot", "archsimd 4x8", func(n int) { times(n, func() { sink = dot8(x, y) }) })
		add("Axpy", "archsimd 8", func(n int) { times(n, func() { axpy8(alpha, x, y) }) })
	}
	if may512 && archsimd.X86.AVX512() {
		add("Dot", "archsimd 4x16", func(n int) { times(n, func() { sink = dot16(x, y) }) })
		add("Dot", sameBits+"archsimd 4x16", func(n int) {
			times(n, func() { sink = dotOurBits(x, y) })
		})
	}
}

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
	archsimd.ClearAVXUpperBits() // the Go code that follows uses SSE
	return sum
}

func axpy8(a float32, x, y []float32) {
	va := archsimd.BroadcastFloat32x8(a)
	for len(x) >= 8 && len(y) >= 8 {
		archsimd.LoadFloat32x8(x).MulAdd(va, archsimd.LoadFloat32x8(y)).Store(y)
		x, y = x[8:], y[8:]
	}
	archsimd.ClearAVXUpperBits()
	loopAxpy(a, x, y) // stores under a mask are slower on AMD
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

// dotOurBits is dense.Dot of at most 65,536 elements, to the bit.
func dotOurBits(x, y []float32) float32 {
	var s0, s1, s2, s3 archsimd.Float32x16
	for len(x) >= 64 && len(y) >= 64 {
		s0 = archsimd.LoadFloat32x16(x).Mul(archsimd.LoadFloat32x16(y)).Add(s0)
		s1 = archsimd.LoadFloat32x16(x[16:]).Mul(archsimd.LoadFloat32x16(y[16:])).Add(s1)
		s2 = archsimd.LoadFloat32x16(x[32:]).Mul(archsimd.LoadFloat32x16(y[32:])).Add(s2)
		s3 = archsimd.LoadFloat32x16(x[48:]).Mul(archsimd.LoadFloat32x16(y[48:])).Add(s3)
		x, y = x[64:], y[64:]
	}
	s0, x, y = addPart(s0, x, y)
	s1, x, y = addPart(s1, x, y)
	s2, x, y = addPart(s2, x, y)
	s3, _, _ = addPart(s3, x, y)
	s := s0.Add(s2).Add(s1.Add(s3)) // lanes 32 apart, then 16
	half := s.GetLo().Add(s.GetHi())
	q := half.GetLo().Add(half.GetHi())
	var lane [4]float32
	q.StoreArray(&lane)
	archsimd.ClearAVXUpperBits()
	return lane[0] + lane[2] + (lane[1] + lane[3])
}

// addPart adds the products of the next 16 elements, or of all if fewer are left.
func addPart(s archsimd.Float32x16, x, y []float32) (sum archsimd.Float32x16, u, v []float32) {
	a, n := archsimd.LoadFloat32x16Part(x)
	b, _ := archsimd.LoadFloat32x16Part(y)
	return a.Mul(b).Add(s), x[n:], y[n:]
}
