package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	const signature = "func(dst []int64, rows []uint64, stride int, x []uint64)"
	kernel("hammingRows", signature, func(t Target) {
		eachRow(t, wordSize, t.DifferingBits)
	}).trusting().inDot()
	kernel("hammingRowsVPOPCNT", signature, func(t Target) {
		eachRow(t, wordSize, func(row, x, n reg.GPVirtual) reg.GPVirtual {
			return differingBitsWide(t.(*avx), row, x, n)
		})
	}).trusting().selectedBy("hammingRows").inWide().needing("VPOPCNT")
}

const wordSize = 8 // bytes per uint64

// differingBitsWide is DifferingBits with VPOPCNTQ, which counts the bits of each word of a
// register.
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

// addBitCounts adds the number of one bits in each word of v to the same word of count, and
// overwrites v.
func (t *avx) addBitCounts(count, v Group) {
	t.VPOPCNTQ(r(v), r(v))
	t.VPADDQ(r(v), r(count), r(count))
}
