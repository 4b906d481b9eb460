package main

func init() {
	for _, k := range []struct {
		word, element string
		signed        bool
	}{{"dotFloatInt8", "int8", true}, {"dotFloatUint8", "uint8", false}} {
		signature := "func(x *float32, y *" + k.element + ", n int, endX *float32, endY *" +
			k.element + ", end int) float32"
		kernel(k.word, signature, func(t Target) { dotFloatBytes(t, k.signed) }).
			partOf("dotFloatBytesGeneric").inWide().dispatchedByHand()
	}
}

// dotFloatBytes adds up products of floats and bytes in 64 lanes. n is a multiple of 64, and at
// most asm.Block. The end of the vectors is 64 elements elsewhere, those that are missing being
// zeros, which change no lane: no lane is -0. There are none if end is 0, and else it is 64.
func dotFloatBytes(t Target, signed bool) {
	x, y, n := t.PointerParam("x"), t.PointerParam("y"), t.IntParam("n")
	end := t.IntParam("end")
	lane := zeros(t, lanes/t.Width(), t.Width())
	t.IfAtMost(n, 0, "end")
	t.LoopLabel("loop")
	t.Comment("64 elements a turn, one to each lane.")
	for g, v := range lane {
		product := t.New(t.Width())
		if signed {
			t.LoadSignedBytes(product, y, t.Width()*g)
		} else {
			t.LoadBytes(product, y, t.Width()*g)
		}
		t.MulLoad(product, product, x, float*t.Width()*g)
		t.Add(v, v, product)
	}
	t.Advance(x, float*lanes)
	t.Advance(y, lanes)
	t.Decrement(n, lanes)
	t.IfAtLeast(n, lanes, "loop")
	t.Label("end")
	t.IfAtMost(end, 0, "fold")
	t.SetInt(x, t.PointerParam("endX"))
	t.SetInt(y, t.PointerParam("endY"))
	t.SetInt(n, end)
	t.SetConst(end, 0)
	t.Jump("loop")
	t.Label("fold")
	foldGroups(t, lane)
	t.Fold(lane[0])
	t.Return(t.Narrow(lane[0], 1))
}
