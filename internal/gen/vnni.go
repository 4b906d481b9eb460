package main

import "github.com/mmcloughlin/avo/reg"

// vnniSum emits a sum over bytes by VPDPBUSD, which multiplies unsigned by signed bytes and adds
// four products to each lane. To make a factor unsigned or signed, the code flips the top bit of
// its bytes, which adds or subtracts 128. The sum then has an error that depends on extra, the sum
// of the factors that are not flipped:
//
//   - Dot product of signed bytes: 128 is added to the first vector. The error is 128*extra.
//   - Dot product of unsigned bytes: 128 is subtracted from the second vector. The error is
//     -128*extra.
//   - Squared distance: 128 is subtracted from one factor of each square. The error is -128*extra.
type vnniSum struct {
	t          *avx
	term       byteTerm
	flip, ones Group   // a group of bytes 128; a group of bytes 1
	sum, extra []Group // groups of lanes; extra is nil if the caller corrects the sum
}

func newVNNI(t *avx, term byteTerm) *vnniSum {
	s := &vnniSum{t: t, term: term, flip: t.New(t.width), ones: t.New(t.width)}
	t.setBytes(s.flip, 128)
	t.setBytes(s.ones, 1)
	return s
}

func (s *vnniSum) step() int { return 4 * s.t.width }

func (s *vnniSum) add(i int, x, y reg.GPVirtual, offset int, part Part) {
	t := s.t
	v, w := t.New(t.width), t.New(t.width)
	t.loadBytes(v, x, offset, part)
	t.loadBytes(w, y, offset, part)
	if s.term.difference {
		greater := t.New(t.width)
		if s.term.signed {
			t.VPMAXSB(r(w), r(v), r(greater))
			t.VPMINSB(r(w), r(v), r(v))
		} else {
			t.VPMAXUB(r(w), r(v), r(greater))
			t.VPMINUB(r(w), r(v), r(v))
		}
		t.VPSUBB(r(v), r(greater), r(v))
		t.VPXORD(r(s.flip), r(v), r(w))
	} else if s.term.signed {
		t.VPXORD(r(s.flip), r(v), r(v))
	} else {
		t.VPXORD(r(s.flip), r(w), r(w))
	}
	if s.extra != nil {
		s.addExtra(s.extra[i], v, w)
	}
	t.VPDPBUSD(r(w), r(v), r(s.sum[i]))
}

// addExtra adds to extra the bytes of the operand that is not flipped: w for a dot product of
// signed bytes, otherwise v.
func (s *vnniSum) addExtra(extra, v, w Group) {
	if s.term.signedSum() {
		s.t.VPDPBUSD(r(w), r(s.ones), r(extra))
	} else {
		s.t.VPDPBUSD(r(s.ones), r(v), r(extra))
	}
}

// correct overwrites extra.
func (s *vnniSum) correct(sum, extra Group) {
	s.t.BitsShiftLeft(extra, extra, 7)
	if s.term.signedSum() {
		s.t.BitsSub(sum, sum, extra)
	} else {
		s.t.BitsAdd(sum, sum, extra)
	}
}

// loop returns a group whose lanes add up to the sum, which it corrects unless s.extra is nil.
// add(i, offset) adds the group of bytes at offset to group i of the lanes, and last adds the
// remaining bytes, fewer than a group.
func (s *vnniSum) loop(x, y, n reg.GPVirtual, add func(i, offset int), last func()) Group {
	t, step := s.t, s.step()
	xy := walk{t, n, []vector{{x, 1}, {y, 1}}}
	xy.loop(t.LoopLabel, "loop", 4*step, "rest", func() {
		t.Comment("Four groups per iteration.")
		for i := range s.sum {
			add(i, i*step)
		}
	})
	t.Label("rest")
	for i := range 3 {
		t.IfLess(n, step, "part")
		add(i, 0)
		xy.next(step)
	}
	t.Label("part")
	t.IfAtMost(n, 0, "fold")
	last()
	t.Label("fold")
	sum := fold(s.sum, t.BitsAdd)
	if s.extra != nil {
		s.correct(sum, fold(s.extra, t.BitsAdd))
	}
	return sum
}

