package main

import (
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of this file process k interleaved weight vectors: w[j*k+c] is weight j of vector c.
// k is a multiple of eight, and a group holds one feature's weights in eight vectors or more.

func init() {
	kernel("dotSparseK", "func(dst []float32, idx []int32, val, w []float32, k int)", dotSparseK).
		trusting().inWide()
	kernel("axpySparseK", "func(a []float32, idx []int32, val, w []float32, k int)", axpySparseK).
		trusting()
}

// dotSparseK emits a kernel for eight vectors or, in 512-bit registers, sixteen. w begins at these
// vectors' weights of the first feature. Each lane of dotSparse corresponds to a whole group here.
func dotSparseK(t Target) {
	if t.Width() > 8 {
		t.IfAtLeast(t.IntParam("len(dst)"), t.Width(), "wide")
		t.Leave("dotSparseKAVX512x256")
		t.Label("wide")
	}
	dst, idx, val, n := t.PointerParam("dst"), t.PointerParam("idx"), t.PointerParam("val"),
		t.IntParam("len(idx)")
	w, stride := t.PointerParam("w"), t.IntParam("k")
	t.ShiftLeft(stride, 2)
	lane := zeros(t, 8, t.Width())
	product := t.New(t.Width())
	add := func(j reg.GPVirtual, i int) {
		t.MultiplyReg(j, stride)
		t.LoadBroadcast(product, val, float*i)
		t.MulLoad(product, product, t.Offset(w, j, 1), 0)
		t.Add(lane[i], lane[i], product)
	}

	nonzeros(walk{t, n, []vector{{idx, 4}, {val, float}}}, 8,
		"Eight nonzeros per iteration, one to each lane of each vector.", "fold", add)
	t.Store(fold(lane, t.Add), dst, 0)
	t.Done()
}

// a holds eight factors.
func axpySparseK(t Target) {
	scalars, idx, val, n := t.PointerParam("a"), t.PointerParam("idx"), t.PointerParam("val"),
		t.IntParam("len(idx)")
	w, stride := t.PointerParam("w"), t.IntParam("k")
	t.ShiftLeft(stride, 2)
	a := t.New(8)
	t.Load(a, scalars, 0)
	update := func(j reg.GPVirtual, i int) {
		t.MultiplyReg(j, stride)
		feature := t.Offset(w, j, 1)
		v := t.New(8)
		t.LoadBroadcast(v, val, float*i)
		t.Mul(v, v, a)
		t.AddLoad(v, v, feature, 0)
		t.Store(v, feature, 0)
	}
	nonzeros(walk{t, n, []vector{{idx, 4}, {val, float}}}, 4, "", "done", update)
	t.Done()
}

// In each(j, i), the register j holds the index of nonzero i of the iteration, counted from 0.
func nonzeros(row walk, count int, comment, end string, each func(j reg.GPVirtual, i int)) {
	t, idx := row.t, row.vectors[0].p
	row.loop(t.Label, "loop", count, "rest", func() {
		if comment != "" {
			t.Comment(comment)
		}
		for i := 0; i < count; i += 2 {
			j0, j1 := t.LoadTwoUint32(idx, 4*i)
			each(j0, i)
			each(j1, i+1)
		}
	})
	t.Label("rest")
	for i := range count - 1 {
		t.IfAtMost(row.n, i, end)
		each(t.LoadUint32(idx, 4*i), i)
	}
	t.Label(end)
}
