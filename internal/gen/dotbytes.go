package main

func init() {
	for _, k := range []struct {
		word, element, like string
		term                byteTerm
	}{
		{"dotInt8", "int8", "dotBytesGeneric", byteTerm{signed: true}},
		{"dotUint8", "uint8", "dotBytesGeneric", byteTerm{}},
		{"squaredDistanceInt8", "int8", "squaredDistanceBytesGeneric",
			byteTerm{signed: true, difference: true}},
		{"squaredDistanceUint8", "uint8", "squaredDistanceBytesGeneric",
			byteTerm{difference: true}},
	} {
		signature := "func(x, y *" + k.element + ", n int) int32"
		kernel(k.word, signature, func(t Target) { sumBytes(t, k.term) }).partOf(k.like).inWide().dispatchedByHand()
		if !k.term.difference {
			kernel(k.word+"VNNI", signature, func(t Target) { dotVNNI(t, k.term.signed) }).
				partOf("D" + k.word[1:]).inWide().withVNNI().dispatchedByHand()
		}
	}
}

// sumBytes adds up the terms of two vectors of bytes in 32 bits. n is a multiple of 16, and at most
// asm.Block.
func sumBytes(t Target, term byteTerm) {
	x, y, n := t.PointerParam("x"), t.PointerParam("y"), t.IntParam("n")
	width, step := t.Width(), t.BytesAtOnce(t.Width())
	sum := zeros(t, 4, width)
	xy := walk{t, n, []vector{{x, 1}, {y, 1}}}
	xy.loop(t.LoopLabel, "loop", len(sum)*step, "rest", func() {
		t.Comment("Four groups a turn.")
		for i, v := range sum {
			t.AddBytes(v, term, x, y, i*step)
		}
	})
	t.Label("rest")
	t.IfLess(n, step, "fold")
	t.AddBytes(sum[0], term, x, y, 0)
	xy.next(step)
	t.Jump("rest")
	t.Label("fold")
	if step > 16 {
		t.Comment("Sixteen bytes may be left.")
		t.IfAtMost(n, 0, "end")
		few := zeros(t, 1, 8)[0] // whose upper half becomes 0
		t.AddBytes(few, term, x, y, 0)
		t.BitsAdd(sum[1], sum[1], Group{width, few.regs})
		t.Label("end")
	}
	t.BitsAdd(sum[0], sum[0], sum[1])
	t.BitsAdd(sum[2], sum[2], sum[3])
	t.BitsAdd(sum[0], sum[0], sum[2])
	t.ReturnInts(sum[0])
}

// dotVNNI adds up products of bytes. n is at most asm.Block.
func dotVNNI(t Target, signed bool) {
	x, y, n := t.PointerParam("x"), t.PointerParam("y"), t.IntParam("n")
	width := t.Width()
	step := 4 * width
	flip, ones := t.New(width), t.New(width)
	t.SetBytes(flip, 128)
	t.SetBytes(ones, 1)
	var sums [4]vnniSum
	for i := range sums {
		s := vnniSum{signed, t.New(width), t.New(width), flip, ones}
		t.Zero(s.sum)
		t.Zero(s.extra)
		sums[i] = s
	}
	xy := walk{t, n, []vector{{x, 1}, {y, 1}}}
	xy.loop(t.LoopLabel, "loop", 4*step, "rest", func() {
		t.Comment("Four groups a turn.")
		for i, s := range sums {
			t.AddVNNI(s, x, y, i*step, nil)
		}
	})
	t.Label("rest")
	for i := range 3 {
		t.IfLess(n, step, "part")
		t.AddVNNI(sums[i], x, y, 0, nil)
		xy.next(step)
	}
	t.Label("part")
	t.IfAtMost(n, 0, "fold")
	t.AddVNNI(sums[3], x, y, 0, t.BytePart(n))
	t.Label("fold")
	for _, pair := range [][2]vnniSum{{sums[0], sums[1]}, {sums[2], sums[3]}, {sums[0], sums[2]}} {
		t.BitsAdd(pair[0].sum, pair[0].sum, pair[1].sum)
		t.BitsAdd(pair[0].extra, pair[0].extra, pair[1].extra)
	}
	sum, extra := sums[0].sum, sums[0].extra
	t.BitsShiftLeft(extra, extra, 7)
	if signed {
		t.BitsSub(sum, sum, extra)
	} else {
		t.BitsAdd(sum, sum, extra)
	}
	t.ReturnInts(sum)
}
