package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() {
	const tile = "func(dst []int64, rows []uint8, stride int, queries [][]uint8, " +
		"size int, next *uint8, ahead int, signed bool)"
	bySign.newStub("dotTileBytes", tile).trusting().notInNEON().inDot()
	for _, element := range []string{"Int8", "Uint8"} {
		term := byteTerm{signed: element == "Int8"}
		kernel("dotTile"+element, tile, func(t Target) {
			switch t := t.(type) {
			case *neon:
				dotTileNEON(t, term)
			case *avx:
				productsOfBytes(t, 2, &wordTerms{t: t, term: term})
			}
		}).selectedBy("dotTileBytes").notInNEON().inDot()
		kernel("dotTile"+element+"VNNI", tile, func(t Target) {
			productsOfBytes(t.(*avx), 4, &vnniTerms{vnniSum: newVNNI(t.(*avx), term)})
		}).selectedBy("dotTileBytes").notInNEON().inWide().needing("VNNI")
	}
}

// A byteTile is the state of a kernel that multiplies four rows and four queries at a time.
type byteTile struct {
	t       *avx
	terms   tileTerms
	row, x  [4]reg.GPVirtual // pointers to four rows and to four queries
	at      reg.GPVirtual    // offset of the current step
	whole   reg.GPVirtual    // number of bytes in complete steps
	next    reg.GPVirtual    // pointer to memory to prefetch
	ahead   reg.GPVirtual    // number of bytes to prefetch per step
	rowPart Part             // bytes of the rows that exist in the last, incomplete step
}

// tileTerms emits the arithmetic of a byteTile.
type tileTerms interface {
	// step returns the number of bytes in a step.
	step() int
	// start emits the code before the loop over the rows.
	start(b *byteTile)
	// sum returns a new group of lanes for the products with query q.
	sum(q int) Group
	// seekLast moves b.at to the bytes that the loads of the incomplete step read.
	seekLast(b *byteTile)
	// load loads a step of bytes of a row, and loadQuery of a query, in the form that multiply
	// needs. With a part, loadQuery sets the bytes outside the part to 0.
	load(v Group, p reg.GPVirtual, part Part)
	loadQuery(v Group, p reg.GPVirtual, part Part)
	// multiply adds the products of the bytes of a row and a query to the lanes of sum.
	multiply(sum, row, query Group)
	// signedSum reports whether a sum may be negative.
	signedSum() bool
}

// productsOfBytes emits a kernel that stores in dst the dot products of each row and each of four
// queries: all products with the first query, then all with the second, and so on. It leaves out
// the rows beyond a multiple of four. There are at least four rows; size, their length, is
// leastTiled to asm.Block. While it computes, the kernel prefetches memory from next on: for each
// four rows ahead times as many bytes as a row has, at most four times.
//
// The sums of four rows with as many queries as the argument together says are in registers at a
// time, so that each load and each conversion of bytes serves several products.
func productsOfBytes(t *avx, together int, terms tileTerms) {
	b := &byteTile{t: t, terms: terms, at: t.NewInt()}
	queries := t.PointerParam("queries")
	for q := range b.x {
		b.x[q] = t.NewInt()
		t.MOVQ(at(queries, sliceSize*q), b.x[q])
	}
	b.whole = t.IntParam("size")
	t.And(b.whole, -terms.step())
	terms.start(b)

	dst, count := t.PointerParam("dst"), t.IntParam("len(dst)")
	b.next, b.ahead = t.PointerParam("next"), t.IntParam("ahead")
	share := terms.step() * together / len(b.x) // bytes of a row per step and pass
	t.ShiftLeft(b.ahead, bits.TrailingZeros(uint(share)))
	t.ShiftRight(count, 2)
	b.row[0] = t.PointerParam("rows")
	for i := 1; i < 4; i++ {
		b.row[i] = t.NewInt()
	}
	t.Label("rows")
	stride := t.IntParam("stride")
	for i := 1; i < 4; i++ {
		t.SetInt(b.row[i], b.row[i-1])
		t.AdvanceReg(b.row[i], stride)
	}
	for q := 0; q < len(b.x); q += together {
		b.store(b.products(q, together), dst)
	}
	all := t.IntParam("len(dst)")
	t.ShiftLeft(all, 3)
	t.DecrementReg(dst, all)
	t.Advance(dst, 4*8)
	t.SetInt(b.row[0], b.row[3])
	t.AdvanceReg(b.row[0], t.IntParam("stride"))
	t.Decrement(count, 4)
	t.IfAtLeast(count, 4, "rows")
	t.Done()
}

