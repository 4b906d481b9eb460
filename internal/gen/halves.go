package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	const rows = "func(dst []float32, rows []uint16, stride int, x []float32, bfloat16 bool)"
	square := func(dst, v Group, x source) { x.t.Mul(dst, v, v) }
	for word, terms := range map[string][]mixedTerm{
		"dotHalves": {productOf},
		"squaredDistanceHalves": {func(dst, v Group, x source) {
			x.sub(dst, v, 0)
			x.t.Mul(dst, dst, dst)
		}},
		"normsHalves": {productOf, square}, // two sums per row
	} {
		byFormat.either(word, rows, func(t Target, bfloat16 bool) { sumHalves(t, bfloat16, terms) },
			func(k *kernelSpec) { k.trusting().inWide() })
	}
	byFormat.either("unpackHalves", "func(dst []float32, src []uint16, bfloat16 bool)", unpackHalves,
		func(k *kernelSpec) { k.inWide() })
	byFormat.either("packHalves", "func(dst []uint16, src []float32, bfloat16 bool)", packHalves,
		func(k *kernelSpec) { k.inWide() })
}

// shortSize is the size in bytes of a half-precision float.
const shortSize = 2

func sumHalves(t Target, bfloat16 bool, terms []mixedTerm) {
	r := newRowLoop(t, shortSize)
	m := mixedSum{t: t, x: r.x, y: r.row, n: r.n, size: shortSize, prefetch: 4 * rowPrefetch,
		terms: terms,
		reset: r.reset,
		load:  func(v Group, y reg.GPVirtual, offset int) { loadHalves(t, v, bfloat16, y, offset) },
		loadPart: func(v Group, y, n reg.GPVirtual, part Part, name string) {
			t.LoadShortsPart(v, !bfloat16, y, n, part, name)
			shiftBfloat16(t, v, bfloat16)
		},
	}
	r.loop(func() { r.store(m.sums()...) })
}

func loadHalves(t Target, v Group, bfloat16 bool, p reg.GPVirtual, offset int) {
	t.LoadShorts(v, !bfloat16, p, offset)
	shiftBfloat16(t, v, bfloat16)
}

func shiftBfloat16(t Target, v Group, bfloat16 bool) {
	if bfloat16 {
		t.BitsShiftLeft(v, v, 16)
	}
}

func unpackHalves(t Target, bfloat16 bool) {
	byGroups(t, vector{t.PointerParam("src"), shortSize}, vector{t.PointerParam("dst"), float},
		func(src, dst reg.GPVirtual, width, first int) {
			v := t.New(width)
			loadHalves(t, v, bfloat16, src, shortSize*first)
			t.Store(v, dst, float*first)
		})
}

func packHalves(t Target, bfloat16 bool) {
	round := bfloat16Rounding(t, bfloat16)
	byGroups(t, vector{t.PointerParam("src"), float}, vector{t.PointerParam("dst"), shortSize},
		func(src, dst reg.GPVirtual, width, first int) {
			v := t.New(width)
			t.Load(v, src, float*first)
			round(v)
			t.StoreShorts(v, !bfloat16, dst, shortSize*first)
		})
}

// bfloat16Rounding returns a function that rounds the float32 in each lane to the nearest bfloat16,
// ties to even, in the lower half of the lane. NaNs are truncated and become quiet. For float16s,
// it does nothing.
func bfloat16Rounding(t Target, bfloat16 bool) func(v Group) {
	if !bfloat16 {
		return func(Group) {}
	}
	width := t.Width()
	constant := func(bits uint32) Group {
		v := t.New(width)
		t.Fill(v, bits)
		return v
	}
	minusZero, one := constant(1<<31), constant(1)
	almostHalf, magnitude, infinity := constant(0x7fff), constant(absolute), constant(0x7f800000)
	return func(v Group) {
		narrow := func(c Group) Group { return t.Narrow(c, v.width) }
		size, up := t.New(v.width), t.New(v.width)
		t.Add(v, v, narrow(minusZero)) // makes NaNs quiet, changes nothing else
		t.BitsShiftRight(up, v, 16)
		t.BitsAnd(up, up, narrow(one))
		t.BitsAdd(up, up, narrow(almostHalf))
		t.BitsAnd(size, v, narrow(magnitude))
		t.KeepBelow(up, up, size, narrow(infinity))
		t.BitsAdd(v, v, up)
		t.BitsShiftRight(v, v, 16)
	}
}

func byGroups(t Target, src, dst vector, group func(src, dst reg.GPVirtual, width, first int)) {
	n, width := t.IntParam("n"), t.Width()
	both := walk{t, n, []vector{src, dst}}
	both.loop(t.LoopLabel, "loop", 4*width, "groups", func() {
		t.Comment("Four groups per iteration.")
		for i := range 4 {
			group(src.p, dst.p, width, i*width)
		}
	})
	t.Label("groups")
	both.loop(t.Label, "group", width, "below", func() { group(src.p, dst.p, width, 0) })
	t.Label("below")
	for width /= 2; width >= 1; width /= 2 {
		less := fmt.Sprint("below", width)
		t.IfLess(n, width, less)
		group(src.p, dst.p, width, 0)
		if width > 1 {
			both.next(width)
		}
		t.Label(less)
	}
	t.Done()
}

// fewShorts loads the last n mod 4 of the n mod 8 16-bit numbers at p into the low bits of a
// register, in the order of memory, with zeros above.
func fewShorts(t Target, p, n reg.GPVirtual, name string) reg.GPVirtual {
	few, count := t.NewInt(), copyInt(t, n)
	t.And(count, 7)
	from := t.Offset(p, count, shortSize)
	t.SetConst(few, 0)
	t.And(count, 3)
	t.IfAtMost(count, 0, name+"none")
	t.Label(name + "short")
	t.ShiftLeft(few, 16)
	t.Decrement(from, shortSize)
	t.AdvanceReg(few, t.LoadUint16(from, 0))
	t.Decrement(count, 1)
	t.IfAtLeast(count, 1, name+"short")
	t.Label(name + "none")
	return few
}
