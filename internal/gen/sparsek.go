package main

import (
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of this file treat k weight vectors that are interleaved: w[j*k+c] is weight j of
// vector c. k is a multiple of eight, so that a group holds eight vectors' weights of one feature,
// and stride is 4k bytes.

func init() {
	kernel("dotSparseK", "func(dst *float32, idx *int32, val *float32, n int, w *float32, "+
		"stride int)", dotSparseK).inWide()
	kernel("axpySparseK", "func(a *float32, idx *int32, val *float32, n int, w *float32, "+
		"stride int)", axpySparseK)
}

// dotSparseK is called for eight vectors at a time, or sixteen: w points at the first feature's
// weights of theirs. A lane of the sum is a group here, nonzero i being added to group i mod 8, so
// that each vector gets the bits of dotSparse.
func dotSparseK(t Target) {
	dst, idx, val, n := t.PointerParam("dst"), t.PointerParam("idx"), t.PointerParam("val"),
		t.IntParam("n")
	w, stride := t.PointerParam("w"), t.IntParam("stride")
	lane := make([]Group, 8)
	for l := range lane {
		lane[l] = t.New(t.Width())
		t.Zero(lane[l])
	}
	product := t.New(t.Width())
	add := func(j reg.GPVirtual, i int) {
		t.MultiplyReg(j, stride)
		t.LoadBroadcast(product, val, float*i)
		t.MulLoad(product, product, t.Offset(w, j, 1), 0)
		t.Add(lane[i], lane[i], product)
	}

	t.IfLess(n, 8, "rest")
	t.Label("loop")
	t.Comment("Eight nonzeros a turn, one to each lane of each vector.")
	for i := 0; i < 8; i += 2 {
		j0, j1 := t.LoadTwoUint32(idx, 4*i)
		add(j0, i)
		add(j1, i+1)
	}
	t.Advance(idx, 8*4)
	t.Advance(val, 8*float)
	t.Decrement(n, 8)
	t.IfAtLeast(n, 8, "loop")
	t.Label("rest")
	for i := range 7 {
		t.IfAtMost(n, i, "fold")
		add(t.LoadUint32(idx, 4*i), i)
	}
	t.Label("fold")
	for half := 4; half > 0; half /= 2 {
		for l := range half {
			t.Add(lane[l], lane[l], lane[half+l])
		}
	}
	t.Store(lane[0], dst, 0)
	t.Done()
}

// axpySparseK, too, is called for eight vectors at a time.
func axpySparseK(t Target) {
	scalars, idx, val, n := t.PointerParam("a"), t.PointerParam("idx"), t.PointerParam("val"),
		t.IntParam("n")
	w, stride := t.PointerParam("w"), t.IntParam("stride")
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
	t.IfLess(n, 4, "rest")
	t.Label("loop")
	for i := 0; i < 4; i += 2 {
		j0, j1 := t.LoadTwoUint32(idx, 4*i)
		update(j0, i)
		update(j1, i+1)
	}
	t.Advance(idx, 4*4)
	t.Advance(val, 4*float)
	t.Decrement(n, 4)
	t.IfAtLeast(n, 4, "loop")
	t.Label("rest")
	for i := range 3 {
		t.IfAtMost(n, i, "done")
		update(t.LoadUint32(idx, 4*i), i)
	}
	t.Label("done")
	t.Done()
}
