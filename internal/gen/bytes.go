package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	const one = "func(x, y []uint8, signed bool) int64"
	const many = "func(dst []int64, rows []uint8, stride int, x []uint8, signed bool)"
	for _, word := range []string{"dot", "squaredDistance"} {
		bySign.newStub(word+"Bytes", one).inDot()
		bySign.newStub(word+"RowsBytes", many).trusting().inDot()
		for _, element := range []string{"Int8", "Uint8"} {
			term := byteTerm{signed: element == "Int8", difference: word != "dot"}
			kernel(word+element, one, func(t Target) { sumBytes(t, term) }).
				selectedBy(word + "Bytes").inDot()
			kernel(word+element+"VNNI", one, func(t Target) { sumVNNI(t.(*avx), term) }).
				selectedBy(word + "Bytes").inWide().needing("VNNI")
			kernel(word+"Rows"+element, many, func(t Target) { rowsBytes(t, term) }).
				selectedBy(word + "RowsBytes").inDot()
			kernel(word+"Rows"+element+"VNNI", many,
				func(t Target) { rowsVNNI(t.(*avx), term) }).
				selectedBy(word + "RowsBytes").inWide().needing("VNNI")
		}
	}
}

// n is at most asm.Block.
func sumBytes(t Target, term byteTerm) {
	x, y, n := t.PointerParam("x"), t.PointerParam("y"), t.IntParam("n")
	t.ReturnInt(byteSum(t, term, x, y, n, 0))
}

// There must be at least one row.
func rowsBytes(t Target, term byteTerm) {
	eachRow(t, 1, func(row, x, n reg.GPVirtual) reg.GPVirtual {
		return byteSum(t, term, row, x, n, rowPrefetch)
	})
}

// If distance is above 0, the code prefetches the vector x, distance bytes ahead.
func byteSum(t Target, term byteTerm, x, y, n reg.GPVirtual, distance int) (total reg.GPVirtual) {
	const step = 16
	lanes := t.ByteLanes()
	total = t.NewInt()
	xy := walk{t, n, []vector{{x, 1}, {y, 1}}}
	t.IfLess(n, step, "few")
	sum := zeros(t, 4, lanes)
	xy.loop(t.LoopLabel, "loop", len(sum)*step, "rest", func() {
		t.Comment("Four groups per iteration.")
		if distance > 0 {
			t.Prefetch(x, distance)
		}
		t.AddBytes(sum, term, x, y, 0, nil)
	})
	t.Label("rest")
	t.IfLess(n, step, "last")
	t.AddBytes(sum[:1], term, x, y, 0, nil)
	xy.next(step)
	t.Jump("rest")
	t.Label("last")
	t.IfAtMost(n, 0, "fold")
	t.AddBytes(sum[1:2], term, t.Address(x, n, 1), t.Address(y, n, 1), -step,
		t.LastBytes(n, lanes))
	t.Label("fold")
	t.SumInts(total, fold(sum, t.BitsAdd), term.signedSum())
	t.Jump("end")

	t.Label("few")
	t.IfLess(n, 8, "bytes")
	t.Comment("The first eight bytes, then those of the last eight that follow them.")
	half := zeros(t, 1, lanes/2)
	t.AddBytes(half, term, x, y, 0, nil)
	t.AddBytes(half, term, t.Address(x, n, 1), t.Address(y, n, 1), -8, t.LastBytes(n, lanes/2))
	t.SumInts(total, half[0], term.signedSum())
	t.Jump("end")

	t.Label("bytes")
	t.SetConst(total, 0)
	t.IfAtMost(n, 0, "end")
	t.Label("byte")
	v, w := t.LoadByte(x, term.signed), t.LoadByte(y, term.signed)
	if term.difference {
		t.DecrementReg(v, w)
		w = v
	}
	t.MultiplyReg(v, w)
	t.AdvanceReg(total, v)
	xy.next(1)
	t.IfAtLeast(n, 1, "byte")
	t.Label("end")
	return total
}
