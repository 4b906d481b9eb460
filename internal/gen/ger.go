package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("ger", "func(alpha float32, x, y, a []float32, stride, size int)", ger).trusting().inWide()
}

// farElements is the size from which a matrix is in memory rather than in a cache: 16 MB.
const farElements = 4 << 20

// ger has at least one row and one column. For a narrow matrix y stays in registers over all rows.
// A group that overlaps another one of its row is loaded before that one is stored. size is the
// number of the whole matrix's elements.
func ger(t Target) {
	if t.Width() > 8 {
		// Shorter stores are no slower where everything waits for memory, and up to a third faster
		// where rows don't begin with a cache line.
		t.IfLess(t.IntParam("size"), farElements, "near")
		t.Leave("gerAVX512x256")
		t.Label("near")
	}
	alpha, scalars, rows := t.BroadcastParam("alpha"), t.PointerParam("x"), t.IntParam("len(x)")
	y, n := t.PointerParam("y"), t.IntParam("len(y)")
	row, stride := t.PointerParam("a"), t.IntParam("stride")
	t.ShiftLeft(stride, 2)
	// each does all rows: update is given alpha times the row's factor.
	each := func(name string, width int, update func(v Group)) {
		t.LoopLabel(name)
		v := t.New(width)
		t.LoadBroadcast(v, scalars, 0)
		t.Mul(v, v, t.Narrow(alpha, width))
		update(v)
		t.Advance(scalars, float)
		t.AdvanceReg(row, stride)
		t.Decrement(rows, 1)
		t.IfAtLeast(rows, 1, name)
	}
	t.IfAtLeast(n, mostColumns(t)+1, "wide")
	narrow(t, n, func(s strip) {
		ys, last := s.load(t, y), s.groups-1
		each(s.name, s.width, func(v Group) {
			update := func(g int) Group {
				sum := t.New(s.width)
				p, offset := s.at(t, row, g)
				t.Mul(sum, v, ys[g])
				t.AddLoad(sum, sum, p, offset)
				return sum
			}
			store := func(sum Group, g int) {
				p, offset := s.at(t, row, g)
				t.Store(sum, p, offset)
			}
			end := update(last)
			for g := range last {
				store(update(g), g)
			}
			store(end, last)
		})
	})
	t.Label("wide")
	last := copyInt(t, n)
	t.Decrement(last, t.Width())
	t.ShiftLeft(last, 2)
	each("row", t.Width(), func(v Group) { wideRow(t, v, y, row, last) })
	t.Done()
}

// wideRow adds v*y to a row whose last group begins last bytes behind its first. The first and the
// last group are where the row begins and ends, those between begin at multiples of their size, so
// that no store of theirs crosses a cache line.
func wideRow(t Target, v Group, y, row, last reg.GPVirtual) {
	width := t.Width()
	const together = 4
	update := func(y, row reg.GPVirtual, offset int) Group {
		sum := t.New(width)
		t.MulLoad(sum, v, y, offset)
		t.AddLoad(sum, sum, row, offset)
		return sum
	}
	first := update(y, row, 0)
	end := update(t.Address(y, last, 1), t.Address(row, last, 1), 0)
	at := t.NewInt() // the offset of the next group
	t.SetConst(at, 0)
	t.DecrementReg(at, row)
	t.And(at, float*(width-1))
	left := copyInt(t, last) // bytes before the last group
	t.DecrementReg(left, at)
	turn := func(groups int) {
		for g := range groups {
			sum := update(t.Address(y, at, 1), t.Address(row, at, 1), float*width*g)
			t.Store(sum, t.Address(row, at, 1), float*width*g)
		}
		t.Advance(at, float*width*groups)
	}
	t.LoopLabel("groups")
	turn(together)
	t.Decrement(left, float*width*together)
	t.IfAtLeast(left, float*width*together, "groups")
	t.IfAtMost(left, 0, "end")
	t.LoopLabel("group")
	turn(1)
	t.IfLessReg(at, last, "group")
	t.Label("end")
	t.Store(first, row, 0)
	t.Store(end, t.Address(row, last, 1), 0)
}
