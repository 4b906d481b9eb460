package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func init() {
	const tile = "func(dst []int64, rows []uint8, stride int, queries [][]uint8, " +
		"size int, next *uint8, pace int, signed bool)"
	bySign.newStub("dotTileBytes", tile).trusting().notInNEON().inDot()
	for _, element := range []string{"Int8", "Uint8"} {
		term := byteTerm{signed: element == "Int8"}
		kernel("dotTile"+element, tile, func(t Target) {
			switch t := t.(type) {
			case *neon:
				dotTileBytesNEON(t, term)
			case *avx:
				dotTileBytes(t, 2, &wordTerms{t: t, term: term})
			}
		}).selectedBy("dotTileBytes").notInNEON().inDot()
		kernel("dotTile"+element+"VNNI", tile, func(t Target) {
			dotTileBytes(t.(*avx), 4, &vnniTerms{vnniSum: newVNNI(t.(*avx), term)})
		}).selectedBy("dotTileBytes").notInNEON().inWide().needing("VNNI")
	}
}

type byteTile struct {
	t       *avx
	terms   tileTerms
	row, x  [4]reg.GPVirtual // pointers to four rows and four queries
	at      reg.GPVirtual
	whole   reg.GPVirtual // bytes of a row in complete steps
	next    reg.GPVirtual // pointer to memory to prefetch
	pace    reg.GPVirtual // bytes to prefetch per step
	rowPart Part          // bytes of the last, incomplete step that exist
}

type tileTerms interface {
	// step returns the number of bytes of a vector in one step.
	step() int
	start(b *byteTile)
	// sum returns new lanes with the initial sum of products with query q.
	sum(q int) Group
	// seekLast sets b.at to the offset from which the incomplete step loads.
	seekLast(b *byteTile)
	// load loads a step of bytes of a row, in the form that multiply needs. loadQuery loads a step
	// of bytes of a query, with 0 in place of bytes outside part.
	load(v Group, p reg.GPVirtual, part Part)
	loadQuery(v Group, p reg.GPVirtual, part Part)
	multiply(sum, row, query Group)
	signedSum() bool
}

// dotTileBytes stores in dst the dot products of the rows with each of four queries: all products
// with the first query, then all with the second, and so on. There are at least four rows; those
// after the last multiple of four are skipped. Rows have size bytes, leastTiled to asm.Block.
//
// A pass over the bytes of four rows multiplies them by perPass queries.
func dotTileBytes(t *avx, perPass int, terms tileTerms) {
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
	b.next, b.pace = t.PointerParam("next"), t.IntParam("pace")
	share := terms.step() * perPass / len(b.x) // bytes of a step, divided by the number of passes
	t.ShiftLeft(b.pace, bits.TrailingZeros(uint(share)))
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
	for q := 0; q < len(b.x); q += perPass {
		b.store(b.products(q, perPass), dst)
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

// size stays in memory to save a register.
func (b *byteTile) size() operand.Mem { return b.t.resolve(b.t.Param("size")) }

const leastTiled = 16

// part is nil except in the last, incomplete step.
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

func (b *byteTile) products(first, perPass int) [][4]Group {
	t := b.t
	sum, x := make([][4]Group, perPass), make([]Group, perPass)
	for k := range sum {
		x[k] = t.New(t.width)
		for i := range sum[k] {
			sum[k][i] = b.terms.sum(first + k)
		}
	}
	row := t.New(t.width)
	b.steps(fmt.Sprint("step", first), func(part Part) {
		if part == nil {
			for line := 0; line < len(b.row)*b.terms.step()*perPass/len(b.x); line += 64 {
				t.Prefetch(b.next, line)
			}
			t.AdvanceReg(b.next, b.pace)
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

// dst points to the results for the first query of the pass. store advances it to those for the
// next pass.
func (b *byteTile) store(sum [][4]Group, dst reg.GPVirtual) {
	t := b.t
	pitch := t.IntParam("len(dst)") // bytes from one query's results to the next query's
	t.ShiftLeft(pitch, 1)
	four := make([]Group, len(sum))
	for k := range sum {
		four[k] = t.foldLanes(sum[k])
	}
	for len(four) > 0 {
		atOnce := t.width / 4
		t.extend(t.foldQuarters(four[:atOnce]), func(v Group) {
			t.Store(v, dst, 0)
			t.AdvanceReg(dst, pitch)
		}, b.terms.signedSum())
		four = four[atOnce:]
	}
}

// foldLanes adds the four lanes of v[i] within each 128 bits, into lane i of these 128 bits. It
// overwrites v.
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

// foldQuarters adds the parts of 128 bits of each v[i], into part i of the result. v holds two
// groups of eight lanes or four groups of sixteen.
func (t *avx) foldQuarters(v []Group) Group {
	if t.width == 16 {
		return t.addQuarters([4]Group(v), t.VPADDD)
	}
	return Group{8, []reg.VecVirtual{t.pairOfHalves(v[0], v[1], t.VPADDD)}}
}

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

type wordTerms struct {
	t    *avx
	term byteTerm
}

func (w *wordTerms) step() int         { return 16 }
func (w *wordTerms) start(b *byteTile) { b.rowPart = w.t.LastBytes(w.t.IntParam("size"), 8) }
func (w *wordTerms) sum(int) Group     { return zeros(w.t, 1, 8)[0] }
func (w *wordTerms) signedSum() bool   { return w.term.signedSum() }

// seekLast sets b.at so that the step ends where the vectors end.
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

// vnniTerms uses VPDPBUSD. The code flips the top bits of the rows' bytes, so that the correction
// depends on the query alone.
type vnniTerms struct {
	*vnniSum
	correction []Group // for each query, lanes that add up to its correction
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
