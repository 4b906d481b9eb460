package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	const signature = "func(dst []int64, rows []uint64, stride int, x []uint64)"
	kernel("hammingRows", signature, func(t Target) {
		eachRow(t, wordSize, t.DifferingBits)
	}).trusting().inDot()
	kernel("hammingRowsVPOPCNT", signature, func(t Target) {
		r := newIntRows(t, wordSize)
		hammingFourRows(t.(*avx), r)
		r.each(func(row, x, n reg.GPVirtual) reg.GPVirtual {
			return differingBitsWide(t.(*avx), row, x, n)
		})
	}).trusting().selectedBy("hammingRows").inWide().needing("VPOPCNT")
}

func differingBitsWide(t *avx, x, y, n reg.GPVirtual) reg.GPVirtual {
	sum, count, words := t.NewInt(), zeros(t, 1, t.width)[0], t.width/2
	xy := walk{t, n, []vector{{x, wordSize}, {y, wordSize}}}
	xy.loop(t.LoopLabel, "words", words, "rest", func() {
		t.Prefetch(x, rowPrefetch)
		v := t.New(t.width)
		t.VMOVDQU64(at(x, 0), r(v))
		t.VPXORQ(at(y, 0), r(v), r(v))
		t.addBitCounts(count, v)
	})
	t.Label("rest")
	t.Prefetch(x, rowPrefetch)
	t.IfAtMost(n, 0, "fold")
	v, w, part := t.New(t.width), t.New(t.width), t.lowPart(n).(reg.Register)
	t.VMOVDQU64_Z(at(x, 0), part, r(v))
	t.VMOVDQU64_Z(at(y, 0), part, r(w))
	t.VPXORQ(r(w), r(v), r(v))
	t.addBitCounts(count, v)
	t.Label("fold")
	t.SumInts(sum, count, false)
	return sum
}

func (t *avx) addBitCounts(count, v Group) {
	t.VPOPCNTQ(r(v), r(v))
	t.VPADDQ(r(v), r(count), r(count))
}

// The code skips the loop over four rows if rows have more than four groups. It jumps to the label
// row if rows are left.
func hammingFourRows(t *avx, rows *intRows) {
	words := t.width / 2
	t.IfLess(rows.count, 4, "row")
	t.IfAtLeast(rows.n, 4*words+1, "row")
	k, whole, end := t.NewInt(), copyInt(t, rows.n), copyInt(t, rows.n)
	t.And(whole, -words)
	t.DecrementReg(end, whole)
	part := t.lowPart(end).(reg.Register)
	row := [4]reg.GPVirtual{rows.rows, t.NewInt(), t.NewInt(), t.NewInt()}

	t.LoopLabel("four")
	for i := 1; i < 4; i++ {
		t.SetInt(row[i], row[i-1])
		t.AdvanceReg(row[i], rows.stride)
	}
	count, x, v := zeros(t, 4, t.width), t.New(t.width), t.New(t.width)
	t.SetConst(k, 0)
	t.IfLess(rows.n, words, "fourpart")
	t.LoopLabel("fourwords")
	t.VMOVDQU64(at(t.Address(rows.x, k, wordSize), 0), r(x))
	for i, p := range row {
		p = t.Address(p, k, wordSize)
		t.Prefetch(p, rowPrefetch)
		t.VPXORQ(at(p, 0), r(x), r(v))
		t.addBitCounts(count[i], v)
	}
	t.Advance(k, words)
	t.IfLessReg(k, whole, "fourwords")
	t.Label("fourpart")
	t.IfAtLeastReg(k, rows.n, "fourfold")
	t.VMOVDQU64_Z(at(t.Address(rows.x, k, wordSize), 0), part, r(x))
	for i, p := range row {
		p = t.Address(p, k, wordSize)
		t.Prefetch(p, rowPrefetch)
		t.VPXORQ_Z(at(p, 0), r(x), part, r(v))
		t.addBitCounts(count[i], v)
	}
	t.Label("fourfold")
	t.Store(t.foldFourWords(count), rows.dst, 0)
	t.Advance(rows.dst, 4*wordSize)
	t.SetInt(rows.rows, row[3])
	t.AdvanceReg(rows.rows, rows.stride)
	t.Decrement(rows.count, 4)
	t.IfAtLeast(rows.count, 4, "four")
	t.IfAtLeast(rows.count, 1, "row")
	t.Done()
}

// foldFourWords returns the sums of the 64-bit lanes of each of four groups, which it overwrites.
func (t *avx) foldFourWords(v []Group) Group {
	for i := 0; i < 4; i += 2 {
		high := t.New(t.width)
		t.VPUNPCKHQDQ(r(v[i+1]), r(v[i]), r(high))
		t.VPUNPCKLQDQ(r(v[i+1]), r(v[i]), r(v[i]))
		t.VPADDQ(r(high), r(v[i]), r(v[i]))
		if t.width > 8 {
			half, low := t.New(8), t.Narrow(v[i], 8)
			t.UpperHalf(half, v[i])
			t.VPADDQ(r(half), r(low), r(low))
		}
	}
	sums := t.pairOfHalves(t.Narrow(v[0], 8), t.Narrow(v[2], 8), t.VPADDQ)
	return Group{8, []reg.VecVirtual{sums}}
}