// size is the operand of the number of bytes in a row. It stays in memory, because all registers
// but the frame pointer are in use.
func (b *byteTile) size() operand.Mem { return b.t.resolve(b.t.Param("size")) }

// leastTiled is the least number of bytes in a row.
const leastTiled = 16

// sliceSize is the size of a slice header in bytes.
const sliceSize = 24

// steps emits a loop over the steps of all vectors; body emits one of them.
func (b *byteTile) steps(name string, body func(part Part)) {
	t := b.t
	t.SetConst(b.at, 0)
	if b.terms.step() > leastTiled {
		t.CMPQ(b.size(), operand.I32(b.terms.step()))
		t.JB(operand.LabelRef(name + "part"))
	}
	t.LoopLabel(name)
	body(nil)
	t.Advance(b.at, b.terms.step())
	t.IfLessReg(b.at, b.whole, name)
	t.Label(name + "part")
	t.CMPQ(b.at, b.size())
	t.JAE(operand.LabelRef(name + "end"))
	b.terms.seekLast(b)
	body(b.rowPart)
	t.Label(name + "end")
}

// products emits the sums of the products of four rows and the given number of queries, beginning
// with query first. It returns the lanes of the sum for each query and row.
func (b *byteTile) products(first, together int) [][4]Group {
	t := b.t
	sum, x := make([][4]Group, together), make([]Group, together)
	for k := range sum {
		x[k] = t.New(t.width)
		for i := range sum[k] {
			sum[k][i] = b.terms.sum(first + k)
		}
	}
	row := t.New(t.width)
	b.steps(fmt.Sprint("step", first), func(part Part) {
		if part == nil {
			for line := 0; line < len(b.row)*b.terms.step()*together/len(b.x); line += 64 {
				t.Prefetch(b.next, line)
			}
			t.AdvanceReg(b.next, b.ahead)
		}
		for k := range x {
			b.terms.loadQuery(x[k], t.Address(b.x[first+k], b.at, 1), part)
		}
		for i, p := range b.row {
			b.terms.load(row, t.Address(p, b.at, 1), part)
			for k := range x {
				b.terms.multiply(sum[k][i], row, x[k])
			}
		}
	})
	return sum
}

// store emits the code that stores the sums of four rows with some queries at dst, and moves dst to
// the place for the sums with the next query.
func (b *byteTile) store(sum [][4]Group, dst reg.GPVirtual) {
	t := b.t
	apart := t.IntParam("len(dst)") // bytes between the results for one query and for the next
	t.ShiftLeft(apart, 1)
	four := make([]Group, len(sum))
	for k := range sum {
		four[k] = t.foldLanes(sum[k])
	}
	for len(four) > 0 {
		atOnce := t.width / 4
		t.extend(t.foldQuarters(four[:atOnce]), func(v Group) {
			t.Store(v, dst, 0)
			t.AdvanceReg(dst, apart)
		}, b.terms.signedSum())
		four = four[atOnce:]
	}
}

// foldLanes adds, within each 128 bits, the lanes of v[i] and stores the sum in lane i of the
// result.
func (t *avx) foldLanes(v [4]Group) Group {
	low, high := t.New(t.width), t.New(t.width)
	for i := 0; i < 4; i += 2 {
		t.VPUNPCKLDQ(r(v[i+1]), r(v[i]), r(low))
		t.VPUNPCKHDQ(r(v[i+1]), r(v[i]), r(high))
		t.BitsAdd(v[i], low, high)
	}
	t.VPUNPCKLQDQ(r(v[2]), r(v[0]), r(low))
	t.VPUNPCKHQDQ(r(v[2]), r(v[0]), r(high))
	t.BitsAdd(v[0], low, high)
	return v[0]
}