// n is at most asm.Block.
func sumVNNI(t *avx, term byteTerm) {
	x, y, n := t.PointerParam("x"), t.PointerParam("y"), t.IntParam("n")
	shortVNNI(t, term, x, y, n)
	t.Label("long")
	s := newVNNI(t, term)
	s.sum, s.extra = zeros(t, 4, t.width), zeros(t, 4, t.width)
	sum := s.loop(x, y, n, func(i, offset int) { s.add(i, x, y, offset, nil) }, func() {
		last := t.highPart(n, s.step())
		s.add(3, t.Address(x, n, 1), t.Address(y, n, 1), -s.step(), last)
	})
	t.returnInts(sum, term)
}

// shortVNNI sums vectors of at most 4*t.width bytes. For longer vectors the code jumps to the label
// long.
//
// A masked load that reaches into an unmapped page is slow. So the second of two groups ends where
// the vector ends, with the bytes of the first group masked. So does a single group near the end of
// a page.
func shortVNNI(t *avx, term byteTerm, x, y, n reg.GPVirtual) {
	t.IfAtLeast(n, 17, "over16")
	for _, p := range []reg.GPVirtual{x, y} {
		t.ifBytesNearPageEnd(p, n, 16, "page")
	}
	v := t.New(8)
	t.mulBytes(v, term, x, y, 0, t.lowPart(n))
	t.returnInts(v, term)
	t.Label("page")
	t.IfAtMost(n, 0, "empty")
	t.mulBytes(v, term, t.Address(x, n, 1), t.Address(y, n, 1), -16, t.highPart(n, 16))
	t.returnInts(v, term)
	t.Label("empty")
	t.ReturnInt(n)

	over := "over16"
	for width := 8; width <= t.width; width *= 2 {
		t.Label(over)
		over = "long"
		if width < t.width {
			over = "over32"
		}
		t.IfAtLeast(n, 4*width+1, over)
		v, w := t.New(width), t.New(width)
		t.mulBytes(v, term, x, y, 0, nil)
		last := t.highPart(n, 2*width)
		t.mulBytes(w, term, t.Address(x, n, 1), t.Address(y, n, 1), -2*width, last)
		t.BitsAdd(v, v, w)
		t.returnInts(v, term)
	}
}

// rowsVNNI is rowsBytes for CPUs with VNNI. In dot products, rows are flipped, so that the
// correction depends on x alone.
func rowsVNNI(t *avx, term byteTerm) {
	s := newVNNI(t, term)
	n := t.IntParam("len(x)")
	rest := copyInt(t, n)
	t.And(rest, s.step()-1)
	part := t.lowPart(rest)
	var extra Group
	if !term.difference {
		extra = s.correctionFor(t.PointerParam("x"), n, part)
	}
	eachRow(t, 1, func(row, x, n reg.GPVirtual) reg.GPVirtual {
		s.sum = zeros(t, 4, t.width)
		if term.difference {
			s.extra = zeros(t, 4, t.width)
		} else {
			t.BitsAdd(s.sum[0], s.sum[0], extra)
		}
		add := func(i, offset int, part Part) {
			if offset%64 == 0 {
				t.Prefetch(row, rowPrefetch+offset)
			}
			if term.signedSum() || term.difference {
				s.add(i, row, x, offset, part)
			} else {
				s.add(i, x, row, offset, part)
			}
		}
		total := t.NewInt()
		t.SumInts(total, s.loop(row, x, n, func(i, offset int) { add(i, offset, nil) },
			func() { add(3, 0, part) }), term.signedSum())
		return total
	})
}

// correctionFor returns a group whose lanes add up to the correction of the dot product of x and
// any row. part has the last n mod step bytes of x.
func (s *vnniSum) correctionFor(x, n reg.GPVirtual, part Part) Group {
	t := s.t
	extra, sum, v := t.New(t.width), t.New(t.width), t.New(t.width)
	t.Zero(extra)
	t.Zero(sum)
	walk{t, n, []vector{{x, 1}}}.loop(t.LoopLabel, "x", s.step(), "xpart", func() {
		t.loadBytes(v, x, 0, nil)
		s.addExtra(extra, v, v)
	})
	t.Label("xpart")
	t.loadBytes(v, x, 0, part)
	s.addExtra(extra, v, v)
	s.correct(sum, extra)
	return sum
}

func (t *avx) loadBytes(v Group, p reg.GPVirtual, offset int, part Part) {
	if part == nil {
		t.VMOVDQU8(at(p, offset), r(v))
	} else {
		t.VMOVDQU8_Z(at(p, offset), part.(reg.Register), r(v))
	}
}

func (t *avx) returnInts(v Group, term byteTerm) {
	total := t.NewInt()
	t.SumInts(total, v, term.signedSum())
	t.ReturnInt(total)
}