// foldQuarters adds the parts of 128 bits of each of two groups of eight lanes or four groups of
// sixteen, and returns the sums of v[i] as part i of a group.
func (t *avx) foldQuarters(v []Group) Group {
	if t.width == 16 {
		return t.quarters([4]Group(v), t.VPADDD)
	}
	return Group{8, []reg.VecVirtual{t.pairOfHalves(v[0], v[1], t.VPADDD)}}
}

// extend extends each four lanes of v to 64 bits, with their signs if signed is set, and calls
// store with them.
func (t *avx) extend(v Group, store func(v Group), signed bool) {
	if v.width > 4 {
		upper := t.New(v.width / 2)
		t.UpperHalf(upper, v)
		t.extend(t.Narrow(v, v.width/2), store, signed)
		t.extend(upper, store, signed)
		return
	}
	wide := t.New(8)
	if signed {
		t.VPMOVSXDQ(r(v), r(wide))
	} else {
		t.VPMOVZXDQ(r(v), r(wide))
	}
	store(wide)
}

// wordTerms is the arithmetic of a tile whose bytes are extended to 16 bits.
type wordTerms struct {
	t    *avx
	term byteTerm
}

func (w *wordTerms) step() int         { return 16 }
func (w *wordTerms) start(b *byteTile) { b.rowPart = w.t.LastBytes(w.t.IntParam("size"), 8) }
func (w *wordTerms) sum(int) Group     { return zeros(w.t, 1, 8)[0] }
func (w *wordTerms) signedSum() bool   { return w.term.signedSum() }

// seekLast makes the step end where the vectors end.
func (w *wordTerms) seekLast(b *byteTile) {
	w.t.MOVQ(b.size(), b.at)
	w.t.Decrement(b.at, w.step())
}

func (w *wordTerms) load(v Group, p reg.GPVirtual, part Part) {
	w.t.widenBytes(v, w.term.signed, p, 0, nil)
}

func (w *wordTerms) loadQuery(v Group, p reg.GPVirtual, part Part) {
	w.load(v, p, nil)
	if part != nil {
		w.t.VPAND(r(part.(Group)), r(v), r(v))
	}
}

func (w *wordTerms) multiply(sum, row, query Group) {
	product := w.t.New(8)
	w.t.MulPairs(product, row, query)
	w.t.BitsAdd(sum, sum, product)
}

// vnniTerms is the arithmetic of a tile with VPDPBUSD. The bytes of the rows are flipped and those
// of the queries are not, so that the correction depends on the query alone.
type vnniTerms struct {
	*vnniSum
	correction []Group // groups whose lanes add up to the correction for each query
}

func (s *vnniTerms) seekLast(*byteTile) {}
func (s *vnniTerms) signedSum() bool    { return s.term.signedSum() }

func (s *vnniTerms) start(b *byteTile) {
	rest := s.t.IntParam("size")
	s.t.And(rest, s.step()-1)
	b.rowPart = s.t.lowPart(rest)
	extra := zeros(s.t, len(b.x), s.t.width)
	v := s.t.New(s.t.width)
	b.steps("extra", func(part Part) {
		for q, p := range b.x {
			s.t.loadBytes(v, s.t.Address(p, b.at, 1), 0, part)
			s.addExtra(extra[q], v, v)
		}
	})
	s.correction = zeros(s.t, len(b.x), s.t.width)
	for q := range extra {
		s.correct(s.correction[q], extra[q])
	}
}

func (s *vnniTerms) sum(q int) Group {
	v := s.t.New(s.t.width)
	s.t.VMOVDQA64(r(s.correction[q]), r(v))
	return v
}

func (s *vnniTerms) load(v Group, p reg.GPVirtual, part Part) {
	if part == nil {
		s.t.VPXORD(at(p, 0), r(s.flip), r(v))
		return
	}
	s.t.loadBytes(v, p, 0, part)
	s.t.VPXORD(r(s.flip), r(v), r(v))
}

func (s *vnniTerms) loadQuery(v Group, p reg.GPVirtual, part Part) { s.t.loadBytes(v, p, 0, part) }

func (s *vnniTerms) multiply(sum, row, query Group) {
	if s.term.signed {
		s.t.VPDPBUSD(r(query), r(row), r(sum))
	} else {
		s.t.VPDPBUSD(r(row), r(query), r(sum))
	}
}
